#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/text.h"
#include "base/page.h"
#include "monitor/report/report_html.h"
#include "tests/unit/report/packed.h"
#include "tests/written.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define START (UINT64_C(7000) * MS)
#define HOSTILE "</script><script>throw 1</script><!-- \" ' & \xe2\x80\xae"

/* As many parts as the longest list of slices here has. */
#define SLICE_PARTS (UM_REPORT_HTML_MAX_SLICES / UM_RECORDED_PART_SLICES + 1)

static struct um_recorded recorded;
static struct um_options options;
static struct um_stats *stats;
static uint32_t *slice_parts[SLICE_PARTS];
static struct {
    uint32_t slices[SLICE_PARTS * UM_RECORDED_PART_SLICES];
    struct um_recorded_episode episodes[UM_REPORT_HTML_MAX_STRETCHES + 2];
    struct um_recorded_interaction interactions[UM_REPORT_HTML_MAX_INTERACTIONS + 2];
    struct um_wire_note notes[UM_REPORT_HTML_MAX_NOTES + 2];
    struct um_recorded_message messages[UM_REPORT_HTML_MAX_MESSAGES + 2];
} * lists;
static char *page;
static cJSON *data;

/* Half a second with one beat, a freeze, a key, an idle stretch and a note. */
static void setup(void)
{
    struct um_stats_config config = {
        .start_ns = START, .period_ns = 10 * MS, .threshold_ns = 100 * MS};
    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
    lists = calloc(1, sizeof *lists);
    cr_assert(lists != NULL);
    memset(&recorded, 0, sizeof recorded);
    cr_assert_eq(um_profile_open(0, &recorded.profile), UM_OK);
    recorded.whole = true;
    recorded.stats = stats;
    for (uint32_t i = 0; i < SLICE_PARTS; i++)
        slice_parts[i] = &lists->slices[i * UM_RECORDED_PART_SLICES];
    recorded.slice_parts_us = slice_parts;
    recorded.slice_part_count = SLICE_PARTS;
    recorded.episodes = lists->episodes;
    recorded.interactions = lists->interactions;
    recorded.notes = lists->notes;
    recorded.session = (struct um_wire_session){.start_ns = START,
                                                .utc_ms = INT64_C(1795176000123),
                                                .slow_us = 50000,
                                                .name = "devenv.exe",
                                                .title = "a title",
                                                .caption = "a caption"};
    recorded.recording = (struct um_wire_recording){.version = "0.1.0", .options = "slow=50\n"};
    recorded.summary = (struct um_summary){.name = recorded.session.name,
                                           .title = recorded.session.title,
                                           .utc_ms = recorded.session.utc_ms,
                                           .start_ns = START,
                                           .totals.duration_ns = 500 * MS,
                                           .latency = um_stats_histogram(stats),
                                           .freezes = um_stats_freezes(stats)};
}

static void teardown(void)
{
    um_stats_close(stats);
    um_profile_close(recorded.profile);
    cJSON_Delete(data);
    free(lists);
}

TestSuite(report_html, .init = setup, .fini = teardown);

static void tell_beat(uint64_t sent_ns, uint64_t latency_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT,
                                  .as.beat = {.sent_ns = sent_ns, .latency_ns = latency_ns}};
    um_stats_frame(stats, &frame);
}

static void tell_freeze(uint64_t start_ns, uint64_t end_ns, const char *window_class)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = UM_WIRE_EPISODE_END};
    frame.as.episode = (struct um_wire_episode){.start_ns = start_ns,
                                                .end_ns = end_ns,
                                                .peak_ns = end_ns - start_ns,
                                                .uncertainty_ns = 9 * MS,
                                                .id = um_stats_freezes(stats)->count + 1,
                                                .message = 0x0202,
                                                .state = UM_STATE_FROZEN};
    if (window_class) {
        frame.flags |= UM_WIRE_EPISODE_HAS_MESSAGE;
        um_text_set(frame.as.episode.window_class, sizeof frame.as.episode.window_class,
                    window_class);
    }
    um_stats_frame(stats, &frame);
}

