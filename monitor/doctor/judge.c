#include "monitor/doctor/judge.h"

#include <stdio.h>
#include <string.h>

#include "ipc/names.h"

#define MS 1e6
#define FEW_BEATS 20          /* fewer prove nothing */
#define LATE_NS 4000000u      /* beats of a window that answers at once should be seen sooner */
#define LONG_WAIT_NS 3000000u /* of a wait of 1 ms */
#define DPI_100 96

/* Who saw the beats of a trial. */
enum seen { SEEN_NOTHING_SENT, SEEN_ALL, SEEN_SOME, SEEN_BY_CONTROL, SEEN_BY_NOBODY };

static double ms(uint64_t ns)
{
    return (double)ns / MS;
}

/* One beat in twenty may be lost to a busy machine. */
static bool nearly_all(uint64_t seen, uint64_t sent)
{
    return seen * 20 >= sent * 19;
}

static enum seen seen_of(const struct um_trial_sum *sum)
{
    if (sum->sent == 0)
        return SEEN_NOTHING_SENT;
    if (nearly_all(sum->target, sum->sent) && sum->sent >= FEW_BEATS)
        return SEEN_ALL;
    if (sum->target > 0)
        return SEEN_SOME;
    return sum->control > 0 ? SEEN_BY_CONTROL : SEEN_BY_NOBODY;
}

/* Whether beats of a trial reach the target. A trial that was not made shows nothing. */
static bool reaches(const struct um_judge_evidence *evidence, enum um_judge_trial trial)
{
    struct um_trial_sum sum;
    if (!evidence->tried[trial] || !evidence->trials[trial].whole)
        return false;
    um_trial_add_up(&evidence->trials[trial], &sum);
    return seen_of(&sum) == SEEN_ALL;
}

/* Writes a finding's text, as printf does. */
#define SAY(finding, ...) snprintf((finding)->text, sizeof((finding)->text), __VA_ARGS__)

static void say_advice(struct um_finding *finding, const char *advice)
{
    snprintf(finding->advice, sizeof finding->advice, "%s", advice);
}

static void say(struct um_finding *finding, const char *text)
{
    SAY(finding, "%s", text);
}

/* Adds a finding that all is well. */
static struct um_finding *add(struct um_findings *findings, const char *id, const char *about,
                              const char *text)
{
    struct um_finding *finding = um_findings_add(findings, id, about, UM_FINDING_OK);
    say(finding, text);
    return finding;
}

/* Changes the verdict, and where they are not NULL text and advice. */
static void change(struct um_finding *finding, enum um_finding_verdict verdict, const char *text,
                   const char *advice)
{
    finding->verdict = verdict;
    if (text)
        say(finding, text);
    if (advice)
        say_advice(finding, advice);
}

static void judge_session(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    const struct um_scene_machine *machine = &evidence->machine;
    struct um_finding *finding = add(findings, "session", "session", "at the machine itself");
    finding->group = "This machine";
    if (machine->desktop == UM_SCENE_DESKTOP_SECURE) {
        change(finding, UM_FINDING_FAILS,
               "input goes to another desktop: the screen is locked, or the system asks for "
               "a permission",
               "unlock it or answer, and run uimon doctor again");
    } else if (machine->remote) {
        change(finding, UM_FINDING_OTHERWISE,
               "a remote desktop: what the network adds is not measured, and while it is "
               "disconnected uimon is blind",
               NULL);
    }
    finding = add(findings, "front", "program in front", "does not keep beats away");
    if (machine->shielded)
        change(finding, UM_FINDING_OTHERWISE,
               "it has a higher integrity level (it runs as administrator, it seems): uimon is "
               "blind while it is in front",
               "to measure beside it, start uimon as administrator too");
}

static void judge_timer(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    bool fine = evidence->wait_ns <= LONG_WAIT_NS;
    struct um_finding *finding =
        um_findings_add(findings, "timer", "timer", fine ? UM_FINDING_OK : UM_FINDING_OTHERWISE);
    SAY(finding, "a wait of 1 ms takes %.2f ms%s", ms(evidence->wait_ns),
        fine ? "" : ", so beats come no more often than that");
    if (!fine)
        say_advice(finding, "Windows 10 1803 and later have a finer timer");
}

