#include "monitor/sample/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/thread.h"
#include "base/ns.h"
#include "base/random.h"
#include "monitor/sample/budget.h"
#include "monitor/sample/remote_lookup.h"
#include "monitor/sample/images.h"
#include "monitor/sample/stopper.h"
#include "monitor/sample/threads.h"
#include "monitor/sample/unwind.h"
#include "monitor/sample/unwind_x86.h"
#include "monitor/sample/waits.h"

#define NAP_NS (20 * UM_CLOCK_NS_PER_MS)       /* a pause checks so often whether it is over */
#define LOOK_NS UM_CLOCK_NS_PER_S              /* between two looks at the modules, at least */
#define LOOK_SOON_NS (50 * UM_CLOCK_NS_PER_MS) /* the same if there is a new module */
#define LIST_NS (10 * UM_CLOCK_NS_PER_S)       /* between two lists of the threads */
#define LIST_SOON_NS UM_CLOCK_NS_PER_S         /* the same in a new absence of the UI thread */
#define OUR_MODULE "uimon-hook"                /* the hook DLL's name begins so */
#define BETWEEN 3 /* samples of the UI thread for each sample of the thread it waits for */
#define NO_NUMBER INT32_MIN
#define REFUSALS 10 /* in a row are final; a thread that is about to end is refused, too */
#define SUSPENDED_MOST_NS (3 * UM_CLOCK_NS_PER_MS)
#define LATE_NS (100 * UM_CLOCK_NS_PER_MS)      /* a sample that is later comes after a pause */
#define LOSES_MOST_NS (50 * UM_CLOCK_NS_PER_MS) /* so that a short freeze has some samples */
/* A sample that took longer may be of a thread that ran meanwhile, because others resumed it. */
#define GOOD_MOST_NS (100 * UM_CLOCK_NS_PER_MS)

struct um_sampler {
    struct um_sampler_options options;
    uint32_t pid, tid;
    struct um_stopper *stopper;
    bool is_x86;
    struct um_waits *waits;
    struct um_thread thread;
    struct um_remote_lookup *elsewhere; /* code of no module */

    /* Only used by the sampling thread. */
    struct um_images *images;
    struct um_budget stop_budget; /* for the time that threads are stopped */
    struct um_budget loses;       /* for the time that running threads lose */
    struct um_random random;
    uint64_t paused_ns; /* by how much samples were late, in all */
    struct um_stopper_sample sample;
    struct um_unwind_frame frames[UM_SAMPLER_DEPTH];
    struct um_sampler_sample walked;
    int32_t numbers[UM_IMAGES_MODULES]; /* of the modules by their index; NO_NUMBER: none yet */
    uint64_t looked_ns;                 /* when the modules were listed */
    uint32_t missed;                    /* the um_images_missed for which they were, last */
    uint64_t checked_ns;                /* when it was checked whether they are still the same */
    struct um_threads_clock clock;      /* of the UI thread */
    struct um_threads threads;          /* the others */
    uint64_t listed_ns;                 /* when these were listed; 0: never */
    uint32_t listed_wait;               /* in which `wait` they were listed */
    uint32_t tids[UM_THREADS_MOST];
    struct um_blocker_known known;
    uint32_t known_wait; /* the `wait` of `known` */
    uint32_t asked_wait; /* the `wait` of the answers in `elsewhere` */
    unsigned passed;     /* samples of the UI thread since the last one of another thread */
    unsigned refused;    /* samples of the UI thread in a row */

    struct um_thread_mutex mutex; /* guards what follows */
    struct um_thread_cond changed;
    bool closing;
    bool gone;              /* the target's thread has ended, or cannot be suspended */
    enum um_status refusal; /* why it cannot, until um_sampler_refused takes it; else UM_OK */
    bool active;            /* there are to be samples */
    bool away;              /* the UI thread is away */
    bool sampling;          /* a thread may be suspended at the moment */
    uint32_t wait;          /* how often the UI thread has gone away */
    struct um_suspensions *suspensions;
    size_t first, waiting; /* samples in the queue, which is a ring */
    struct um_sampler_sample queue[UM_SAMPLER_QUEUE];
    bool has_too_many; /* modules at a time */
    int32_t module_count;
    struct um_sampler_module *modules[UM_SAMPLER_MODULES]; /* by their numbers */
};