/* Writes the page and reads the data block as a browser finds it: up to the first "</script". */
static void write_followed_page(uint64_t next_ms)
{
    FILE *file = written_open();
    cr_assert_eq(um_report_html_write(file, &recorded, NULL, &options, next_ms), UM_OK);
    page = written_read(file, NULL);

    static const char head[] = "<script id=\"data\" type=\"application/json\">";
    char *begin = strstr(page, head);
    cr_assert_not_null(begin);
    begin += strlen(head);
    char *end = strstr(begin, "</script");
    cr_assert_not_null(end);
    const char *after = NULL;
    data = cJSON_ParseWithLengthOpts(begin, (size_t)(end - begin), &after, 0);
    cr_assert_not_null(data, "the data are no JSON");
    cr_assert_eq(after, end, "something stands behind the data");
}

static void write_page(void)
{
    write_followed_page(0);
}

static int64_t take_signed(struct packed *from)
{
    uint64_t folded = packed_number(from);
    return folded % 2 ? -(int64_t)(folded / 2) - 1 : (int64_t)(folded / 2);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (text = strstr(text, part); text; text = strstr(text + 1, part))
        count++;
    return count;
}

static const char *template_text(void)
{
    const char *text = (const char *)um_report_page;
    cr_assert(strstr(text, "</html>"), "a NUL is in the page");
    return text;
}

/* A page that is mailed or archived must not ask the network for anything. */
Test(report_html, template_refers_to_nothing_outside)
{
    static const char *const outside[] = {"src=",    "url(",   "@import",
                                          "import(", "fetch(", "XMLHttpRequest"};
    const char *text = template_text();
    cr_assert_eq(count_of(text, UM_PAGE_PLACEHOLDER), 1, "the data have one place");
    const char *place = strstr(text, UM_PAGE_TEXT_PLACEHOLDER);
    cr_assert(place && place < strstr(text, UM_PAGE_PLACEHOLDER), "the text stands before them");
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        cr_assert_eq(count_of(text, outside[i]), 0, "%s", outside[i]);
    cr_assert_eq(count_of(text, "href="), count_of(text, "href=\"data:,\""));
    /* The name of a namespace is no address that anybody visits. */
    cr_assert_eq(count_of(text, "://"), count_of(text, "'http://www.w3.org/2000/svg'"));
    cr_assert_eq(count_of(text, "default-src 'none'"), 1);
}

/* The page adds the states up, so it needs each of them. */
Test(report_html, template_lists_each_state)
{
    const char *begin = strstr(template_text(), "READING_ORDER = [");
    cr_assert(begin != NULL);
    const char *end = strchr(begin, ']');
    for (int state = 0; state < UM_STATE_COUNT; state++) {
        char name[32];
        snprintf(name, sizeof name, "'%s'", um_wire_state_name((enum um_state)state));
        const char *at = strstr(begin, name);
        cr_expect(at && at < end, "%s", name);
    }
}

Test(report_html, texts_of_others_are_data_and_never_markup)
{
    um_text_set(recorded.session.name, sizeof recorded.session.name, "<b>" HOSTILE);
    um_text_set(recorded.session.title, sizeof recorded.session.title, HOSTILE);
    um_text_set(recorded.session.caption, sizeof recorded.session.caption, HOSTILE);
    um_text_set(recorded.recording.options, sizeof recorded.recording.options,
                "caption=" HOSTILE "\nnewest\n");
    um_text_set(recorded.problem, sizeof recorded.problem, HOSTILE);
    um_text_set(lists->notes[0].text, sizeof lists->notes[0].text, HOSTILE);
    recorded.note_count = 1;
    tell_freeze(START + 100 * MS, START + 400 * MS, HOSTILE);
    write_page();

    const char *text = template_text();
    cr_assert_eq(count_of(page, "<"), count_of(text, "<"), "a '<' of the data is in the page");
    cr_assert_str_eq(json_text(data, "summary.target.name"), "<b>" HOSTILE);
    cr_assert_str_eq(json_text(data, "summary.target.title"), HOSTILE);
    cr_assert_str_eq(json_text(data, "caption"), HOSTILE);
    cr_assert_str_eq(json_text(data, "options"), "caption=" HOSTILE "\nnewest\n");
    cr_assert_str_eq(json_text(data, "problem"), HOSTILE);
    cr_assert_str_eq(json_text(data, "notes.0.1"), HOSTILE);
    cr_assert_str_eq(json_text(data, "freezes.0.9"), HOSTILE);
}

/* What stands in the page for readers whose browser does not run its script. */
static const char *page_text(void)
{
    char *begin = strstr(page, "<pre>");
    cr_assert_not_null(begin);
    char *end = strstr(begin, "</pre>");
    cr_assert_not_null(end);
    *end = '\0';
    return begin + strlen("<pre>");
}