static void judge_displays(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    const struct um_scene_machine *machine = &evidence->machine;
    bool known = machine->display_count > 0;
    struct um_finding *finding = um_findings_add(findings, "displays", "displays", UM_FINDING_OK);
    size_t len = 0;

    for (size_t i = 0; i < machine->display_count && i < UM_SCENE_DISPLAYS; i++) {
        const struct um_scene_display *display = &machine->displays[i];
        known = known && display->dpi != 0;
        int added = snprintf(finding->text + len, sizeof finding->text - len,
                             "%s%lu x %lu at %lu %%", i ? "; " : "",
                             (unsigned long)display->width_px, (unsigned long)display->height_px,
                             (unsigned long)(display->dpi * 100 / DPI_100));
        if (added < 0 || (len += (size_t)added) >= sizeof finding->text)
            break;
    }
    if (known)
        return;
    change(finding, UM_FINDING_UNKNOWN,
           "the system does not tell their scaling, so the overlay's is 100 %", "--scale sets it");
}

/* Appends a text and the rest of it to a list. What does not fit is left out. */
static void append(char *list, size_t cap_bytes, const char *comma, const char *text,
                   const char *rest)
{
    size_t len = strlen(list);
    snprintf(list + len, cap_bytes - len, "%s%s%s", len > 0 ? comma : "", text, rest);
}

static void judge_hotkeys(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    struct um_finding *finding = um_findings_add(findings, "hotkeys", "hotkeys", UM_FINDING_OK);
    struct um_hotkey parsed[UM_OPTIONS_HOTKEYS] = {{0}};
    char keys[256] = "", twice[256] = "", options[256] = "";

    for (size_t i = 0; i < UM_OPTIONS_HOTKEYS; i++) {
        um_hotkey_parse(evidence->hotkeys[i].keys, &parsed[i]);
        if (!evidence->taken[i])
            continue;
        bool is_twin = um_hotkey_same(parsed, evidence->taken, i) != i;
        finding->verdict = UM_FINDING_OTHERWISE;
        append(is_twin ? twice : keys, sizeof keys, ", ", evidence->hotkeys[i].keys, "");
        append(options, sizeof options, ",", evidence->hotkeys[i].name, "=KEYS");
    }
    if (finding->verdict == UM_FINDING_OK) {
        say(finding, "no other program has them");
        return;
    }
    SAY(finding, "%s%s%s%s%s", keys[0] ? "another program has " : "", keys,
        keys[0] && twice[0] ? "; " : "", twice, twice[0] ? " stands for two things" : "");
    snprintf(finding->advice, sizeof finding->advice, "others are chosen by --hotkeys %s", options);
}

/* An error line of uimon's without its beginning. */
static const char *reason(const char *error)
{
    return strncmp(error, "uimon: ", 7) == 0 ? error + 7 : error;
}

static void judge_programs32(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    struct um_finding *finding =
        add(findings, "32-bit-programs", "32-bit programs", "can be watched");
    if (evidence->error32[0] != '\0')
        change(finding, UM_FINDING_OTHERWISE, "cannot be watched, but 64-bit ones can",
               reason(evidence->error32));
}

/* A policy that keeps uimon's DLL out, and who can switch it off. */
struct refusal {
    const char *text;
    const char *advice;
};

static const struct refusal *refusal_of(const struct um_scene_policy *policy)
{
    static const struct refusal
        signature = {"only what Microsoft has signed, so uimon's DLL is refused",
                     "this program can be watched only if whoever starts it switches off that "
                     "policy (ProcessSignaturePolicy)"},
        guard = {"only what has control flow guard, so uimon's DLL is refused",
                 "this program can be watched only if whoever starts it switches off that policy "
                 "(ProcessControlFlowGuardPolicy, StrictMode)"},
        stack = {"only what is marked for shadow stacks, so uimon's DLL is refused",
                 "this program can be watched only if whoever starts it switches off that policy "
                 "(ProcessUserShadowStackPolicy, BlockNonCetBinaries)"};

    if (!policy->known)
        return NULL;
    return policy->microsoft_only                         ? &signature
           : policy->guard_only && !policy->dll_has_guard ? &guard
           : policy->cet_only && !policy->dll_has_cet     ? &stack
                                                          : NULL;
}

const char *um_judge_refusal(const struct um_scene_policy *policy)
{
    const struct refusal *refusal = refusal_of(policy);
    return refusal ? refusal->text : NULL;
}

static void judge_policy(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    const struct um_scene_policy *policy = &evidence->policy;
    struct um_finding *finding =
        add(findings, "policy", "what it may load", "other programs' DLLs too");
    const struct refusal *refusal = refusal_of(policy);

    if (!policy->known) {
        change(finding, UM_FINDING_UNKNOWN, "the system does not tell this process's policies",
               NULL);
    } else if (refusal) {
        change(finding, UM_FINDING_FAILS, refusal->text, refusal->advice);
    } else if (policy->no_low_images) {
        say(finding, "other programs' DLLs too, but none of a low integrity label");
    }
}