static enum um_unwind_stop walk_x86(struct um_sampler *sampler, size_t *count)
{
    struct um_unwind_x86_code code = um_images_code_x86(sampler->images);
    struct um_unwind_x86_start start = {&sampler->sample.registers, &sampler->sample.stack,
                                        sampler->sample.has_end, sampler->sample.callers,
                                        sampler->sample.caller_count};
    return um_unwind_x86_walk(&start, &code, sampler->frames, UM_SAMPLER_DEPTH, count);
}

static enum um_unwind_stop walk(struct um_sampler *sampler, size_t *count)
{
    struct um_unwind walk;
    if (sampler->is_x86)
        return walk_x86(sampler, count);
    struct um_unwind_code code = um_images_code(sampler->images);
    um_unwind_begin(&walk, &sampler->sample.registers, &sampler->sample.stack, sampler->frames,
                    UM_SAMPLER_DEPTH);
    um_unwind_callers(&walk, sampler->sample.callers, sampler->sample.caller_count);
    enum um_unwind_stop stop = um_unwind_run(&walk, &code);
    while (stop == UM_UNWIND_PENDING && um_remote_lookup_wait(sampler->elsewhere))
        stop = um_unwind_run(&walk, &code);
    *count = walk.frame_count;
    return stop;
}

static void look(struct um_sampler *sampler)
{
    um_images_look(sampler->images);
    sampler->looked_ns = sampler->options.now_ns();
    for (size_t i = 0; i < UM_IMAGES_MODULES; i++)
        sampler->numbers[i] = NO_NUMBER;
    um_thread_lock(&sampler->mutex);
    sampler->has_too_many = sampler->has_too_many || um_images_is_full(sampler->images);
    um_thread_unlock(&sampler->mutex);
}

/* Owner: the caller frees it. NULL without memory. */
static struct um_sampler_module *describe(struct um_sampler *sampler, int32_t index)
{
    const struct um_stopper_module *image = um_images_module(sampler->images, index);
    struct um_sampler_module *module = calloc(1, sizeof *module);
    if (!module)
        return NULL;
    module->timestamp = um_images_timestamp(sampler->images, index);
    module->image_bytes = image->image_bytes;
    module->base = image->base;
    if (!um_stopper->path(sampler->stopper, image->base, module->path, sizeof module->path))
        um_text_set(module->path, sizeof module->path, image->name);
    return module;
}

static bool is_same(const struct um_sampler_module *a, const struct um_sampler_module *b)
{
    return a->timestamp == b->timestamp && a->image_bytes == b->image_bytes &&
           strcmp(a->path, b->path) == 0;
}

/* The number of a module. Owner: takes `module`. */
static int32_t number_of(struct um_sampler *sampler, struct um_sampler_module *module)
{
    int32_t number = 0;
    um_thread_lock(&sampler->mutex);
    while (number < sampler->module_count && !is_same(sampler->modules[number], module))
        number++;
    bool is_new = number == sampler->module_count && number < UM_SAMPLER_MODULES;
    if (is_new)
        sampler->modules[sampler->module_count++] = module;
    um_thread_unlock(&sampler->mutex);
    if (!is_new)
        free(module);
    return number < UM_SAMPLER_MODULES ? number : UM_SAMPLER_NO_MODULE;
}

static int32_t number_at(struct um_sampler *sampler, int32_t index)
{
    if (index < 0)
        return UM_SAMPLER_NO_MODULE;
    if (sampler->numbers[index] == NO_NUMBER) {
        struct um_sampler_module *module = describe(sampler, index);
        if (!module)
            return UM_SAMPLER_NO_MODULE;
        sampler->numbers[index] = number_of(sampler, module);
    }
    return sampler->numbers[index];
}

/* An address within the instruction that ran, or that called. */
static uint64_t instruction(const struct um_unwind_frame *frame)
{
    bool is_exact = (frame->flags & (UM_UNWIND_FIRST | UM_UNWIND_MACHINE)) != 0;
    return is_exact || frame->pc == 0 ? frame->pc : frame->pc - 1;
}