Test(report_html, has_the_text_of_the_report)
{
    FILE *file = written_open();
    tell_freeze(START + 100 * MS, START + 400 * MS, "AClass");
    um_text_set(recorded.problem, sizeof recorded.problem, "the recording <ends> early");
    write_page();
    cr_assert_eq(um_summary_text_write(file, &recorded.summary), UM_OK);
    const char *summary = written_read(file, NULL), *text = page_text();
    cr_assert(strstr(summary, "AClass"), "%s", summary);
    cr_expect_eq(strncmp(text, summary, strlen(summary)), 0, "%s", text);
    cr_expect_str_eq(text + strlen(summary), "\nthe recording &lt;ends> early\n");
}

Test(report_html, a_growing_recording_is_not_called_damaged)
{
    um_text_set(recorded.problem, sizeof recorded.problem, "the recording ends early");
    write_followed_page(2000);
    cr_expect_null(strstr(page_text(), "ends early"));
}

Test(report_html, what_is_not_utf8_is_replaced)
{
    strcpy(recorded.session.caption, "a\xff");
    write_page();
    cr_assert_str_eq(json_text(data, "caption"), "a\xef\xbf\xbd");
}

Test(report_html, slices_are_those_of_the_recording)
{
    static const uint32_t us[] = {0, 163, UM_RECORDED_NOT_MEASURED, 1000000, UINT32_MAX - 1};
    memcpy(lists->slices, us, sizeof us);
    recorded.slice_count = 5;
    write_page();
    struct packed *packed = packed_read(data, "slices");
    for (size_t i = 0; i < 5; i++) {
        uint64_t expected = us[i] == UM_RECORDED_NOT_MEASURED ? 0 : us[i] + UINT64_C(1);
        cr_assert_eq(packed_number(packed), expected, "slice %zu", i);
    }
    cr_assert_eq(packed->at, packed->len);
    cr_assert_eq(json_number(data, "slice_ms"), 100.0);
}

Test(report_html, of_merged_slices_the_worst_stays)
{
    recorded.slice_count = UM_REPORT_HTML_MAX_SLICES + 101;
    for (uint32_t i = 0; i < recorded.slice_count; i++)
        lists->slices[i] = i == 1 ? 5000 : i == 2 || i == 3 ? UM_RECORDED_NOT_MEASURED : 7;
    write_page();
    struct packed *packed = packed_read(data, "slices");
    cr_assert_eq(json_number(data, "slice_ms"), 200.0);
    cr_assert_eq(packed_number(packed), 5001);
    cr_assert_eq(packed_number(packed), 0);
    cr_assert_eq(packed_number(packed), 8);
    cr_assert_eq(packed->len, 2 + 1 + UM_REPORT_HTML_MAX_SLICES / 2 + 51 - 2);
}

Test(report_html, part_without_slices_has_none_measured)
{
    recorded.slice_count = UM_REPORT_HTML_MAX_SLICES + 1; /* two are merged */
    for (uint32_t i = 0; i < recorded.slice_count; i++)
        lists->slices[i] = 7;
    slice_parts[1] = NULL;
    write_page();
    struct packed *packed = packed_read(data, "slices");
    for (uint32_t i = 0; i < recorded.slice_count; i += 2) {
        bool none = i >= UM_RECORDED_PART_SLICES && i < 2 * UM_RECORDED_PART_SLICES;
        cr_assert_eq(packed_number(packed), none ? 0 : 8, "slice %u", (unsigned)i);
    }
    cr_assert_eq(packed->at, packed->len);
}

Test(report_html, stretches_keep_their_exact_times)
{
    lists->episodes[0] = (struct um_recorded_episode){
        .start_ns = START - 20 * US, .end_ns = START + 5 * US, .state = UM_STATE_FROZEN};
    lists->episodes[1] = (struct um_recorded_episode){
        .start_ns = START, .end_ns = START + 9 * US, .state = UM_STATE_SLOW};
    lists->episodes[2] = (struct um_recorded_episode){
        .start_ns = START + 50 * MS, .end_ns = START + 90 * MS, .state = UM_STATE_IDLE};
    recorded.episode_count = 3;
    write_page();
    struct packed *packed = packed_read(data, "stretches");
    cr_assert_eq(packed_byte(packed), UM_STATE_FROZEN);
    cr_assert_eq(take_signed(packed), -20);
    cr_assert_eq(packed_number(packed), 25);
    cr_assert_eq(packed_byte(packed), UM_STATE_IDLE);
    cr_assert_eq(take_signed(packed), 50020);
    cr_assert_eq(packed_number(packed), 40000);
    cr_assert_eq(packed->at, packed->len);
}

