#include "monitor/sample/sampler.h"

#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/thread.h"
#include "monitor/sample/budget.h"
#include "monitor/sample/images.h"
#include "monitor/sample/stacks.h"
#include "monitor/sample/stopper.h"
#include "monitor/sample/unwind.h"

#define FRAMES 256
#define NAP_NS (20 * UM_CLOCK_NS_PER_MS) /* after which a pause looks whether it should go on */
#define LOOK_NS UM_CLOCK_NS_PER_S        /* between two looks at the modules, at least */

struct um_sampler {
    struct um_sampler_options options;
    struct um_stopper *stopper;
    struct um_thread thread;

    /* The sampling thread's own. */
    struct um_images *images;
    struct um_budget budget;
    struct um_stopper_sample sample;
    struct um_unwind_frame frames[FRAMES];
    struct um_stacks_stack stack;
    uint64_t looked_ns;
    uint64_t last_ns;   /* when the last sample was taken */
    uint64_t last_wait; /* in which wait */

    struct um_thread_mutex mutex; /* guards what follows */
    struct um_thread_cond changed;
    bool closing;
    bool gone;     /* the target's thread has ended */
    bool away;     /* it is to be sampled */
    bool sampling; /* it may be suspended */
    uint64_t wait; /* which one; a sample of an earlier one is not counted */
    struct um_suspensions *suspensions;
    struct um_stacks stacks;
};

static bool read_target(void *context, uint64_t address, void *bytes, size_t len)
{
    return um_stopper_read(context, address, bytes, len);
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
                    FRAMES);
    enum um_unwind_stop stop = um_unwind_run(&walk, &code);
    *count = walk.frame_count;
    return stop;
}

static void look(struct um_sampler *sampler)
{
    um_images_look(sampler->images);
    sampler->looked_ns = um_clock_now_ns();
}

/* Makes the sample a stack. Code in no module may be that of one that was loaded later. */
static void condense(struct um_sampler *sampler)
{
    size_t count;
    enum um_unwind_stop stop = walk(sampler, &count);
    if (stop == UM_UNWIND_NO_DATA &&
        !um_images_has(sampler->images, sampler->frames[count - 1].pc) &&
        um_clock_now_ns() - sampler->looked_ns >= LOOK_NS) {
        look(sampler);
        stop = walk(sampler, &count);
    }
    um_stacks_condense(sampler->frames, count, stop, sampler->images, &sampler->stack);
}

/* Takes one sample. Thread: holds the mutex, and gives it up meanwhile. */
static void sample_once(struct um_sampler *sampler)
{
    uint64_t wait = sampler->wait;
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
    condense(sampler);
    um_thread_lock(&sampler->mutex);
    if (sampler->wait == wait)
        um_stacks_add(&sampler->stacks, sample->time_ns, &sampler->stack);
}

/* Waits until the next sample is due. Thread: holds the mutex, and gives it up meanwhile. The
 * clock's own sleep is finer than a wait for the condition. */
static void pause_between(struct um_sampler *sampler)
{
    uint64_t due_ns = sampler->last_ns + sampler->options.every_ns;
    uint64_t now_ns = um_clock_now_ns();
    uint64_t allowed_ns = um_budget_next_ns(&sampler->budget, now_ns);
    if (allowed_ns > due_ns)
        due_ns = allowed_ns;
    while (sampler->away && !sampler->closing && now_ns < due_ns) {
        uint64_t left_ns = due_ns - now_ns;
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
    struct um_images_source source = {sampler->stopper, read_target, list_modules};
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
    um_thread_join(&sampler->thread);
    um_images_close(sampler->images);
    um_stopper_close(sampler->stopper);
    free(sampler);
}

/* Begins a wait of which nothing is known. Thread: holds the mutex. */
static void forget(struct um_sampler *sampler)
{
    sampler->wait++;
    memset(&sampler->stacks, 0, sizeof sampler->stacks);
}

void um_sampler_waits(struct um_sampler *sampler, uint64_t waited_ns)
{
    um_thread_lock(&sampler->mutex);
    bool away = waited_ns != 0 && waited_ns >= sampler->options.after_ns;
    if (away && !sampler->away) {
        forget(sampler);
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

bool um_sampler_freeze(struct um_sampler *sampler, uint64_t end_ns, struct um_wire_stack *out)
{
    um_thread_lock(&sampler->mutex);
    bool has = um_stacks_sum(&sampler->stacks, end_ns, out);
    forget(sampler);
    um_thread_unlock(&sampler->mutex);
    return has;
}

bool um_sampler_cost(struct um_sampler *sampler, struct um_wire_sampling *out)
{
    um_thread_lock(&sampler->mutex);
    bool has = um_suspensions_sum(sampler->suspensions, out);
    um_thread_unlock(&sampler->mutex);
    return has;
}