static struct um_sampler_frame make_frame(struct um_sampler *sampler,
                                          const struct um_unwind_frame *frame)
{
    uint64_t address = instruction(frame);
    uint64_t begin;
    struct um_sampler_frame made = {.offset = address, .module = number_at(sampler, frame->module)};

    if (made.module != UM_SAMPLER_NO_MODULE)
        made.offset -= um_images_module(sampler->images, frame->module)->base;
    if (um_images_begin(sampler->images, address, &begin)) {
        bool is_within = begin <= address && address - begin <= UINT32_MAX;
        made.displacement = is_within ? (uint32_t)(address - begin) : 0;
    }
    return made;
}

/* Whether the thread was in a leaf function of no module, called from a module. Wine's own code
 * outside of Windows modules looks so. Only its caller is of interest. In a 32-bit program it is
 * code where the system says that there is none. */
static bool is_lone_leaf(struct um_sampler *sampler)
{
    const struct um_unwind_frame *frames = sampler->frames;
    struct um_unwind_x86_code code = um_images_code_x86(sampler->images);
    struct um_unwind_x86_place place;
    if (sampler->is_x86)
        return !code.find(code.context, (uint32_t)frames[0].pc, &place);
    return frames[0].module == UM_UNWIND_NO_MODULE && (frames[1].flags & UM_UNWIND_LEAF) &&
           frames[1].module != UM_UNWIND_NO_MODULE;
}

/* Whether the modules of the walk are still the same. Listing all anew takes long, so that is done
 * only if one of these has changed. */
static bool is_up_to_date(struct um_sampler *sampler, size_t count)
{
    int32_t before = UM_UNWIND_NO_MODULE;
    for (size_t i = 0; i < count; i++) {
        int32_t module = sampler->frames[i].module;
        if (module != UM_UNWIND_NO_MODULE && module != before &&
            !um_images_is_there(sampler->images, module))
            return false;
        before = module;
    }
    return true;
}

/* Whether it is time to look at the modules because of code without unwind data. */
static bool is_look_due(struct um_sampler *sampler, uint64_t pc)
{
    uint64_t passed_ns = sampler->options.now_ns() - sampler->looked_ns;
    return !um_images_has(sampler->images, pc) &&
           (passed_ns >= LOOK_NS ||
            (passed_ns >= LOOK_SOON_NS && um_stopper->is_module(sampler->stopper, pc)));
}

/* The same for code of a 32-bit program, in a module that was not known. */
static bool is_miss_due(struct um_sampler *sampler)
{
    uint32_t missed = um_images_missed(sampler->images);
    uint64_t every_ns = missed == sampler->missed ? LOOK_NS : LOOK_SOON_NS;
    if (missed == 0 || sampler->options.now_ns() - sampler->looked_ns < every_ns)
        return false;
    sampler->missed = missed;
    return true;
}

/* Whether to check if the modules are still the same: in the first sample of an absence, and once a
 * second with `always`. */
static bool is_check_due(struct um_sampler *sampler, bool is_first)
{
    uint64_t now_ns = sampler->options.now_ns();
    bool is_due = is_first || (sampler->options.always && now_ns - sampler->checked_ns >= LOOK_NS);
    if (is_due)
        sampler->checked_ns = now_ns;
    return is_due;
}

/* Walks the sample, again if modules were loaded or replaced meanwhile. Returns how many frames
 * there are in `frames`. */
static size_t walk_sample(struct um_sampler *sampler, bool is_first)
{
    struct um_sampler_sample *walked = &sampler->walked;
    size_t count;
    enum um_unwind_stop stop = walk(sampler, &count);
    if ((stop == UM_UNWIND_NO_DATA && is_look_due(sampler, sampler->frames[count - 1].pc)) ||
        is_miss_due(sampler)) {
        look(sampler);
        stop = walk(sampler, &count);
    }
    if (is_check_due(sampler, is_first) && !is_up_to_date(sampler, count)) {
        look(sampler);
        stop = walk(sampler, &count);
    }
    walked->stop = stop;
    walked->count = 0;
    walked->guessed = 0;
    for (size_t i = count > 1 && is_lone_leaf(sampler) ? 1 : 0; i < count; i++) {
        bool is_guessed = (sampler->frames[i].flags & UM_UNWIND_GUESSED) != 0;
        if (is_guessed && walked->count < 64)
            walked->guessed |= UINT64_C(1) << walked->count;
        walked->frames[walked->count++] = make_frame(sampler, &sampler->frames[i]);
    }
    return count;
}