static void tell_component(uint32_t id, uint32_t parent, const char *text, uint64_t layout_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_COMPONENT,
                                  .as.layout_component = {.id = id, .parent = parent}};
    um_text_set(frame.as.layout_component.text, UM_WIRE_LAYOUT_TEXT_BYTES, text);
    um_stats_frame(stats, &frame);
    frame = (struct um_wire_frame){
        .type = UM_WIRE_LAYOUT_TIMES,
        .as.layout_times = {.count = 1, .list = {{.id = id, .layout_ns = layout_ns}}}};
    um_stats_frame(stats, &frame);
}

/* By layout time: "outer", "other" and, within outer, "inner". */
Test(report_html, components_are_in_the_order_of_the_summary)
{
    const struct um_wire_layout_meters meters = {
        .time_ns = START + 150 * MS,
        .count = 2,
        .list = {{.id = 3, .worst_ns = 2 * MS}, {.id = 7, .worst_ns = 9 * MS}}};
    tell_component(3, 7, "inner", 2 * MS);
    tell_component(5, 800, "other", 5 * MS);
    tell_component(7, 0, "</script>outer", 9 * MS);
    recorded.summary.laid_out = um_stats_laid_out(stats);
    cr_assert_eq(um_worst_frames_take(&recorded.worst_frames, START, &meters), UM_OK);
    write_page();
    cr_assert_str_eq(json_text(data, "summary.layout.0.text"), "</script>outer");
    cr_assert_str_eq(json_text(data, "summary.layout.2.text"), "inner");
    cr_expect_eq(json_number(data, "stretch_ms"), 100);
    cr_assert_eq(json_number(data, "stretch_count"), 2);
    struct packed *packed = packed_read(data, "components");
    const int64_t expected[3][3] = {{-1, 0, 9000}, {-1, 0, 0}, {0, 0, 2000}};
    for (size_t i = 0; i < 3; i++) {
        cr_expect_eq(take_signed(packed), expected[i][0], "row %zu", i);
        for (size_t j = 1; j < 3; j++)
            cr_expect_eq(packed_number(packed), (uint64_t)expected[i][j], "row %zu", i);
    }
    cr_expect_eq(packed->at, packed->len);
    um_worst_frames_deinit(&recorded.worst_frames);
}

static void tell_place(struct um_wire_layout_place place)
{
    const struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_PLACE, .as.layout_place = place};
    um_stats_frame(stats, &frame);
}

/* The component 4 was on a screen and cost nothing; 8 was on none. */
Test(report_html, places_of_components_are_told_with_those_of_their_roots)
{
    static const int64_t expected[3][6] = {
        {1, 2, -5, 20, 300, 200}, {-1, 2, 7, 8, 90, 80}, {0, 2, 0, 0, 640, 480}};
    const struct um_wire_frame named = {.type = UM_WIRE_LAYOUT_COMPONENT,
                                        .as.layout_component = {.id = 4, .parent = 3}};
    tell_component(3, 7, "inner", 2 * MS);
    um_stats_frame(stats, &named);
    tell_component(7, 0, "outer", 9 * MS);
    tell_component(8, 7, "hidden", MS);
    tell_place((struct um_wire_layout_place){3, -5, 20, 300, 200, 0});
    tell_place((struct um_wire_layout_place){4, 7, 8, 90, 80, 0});
    tell_place((struct um_wire_layout_place){7, 0, 0, 640, 480, 0});
    recorded.summary.laid_out = um_stats_laid_out(stats);
    write_page();
    struct packed *packed = packed_read(data, "places");
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 4; j++)
            cr_expect_eq(take_signed(packed), expected[i][j], "place %zu, number %zu", i, j);
        for (size_t j = 4; j < 6; j++)
            cr_expect_eq(packed_number(packed), (uint64_t)expected[i][j], "place %zu", i);
    }
    cr_expect_eq(packed->at, packed->len);
}

Test(report_html, without_layout_nothing_is_said_of_components)
{
    write_page();
    cr_expect_null(cJSON_GetObjectItem(data, "components"));
}

