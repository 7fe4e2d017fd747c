#include "monitor/sample/sampler.h"

#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/thread.h"
#include "monitor/sample/budget.h"
#include "monitor/sample/elsewhere.h"
#include "monitor/sample/images.h"
#include "monitor/sample/stopper.h"
#include "monitor/sample/unwind.h"

#define NAP_NS (20 * UM_CLOCK_NS_PER_MS) /* after which a pause looks whether it should go on */
#define LOOK_NS UM_CLOCK_NS_PER_S        /* between two looks at the modules, at least */
#define NO_NUMBER INT32_MIN

struct um_sampler {
    struct um_sampler_options options;
    struct um_stopper *stopper;
    struct um_thread thread;
    struct um_elsewhere *elsewhere; /* code of no module */

    /* The sampling thread's own. */
    struct um_images *images;
    struct um_budget budget;
    struct um_stopper_sample sample;
    struct um_unwind_frame frames[UM_SAMPLER_FRAMES];
    struct um_sampler_sample walked;
    int32_t numbers[UM_IMAGES_MODULES]; /* of the modules by their index; NO_NUMBER: none yet */
    bool has_times;
    uint64_t user_ns, kernel_ns; /* of the last sample */
    uint64_t looked_ns;
    uint64_t last_ns;   /* when the last sample was taken */
    uint32_t last_wait; /* in which wait */

    struct um_thread_mutex mutex; /* guards what follows */
    struct um_thread_cond changed;
    bool closing;
    bool gone;     /* the target's thread has ended */
    bool away;     /* it is to be sampled */
    bool sampling; /* it may be suspended */
    uint32_t wait; /* which one */
    struct um_suspensions *suspensions;
    size_t first, waiting; /* samples in the queue, which is a ring */
    struct um_sampler_sample queue[UM_SAMPLER_QUEUE];
    int32_t module_count;
    struct um_sampler_module *modules[UM_SAMPLER_MODULES]; /* by their numbers */
};

static bool read_target(void *context, uint64_t address, void *bytes, size_t len)
{
    return um_stopper_read(context, address, bytes, len);
}

static bool is_code(void *context, uint64_t address, uint64_t *begin, uint64_t *end)
{
    return um_stopper_is_code(context, address, begin, end);
}

static size_t list_modules(void *context, struct um_stopper_module *list, size_t cap)
{
    return um_stopper_modules(context, list, cap);
}

static enum um_unwind_stop walk(struct um_sampler *sampler, size_t *count)
{
    struct um_unwind walk;
    struct um_unwind_code code = um_images_code(sampler->images);
    um_unwind_begin(&walk, &sampler->sample.registers, &sampler->sample.stack, sampler->frames,
                    UM_SAMPLER_FRAMES);
    enum um_unwind_stop stop = um_unwind_run(&walk, &code);
    while (stop == UM_UNWIND_PENDING && um_elsewhere_wait(sampler->elsewhere))
        stop = um_unwind_run(&walk, &code);
    *count = walk.frame_count;
    return stop;
}

static void look(struct um_sampler *sampler)
{
    um_images_look(sampler->images);
    sampler->looked_ns = um_clock_now_ns();
    for (size_t i = 0; i < UM_IMAGES_MODULES; i++)
        sampler->numbers[i] = NO_NUMBER;
}

/* What is told of a module. Owner: the caller frees it; NULL: there is no memory. */
static struct um_sampler_module *describe(struct um_sampler *sampler, int32_t index)
{
    const struct um_stopper_module *image = um_images_module(sampler->images, index);
    struct um_sampler_module *module = calloc(1, sizeof *module);
    if (!module)
        return NULL;
    module->timestamp = um_images_timestamp(sampler->images, index);
    module->image_bytes = image->image_bytes;
    module->base = image->base;
    if (!um_stopper_path(sampler->stopper, image->base, module->path, sizeof module->path))
        um_wire_set_text(module->path, sizeof module->path, image->name);
    return module;
}

static bool is_same(const struct um_sampler_module *a, const struct um_sampler_module *b)
{
    return a->timestamp == b->timestamp && a->image_bytes == b->image_bytes &&
           strcmp(a->path, b->path) == 0;
}

/* The number of a module that is told of; a new one takes what is told. */
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

/* The number of a module by its index among the images. */
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

/* Within the instruction that ran, or that called. */
static uint64_t instruction(const struct um_unwind_frame *frame)
{
    bool is_exact = (frame->flags & (UM_UNWIND_FIRST | UM_UNWIND_MACHINE)) != 0;
    return is_exact || frame->pc == 0 ? frame->pc : frame->pc - 1;
}