/* Copies no more frames than there are. */
static void copy_sample(struct um_sampler_sample *to, const struct um_sampler_sample *from)
{
    memcpy(to, from, offsetof(struct um_sampler_sample, frames));
    memcpy(to->frames, from->frames, from->count * sizeof from->frames[0]);
}

/* The part of a gap without the sampler's pauses; 0: there is no gap. */
static uint64_t sampled_ns(const struct um_sampler *sampler, const struct um_threads_clock *clock,
                           uint64_t gap_ns)
{
    uint64_t paused_ns = sampler->paused_ns - clock->paused_ns;
    if (gap_ns == 0)
        return 0;
    return gap_ns > paused_ns + UM_CLOCK_NS_PER_US ? gap_ns - paused_ns : UM_CLOCK_NS_PER_US;
}

/* Notes how long the thread has run so far. False: that is not known. */
static bool note_times(struct um_sampler *sampler, struct um_threads_clock *clock)
{
    uint64_t user_ns = 0;
    uint64_t kernel_ns = 0;
    clock->has_times = um_stopper->times(sampler->stopper, &user_ns, &kernel_ns);
    clock->user_ns = user_ns;
    clock->kernel_ns = kernel_ns;
    return clock->has_times;
}

/* The part of a growth of the thread's time. */
static uint64_t part_of(uint64_t before_ns, uint64_t after_ns, double part)
{
    return after_ns > before_ns ? (uint64_t)((double)(after_ns - before_ns) * part) : 0;
}

/* Fills in how long the thread ran since its last sample in this absence. In the sampler's pauses
 * it is taken to have run for as large a part of the time as in the rest of the gap. */
static void take_times(struct um_sampler *sampler, struct um_threads_clock *clock, uint64_t gap_ns)
{
    struct um_sampler_sample *walked = &sampler->walked;
    const struct um_threads_clock before = *clock;
    bool since = note_times(sampler, clock) && before.has_times && gap_ns > 0;
    double part = since ? (double)walked->wall_ns / (double)gap_ns : 0;
    walked->user_ns = part_of(before.user_ns, clock->user_ns, part);
    walked->kernel_ns = part_of(before.kernel_ns, clock->kernel_ns, part);
    walked->has_times = since;
}

/* The chance that the thread ran when it was stopped: the part of the time since its last sample
 * that it has run. The system counts in ticks, so it may exceed 1, which evens out over some
 * samples. */
static double part_run(const struct um_sampler_sample *walked)
{
    if (!walked->has_times || walked->wall_ns == 0)
        return 1;
    return (double)(walked->user_ns + walked->kernel_ns) / (double)walked->wall_ns;
}

/* Charges what the thread has lost. A thread that waits loses nothing when it is stopped. */
static void spend(struct um_sampler *sampler, double part)
{
    const struct um_stopper_sample *sample = &sampler->sample;
    double lost_ns = fmin((double)sample->lost_ns * part, 1e12);
    um_budget_spend(&sampler->loses, (uint64_t)lost_ns, sample->time_ns + sample->suspended_ns);
}

/* For whom the UI thread waits ----------------------------------------------------------------- */

static enum um_blocker_call call_of(void *context, size_t frame, bool *is_system)
{
    struct um_sampler *sampler = context;
    const struct um_unwind_frame *at = &sampler->frames[frame];
    const struct um_stopper_module *module = um_images_module(sampler->images, at->module);
    uint64_t begin;
    /* Code of no module in the innermost frame may be Wine's own. */
    *is_system = module ? um_waits->is_system(module->name) : frame == 0;
    /* The waiting calls are known by the exports of the monitor's own modules, of 64 bits. */
    if (!module || !*is_system || sampler->is_x86 ||
        !um_images_begin(sampler->images, instruction(at), &begin))
        return UM_BLOCKER_NO_CALL;
    return um_waits->call(sampler->waits, module->name,
                          um_images_timestamp(sampler->images, at->module),
                          (uint32_t)(begin - module->base));
}

static bool is_thread(void *context, uint32_t tid)
{
    struct um_sampler *sampler = context;
    return um_waits->is_thread(sampler->waits, tid);
}