/* The page knows no name for these numbers. */
Test(report_html, values_of_a_later_version_are_none_of_the_known_ones)
{
    lists->episodes[0] = (struct um_recorded_episode){
        .start_ns = START, .end_ns = START + 9 * US, .state = UM_WIRE_UNKNOWN};
    recorded.episode_count = 1;
    lists->interactions[0].times =
        (struct um_wire_interaction){.dequeued_ns = START, .kind = UM_WIRE_UNKNOWN};
    recorded.interaction_count = 1;
    write_page();
    cr_expect_eq(packed_byte(packed_read(data, "stretches")), UM_WIRE_UNKNOWN);
    cr_expect_eq(packed_byte(packed_read(data, "interactions")), 3);
}

Test(report_html, of_too_many_stretches_the_longest_stay)
{
    recorded.episode_count = UM_REPORT_HTML_MAX_STRETCHES + 2;
    for (uint32_t i = 0; i < recorded.episode_count; i++) {
        uint64_t start_ns = START + i * MS;
        lists->episodes[i] = (struct um_recorded_episode){.start_ns = start_ns,
                                                          .end_ns = start_ns + (i < 2 ? 1 : 2) * US,
                                                          .state = UM_STATE_IDLE};
    }
    write_page();
    struct packed *packed = packed_read(data, "stretches");
    cr_assert_eq(json_number(data, "stretches_unlisted"), 2);
    (void)packed_byte(packed);
    cr_assert_eq(take_signed(packed), 2000, "the two short ones came first");
    cr_assert_eq(packed_number(packed), 2);
}

Test(report_html, freezes_are_those_of_the_statistics)
{
    tell_freeze(START + 100 * MS + 500 * US, START + 400 * MS, "Button");
    tell_freeze(START - 150 * MS, START + 20 * MS, NULL);
    write_page();
    cr_assert_eq(json_size(data, "freezes"), 2);
    static const double first[] = {100.5, 299.5, 9.0, 299.5, UM_STATE_FROZEN};
    const cJSON *freeze = json_at(data, "freezes.0");
    for (int i = 0; i < 5; i++)
        cr_assert_eq(cJSON_GetArrayItem(freeze, i)->valuedouble, first[i], "field %d", i);
    cr_assert(cJSON_IsFalse(cJSON_GetArrayItem(freeze, 5)));
    cr_assert_str_eq(json_text(freeze, "8"), "WM_LBUTTONUP");
    cr_assert_str_eq(json_text(freeze, "9"), "Button");
    cr_assert_eq(json_number(data, "freezes.1.0"), -150.0);
    cr_assert_eq(json_size(data, "freezes.1"), 8, "it has no suspect");
}

/* Tells of a key that arrived and was taken at these times, and that this is observed. */
static void tell_key(uint64_t arrival_ns, uint64_t dequeued_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_INTERACTION,
                                  .as.interaction = {.arrival_ns = arrival_ns,
                                                     .dequeued_ns = dequeued_ns,
                                                     .handled_ns = dequeued_ns + MS,
                                                     .kind = UM_INTERACTION_KEY}};
    struct um_wire_frame totals = {.type = UM_WIRE_TOTALS, .as.totals.observes = 1};
    um_stats_frame(stats, &frame);
    um_stats_frame(stats, &totals);
}

/* As the text of the summary says it: two keys waited in the first freeze and none in the second.
 * Without a stack, and without knowing what waited, there is nothing. */
Test(report_html, a_freeze_has_what_waited_and_where_it_was)
{
    struct um_wire_frame stack = {.type = UM_WIRE_STACK,
                                  .as.stack = {.samples = 12, .alike = 9, .sampled_us = 1}};
    strcpy(stack.as.stack.frames[0], "ide.exe!Editor::parse");
    strcpy(stack.as.stack.frames[1], HOSTILE);
    tell_freeze(START + 100 * MS, START + 220 * MS, NULL);
    tell_freeze(START + 300 * MS, START + 410 * MS, NULL);
    stack.as.stack.freeze = um_stats_freezes(stats)->list[1].id;
    um_stats_frame(stats, &stack);
    recorded.summary.stacks = um_stats_stacks(stats);
    write_page();
    cr_expect_str_eq(json_text(data, "felt"), "felt: not observed (--interactions)");
    cr_expect_str_eq(json_text(data, "freezes.0.6"), "");
    cr_expect_str_eq(json_text(data, "freezes.0.7"), "");
    cJSON_Delete(data);

    tell_key(START + 150 * MS, START + 221 * MS);
    tell_key(START + 160 * MS, START + 222 * MS);
    write_page();
    cr_expect_str_eq(json_text(data, "felt"), "felt: 1 of 2");
    cr_expect_str_eq(json_text(data, "freezes.0.6"), "2 keys");
    cr_expect_str_eq(json_text(data, "freezes.1.6"), "no");
    cr_expect_str_eq(json_text(data, "freezes.1.7"), "9 of 12 in ide.exe!Editor::parse ← " HOSTILE);
}