static struct um_sampler_frame tell(struct um_sampler *sampler, const struct um_unwind_frame *frame)
{
    struct um_unwind_code code = um_images_code(sampler->images);
    struct um_unwind_function function;
    uint64_t address = instruction(frame);
    struct um_sampler_frame told = {.offset = address, .module = number_at(sampler, frame->module)};

    if (told.module != UM_SAMPLER_NO_MODULE)
        told.offset -= um_images_module(sampler->images, frame->module)->base;
    if (code.find(code.context, address, &function) == UM_UNWIND_FOUND) {
        uint64_t begin = function.base + function.rva.begin_rva;
        bool is_within = begin <= address && address - begin <= UINT32_MAX;
        told.displacement = is_within ? (uint32_t)(address - begin) : 0;
    }
    return told;
}

/* Whether the thread was in a leaf function of no module, called from one. The code of Wine's own
 * that is no Windows module looks so. Its caller is what tells something. */
static bool is_lone_leaf(const struct um_unwind_frame *frames)
{
    return frames[0].module == UM_UNWIND_NO_MODULE && (frames[1].flags & UM_UNWIND_LEAF) &&
           frames[1].module != UM_UNWIND_NO_MODULE;
}

/* Whether the modules of the walk are what they were. To list them anew takes long, so it is not
 * done unless one of these is another one. */
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

/* Walks the sample. Code in no module may be that of one that was loaded later. Since the last
 * absence others may have come in the place of some that went. */
static void walk_sample(struct um_sampler *sampler, bool is_first)
{
    struct um_sampler_sample *walked = &sampler->walked;
    size_t count;
    enum um_unwind_stop stop = walk(sampler, &count);
    if (stop == UM_UNWIND_NO_DATA &&
        !um_images_has(sampler->images, sampler->frames[count - 1].pc) &&
        um_clock_now_ns() - sampler->looked_ns >= LOOK_NS) {
        look(sampler);
        stop = walk(sampler, &count);
    }
    if (is_first && !is_up_to_date(sampler, count)) {
        look(sampler);
        stop = walk(sampler, &count);
    }
    walked->stop = stop;
    walked->count = 0;
    for (size_t i = count > 1 && is_lone_leaf(sampler->frames) ? 1 : 0; i < count; i++)
        walked->frames[walked->count++] = tell(sampler, &sampler->frames[i]);
}

/* Copies no more frames than there are. */
static void copy_sample(struct um_sampler_sample *to, const struct um_sampler_sample *from)
{
    memcpy(to, from, offsetof(struct um_sampler_sample, frames));
    memcpy(to->frames, from->frames, from->count * sizeof from->frames[0]);
}

/* How long the thread ran since the last sample; nothing is known of what was before the first. */
static void take_times(struct um_sampler *sampler, bool is_first)
{
    struct um_sampler_sample *walked = &sampler->walked;
    uint64_t user_ns = 0;
    uint64_t kernel_ns = 0;
    bool has = um_stopper_times(sampler->stopper, &user_ns, &kernel_ns);
    bool since = has && sampler->has_times && !is_first;
    walked->user_ns = since && user_ns > sampler->user_ns ? user_ns - sampler->user_ns : 0;
    walked->kernel_ns =
        since && kernel_ns > sampler->kernel_ns ? kernel_ns - sampler->kernel_ns : 0;
    walked->has_times = since;
    sampler->has_times = has;
    sampler->user_ns = user_ns;
    sampler->kernel_ns = kernel_ns;
}

/* Leaves the walked sample for the watch thread. Thread: holds the mutex. */
static void leave(struct um_sampler *sampler)
{
    if (sampler->waiting == UM_SAMPLER_QUEUE) {
        sampler->first = (sampler->first + 1) % UM_SAMPLER_QUEUE;
        sampler->waiting--;
    }
    size_t at = (sampler->first + sampler->waiting++) % UM_SAMPLER_QUEUE;
    copy_sample(&sampler->queue[at], &sampler->walked);
}

