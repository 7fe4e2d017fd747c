#include "monitor/doctor/judge.h"

#include <criterion/criterion.h>
#include <string.h>

#include "ipc/names.h"

#define MS UINT64_C(1000000)

#define NONE ((enum um_finding_verdict)99) /* there is no such finding */

static struct um_judge_evidence evidence;
static struct um_findings findings;

/* So many beats, of which the target and the control saw so many. */
static void fill(enum um_judge_trial which, uint32_t sent, uint32_t target, uint32_t control)
{
    struct um_trial *trial = &evidence.trials[which];
    evidence.tried[which] = true;
    memset(trial, 0, sizeof *trial);
    trial->whole = true;
    trial->raw = target > 0 && which != UM_JUDGE_MOUSE;
    trial->beat_count = sent;
    for (uint32_t i = 0; i < sent; i++) {
        trial->beats[i] = (struct um_trial_beat){.seq = i, .sent_ns = i * 10 * MS};
        trial->beats[i].latency_ns = i < target ? MS / 5 : 0;
        if (i < control)
            trial->controls[trial->control_count++] = i;
    }
}

static void fill_keys(uint32_t sent, uint32_t taken, uint32_t unmarked, uint32_t arrived)
{
    fill(UM_JUDGE_KEYS, 150, 150, 150);
    struct um_trial *trial = &evidence.trials[UM_JUDGE_KEYS];
    trial->keys_sent = sent;
    trial->keys_taken = taken;
    trial->keys_unmarked = unmarked;
    trial->arrival_count = arrived;
    trial->paints = taken;
}

/* Everything works. */
static void begin(void)
{
    static const struct um_options defaults;

    memset(&evidence, 0, sizeof evidence);
    memset(&findings, 0, sizeof findings);
    evidence.machine.display_count = 1;
    evidence.machine.displays[0] = (struct um_scene_display){1920, 1080, 144};
    evidence.wait_ns = MS;
    for (int i = 0; i < UM_OPTIONS_HOTKEYS; i++)
        evidence.hotkeys[i] = um_options_hotkeys_get(&defaults, (enum um_options_hotkeys)i);
    strcpy(evidence.dll_folder, "C:\\here");
    evidence.attached = true;
    evidence.attach_ns = 20 * MS;
    for (int i = 0; i < UM_JUDGE_TRIALS; i++)
        fill((enum um_judge_trial)i, 150, 150, 150);
    evidence.trials[UM_JUDGE_AUTO].probe.probe = UM_PROBE_RAW;
    evidence.trials[UM_JUDGE_REST].skipped = 100;
    evidence.trials[UM_JUDGE_REST].rested = 10;
    fill_keys(8, 8, 0, 8);
    evidence.in_front = true;
    evidence.pointer_hidden = true;
    evidence.leave_tried = evidence.left = true;
    evidence.overlay_tried = true;
    evidence.overlay.found = evidence.overlay.click_through = true;
    evidence.pictured = evidence.picture_differs = evidence.covers_read = true;
    evidence.frozen_ns = 300 * MS;
    evidence.measured_ns = 301 * MS;
    evidence.uncertain_ns = MS;
}

TestSuite(judge, .init = begin);

static const struct um_finding *find(const char *id)
{
    static const struct um_finding none = {.id = "", .verdict = NONE};
    for (size_t i = 0; i < findings.count; i++)
        if (strcmp(findings.list[i].id, id) == 0)
            return &findings.list[i];
    return &none;
}

static enum um_finding_verdict verdict_of(const char *id)
{
    memset(&findings, 0, sizeof findings);
    um_judge(&evidence, &findings);
    return find(id)->verdict;
}

static bool says(const char *id, const char *part)
{
    return strstr(find(id)->text, part) || strstr(find(id)->advice, part);
}

static void expect_said(const char *id, enum um_finding_verdict verdict, const char *part)
{
    enum um_finding_verdict got = verdict_of(id);
    cr_expect_eq(got, verdict, "%s: %d and not %d", id, got, verdict);
    cr_expect(says(id, part), "%s: %s; %s", id, find(id)->text, find(id)->advice);
}

