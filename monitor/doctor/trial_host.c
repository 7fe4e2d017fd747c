#include "monitor/doctor/trial_host.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "base/output.h"
#include "base/platform.h"
#include "monitor/target/frame_source.h"
#include "monitor/target/control.h"

#define TURN_MS 5
#define SETTLE_NS (100 * UM_CLOCK_NS_PER_MS)  /* until commands are obeyed */
#define ANSWER_NS (200 * UM_CLOCK_NS_PER_MS)  /* the last beats get so long to be seen */
#define KEYS_NS (5 * UM_CLOCK_NS_PER_S)       /* and the last keys, on a busy machine */
#define OVERDUE_NS (250 * UM_CLOCK_NS_PER_MS) /* then a beat is given up, and the next one sent */
#define LEAVE_NS (2 * UM_CLOCK_NS_PER_S)

struct um_trial_host {
    struct um_frame_source *attach;
    struct um_control *control;
    bool broken; /* the connection has ended */
    bool bye;
};

static bool should_give_up(void *context)
{
    (void)context;
    return um_platform_interrupted();
}

static void say(void *context, const char *text)
{
    (void)context;
    um_output_note(text);
    fflush(stderr);
}

enum um_status um_trial_host_open(const struct um_target_info *target,
                                  const struct um_target_process *process,
                                  struct um_trial_host **host_out, char *error, size_t error_cap)
{
    struct um_frame_source_host attach_host = {NULL, should_give_up, say};
    struct um_wire_frame hello;
    struct um_trial_host *host = calloc(1, sizeof *host);

    snprintf(error, error_cap, "uimon: out of memory");
    if (!host)
        return UM_ERR_MEMORY;
    enum um_status status =
        um_target->control->open(UM_WATCH_INPUT_ON, target->pid, &host->control);
    if (status != UM_OK)
        snprintf(error, error_cap, "uimon: the system gives no raw input: %s",
                 um_status_text(status));
    else
        status = um_target->frames->open(target, process, &attach_host, &host->attach, &hello,
                                         error, error_cap);
    if (status != UM_OK) {
        um_trial_host_close(host);
        return status;
    }
    *host_out = host;
    return UM_OK;
}

static void command(struct um_trial_host *host, uint8_t type, uint32_t value)
{
    struct um_wire_frame frame = {.type = type, .as.command.value = value};
    if (um_target->frames->command(host->attach, &frame) != UM_OK)
        host->broken = true;
}

/* Takes what has come from the DLL and from the control. */
static void take(struct um_trial_host *host, struct um_trial *trial)
{
    struct um_wire_frame frame;
    struct um_arrival arrival;
    uint64_t time_ns;
    uint32_t seq;

    enum um_status status = um_target->frames->read(host->attach, TURN_MS);
    host->broken |= status != UM_OK && status != UM_ERR_TIMEOUT;
    while ((status = um_target->frames->next(host->attach, &frame)) == UM_OK) {
        host->bye |= frame.type == UM_WIRE_BYE;
        um_trial_frame(trial, &frame);
    }
    host->broken |= status != UM_ERR_PARTIAL;
    while (um_target->control->pop(host->control, &seq, &time_ns))
        um_trial_control(trial, seq);
    while (um_target->control->pop_arrival(host->control, &arrival))
        um_trial_arrival(trial, &arrival);
}

/* Takes for so long, and does what the plan says; NULL: nothing. False if the connection broke or
 * somebody interrupted. */
static bool take_for(struct um_trial_host *host, const struct um_trial_plan *plan,
                     struct um_trial *trial, uint64_t length_ns)
{
    uint64_t until_ns = um_clock_now_ns() + length_ns;
    uint32_t seq;

    while (!host->broken && !um_platform_interrupted() && um_clock_now_ns() < until_ns) {
        if (plan && plan->act)
            plan->act(plan->context, trial);
        take(host, trial);
        if (um_trial_overdue(trial, um_clock_now_ns() - OVERDUE_NS, &seq))
            command(host, UM_WIRE_ABANDON, seq);
    }
    return !host->broken && !um_platform_interrupted();
}

static bool misses_keys(const struct um_trial *trial)
{
    return trial->keys_taken + trial->keys_unmarked < trial->keys_sent ||
           trial->arrival_count < trial->keys_sent;
}

void um_trial_host_run(struct um_trial_host *host, const struct um_trial_plan *plan,
                       struct um_trial *trial)
{
    struct um_trial unwanted = {0};
    uint32_t seq;

    command(host, UM_WIRE_PAUSE, 1);
    take_for(host, NULL, &unwanted, SETTLE_NS);
    command(host, UM_WIRE_PERIOD, UM_TRIAL_PERIOD_US);
    command(host, UM_WIRE_REST_PERIOD, plan->rest_us);
    command(host, UM_WIRE_WATCH_INPUT, UM_WATCH_INPUT_ON);
    command(host, UM_WIRE_USE_BEAT_KIND, (uint32_t)plan->beat_kind);
    command(host, UM_WIRE_USE_PROBE, (uint32_t)plan->probe);
    command(host, UM_WIRE_PAUSE, 0);
    bool whole = take_for(host, plan, trial, (uint64_t)plan->ms * UM_CLOCK_NS_PER_MS);
    command(host, UM_WIRE_PAUSE, 1);
    whole = take_for(host, NULL, trial, ANSWER_NS) && whole;
    for (uint64_t ns = 0; whole && misses_keys(trial) && ns < KEYS_NS; ns += ANSWER_NS)
        whole = take_for(host, NULL, trial, ANSWER_NS);
    trial->whole = whole;
    if (um_trial_overdue(trial, UINT64_MAX, &seq))
        command(host, UM_WIRE_ABANDON, seq);
}

bool um_trial_host_leave(struct um_trial_host *host, uint64_t *after_ns)
{
    struct um_trial unwanted = {0};
    uint64_t begun_ns = um_clock_now_ns();

    command(host, UM_WIRE_STOP, 0);
    while (!host->bye && !host->broken && um_clock_now_ns() < begun_ns + LEAVE_NS)
        take(host, &unwanted);
    *after_ns = um_clock_now_ns() - begun_ns;
    return host->bye;
}

void um_trial_host_close(struct um_trial_host *host)
{
    if (!host)
        return;
    um_target->frames->close(host->attach);
    um_target->control->close(host->control);
    free(host);
}