/* Beside the suspect, or in its place. */
Test(report_html, a_freeze_has_the_message_that_took_most_of_it)
{
    struct um_wire_frame told = {.type = UM_WIRE_COSTLIEST,
                                 .as.costliest = {.length_ns = 817 * MS / 4,
                                                  .message = 0x0047,
                                                  .kind = UM_TRACE_SENT,
                                                  .window_class = HOSTILE}};
    tell_freeze(START + 100 * MS, START + 400 * MS, "Button");
    told.as.costliest.freeze = um_stats_freezes(stats)->list[0].id;
    um_stats_frame(stats, &told);
    write_page();
    const cJSON *freeze = json_at(data, "freezes.0");
    cr_assert_eq(json_size(data, "freezes.0"), 14);
    cr_expect_str_eq(json_text(freeze, "8"), "WM_LBUTTONUP");
    cr_expect_eq(json_number(freeze, "10"), 204.25);
    cr_expect_str_eq(json_text(freeze, "11"), "WM_WINDOWPOSCHANGED");
    cr_expect_str_eq(json_text(freeze, "12"), HOSTILE);
    cr_expect_str_eq(json_text(freeze, "13"), "sent");
}

Test(report_html, a_freeze_without_a_suspect_may_have_a_costliest_message)
{
    struct um_wire_frame told = {
        .type = UM_WIRE_COSTLIEST,
        .as.costliest = {.length_ns = 60 * MS, .message = 0x0047, .kind = UM_TRACE_SENT}};
    tell_freeze(START + 100 * MS, START + 400 * MS, NULL);
    told.as.costliest.freeze = um_stats_freezes(stats)->list[0].id;
    um_stats_frame(stats, &told);
    write_page();
    const cJSON *freeze = json_at(data, "freezes.0");
    cr_assert_eq(json_size(data, "freezes.0"), 14);
    cr_expect_str_eq(json_text(freeze, "8"), "");
    cr_expect_eq(json_number(freeze, "10"), 60);
}

Test(report_html, interactions_have_the_parts_that_were_observed)
{
    lists->interactions[0].times = (struct um_wire_interaction){.arrival_ns = START + 10 * US,
                                                                .dequeued_ns = START + 13 * US,
                                                                .handled_ns = START + 20 * US,
                                                                .painted_ns = START + 300 * US,
                                                                .freeze = 4,
                                                                .key = 65,
                                                                .kind = UM_INTERACTION_KEY};
    lists->interactions[1].release = true;
    lists->interactions[1].times =
        (struct um_wire_interaction){.dequeued_ns = START + 5 * US, .kind = UM_INTERACTION_CLICK};
    recorded.interaction_count = 2;
    write_page();
    struct packed *packed = packed_read(data, "interactions");
    cr_assert_eq(packed_byte(packed), UM_INTERACTION_KEY | 8 | 16 | 32 | 64 | 128);
    cr_assert_eq(take_signed(packed), 10);
    cr_assert_eq(packed_number(packed), 3);
    cr_assert_eq(packed_number(packed), 7);
    cr_assert_eq(packed_number(packed), 280);
    cr_assert_eq(packed_number(packed), 65);
    cr_assert_eq(packed_byte(packed), UM_INTERACTION_CLICK | 4);
    cr_assert_eq(take_signed(packed), -5);
    cr_assert_eq(packed->at, packed->len, "of a part that was not observed something is told");
}

Test(report_html, of_too_many_interactions_the_slowest_stay)
{
    recorded.interaction_count = UM_REPORT_HTML_MAX_INTERACTIONS + 2;
    for (uint32_t i = 0; i < recorded.interaction_count; i++) {
        uint64_t at_ns = START + i * MS;
        lists->interactions[i].times = (struct um_wire_interaction){
            .arrival_ns = at_ns, .dequeued_ns = at_ns + (i < 2 ? 1 : 2) * US};
    }
    write_page();
    struct packed *packed = packed_read(data, "interactions");
    cr_assert_eq(json_number(data, "interactions_unlisted"), 2);
    (void)packed_byte(packed);
    cr_assert_eq(take_signed(packed), 2000);
    cr_assert_eq(packed_number(packed), 2);
}