Test(judge, where_everything_works_all_is_ok)
{
    um_judge(&evidence, &findings);
    cr_expect_eq(findings.count, 26, "%zu findings", findings.count);
    for (size_t i = 0; i < findings.count; i++)
        cr_expect_eq(findings.list[i].verdict, UM_FINDING_OK, "%s: %s", findings.list[i].id,
                     findings.list[i].text);
    cr_expect(um_findings_good(&findings));
    cr_expect(says("displays", "1920 x 1080 at 150 %"));
    cr_expect(says("probe", "without a movement"));
    cr_expect(find("zero-beats")->sent == 150 && find("zero-beats")->p50_ns == MS / 5);
}

Test(judge, what_was_not_tried_is_not_judged)
{
    memset(evidence.tried, 0, sizeof evidence.tried);
    evidence.overlay_tried = evidence.leave_tried = false;
    um_judge(&evidence, &findings);
    cr_expect_eq(findings.count, 7, "%zu findings", findings.count);
}

Test(judge, every_group_begins_with_its_first_finding)
{
    size_t groups = 0;
    um_judge(&evidence, &findings);
    cr_expect(findings.list[0].group != NULL);
    for (size_t i = 0; i < findings.count; i++)
        groups += findings.list[i].group != NULL;
    cr_expect_eq(groups, 5, "%zu groups", groups);
}

Test(judge, still_beats_that_the_system_drops_are_replaced_by_movements_by_zero)
{
    fill(UM_JUDGE_STILL, 6, 0, 0);
    expect_said("still-beats", UM_FINDING_OTHERWISE, "zero pixels take their place");
    cr_expect(says("probe", "zero pixels"));
    cr_expect_eq(um_judge_beat_kind(&evidence), UM_BEAT_KIND_ZERO);
    cr_expect(um_findings_good(&findings));
}

Test(judge, mouse_messages_that_beats_become_are_told)
{
    evidence.trials[UM_JUDGE_AUTO].moves = 1;
    expect_said("probe", UM_FINDING_OTHERWISE, "makes mouse messages of them");
}

/* The tests of the other kinds: a system that drops still beats. */
static void begin_without_still(void)
{
    begin();
    fill(UM_JUDGE_STILL, 6, 0, 0);
}

Test(judge, zero_beats_that_the_system_drops_are_replaced_by_pairs, .init = begin_without_still)
{
    fill(UM_JUDGE_ZERO, 6, 0, 0);
    expect_said("zero-beats", UM_FINDING_OTHERWISE, "pairs take their place");
    cr_expect(says("probe", "pairs"));
    cr_expect(um_findings_good(&findings));
}

Test(judge, beats_that_only_the_control_sees_are_replaced_by_mouse_messages,
     .init = begin_without_still)
{
    fill(UM_JUDGE_ZERO, 6, 0, 6);
    fill(UM_JUDGE_PAIR, 6, 0, 6);
    expect_said("zero-beats", UM_FINDING_OTHERWISE, "mouse messages");
}

Test(judge, where_no_way_works_it_fails, .init = begin_without_still)
{
    fill(UM_JUDGE_ZERO, 6, 0, 0);
    fill(UM_JUDGE_PAIR, 6, 0, 0);
    fill(UM_JUDGE_MOUSE, 6, 0, 0);
    cr_expect_eq(verdict_of("zero-beats"), UM_FINDING_FAILS);
    cr_expect_eq(find("pair-beats")->verdict, UM_FINDING_FAILS);
    cr_expect_eq(find("mouse-beats")->verdict, UM_FINDING_FAILS);
    cr_expect(!um_findings_good(&findings));
}

Test(judge, where_mouse_beats_could_not_be_sent_nothing_is_claimed, .init = begin_without_still)
{
    fill(UM_JUDGE_ZERO, 6, 0, 6);
    fill(UM_JUDGE_PAIR, 6, 0, 6);
    fill(UM_JUDGE_MOUSE, 0, 0, 0);
    expect_said("zero-beats", UM_FINDING_UNKNOWN, "put the pointer over the window");
}