static void judge_toolkit(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    struct um_finding *finding =
        add(findings, "toolkit", "what beats tell of",
            "the thread of its window; no toolkit was recognised that works elsewhere");
    if (!evidence->toolkit[0])
        return;
    change(finding, UM_FINDING_OTHERWISE, NULL,
           "--interactions sees further, up to painting where that is seen");
    SAY(finding,
        "the thread of its window alone: it is a %s program, whose own code runs elsewhere",
        evidence->toolkit);
}

/* A program without managed code is not judged. */
static void judge_methods(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    if (!evidence->asked_methods || evidence->methods == UM_NAMES_NO_RUNTIME)
        return;
    struct um_finding *finding = add(findings, "methods", "names of managed methods",
                                     "by the DLL for debuggers that its .NET runtime brings along");
    if (evidence->methods == UM_NAMES_NO_METHOD)
        return;
    finding->verdict = UM_FINDING_OTHERWISE;
    SAY(finding, "none: stacks have their addresses (%s)", um_names_why_text(evidence->methods));
}

static void judge_attach(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    struct um_finding *finding =
        um_findings_add(findings, "attach", "the hook DLL in it", UM_FINDING_OK);
    if (evidence->attached)
        SAY(finding, "answered after %.0f ms, loaded from %s", ms(evidence->attach_ns),
            evidence->dll_folder);
    else
        change(finding, UM_FINDING_FAILS, reason(evidence->attach_error),
               evidence->named && refusal_of(&evidence->policy) ? "see what it may load, above"
               : evidence->named
                   ? "uimon doctor without --attach says whether it is this program or the whole "
                     "machine"
                   : "see whether a policy or an antivirus keeps DLLs of the folder "
                     "%LOCALAPPDATA%\\uimon from being loaded");
}

static void judge_leaving(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    if (!evidence->leave_tried)
        return;
    struct um_finding *finding =
        um_findings_add(findings, "leave", "... and out of it again", UM_FINDING_OK);
    SAY(finding, "said goodbye after %.0f ms", ms(evidence->left_ns));
    if (!evidence->left)
        change(finding, UM_FINDING_UNKNOWN,
               "it said no goodbye within two seconds; it leaves by itself when it sees that uimon "
               "has ended",
               NULL);
}

/* A finding about a trial, with its figures. NULL if the trial was not made. */
static struct um_finding *add_trial(const struct um_judge_evidence *evidence,
                                    struct um_findings *findings, enum um_judge_trial trial,
                                    const char *id, const char *about, struct um_trial_sum *sum)
{
    if (!evidence->tried[trial])
        return NULL;
    struct um_finding *finding = um_findings_add(findings, id, about, UM_FINDING_OK);
    um_trial_add_up(&evidence->trials[trial], sum);
    finding->counted = true;
    finding->sent = sum->sent;
    finding->target = sum->target;
    finding->control = sum->control;
    finding->p50_ns = sum->p50_ns;
    SAY(finding, "%llu sent; the window saw %llu, the control %llu", (unsigned long long)sum->sent,
        (unsigned long long)sum->target, (unsigned long long)sum->control);
    size_t len = strlen(finding->text);
    if (sum->p50_ns)
        snprintf(finding->text + len, sizeof finding->text - len, "; half within %.2f ms",
                 ms(sum->p50_ns));
    if (!evidence->trials[trial].whole) {
        change(finding, UM_FINDING_UNKNOWN, NULL,
               "the trial was cut short; run uimon doctor again");
    }
    return finding;
}

/* Whether mouse beats were to be tried, and none could be sent. */
static bool mouse_is_open(const struct um_judge_evidence *evidence)
{
    return evidence->tried[UM_JUDGE_MOUSE] && evidence->trials[UM_JUDGE_MOUSE].beat_count == 0;
}

/* One way to send beats. `other` says which way takes its place, and `has_other` whether that
 * works. */