static bool look_at_window(void *context, uint32_t window, struct um_blocker *blocker)
{
    struct um_sampler *sampler = context;
    return um_waits->window(sampler->waits, window, blocker);
}

static bool ask_chain(void *context, struct um_blocker *blocker)
{
    struct um_sampler *sampler = context;
    return um_waits->chain(sampler->waits, blocker);
}

static bool read_memory(void *context, uint64_t address, void *bytes, size_t len)
{
    struct um_sampler *sampler = context;
    return um_stopper->read(sampler->stopper, address, bytes, len);
}

/* Finds for whom the UI thread waits. That thread is sampled too, if it is the target's. */
static void find_blocker(struct um_sampler *sampler, size_t frame_count, uint32_t wait)
{
    struct um_blocker *blocker = &sampler->walked.blocker;
    struct um_blocker_source source = {sampler,   call_of,        read_memory,
                                       is_thread, look_at_window, ask_chain};
    struct um_blocker_wait waiting = {
        sampler->pid,           sampler->tid,    &sampler->sample.registers,
        &sampler->sample.stack, sampler->frames, frame_count};
    if (sampler->known_wait != wait) {
        sampler->known.count = 0;
        um_waits->forget(sampler->waits);
        sampler->passed = BETWEEN;
        if (!sampler->options.all_threads)
            um_threads_keep(&sampler->threads, NULL, 0);
    }
    sampler->known_wait = wait;
    if (um_blocker_find(&source, &waiting, &sampler->known, blocker) &&
        blocker->process == sampler->pid && blocker->thread != 0)
        um_threads_add(&sampler->threads, blocker->thread);
}

/* Samples -------------------------------------------------------------------------------------- */

/* Queues the walked sample for the watch thread. Thread: holds the mutex. */
static void leave(struct um_sampler *sampler)
{
    if (sampler->waiting == UM_SAMPLER_QUEUE) {
        sampler->first = (sampler->first + 1) % UM_SAMPLER_QUEUE;
        sampler->waiting--;
    }
    size_t at = (sampler->first + sampler->waiting++) % UM_SAMPLER_QUEUE;
    copy_sample(&sampler->queue[at], &sampler->walked);
}

/* Stops a thread for a moment; NULL is the UI thread. Thread: holds the mutex, and releases it
 * meanwhile. */
static enum um_status stop_once(struct um_sampler *sampler, const struct um_threads_entry *other)
{
    struct um_stopper_sample *sample = &sampler->sample;
    um_stopper->choose(sampler->stopper, other ? other->thread : NULL);
    sampler->sampling = true;
    um_thread_unlock(&sampler->mutex);
    enum um_status status = um_stopper->take(sampler->stopper, sample);
    um_thread_lock(&sampler->mutex);
    sampler->sampling = false;
    um_thread_broadcast(&sampler->changed);
    um_budget_spend(&sampler->stop_budget, sample->suspended_ns,
                    sample->time_ns + sample->suspended_ns);
    return status;
}

/* Fills in a sample besides its frames. Returns whether it is the first of an absence. */
static bool head_sample(struct um_sampler *sampler, struct um_threads_entry *other,
                        uint32_t absence, uint64_t wall_ns)
{
    struct um_sampler_sample *walked = &sampler->walked;
    walked->time_ns = sampler->sample.time_ns;
    walked->wall_ns = wall_ns;
    walked->absence = absence;
    walked->thread = other ? other->tid : sampler->tid;
    walked->is_other = other != NULL;
    walked->thread_name[0] = '\0';
    walked->blocker = (struct um_blocker){.kind = UM_WIRE_WAIT_NONE};
    if (other && !other->is_named) {
        other->is_named = true;
        if (!um_stopper->thread_name(other->thread, walked->thread_name,
                                     sizeof walked->thread_name))
            walked->thread_name[0] = '\0';
    }
    return wall_ns == 0;
}

/* Whether to try again after the system has refused to suspend a thread. Thread: holds the
 * mutex. */
static bool may_try_again(struct um_sampler *sampler, bool is_other, enum um_status why)
{
    if (is_other)
        return false;
    if (++sampler->refused < REFUSALS)
        return true;
    sampler->refusal = why;
    return false;
}

/* Takes one sample of a thread; NULL is the UI thread. False: there will be no more of it. Thread:
 * holds the mutex, and releases it meanwhile. */