Test(judge, raw_beats_that_come_as_mouse_messages)
{
    evidence.trials[UM_JUDGE_ZERO].raw = false;
    expect_said("zero-beats", UM_FINDING_OTHERWISE, "seen as mouse messages");
}

Test(judge, a_trial_that_was_cut_short_proves_nothing, .init = begin_without_still)
{
    fill(UM_JUDGE_ZERO, 150, 0, 0);
    evidence.trials[UM_JUDGE_ZERO].whole = false;
    fill(UM_JUDGE_PAIR, 150, 150, 150);
    evidence.trials[UM_JUDGE_PAIR].whole = false;
    fill(UM_JUDGE_MOUSE, 6, 0, 0);
    cr_expect_eq(verdict_of("zero-beats"), UM_FINDING_UNKNOWN);
    cr_expect_eq(find("mouse-beats")->verdict, UM_FINDING_FAILS);
}

Test(judge, a_few_lost_beats_are_no_failure)
{
    fill(UM_JUDGE_ZERO, 150, 143, 150);
    cr_expect_eq(verdict_of("zero-beats"), UM_FINDING_OK);
    fill(UM_JUDGE_ZERO, 150, 120, 150);
    cr_expect_eq(verdict_of("zero-beats"), UM_FINDING_OTHERWISE);
    fill(UM_JUDGE_ZERO, 3, 3, 3);
    cr_expect_eq(verdict_of("zero-beats"), UM_FINDING_OTHERWISE);
}

Test(judge, no_mouse_beat_without_the_pointer)
{
    fill(UM_JUDGE_MOUSE, 0, 0, 0);
    cr_expect_eq(verdict_of("mouse-beats"), UM_FINDING_UNKNOWN);
}

Test(judge, a_program_with_raw_input_of_its_own_is_measured_by_the_mouse)
{
    evidence.trials[UM_JUDGE_AUTO].probe =
        (struct um_wire_probe){.probe = UM_PROBE_MOUSE, .reason = UM_PROBE_REASON_TARGET_RAW};
    expect_said("probe", UM_FINDING_OTHERWISE, "uses raw input itself");
}

Test(judge, late_beats_behind_another_window)
{
    struct um_trial *trial = &evidence.trials[UM_JUDGE_BACKGROUND];
    for (size_t i = 0; i < trial->beat_count; i++)
        trial->beats[i].latency_ns = 8 * MS;
    cr_expect_eq(verdict_of("background"), UM_FINDING_OTHERWISE);
    evidence.in_front = false;
    cr_expect_eq(verdict_of("background"), UM_FINDING_UNKNOWN);
}

Test(judge, beats_that_show_a_hidden_pointer)
{
    cr_expect_eq(verdict_of("pointer"), UM_FINDING_OK);
    evidence.trials[UM_JUDGE_POINTER].pointer_shown = true;
    expect_said("pointer", UM_FINDING_OTHERWISE, "until the mouse moves");
}

Test(judge, a_pointer_of_which_nobody_says_that_it_is_hidden)
{
    evidence.pointer_hidden = false;
    cr_expect_eq(verdict_of("pointer"), UM_FINDING_UNKNOWN);
}

Test(judge, rest_without_a_witness)
{
    evidence.trials[UM_JUDGE_REST].rested = 0;
    cr_expect_eq(verdict_of("witness"), UM_FINDING_OTHERWISE);
    evidence.trials[UM_JUDGE_REST].skipped = 0;
    cr_expect_eq(verdict_of("witness"), UM_FINDING_UNKNOWN);
}

Test(judge, keys_that_the_hook_does_not_know_as_input)
{
    fill_keys(8, 0, 8, 8);
    cr_expect_eq(verdict_of("keys"), UM_FINDING_FAILS);
    fill_keys(8, 7, 0, 8);
    cr_expect_eq(verdict_of("keys"), UM_FINDING_UNKNOWN);
    cr_expect_eq(find("key-times")->verdict, 99);
}

Test(judge, keys_whose_own_times_differ)
{
    for (uint32_t i = 0; i < 8; i++)
        evidence.trials[UM_JUDGE_KEYS].taken_ms[i] = 50;
    cr_expect_eq(verdict_of("key-times"), UM_FINDING_OTHERWISE);
}