static void judge_way(const struct um_judge_evidence *evidence, struct um_findings *findings,
                      enum um_judge_trial trial, const char *id, const char *about, bool has_other,
                      const char *other)
{
    struct um_trial_sum sum;
    struct um_finding *finding = add_trial(evidence, findings, trial, id, about, &sum);
    if (!finding || finding->verdict == UM_FINDING_UNKNOWN)
        return;
    if (sum.target > 0 && trial != UM_JUDGE_MOUSE && !evidence->trials[trial].raw) {
        change(finding, UM_FINDING_OTHERWISE, NULL,
               "they were seen as mouse messages, so perhaps only while the "
               "pointer is over the window");
        return;
    }
    switch (seen_of(&sum)) {
    case SEEN_ALL:
        return;
    case SEEN_NOTHING_SENT:
        change(finding, UM_FINDING_UNKNOWN,
               "no beat could be sent: the pointer was not over the window, or another "
               "program kept it",
               NULL);
        return;
    case SEEN_SOME:
        change(finding, UM_FINDING_OTHERWISE, NULL,
               "beats that are lost make time blind, not wrong; run it again while "
               "the machine is not busy");
        return;
    case SEEN_BY_CONTROL:
    case SEEN_BY_NOBODY:
        finding->verdict = has_other                 ? UM_FINDING_OTHERWISE
                           : mouse_is_open(evidence) ? UM_FINDING_UNKNOWN
                                                     : UM_FINDING_FAILS;
        say_advice(finding, has_other ? other
                            : mouse_is_open(evidence)
                                ? "mouse messages may take their place: put the pointer over the "
                                  "window and run it again"
                                : "nothing takes their place here: send this text to the project");
        return;
    }
}

static void judge_ways(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    static const char by_mouse[] =
        "mouse messages take their place while the pointer is over the window";
    bool still = reaches(evidence, UM_JUDGE_STILL);
    bool zero = reaches(evidence, UM_JUDGE_ZERO);
    bool pair = reaches(evidence, UM_JUDGE_PAIR);
    bool mouse = reaches(evidence, UM_JUDGE_MOUSE);

    judge_way(evidence, findings, UM_JUDGE_STILL, "still-beats", "beats without a movement",
              zero || pair || mouse,
              zero   ? "movements by zero pixels take their place by themselves"
              : pair ? "pairs take their place by themselves"
                     : by_mouse);
    judge_way(evidence, findings, UM_JUDGE_ZERO, "zero-beats", "beats by zero pixels",
              still || pair || mouse,
              still  ? "they are not needed, because those without a movement arrive"
              : pair ? "pairs take their place by themselves"
                     : by_mouse);
    judge_way(
        evidence, findings, UM_JUDGE_PAIR, "pair-beats", "beats by pairs", still || zero || mouse,
        still || zero ? "they are not needed, because other beats of raw input arrive" : by_mouse);
    judge_way(evidence, findings, UM_JUDGE_MOUSE, "mouse-beats", "beats by mouse messages",
              still || zero || pair,
              "they are needed only for programs that use raw input of the mouse themselves");
}

enum um_beat_kind um_judge_beat_kind(const struct um_judge_evidence *evidence)
{
    if (reaches(evidence, UM_JUDGE_STILL))
        return UM_BEAT_KIND_STILL;
    if (reaches(evidence, UM_JUDGE_ZERO))
        return UM_BEAT_KIND_ZERO;
    return reaches(evidence, UM_JUDGE_PAIR) ? UM_BEAT_KIND_PAIR : UM_BEAT_KIND_STILL;
}

static void judge_choice(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    struct um_trial_sum sum;
    struct um_finding *finding =
        add_trial(evidence, findings, UM_JUDGE_AUTO, "probe", "what uimon chooses", &sum);
    const struct um_wire_probe *probe = &evidence->trials[UM_JUDGE_AUTO].probe;

    if (!finding || finding->verdict == UM_FINDING_UNKNOWN)
        return;
    if (probe->probe == UM_PROBE_AUTO) {
        change(finding, UM_FINDING_UNKNOWN, "the DLL did not say", NULL);
    } else if (probe->probe == UM_PROBE_RAW) {
        static const char *const says[UM_BEAT_KIND_COUNT] = {
            [UM_BEAT_KIND_STILL] = "raw input, events without a movement",
            [UM_BEAT_KIND_ZERO] = "raw input, movements by zero pixels",
            [UM_BEAT_KIND_PAIR] = "raw input, pairs"};
        say(finding, says[um_judge_beat_kind(evidence)]);
        if (evidence->trials[UM_JUDGE_AUTO].moves > 0)
            change(finding, UM_FINDING_OTHERWISE, NULL,
                   "the system makes mouse messages of them, which the window under the pointer "
                   "handles: what that costs is told apart");
    } else {
        change(finding, UM_FINDING_OTHERWISE,
               probe->reason == UM_PROBE_REASON_TARGET_RAW
                   ? "mouse messages, because the program uses raw input itself"
                   : "mouse messages, because raw input cannot be registered in it",
               "it is measured only while the pointer is over its window");
    }
}