static bool sample_once(struct um_sampler *sampler, struct um_threads_entry *other)
{
    struct um_threads_clock *clock = other ? &other->clock : &sampler->clock;
    const struct um_stopper_sample *sample = &sampler->sample;
    uint32_t wait = sampler->wait;
    uint32_t absence = sampler->options.always ? 1 : wait;
    bool is_away = sampler->away;

    enum um_status status = stop_once(sampler, other);
    uint64_t gap_ns = clock->absence == absence ? sample->time_ns - clock->last_ns : 0;
    uint64_t wall_ns = sampled_ns(sampler, clock, gap_ns);
    clock->absence = absence;
    clock->last_ns = sample->time_ns;
    clock->paused_ns = sampler->paused_ns;
    if (status == UM_ERR_CLOSED)
        return false;
    if (status == UM_ERR_DENIED || status == UM_ERR_BUSY) {
        (void)note_times(sampler, clock); /* the next sample's gap begins here */
        return may_try_again(sampler, other != NULL, status);
    }
    if (!other)
        sampler->refused = 0;
    um_suspensions_add(sampler->suspensions, sample->suspended_ns, other ? 0 : gap_ns);
    if (status != UM_OK || sample->suspended_ns > GOOD_MOST_NS) {
        spend(sampler, 1);
        (void)note_times(sampler, clock);
        return true;
    }
    um_thread_unlock(&sampler->mutex);
    bool is_first = head_sample(sampler, other, absence, wall_ns);
    take_times(sampler, clock, gap_ns);
    spend(sampler, part_run(&sampler->walked));
    if (sampler->asked_wait != wait) {
        um_remote_lookup_forget(sampler->elsewhere);
        um_images_forget(sampler->images);
    }
    sampler->asked_wait = wait;
    size_t count = walk_sample(sampler, is_first);
    if (!other && is_away)
        find_blocker(sampler, count, wait);
    um_thread_lock(&sampler->mutex);
    leave(sampler);
    return true;
}

/* Waits until it is time, the budget allows a sample, and the target has answered what it was
 * asked. Up to `spread_us` of the pause is random: samples in step with a program's loop would
 * always find it at the same place. The clock's own sleep is finer than a wait for the condition.
 * If it gets late all the same, because the machine slept, uimon did not run or the target did not
 * answer, that was a pause. Returns for how long the budget alone held the sample back.
 * Thread: holds the mutex, and releases it meanwhile. */
static uint64_t pause_until(struct um_sampler *sampler, uint64_t due_ns, uint32_t spread_us)
{
    uint64_t now_ns = sampler->options.now_ns();
    uint64_t wanted_ns = um_ns_max(due_ns, now_ns);
    due_ns = um_ns_max(due_ns, um_budget_next_ns(&sampler->stop_budget, now_ns));
    due_ns = um_ns_max(due_ns, um_budget_next_ns(&sampler->loses, now_ns));
    uint64_t allowed_ns = due_ns;
    due_ns += um_random_below(&sampler->random, spread_us + 1) * UM_CLOCK_NS_PER_US;
    while (sampler->active && !sampler->closing &&
           (now_ns < due_ns || um_remote_lookup_is_asking(sampler->elsewhere))) {
        uint64_t left_ns = now_ns < due_ns ? due_ns - now_ns : NAP_NS;
        um_thread_unlock(&sampler->mutex);
        sampler->options.sleep_ns(left_ns < NAP_NS ? left_ns : NAP_NS);
        um_thread_lock(&sampler->mutex);
        now_ns = sampler->options.now_ns();
    }
    if (now_ns > due_ns && now_ns - due_ns > LATE_NS)
        sampler->paused_ns += now_ns - due_ns;
    return um_ns_elapsed(wanted_ns, um_ns_min(now_ns, allowed_ns));
}

static void pause_between(struct um_sampler *sampler)
{
    uint32_t every_us = (uint32_t)(sampler->options.every_ns / UM_CLOCK_NS_PER_US);
    uint32_t spread_us = every_us / 2;
    um_suspensions_withheld(
        sampler->suspensions,
        pause_until(sampler,
                    sampler->clock.last_ns + (every_us - spread_us / 2) * UM_CLOCK_NS_PER_US,
                    spread_us));
}