Test(judge, a_freeze_that_was_not_found_or_is_far_off)
{
    evidence.measured_ns = 0;
    cr_expect_eq(verdict_of("freeze"), UM_FINDING_FAILS);
    evidence.measured_ns = 200 * MS;
    cr_expect_eq(verdict_of("freeze"), UM_FINDING_OTHERWISE);
    evidence.frozen_ns = 0;
    cr_expect_eq(verdict_of("freeze"), UM_FINDING_UNKNOWN);
    strcpy(evidence.overlay_error, "watching cannot begin");
    cr_expect_eq(verdict_of("freeze"), UM_FINDING_FAILS);
}

Test(judge, an_overlay_that_is_not_there_or_not_seen)
{
    evidence.picture_differs = evidence.overlay.click_through = false;
    cr_expect_eq(verdict_of("overlay-shown"), UM_FINDING_UNKNOWN);
    cr_expect_eq(find("overlay-click")->verdict, UM_FINDING_UNKNOWN);
    cr_expect_eq(verdict_of("overlay-covers"), UM_FINDING_OK);
    evidence.covers_read = false;
    cr_expect_eq(verdict_of("overlay-covers"), UM_FINDING_OTHERWISE);
    evidence.overlay.found = false;
    cr_expect_eq(verdict_of("overlay"), UM_FINDING_FAILS);
    cr_expect_eq(find("overlay-shown")->verdict, 99);
}

Test(judge, a_locked_session_and_a_remote_one)
{
    evidence.machine.remote = true;
    cr_expect_eq(verdict_of("session"), UM_FINDING_OTHERWISE);
    evidence.machine.desktop = UM_SCENE_DESKTOP_SECURE;
    cr_expect_eq(verdict_of("session"), UM_FINDING_FAILS);
}

Test(judge, hotkeys_that_another_program_has)
{
    cr_expect_eq(verdict_of("hotkeys"), UM_FINDING_OK);
    evidence.taken[UM_OPTIONS_HOTKEY_TRACE] = true;
    cr_expect_eq(verdict_of("hotkeys"), UM_FINDING_OTHERWISE);
    cr_expect_str_eq(find("hotkeys")->text, "another program has Ctrl+Alt+Shift+F8");
    cr_expect_str_eq(find("hotkeys")->advice, "others are chosen by --hotkeys trace=KEYS");
    for (int i = 0; i < UM_OPTIONS_HOTKEYS; i++)
        evidence.taken[i] = true;
    cr_expect_eq(verdict_of("hotkeys"), UM_FINDING_OTHERWISE);
    cr_expect_str_eq(find("hotkeys")->text,
                     "another program has Ctrl+Alt+Shift+F9, Ctrl+Alt+Shift+F10, "
                     "Ctrl+Alt+Shift+F11, Ctrl+Alt+Shift+F8, Ctrl+Alt+Shift+F7, Ctrl+Alt+Shift+F6, "
                     "Ctrl+Alt+Shift+F5");
    cr_expect_str_eq(find("hotkeys")->advice,
                     "others are chosen by --hotkeys hide=KEYS,mark=KEYS,panel=KEYS,trace=KEYS,"
                     "layout=KEYS,layout-pin=KEYS,position=KEYS");
}

Test(judge, hotkeys_that_stand_for_two_things)
{
    strcpy(evidence.hotkeys[UM_OPTIONS_HOTKEY_PANEL].keys, "Ctrl+Alt+Shift+F9");
    evidence.taken[UM_OPTIONS_HOTKEY_PANEL] = true;
    cr_expect_eq(verdict_of("hotkeys"), UM_FINDING_OTHERWISE);
    cr_expect_str_eq(find("hotkeys")->text, "Ctrl+Alt+Shift+F9 stands for two things");
    cr_expect_str_eq(find("hotkeys")->advice, "others are chosen by --hotkeys panel=KEYS");
    evidence.taken[UM_OPTIONS_HOTKEY_HIDE] = true;
    cr_expect_eq(verdict_of("hotkeys"), UM_FINDING_OTHERWISE);
    cr_expect_str_eq(find("hotkeys")->text,
                     "another program has Ctrl+Alt+Shift+F9, Ctrl+Alt+Shift+F9");
}