Test(report_html, of_too_many_notes_the_first_stay)
{
    recorded.note_count = UM_REPORT_HTML_MAX_NOTES + 2;
    for (uint32_t i = 0; i < recorded.note_count; i++)
        lists->notes[i].time_ns = START + i * MS;
    write_page();
    cr_assert_eq(json_size(data, "notes"), UM_REPORT_HTML_MAX_NOTES);
    cr_assert_eq(json_number(data, "notes_unlisted"), 2);
}

static const cJSON *distribution(const char *of, const char *part)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json_at(data, "distributions"))
    {
        if (strcmp(json_text(item, "of"), of) == 0 && strcmp(json_text(item, "part"), part) == 0)
            return item;
    }
    return NULL;
}

static void add_message(uint32_t freeze, uint32_t number, uint64_t at_ns, const char *window_class)
{
    struct um_recorded_message *message = &lists->messages[recorded.message_count++];
    message->retrieved = (struct um_wire_retrieved){
        .time_ns = at_ns, .length_ns = 2 * MS, .message = number, .freeze = freeze};
    um_text_set(message->retrieved.window_class, sizeof message->retrieved.window_class,
                window_class);
}

Test(report_html, messages_stand_with_their_freezes)
{
    recorded.messages = lists->messages;
    lists->episodes[0] = (struct um_recorded_episode){.id = 7, .start_ns = START + 90 * MS};
    recorded.episode_count = 1;
    add_message(7, 0x113, START + 80 * MS, "Button");
    add_message(7, 0x202, START + 90 * MS, HOSTILE);
    lists->messages[1].last = true;
    add_message(9, 0xf, START - 5 * MS, "");
    write_page();
    const cJSON *all = json_at(data, "messages");
    cr_assert_eq(cJSON_GetArraySize(all), 2);
    cr_expect_float_eq(json_number(all, "0.freeze"), 90, 1e-9);
    cr_expect(!json_at(all, "1.freeze"), "it is not in the recording");
    cr_assert_eq(json_size(all, "0.list"), 2);
    cr_expect_float_eq(json_number(all, "0.list.0.0"), 80, 1e-9);
    cr_expect_float_eq(json_number(all, "0.list.0.1"), 2, 1e-9);
    cr_expect_str_eq(json_text(all, "0.list.0.2"), "WM_TIMER");
    cr_expect_str_eq(json_text(all, "0.list.0.3"), "Button");
    cr_expect_eq(json_number(all, "0.list.0.4"), 0);
    cr_expect_str_eq(json_text(all, "0.list.1.3"), HOSTILE);
    cr_expect_eq(json_number(all, "0.list.1.4"), 1);
    cr_expect_float_eq(json_number(all, "1.list.0.0"), -5, 1e-9);
}

Test(report_html, of_too_many_messages_the_last_stay)
{
    recorded.messages = lists->messages;
    for (uint32_t i = 0; i < UM_REPORT_HTML_MAX_MESSAGES + 2; i++)
        add_message(7, i < 2 ? 0x113 : 0x202, START + i, "");
    write_page();
    cr_expect_eq(json_size(data, "messages.0.list"), UM_REPORT_HTML_MAX_MESSAGES);
    cr_expect_str_eq(json_text(data, "messages.0.list.0.2"), "WM_LBUTTONUP");
    cr_expect_eq(json_number(data, "messages_unlisted"), 2);
}

/* One beat of 1 ms and one of 250 ms, which stands for 25. */
Test(report_html, percentiles_and_bins_are_those_of_the_beats)
{
    tell_beat(START, MS);
    tell_beat(START + 10 * MS, 250 * MS);
    write_page();
    const cJSON *beats = distribution("beat", "total");
    cr_assert_not_null(beats);
    cr_assert_eq(json_number(beats, "count"), 26);
    cr_assert_eq(json_number(beats, "max"), 250.0);
    cr_assert_float_eq(json_number(beats, "p50"), 120.0, 0.12); /* the 13th: 1, 10, 20, ... 120 */
    cr_assert_eq(json_number(beats, "p999"), 250.0, "it exceeds the greatest value");

    cr_assert_eq(json_number(beats, "bins.0.0"), 30.0, "1 ms begins the bin");
    double sum = 0;
    const cJSON *pair = NULL;
    cJSON_ArrayForEach(pair, json_at(beats, "bins"))
    {
        sum += cJSON_GetArrayItem(pair, 1)->valuedouble;
    }
    cr_assert_eq(sum, 26.0);
}

