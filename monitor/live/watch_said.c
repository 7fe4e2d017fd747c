#include "monitor/live/watch_said.h"

#include <stdio.h>
#include <string.h>

#include "base/plain/text.h"

void um_watch_said_detail(struct um_watch_said *said, const char *text)
{
    if (said->options->verbose)
        um_line_queue_put(&said->lines, text);
}

void um_watch_said_once(struct um_watch_said *said, enum um_watch_said_topic topic,
                        const char *text)
{
    if (!said->once[topic])
        um_line_queue_put(&said->lines, text);
    said->once[topic] = true;
}

void um_watch_said_greeting(struct um_watch_said *said, const struct um_target_info *target,
                            bool ignores_ctrl_c)
{
    char text[UM_WATCH_LINE_BYTES];
    snprintf(text, sizeof text, "watching %s (pid %lu, thread %lu, window 0x%llx, class %s): %s",
             target->name, (unsigned long)target->pid, (unsigned long)target->tid,
             (unsigned long long)target->hwnd, target->window_class, target->title);
    if (said->greeted || said->options->command == UM_OPTIONS_BENCH ||
        said->options->command == UM_OPTIONS_CALIBRATE) { /* these two print a line of their own */
        um_watch_said_detail(said, text);
    } else {
        um_line_queue_put(&said->lines, text);
        if (said->keys[0])
            um_line_queue_put(&said->lines, said->keys);
        if (ignores_ctrl_c)
            um_line_queue_put(&said->lines, "it shares this console: it and the programs that it "
                                            "starts ignore Ctrl+C; Ctrl+Break ends it");
    }
    said->greeted = true;
}

void um_watch_said_toolkit(struct um_watch_said *said, const char *toolkit)
{
    char text[UM_WATCH_LINE_BYTES];
    bool news = strcmp(said->toolkit, toolkit) != 0;

    um_text_set(said->toolkit, sizeof said->toolkit, toolkit);
    if (!news || !toolkit[0])
        return;
    snprintf(text, sizeof text,
             "a %s program: beats show whether its window's thread takes input, but its own code "
             "runs elsewhere%s",
             toolkit,
             said->options->interactions
                 ? ""
                 : "; --interactions measures further, up to painting where that is seen");
    um_line_queue_put(&said->lines, text);
}

/* Says why beats are held back, or prove nothing. That uimon itself or the system was held up, or
 * that a first answer is late, may happen often, and concerns nobody but who asks why a time is
 * blind. */
static void say_held(struct um_watch_said *said, uint8_t held)
{
    if (held == UM_PROBE_HELD_POINTER)
        um_watch_said_once(
            said, UM_WATCH_SAID_POINTER,
            "a beat has shown the pointer that Windows had hidden, so none is sent while it "
            "is hidden: blind until the mouse moves");
    if (held == UM_PROBE_HELD_NO_PING)
        um_watch_said_once(said, UM_WATCH_SAID_NO_PING,
                           "the program's window does not declare that it answers pings "
                           "(_NET_WM_PING), and may not be asked: blind");
    if (held == UM_PROBE_HELD_NO_ANSWER)
        um_watch_said_once(said, UM_WATCH_SAID_NO_ANSWER,
                           "the program's window does not answer pings (_NET_WM_PING), though it "
                           "declares that it does: blind until it answers");
    if (held == UM_PROBE_HELD_UNDELIVERED || held == UM_PROBE_HELD_LATE ||
        held == UM_PROBE_HELD_NO_ANSWER_YET) {
        char text[UM_WATCH_LINE_BYTES];
        snprintf(text, sizeof text, "blind %s", um_wire_held_words(held)->summary);
        um_watch_said_detail(said, text);
    }
}

void um_watch_said_probe(struct um_watch_said *said, const struct um_wire_probe *probe)
{
    static const char *const reasons[UM_PROBE_REASON_COUNT] = {
        [UM_PROBE_REASON_ASKED] = "as asked",
        [UM_PROBE_REASON_DEFAULT] = "nothing stands against it",
        [UM_PROBE_REASON_TARGET_RAW] = "the program has a raw mouse registration of its own",
        [UM_PROBE_REASON_NO_SINK] = "raw input cannot be registered",
        [UM_PROBE_REASON_BLIND] = "the other one saw nothing for a second",
    };
    char text[UM_WATCH_LINE_BYTES];
    const char *word = um_wire_probe_word(probe->probe), *name = word ? word : "unknown";
    const char *reason =
        probe->reason < UM_PROBE_REASON_COUNT ? reasons[probe->reason] : "for an unknown reason";
    bool refused = probe->status == UM_PROBE_REFUSED;
    bool news = probe->probe != said->probe || probe->reason != said->reason;
    bool own_raw =
        probe->reason == UM_PROBE_REASON_TARGET_RAW || said->reason == UM_PROBE_REASON_TARGET_RAW;

    say_held(said, probe->held);
    if (refused)
        snprintf(text, sizeof text, "beats by %s are refused (%s, error %lu)", name, reason,
                 (unsigned long)probe->error);
    else if (probe->status == UM_PROBE_ACTIVE && news)
        snprintf(text, sizeof text, "probe: %s, %s", name, reason);
    else
        return; /* beats pause, or go on after a pause */
    said->probe = probe->probe;
    said->reason = probe->reason;
    if (refused || own_raw)
        um_line_queue_put(&said->lines, text);
    else
        um_watch_said_detail(said, text);
}