static bool is_ours(void *context, uint64_t address)
{
    struct um_sampler *sampler = context;
    const struct um_stopper_module *module = um_images_module_at(sampler->images, address);
    return !module || strncmp(module->name, OUR_MODULE, strlen(OUR_MODULE)) == 0;
}

/* Lists the threads at the begin of an absence, and rarely after that. */
static void list_threads(struct um_sampler *sampler, uint32_t wait)
{
    uint64_t now_ns = sampler->options.now_ns();
    uint64_t every_ns = sampler->listed_wait == wait ? LIST_NS : LIST_SOON_NS;
    if (sampler->listed_ns != 0 && now_ns - sampler->listed_ns < every_ns)
        return;
    size_t count = um_stopper->threads(sampler->stopper, sampler->tids, UM_THREADS_MOST);
    um_threads_keep(&sampler->threads, sampler->tids, count);
    sampler->listed_ns = now_ns;
    sampler->listed_wait = wait;
}

/* Takes a sample of another thread, if there are to be any. A thread that somebody else has stopped
 * is left out until the next list. Thread: as sample_once. */
static void sample_other(struct um_sampler *sampler)
{
    uint32_t wait = sampler->wait;
    bool all = sampler->options.all_threads;
    if ((!sampler->away && !(sampler->options.always && all)) ||
        (!all && sampler->passed++ < BETWEEN))
        return;
    um_thread_unlock(&sampler->mutex);
    if (all)
        list_threads(sampler, wait);
    struct um_threads_entry *other = um_threads_next(&sampler->threads);
    um_thread_lock(&sampler->mutex);
    if (!other)
        return;
    (void)pause_until(sampler, 0, 0);
    if (!sampler->active || sampler->closing)
        return;
    sampler->passed = 0;
    bool goes_on = sample_once(sampler, other) && !sampler->sample.was_suspended;
    if (!goes_on)
        um_threads_drop(&sampler->threads, other);
}

static void run(void *context)
{
    struct um_sampler *sampler = context;

    um_thread_set_high_priority(); /* being preempted would prolong a suspension */
    look(sampler);
    um_thread_lock(&sampler->mutex);
    while (!sampler->closing && !sampler->gone) {
        if (sampler->active)
            pause_between(sampler);
        if (sampler->active && !sampler->closing) {
            sampler->gone = !sample_once(sampler, NULL);
            if (!sampler->gone && sampler->active && !sampler->closing)
                sample_other(sampler);
        } else if (!sampler->closing) {
            um_thread_wait(&sampler->changed, &sampler->mutex, UM_THREAD_FOREVER_NS);
        }
    }
    um_thread_unlock(&sampler->mutex);
}

enum um_status um_sampler_open(uint32_t pid, uint32_t tid, const struct um_sampler_options *options,
                               struct um_suspensions *suspensions, struct um_sampler **sampler_out)
{
    struct um_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler)
        return UM_ERR_MEMORY;
    sampler->options = *options;
    if (!options->now_ns) {
        sampler->options.now_ns = um_clock_now_ns;
        sampler->options.sleep_ns = um_clock_sleep_ns;
    }
    sampler->pid = pid;
    sampler->tid = tid;
    sampler->suspensions = suspensions;
    sampler->wait = 1;
    uint32_t permille = um_budget_permille(options->cost_percent);
    sampler->stop_budget = (struct um_budget){permille, SUSPENDED_MOST_NS, 0, 0};
    sampler->loses = (struct um_budget){permille, LOSES_MOST_NS, 0, 0};
    sampler->random.state = um_clock_now_ns();
    enum um_status status = um_stopper->open(pid, tid, &sampler->stopper);
    if (status == UM_OK)
        sampler->is_x86 = um_stopper->is_x86(sampler->stopper);
    if (status == UM_OK && options->nonce)
        um_stopper->claim(sampler->stopper, options->nonce);
    um_threads_init(&sampler->threads, sampler->stopper, tid, is_ours, sampler);
    if (status == UM_OK)
        status = um_waits->open(pid, tid, &sampler->waits);
    if (status == UM_OK)
        status =
            um_remote_lookup_open(sampler->stopper, sampler->options.now_ns, &sampler->elsewhere);
    if (status == UM_OK) {
        struct um_unwind_code elsewhere = um_remote_lookup_code(sampler->elsewhere);
        status = um_images_open(sampler->stopper, &elsewhere, &sampler->images);
    }
    if (status == UM_OK)
        status = um_thread_start(run, sampler, &sampler->thread);
    if (status != UM_OK) {
        um_sampler_close(sampler);
        return status;
    }
    *sampler_out = sampler;
    return UM_OK;
}