/* Takes one sample. Thread: holds the mutex, and gives it up meanwhile. */
static void sample_once(struct um_sampler *sampler)
{
    uint32_t wait = sampler->wait;
    struct um_stopper_sample *sample = &sampler->sample;

    sampler->sampling = true;
    um_thread_unlock(&sampler->mutex);
    enum um_status status = um_stopper_take(sampler->stopper, sample);
    um_thread_lock(&sampler->mutex);
    sampler->sampling = false;
    um_thread_broadcast(&sampler->changed);

    um_budget_spend(&sampler->budget, sample->suspended_ns, sample->time_ns + sample->suspended_ns);
    uint64_t gap_ns = sampler->last_wait == wait ? sample->time_ns - sampler->last_ns : 0;
    sampler->last_wait = wait;
    sampler->last_ns = sample->time_ns;
    sampler->gone = status == UM_ERR_CLOSED;
    if (!sampler->gone)
        um_suspensions_add(sampler->suspensions, sample->suspended_ns, gap_ns);
    if (status != UM_OK)
        return;
    um_thread_unlock(&sampler->mutex);
    sampler->walked.time_ns = sample->time_ns;
    sampler->walked.wall_ns = gap_ns;
    sampler->walked.absence = wait;
    take_times(sampler, gap_ns == 0);
    if (gap_ns == 0)
        um_elsewhere_forget(sampler->elsewhere);
    walk_sample(sampler, gap_ns == 0);
    um_thread_lock(&sampler->mutex);
    leave(sampler);
}

/* Waits until the next sample is due, and the target has answered what it was asked. Thread: holds
 * the mutex, and gives it up meanwhile. The clock's own sleep is finer than a wait for the
 * condition. */
static void pause_between(struct um_sampler *sampler)
{
    uint64_t due_ns = sampler->last_ns + sampler->options.every_ns;
    uint64_t now_ns = um_clock_now_ns();
    uint64_t allowed_ns = um_budget_next_ns(&sampler->budget, now_ns);
    if (allowed_ns > due_ns)
        due_ns = allowed_ns;
    while (sampler->away && !sampler->closing &&
           (now_ns < due_ns || um_elsewhere_is_asking(sampler->elsewhere))) {
        uint64_t left_ns = now_ns < due_ns ? due_ns - now_ns : NAP_NS;
        um_thread_unlock(&sampler->mutex);
        um_clock_sleep_ns(left_ns < NAP_NS ? left_ns : NAP_NS);
        um_thread_lock(&sampler->mutex);
        now_ns = um_clock_now_ns();
    }
}

static void run(void *context)
{
    struct um_sampler *sampler = context;

    um_thread_set_high_priority(); /* another thread in its place would prolong a suspension */
    look(sampler);
    um_thread_lock(&sampler->mutex);
    while (!sampler->closing && !sampler->gone) {
        if (sampler->away)
            pause_between(sampler);
        if (sampler->away && !sampler->closing)
            sample_once(sampler);
        else if (!sampler->closing)
            um_thread_wait(&sampler->changed, &sampler->mutex, UM_THREAD_FOREVER_NS);
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
    sampler->suspensions = suspensions;
    sampler->wait = 1;
    enum um_status status = um_stopper_open(pid, tid, &sampler->stopper);
    struct um_elsewhere_source code = {sampler->stopper, read_target, is_code};
    if (status == UM_OK)
        status = um_elsewhere_open(&code, &sampler->elsewhere);
    struct um_images_source source = {sampler->stopper, read_target, list_modules, {0}};
    if (status == UM_OK)
        source.elsewhere = um_elsewhere_code(sampler->elsewhere);
    if (status == UM_OK)
        status = um_images_open(&source, &sampler->images);
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
        um_elsewhere_cancel(sampler->elsewhere);
    um_thread_join(&sampler->thread);
    um_images_close(sampler->images);
    um_elsewhere_close(sampler->elsewhere);
    um_stopper_close(sampler->stopper);
    for (int32_t i = 0; i < sampler->module_count; i++)
        free(sampler->modules[i]);
    free(sampler);
}

void um_sampler_waits(struct um_sampler *sampler, uint64_t waited_ns)
{
    um_thread_lock(&sampler->mutex);
    bool away = waited_ns != 0 && waited_ns >= sampler->options.after_ns;
    if (away && !sampler->away) {
        sampler->wait++;
        um_thread_broadcast(&sampler->changed);
    }
    sampler->away = away;
    um_thread_unlock(&sampler->mutex);
}

void um_sampler_rest(struct um_sampler *sampler)
{
    um_thread_lock(&sampler->mutex);
    sampler->away = false;
    while (sampler->sampling)
        um_thread_wait(&sampler->changed, &sampler->mutex, UM_THREAD_FOREVER_NS);
    um_thread_unlock(&sampler->mutex);
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

bool um_sampler_question(struct um_sampler *sampler, uint64_t *address)
{
    return um_elsewhere_question(sampler->elsewhere, address);
}

void um_sampler_answer(struct um_sampler *sampler, const struct um_wire_frame *frame)
{
    um_elsewhere_answer(sampler->elsewhere, frame);
}

bool um_sampler_cost(struct um_sampler *sampler, struct um_wire_sampling *out)
{
    um_thread_lock(&sampler->mutex);
    bool has = um_suspensions_sum(sampler->suspensions, out);
    um_thread_unlock(&sampler->mutex);
    return has;
}