/* Two keys of which one was seen to paint, and a click that was only seen to be taken. */
Test(report_html, percentiles_of_interactions_are_of_the_parts_that_were_observed)
{
    lists->interactions[0].times = (struct um_wire_interaction){.arrival_ns = START,
                                                                .dequeued_ns = START + 1 * MS,
                                                                .handled_ns = START + 3 * MS,
                                                                .painted_ns = START + 7 * MS};
    lists->interactions[1].times = (struct um_wire_interaction){
        .arrival_ns = START, .dequeued_ns = START + 2 * MS, .handled_ns = START + 5 * MS};
    lists->interactions[2].times =
        (struct um_wire_interaction){.dequeued_ns = START + MS, .kind = UM_INTERACTION_CLICK};
    recorded.interaction_count = 3;
    write_page();
    static const struct {
        const char *part;
        double count;
        double max;
    } expected[] = {{"total", 1, 7},
                    {"handled", 2, 5},
                    {"delay", 2, 2},
                    {"processing", 2, 3},
                    {"presentation", 1, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const cJSON *part = distribution("key", expected[i].part);
        cr_assert_not_null(part, "%s", expected[i].part);
        cr_assert_eq(json_number(part, "count"), expected[i].count, "%s", expected[i].part);
        cr_assert_eq(json_number(part, "max"), expected[i].max, "%s", expected[i].part);
    }
    cr_assert_eq(json_size(data, "distributions"), 5, "the click has none");
    cr_expect_str_eq(json_text(data, "waited.key"), "total");
    cr_expect_not(json_at(data, "waited.click"));
}

/* Of four keys two were not seen to arrive, so that it is not known how long anybody waited for
 * them. */
Test(report_html, the_user_waited_until_handled_where_fewer_than_half_were_seen_to_paint)
{
    for (int i = 0; i < 4; i++) {
        lists->interactions[i].times = (struct um_wire_interaction){.arrival_ns = i < 2 ? 0 : START,
                                                                    .dequeued_ns = START + MS,
                                                                    .handled_ns = START + 2 * MS};
        if (i < 2)
            lists->interactions[i].times.painted_ns = START + 3 * MS;
    }
    recorded.interaction_count = 4;
    write_page();
    cr_expect_str_eq(json_text(data, "waited.key"), "handled");
}

Test(report_html, what_was_not_measured_is_absent)
{
    recorded.session.caption[0] = '\0';
    recorded.recording.options[0] = '\0';
    write_page();
    cr_assert_eq(json_size(data, "distributions"), 0);
    cr_assert_not(cJSON_HasObjectItem(data, "caption"));
    cr_assert_not(cJSON_HasObjectItem(data, "options"));
    cr_assert_not(cJSON_HasObjectItem(data, "problem"));
    cr_assert_not(json_at(data, "summary.latency_ms.p50"));
    cr_assert_not(json_at(data, "summary.cost.hook_call_ns"));
}

Test(report_html, says_how_a_whole_recording_ended)
{
    recorded.end_reason = UM_END_TARGET_GONE;
    write_page();
    cr_assert(cJSON_IsTrue(cJSON_GetObjectItem(data, "whole")));
    cr_assert_str_eq(json_text(data, "ended"), "target gone");
}

Test(report_html, does_not_say_how_one_ended_that_was_cut_off)
{
    recorded.whole = false;
    strcpy(recorded.problem, "it was cut off");
    write_page();
    cr_assert(cJSON_IsFalse(cJSON_GetObjectItem(data, "whole")));
    cr_assert_not(cJSON_HasObjectItem(data, "ended"));
    cr_assert_str_eq(json_text(data, "problem"), "it was cut off");
}

Test(report_html, a_full_disk_is_an_error)
{
    FILE *file = fopen("/dev/full", "wb");
    cr_assert_not_null(file);
    cr_assert_eq(um_report_html_write(file, &recorded, NULL, &options, 0), UM_ERR_IO);
    (void)fclose(file);
}