Test(judge, many_displays_fit_into_the_text)
{
    evidence.machine.display_count = 40;
    for (size_t i = 0; i < UM_SCENE_DISPLAYS; i++)
        evidence.machine.displays[i] =
            (struct um_scene_display){UINT32_MAX, UINT32_MAX, UINT32_MAX / 100};
    cr_expect_eq(verdict_of("displays"), UM_FINDING_OK);
    evidence.machine.displays[2].dpi = 0;
    cr_expect_eq(verdict_of("displays"), UM_FINDING_UNKNOWN);
}

Test(judge, a_machine_without_32_bit_programs)
{
    strcpy(evidence.error32, "uimon: no helper");
    cr_expect_eq(verdict_of("32-bit-programs"), UM_FINDING_OTHERWISE);
    cr_expect_str_eq(find("32-bit-programs")->advice, "no helper");
    cr_expect(um_findings_good(&findings), "64-bit programs can be watched");
}

Test(judge, a_program_that_refuses_the_dll)
{
    evidence.named = true;
    evidence.policy = (struct um_scene_policy){.known = true, .microsoft_only = true};
    evidence.attached = false;
    strcpy(evidence.attach_error, "uimon: the system keeps the hook DLL out");
    cr_expect_eq(verdict_of("policy"), UM_FINDING_FAILS);
    cr_expect_eq(find("attach")->verdict, UM_FINDING_FAILS);
    cr_expect_str_eq(find("attach")->text, "the system keeps the hook DLL out");
}

/* Without trying, which would take long and blame an antivirus. */
Test(judge, policies_that_keep_the_dll_out_are_known_before)
{
    struct um_scene_policy policy = {.known = true};

    cr_expect_null(um_judge_refusal(&policy));
    policy.guard_only = true;
    cr_expect(strstr(um_judge_refusal(&policy), "control flow guard"));
    policy.dll_has_guard = true;
    cr_expect_null(um_judge_refusal(&policy));
    policy.cet_only = true;
    cr_expect(strstr(um_judge_refusal(&policy), "shadow stacks"));
    policy.dll_has_cet = true;
    cr_expect_null(um_judge_refusal(&policy));
    policy.microsoft_only = true;
    cr_expect(strstr(um_judge_refusal(&policy), "Microsoft has signed"));
    policy.known = false;
    cr_expect_null(um_judge_refusal(&policy), "nothing was told");
}

Test(judge, a_program_with_strict_control_flow_guard)
{
    evidence.named = true;
    evidence.policy = (struct um_scene_policy){.known = true, .guard_only = true};
    evidence.attached = false;
    strcpy(evidence.attach_error, "not tried");
    cr_expect_eq(verdict_of("policy"), UM_FINDING_FAILS);
    cr_expect(strstr(find("policy")->advice, "StrictMode"), "%s", find("policy")->advice);
    cr_expect(strstr(find("attach")->advice, "what it may load"), "%s", find("attach")->advice);
}

Test(judge, a_program_whose_work_is_elsewhere)
{
    evidence.named = true;
    evidence.policy.known = true;
    strcpy(evidence.toolkit, "Java");
    expect_said("toolkit", UM_FINDING_OTHERWISE, "Java");
}

Test(judge, methods_of_managed_code_are_named_or_not)
{
    evidence.named = true;
    cr_expect_eq(verdict_of("methods"), NONE, "nobody asked");
    evidence.asked_methods = true;
    evidence.methods = UM_NAMES_NO_RUNTIME;
    cr_expect_eq(verdict_of("methods"), NONE, "it has no managed code");
    evidence.methods = UM_NAMES_NO_METHOD;
    cr_expect_eq(verdict_of("methods"), UM_FINDING_OK);
    evidence.methods = UM_NAMES_UNTRUSTED_DAC;
    expect_said("methods", UM_FINDING_OTHERWISE, "not signed by Microsoft");
}