static void judge_rest(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    struct um_trial_sum sum;
    struct um_finding *finding =
        add_trial(evidence, findings, UM_JUDGE_REST, "rest", "a target at rest", &sum);
    const struct um_trial *trial = &evidence->trials[UM_JUDGE_REST];

    if (!finding || finding->verdict == UM_FINDING_UNKNOWN)
        return;
    SAY(finding, "got %llu beats, and %llu were left out", (unsigned long long)sum.sent,
        (unsigned long long)trial->skipped);
    finding =
        add(findings, "witness", "... and when it runs", "its processor cycles show when it runs");
    if (trial->skipped == 0)
        change(finding, UM_FINDING_UNKNOWN, "it did not rest", NULL);
    else if (trial->rested == 0)
        change(finding, UM_FINDING_OTHERWISE,
               "its processor cycles do not show when it runs, so a freeze that begins at rest "
               "with a sent message is certain to within 100 ms only",
               "--rest-heartbeat 10 makes that 10 ms");
}

static void judge_pointer(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    if (!evidence->tried[UM_JUDGE_POINTER])
        return;
    struct um_finding *finding =
        add(findings, "pointer", "a hidden pointer", "beats leave it hidden");
    if (evidence->trials[UM_JUDGE_POINTER].pointer_shown)
        change(finding, UM_FINDING_OTHERWISE,
               "a beat shows it again, so none is sent while Windows hides it, as after touch and "
               "while somebody types: uimon is blind then, until the mouse moves",
               NULL);
    else if (!evidence->pointer_hidden || !evidence->trials[UM_JUDGE_POINTER].whole)
        change(finding, UM_FINDING_UNKNOWN, "the system does not say that a pointer is hidden",
               NULL);
}

/* Beats while something else goes on. */
static void judge_while(const struct um_judge_evidence *evidence, struct um_findings *findings,
                        enum um_judge_trial trial, const char *id, const char *about,
                        const char *advice)
{
    struct um_trial_sum sum;
    struct um_finding *finding = add_trial(evidence, findings, trial, id, about, &sum);

    if (!finding || finding->verdict == UM_FINDING_UNKNOWN)
        return;
    if (trial == UM_JUDGE_BACKGROUND && !evidence->in_front) {
        change(finding, UM_FINDING_UNKNOWN,
               "the system did not let another window come to the front", NULL);
    } else if (seen_of(&sum) != SEEN_ALL || sum.p50_ns > LATE_NS) {
        change(finding, UM_FINDING_OTHERWISE, NULL, advice);
    }
}

static void judge_keys(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    const struct um_trial *trial = &evidence->trials[UM_JUDGE_KEYS];
    struct um_trial_sum sum;

    if (!evidence->tried[UM_JUDGE_KEYS])
        return;
    um_trial_add_up(trial, &sum);
    uint32_t retrieved = trial->keys_taken + trial->keys_unmarked;
    struct um_finding *finding = um_findings_add(findings, "keys", "keys", UM_FINDING_OK);
    finding->group = "Interactions";
    SAY(finding, "%lu sent; the window retrieved %lu, the control saw %lu",
        (unsigned long)trial->keys_sent, (unsigned long)retrieved,
        (unsigned long)trial->arrival_count);
    if (trial->keys_unmarked > 0) {
        change(finding, UM_FINDING_FAILS, NULL,
               "the system does not tell inside the hook that they are input, so "
               "--interactions shows nothing, and the idle pause sees no typing: "
               "send this text to the project");
    } else if (!trial->whole || trial->keys_sent == 0 || trial->keys_refused > 0 ||
               trial->keys_taken != trial->keys_sent || trial->arrival_count != trial->keys_sent) {
        change(finding, UM_FINDING_UNKNOWN, NULL,
               "run it again, and do not touch mouse and keyboard meanwhile");
        return;
    }
    finding = um_findings_add(findings, "key-times", "their own times", UM_FINDING_OK);
    SAY(finding, "%lu of %lu are the same in the message and in raw input",
        (unsigned long)sum.keys_agreeing, (unsigned long)trial->keys_taken);
    if (!nearly_all(sum.keys_agreeing, trial->keys_taken)) {
        change(finding, UM_FINDING_OTHERWISE, NULL,
               "keys are matched by their order, which is right unless one is lost");
    }
    finding = um_findings_add(findings, "painting", "painting",
                              trial->paints ? UM_FINDING_OK : UM_FINDING_UNKNOWN);
    SAY(finding, "%lu WM_PAINT seen after those keys", (unsigned long)trial->paints);
}

