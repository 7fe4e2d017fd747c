/* A trial of the doctor in an attachment whose DLL is this test: it does something when the monitor
 * has looked for its frames so often. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/plain/message.h"
#include "monitor/doctor/trial_host.h"
#include "monitor/target/control.h"
#include "monitor/target/frame_source.h"

#define LOOK_MS 5
#define LATE_LOOKS 60 /* 0.3 s: the trial waits for the last beats for 0.2 s */
#define KEYS 2

static struct um_trial_host *host;
static unsigned pauses;                           /* PAUSE 1, of which the second ends the trial */
static unsigned looks;                            /* since the last command */
static unsigned looks_to_keys, looks_to_arrivals; /* after so many they come */
static unsigned keys_come = KEYS, keys_arrive = KEYS; /* that are still to come */
static bool stops, says_bye;

static enum um_status open_frames(const struct um_target_info *target,
                                  const struct um_target_process *process,
                                  const struct um_frame_source_host *with,
                                  struct um_frame_source **source, struct um_wire_frame *hello,
                                  char *error, size_t error_cap)
{
    (void)target, (void)process, (void)with, (void)hello, (void)error, (void)error_cap;
    *source = NULL;
    return UM_OK;
}

static enum um_status read_frames(struct um_frame_source *source, uint32_t timeout_ms)
{
    (void)source, (void)timeout_ms;
    looks++;
    um_clock_sleep_ns(LOOK_MS * UM_CLOCK_NS_PER_MS);
    return UM_ERR_TIMEOUT;
}

static enum um_status next_frame(struct um_frame_source *source, struct um_wire_frame *frame)
{
    (void)source;
    memset(frame, 0, sizeof *frame);
    if (stops && says_bye) {
        says_bye = false;
        frame->type = UM_WIRE_BYE;
        return UM_OK;
    }
    if (pauses < 2 || looks < looks_to_keys || keys_come == 0)
        return UM_ERR_PARTIAL;
    keys_come--;
    frame->type = UM_WIRE_TAKEN;
    frame->flags = UM_WIRE_TAKEN_INPUT;
    frame->as.taken.message = 0x0100; /* WM_KEYDOWN */
    return UM_OK;
}

static enum um_status take_command(struct um_frame_source *source,
                                   const struct um_wire_frame *command)
{
    (void)source;
    pauses += command->type == UM_WIRE_PAUSE && command->as.command.value == 1;
    stops |= command->type == UM_WIRE_STOP;
    looks = 0;
    return UM_OK;
}

static void close_frames(struct um_frame_source *source)
{
    (void)source;
}

static enum um_status open_control(enum um_watch_input watch, uint32_t pid,
                                   struct um_control **control)
{
    (void)watch, (void)pid;
    *control = NULL;
    return UM_OK;
}

static bool pop(struct um_control *control, uint32_t *seq, uint64_t *time_ns)
{
    (void)control, (void)seq, (void)time_ns;
    return false;
}

static bool pop_arrival(struct um_control *control, struct um_arrival *arrival)
{
    (void)control;
    if (pauses < 2 || looks < looks_to_arrivals || keys_arrive == 0)
        return false;
    keys_arrive--;
    *arrival = (struct um_arrival){.kind = UM_INTERACTION_KEY};
    return true;
}

static void close_control(struct um_control *control)
{
    (void)control;
}

static void begin(void)
{
    static const struct um_frame_source_backend frames = {.open = open_frames,
                                                          .read = read_frames,
                                                          .next = next_frame,
                                                          .command = take_command,
                                                          .close = close_frames};
    static const struct um_control_backend control = {
        .open = open_control, .pop = pop, .pop_arrival = pop_arrival, .close = close_control};
    static const struct um_target_backend backend = {.frames = &frames, .control = &control};
    const struct um_target_info target = {.pid = 1};
    char error[256];
    um_target = &backend;
    cr_assert_eq(um_trial_host_open(&target, NULL, &host, error, sizeof error), UM_OK);
}

static void end(void)
{
    um_trial_host_close(host);
}

TestSuite(trial_host, .init = begin, .fini = end);

static void send_keys(void *context, struct um_trial *trial)
{
    (void)context;
    trial->keys_sent = KEYS;
}

static void run(unsigned keys_after, unsigned arrivals_after)
{
    static struct um_trial trial;
    const struct um_trial_plan plan = {.ms = 10, .act = send_keys};
    looks_to_keys = keys_after;
    looks_to_arrivals = arrivals_after;
    um_trial_host_run(host, &plan, &trial);
    cr_expect(trial.whole);
    cr_expect_eq(trial.keys_taken, KEYS);
    cr_expect_eq(trial.arrival_count, KEYS);
}

/* A busy machine lets the program have them after the trial. */
Test(trial_host, waits_for_keys_that_are_taken_late)
{
    run(LATE_LOOKS, 0);
}

Test(trial_host, waits_for_keys_that_are_seen_to_arrive_late)
{
    run(0, LATE_LOOKS);
}

Test(trial_host, says_whether_the_dll_has_left)
{
    uint64_t after_ns;
    says_bye = true;
    cr_expect(um_trial_host_leave(host, &after_ns));
    cr_expect(stops && after_ns > 0);
}