void um_sampler_close(struct um_sampler *sampler)
{
    if (!sampler)
        return;
    um_thread_lock(&sampler->mutex);
    sampler->closing = true;
    um_thread_broadcast(&sampler->changed);
    um_thread_unlock(&sampler->mutex);
    if (sampler->elsewhere)
        um_remote_lookup_cancel(sampler->elsewhere);
    um_thread_join(&sampler->thread);
    um_images_close(sampler->images);
    um_threads_deinit(&sampler->threads);
    um_waits->close(sampler->waits);
    um_remote_lookup_close(sampler->elsewhere);
    um_stopper->close(sampler->stopper);
    for (int32_t i = 0; i < sampler->module_count; i++)
        free(sampler->modules[i]);
    free(sampler);
}

bool um_sampler_is_x86(const struct um_sampler *sampler)
{
    return sampler->is_x86;
}

void um_sampler_waits(struct um_sampler *sampler, uint64_t waited_ns)
{
    um_thread_lock(&sampler->mutex);
    bool away = waited_ns != 0 && waited_ns >= sampler->options.after_ns;
    bool active = away || sampler->options.always;
    if (away && !sampler->away)
        sampler->wait++;
    if (active && !sampler->active)
        um_thread_broadcast(&sampler->changed);
    sampler->away = away;
    sampler->active = active;
    um_thread_unlock(&sampler->mutex);
}

void um_sampler_rest(struct um_sampler *sampler)
{
    um_thread_lock(&sampler->mutex);
    sampler->away = false;
    sampler->active = false;
    while (sampler->sampling)
        um_thread_wait(&sampler->changed, &sampler->mutex, UM_THREAD_FOREVER_NS);
    um_thread_unlock(&sampler->mutex);
}

bool um_sampler_thread(struct um_sampler *sampler, uint32_t *tid, bool *comes)
{
    return um_threads_change(&sampler->threads, tid, comes);
}

bool um_sampler_refused(struct um_sampler *sampler, enum um_status *why)
{
    um_thread_lock(&sampler->mutex);
    bool is_news = sampler->refusal != UM_OK;
    if (is_news)
        *why = sampler->refusal;
    sampler->refusal = UM_OK;
    um_thread_unlock(&sampler->mutex);
    return is_news;
}

bool um_sampler_next(struct um_sampler *sampler, struct um_sampler_sample *sample)
{
    um_thread_lock(&sampler->mutex);
    bool has = sampler->waiting > 0;
    if (has) {
        copy_sample(sample, &sampler->queue[sampler->first]);
        sampler->first = (sampler->first + 1) % UM_SAMPLER_QUEUE;
        sampler->waiting--;
    }
    um_thread_unlock(&sampler->mutex);
    return has;
}

const struct um_sampler_module *um_sampler_module(struct um_sampler *sampler, int32_t number)
{
    um_thread_lock(&sampler->mutex);
    const struct um_sampler_module *module = sampler->modules[number];
    um_thread_unlock(&sampler->mutex);
    return module;
}

bool um_sampler_has_too_many(struct um_sampler *sampler)
{
    um_thread_lock(&sampler->mutex);
    bool has = sampler->has_too_many;
    um_thread_unlock(&sampler->mutex);
    return has;
}

bool um_sampler_question(struct um_sampler *sampler, uint64_t *address)
{
    return um_remote_lookup_question(sampler->elsewhere, address);
}

void um_sampler_answer(struct um_sampler *sampler, const struct um_wire_frame *code)
{
    um_remote_lookup_answer(sampler->elsewhere, code);
}

bool um_sampler_cost(struct um_sampler *sampler, struct um_wire_sampling *out)
{
    um_thread_lock(&sampler->mutex);
    bool has = um_suspensions_sum(sampler->suspensions, out);
    um_thread_unlock(&sampler->mutex);
    return has;
}