static void judge_freeze(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    struct um_finding *finding =
        um_findings_add(findings, "freeze", "a freeze, measured", UM_FINDING_OK);
    uint64_t off_ns = evidence->measured_ns > evidence->frozen_ns
                          ? evidence->measured_ns - evidence->frozen_ns
                          : evidence->frozen_ns - evidence->measured_ns;

    finding->group = "A session";
    if (evidence->overlay_error[0]) {
        change(finding, UM_FINDING_FAILS, evidence->overlay_error, NULL);
    } else if (evidence->frozen_ns == 0) {
        change(finding, UM_FINDING_UNKNOWN, "uimon's own program did not freeze in time", NULL);
    } else if (evidence->measured_ns == 0) {
        finding->verdict = UM_FINDING_FAILS;
        SAY(finding, "uimon's own program froze for %.1f ms, and no freeze was found",
            ms(evidence->frozen_ns));
        say_advice(finding, "run it again; if it stays so, send this text to the project");
    } else {
        SAY(finding, "%.1f ms by the program's own log, %.1f ms measured", ms(evidence->frozen_ns),
            ms(evidence->measured_ns));
        if (off_ns > evidence->uncertain_ns + LATE_NS) {
            change(finding, UM_FINDING_OTHERWISE, NULL,
                   "the two are far apart; run it again while the machine is not "
                   "busy");
        }
    }
}

static void judge_overlay(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    if (!evidence->overlay_tried)
        return;
    judge_freeze(evidence, findings);
    struct um_finding *finding = um_findings_add(findings, "overlay", "the overlay", UM_FINDING_OK);
    if (!evidence->overlay.found) {
        change(finding, UM_FINDING_FAILS, "no overlay came up over the window",
               "uimon demo --verbose says why; measuring works without it");
        return;
    }
    SAY(finding, "%ld x %ld pixels over the window", (long)evidence->overlay.width,
        (long)evidence->overlay.height);
    finding = add(findings, "overlay-shown", "... shown on the screen",
                  "a picture of the screen differs with and without it");
    if (!evidence->pictured)
        change(finding, UM_FINDING_UNKNOWN, "the system gives no picture of the screen", NULL);
    else if (!evidence->picture_differs)
        change(finding, UM_FINDING_UNKNOWN,
               "a picture of the screen is the same with and without it", NULL);
    finding = add(findings, "overlay-click", "... and click-through",
                  "under its middle the system names the program's window");
    if (!evidence->overlay.click_through)
        change(finding, UM_FINDING_UNKNOWN,
               "under its middle the system names another window; click there to see", NULL);
    finding = add(findings, "overlay-covers", "... under transparent windows",
                  "their pixels can be read, so it hides under those that are seen");
    if (!evidence->covers_read)
        change(finding, UM_FINDING_OTHERWISE,
               "their pixels cannot be read, so it stays over those that are seen, too", NULL);
}

void um_judge(const struct um_judge_evidence *evidence, struct um_findings *findings)
{
    judge_session(evidence, findings);
    judge_timer(evidence, findings);
    judge_displays(evidence, findings);
    judge_hotkeys(evidence, findings);
    judge_programs32(evidence, findings);
    size_t first = findings->count;
    if (evidence->named) {
        judge_policy(evidence, findings);
        judge_toolkit(evidence, findings);
        judge_methods(evidence, findings);
    }
    judge_attach(evidence, findings);
    findings->list[first].group = evidence->named ? "The program" : "A window of uimon's own";
    judge_leaving(evidence, findings);
    first = findings->count;
    judge_ways(evidence, findings);
    judge_choice(evidence, findings);
    judge_rest(evidence, findings);
    judge_while(evidence, findings, UM_JUDGE_BACKGROUND, "background", "another window in front",
                "this system holds back the input of windows that are not in front: measure with "
                "the program in front");
    judge_while(evidence, findings, UM_JUDGE_MOVING, "moving", "while the mouse moves",
                "beats are late while the mouse moves: measure with hands off the mouse");
    judge_pointer(evidence, findings);
    if (findings->count > first)
        findings->list[first].group = "Beats";
    judge_keys(evidence, findings);
    judge_overlay(evidence, findings);
}
