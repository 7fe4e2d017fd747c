#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/base/page.h"
#include "monitor/playback/report_data.h"
#include "monitor/playback/report_html.h"
#include "monitor/playback/report_page.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define START (UINT64_C(7000) * MS)
#define HOSTILE "</script><script>throw 1</script><!-- \" ' & \xe2\x80\xae"

/* As many parts as the longest list of slices here has. */
#define SLICE_PARTS (UM_REPORT_DATA_MAX_SLICES / UM_RECORDED_PART_SLICES + 1)

/* Everything is static, so that a test that fails leaves nothing behind. */
static struct um_recorded recorded;
static struct um_options options;
static struct um_stats *stats;
static uint32_t slices[SLICE_PARTS * UM_RECORDED_PART_SLICES];
static uint32_t *slice_parts[SLICE_PARTS];
static struct um_recorded_episode episodes[UM_REPORT_DATA_MAX_STRETCHES + 2];
static struct um_recorded_interaction interactions[UM_REPORT_DATA_MAX_INTERACTIONS + 2];
static struct um_wire_note notes[UM_REPORT_DATA_MAX_NOTES + 2];
static struct um_recorded_message messages[UM_REPORT_DATA_MAX_MESSAGES + 2];
static char *page;
static cJSON *data;

/* Half a second with one beat, a freeze, a key, an idle stretch and a note. */
static void setup(void)
{
    struct um_stats_config config = {
        .start_ns = START, .period_ns = 10 * MS, .threshold_ns = 100 * MS};
    cr_assert_eq(um_stats_open(&config, &stats), UM_OK);
    memset(&recorded, 0, sizeof recorded);
    recorded.whole = true;
    recorded.stats = stats;
    for (uint32_t i = 0; i < SLICE_PARTS; i++)
        slice_parts[i] = &slices[i * UM_RECORDED_PART_SLICES];
    recorded.slice_parts_us = slice_parts;
    recorded.slice_part_count = SLICE_PARTS;
    recorded.episodes = episodes;
    recorded.interactions = interactions;
    recorded.notes = notes;
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
                                           .duration_ns = 500 * MS,
                                           .latency = um_stats_histogram(stats),
                                           .freezes = um_stats_freezes(stats)};
}

static void teardown(void)
{
    um_stats_close(stats);
    free(page);
    cJSON_Delete(data);
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
                                                .id = 1,
                                                .message = 0x0202,
                                                .state = UM_STATE_FROZEN};
    if (window_class) {
        frame.flags |= UM_WIRE_EPISODE_HAS_MESSAGE;
        um_wire_set_text(frame.as.episode.window_class, sizeof frame.as.episode.window_class,
                         window_class);
    }
    um_stats_frame(stats, &frame);
}

/* Writes the page and reads the data block as a browser finds it: up to the first "</script". */
static void write_page(void)
{
    size_t len = 0;
    FILE *file = open_memstream(&page, &len);
    cr_assert_eq(um_report_html_write(file, &recorded, &options), UM_OK);
    (void)fclose(file);

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

static const char *text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    cr_assert_not_null(text, "%s", name);
    return text;
}

static double number_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    cr_assert(cJSON_IsNumber(item), "%s", name);
    return item->valuedouble;
}

static const cJSON *list_of(const char *name)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(data, name);
    cr_assert(cJSON_IsArray(list), "%s", name);
    return list;
}

/* A packed list, read back. */
struct bytes {
    uint8_t *bytes;
    size_t len;
    size_t at;
};

static struct bytes unpack(const char *name)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *text = text_of(data, name);
    struct bytes out = {.bytes = malloc(strlen(text) + 1)};
    uint32_t bits = 0;
    int held = 0;
    cr_assert_eq(strlen(text) % 4, 0);
    for (; *text != '\0' && *text != '='; text++) {
        const char *digit = strchr(digits, *text);
        cr_assert_not_null(digit);
        bits = bits << 6 | (uint32_t)(digit - digits);
        held += 6;
        if (held >= 8) {
            held -= 8;
            out.bytes[out.len++] = (uint8_t)(bits >> held);
        }
    }
    return out;
}

static unsigned take_byte(struct bytes *from)
{
    cr_assert_lt(from->at, from->len);
    return from->bytes[from->at++];
}

static uint64_t take_number(struct bytes *from)
{
    uint64_t number = 0;
    unsigned byte = 128;
    for (int shift = 0; byte & 128; shift += 7) {
        byte = take_byte(from);
        number |= (uint64_t)(byte & 127) << shift;
    }
    return number;
}

static int64_t take_signed(struct bytes *from)
{
    uint64_t folded = take_number(from);
    return folded % 2 ? -(int64_t)(folded / 2) - 1 : (int64_t)(folded / 2);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (text = strstr(text, part); text; text = strstr(text + 1, part))
        count++;
    return count;
}

static char *template_text(void)
{
    char *text = calloc(1, um_report_page_len + 1);
    memcpy(text, um_report_page, um_report_page_len);
    cr_assert_eq(strlen(text), um_report_page_len, "a NUL is in the page");
    return text;
}

Test(report_html, template_has_one_place_for_the_data)
{
    char *text = template_text();
    cr_assert_eq(count_of(text, UM_PAGE_MARKER), 1);
    free(text);
}

/* A page that is mailed or archived must not ask the network for anything. */
Test(report_html, template_refers_to_nothing_outside)
{
    char *text = template_text();
    cr_assert_eq(count_of(text, "src="), 0);
    cr_assert_eq(count_of(text, "href="), count_of(text, "href=\"data:,\""));
    cr_assert_eq(count_of(text, "url("), 0);
    cr_assert_eq(count_of(text, "@import"), 0);
    cr_assert_eq(count_of(text, "import("), 0);
    cr_assert_eq(count_of(text, "fetch("), 0);
    cr_assert_eq(count_of(text, "XMLHttpRequest"), 0);
    /* The name of a namespace is no address that anybody visits. */
    cr_assert_eq(count_of(text, "://"), count_of(text, "'http://www.w3.org/2000/svg'"));
    cr_assert_eq(count_of(text, "default-src 'none'"), 1);
    free(text);
}

Test(report_html, texts_of_others_are_data_and_never_markup)
{
    um_wire_set_text(recorded.session.name, sizeof recorded.session.name, "<b>" HOSTILE);
    um_wire_set_text(recorded.session.title, sizeof recorded.session.title, HOSTILE);
    um_wire_set_text(recorded.session.caption, sizeof recorded.session.caption, HOSTILE);
    um_wire_set_text(recorded.recording.options, sizeof recorded.recording.options,
                     "caption=" HOSTILE "\nnewest\n");
    um_wire_set_text(recorded.problem, sizeof recorded.problem, HOSTILE);
    um_wire_set_text(notes[0].text, sizeof notes[0].text, HOSTILE);
    recorded.note_count = 1;
    tell_freeze(START + 100 * MS, START + 400 * MS, HOSTILE);
    write_page();

    char *text = template_text();
    cr_assert_eq(count_of(page, "<"), count_of(text, "<"), "a '<' of the data is in the page");
    free(text);
    const cJSON *target =
        cJSON_GetObjectItem(cJSON_GetObjectItemCaseSensitive(data, "summary"), "target");
    cr_assert_str_eq(text_of(target, "name"), "<b>" HOSTILE);
    cr_assert_str_eq(text_of(target, "title"), HOSTILE);
    cr_assert_str_eq(text_of(data, "caption"), HOSTILE);
    cr_assert_str_eq(text_of(data, "options"), "caption=" HOSTILE "\nnewest\n");
    cr_assert_str_eq(text_of(data, "problem"), HOSTILE);
    const cJSON *note = cJSON_GetArrayItem(list_of("notes"), 0);
    cr_assert_str_eq(cJSON_GetStringValue(cJSON_GetArrayItem(note, 1)), HOSTILE);
    const cJSON *freeze = cJSON_GetArrayItem(list_of("freezes"), 0);
    cr_assert_str_eq(cJSON_GetStringValue(cJSON_GetArrayItem(freeze, 7)), HOSTILE);
}

Test(report_html, what_is_not_utf8_is_replaced)
{
    strcpy(recorded.session.caption, "a\xff");
    write_page();
    cr_assert_str_eq(text_of(data, "caption"), "a\xef\xbf\xbd");
}

Test(report_html, slices_are_those_of_the_recording)
{
    static const uint32_t us[] = {0, 163, UM_RECORDED_NOT_MEASURED, 1000000, UINT32_MAX - 1};
    memcpy(slices, us, sizeof us);
    recorded.slice_count = 5;
    write_page();
    struct bytes packed = unpack("slices");
    for (size_t i = 0; i < 5; i++) {
        uint64_t expected = us[i] == UM_RECORDED_NOT_MEASURED ? 0 : us[i] + UINT64_C(1);
        cr_assert_eq(take_number(&packed), expected, "slice %zu", i);
    }
    cr_assert_eq(packed.at, packed.len);
    cr_assert_eq(number_of(data, "slice_ms"), 100.0);
    free(packed.bytes);
}

Test(report_html, of_merged_slices_the_worst_stays)
{
    recorded.slice_count = UM_REPORT_DATA_MAX_SLICES + 101;
    for (uint32_t i = 0; i < recorded.slice_count; i++)
        slices[i] = i == 1 ? 5000 : i == 2 || i == 3 ? UM_RECORDED_NOT_MEASURED : 7;
    write_page();
    struct bytes packed = unpack("slices");
    cr_assert_eq(number_of(data, "slice_ms"), 200.0);
    cr_assert_eq(take_number(&packed), 5001);
    cr_assert_eq(take_number(&packed), 0);
    cr_assert_eq(take_number(&packed), 8);
    cr_assert_eq(packed.len, 2 + 1 + UM_REPORT_DATA_MAX_SLICES / 2 + 51 - 2);
    free(packed.bytes);
}

Test(report_html, part_without_slices_has_none_measured)
{
    recorded.slice_count = UM_REPORT_DATA_MAX_SLICES + 1; /* two are merged */
    for (uint32_t i = 0; i < recorded.slice_count; i++)
        slices[i] = 7;
    slice_parts[1] = NULL;
    write_page();
    struct bytes packed = unpack("slices");
    for (uint32_t i = 0; i < recorded.slice_count; i += 2) {
        bool none = i >= UM_RECORDED_PART_SLICES && i < 2 * UM_RECORDED_PART_SLICES;
        cr_assert_eq(take_number(&packed), none ? 0 : 8, "slice %u", (unsigned)i);
    }
    cr_assert_eq(packed.at, packed.len);
    free(packed.bytes);
}

Test(report_html, stretches_keep_their_exact_times)
{
    episodes[0] = (struct um_recorded_episode){
        .start_ns = START - 20 * US, .end_ns = START + 5 * US, .state = UM_STATE_FROZEN};
    episodes[1] = (struct um_recorded_episode){
        .start_ns = START, .end_ns = START + 9 * US, .state = UM_STATE_SLOW};
    episodes[2] = (struct um_recorded_episode){
        .start_ns = START + 50 * MS, .end_ns = START + 90 * MS, .state = UM_STATE_IDLE};
    recorded.episode_count = 3;
    write_page();
    struct bytes packed = unpack("stretches");
    cr_assert_eq(take_byte(&packed), UM_STATE_FROZEN);
    cr_assert_eq(take_signed(&packed), -20);
    cr_assert_eq(take_number(&packed), 25);
    cr_assert_eq(take_byte(&packed), UM_STATE_IDLE);
    cr_assert_eq(take_signed(&packed), 50020);
    cr_assert_eq(take_number(&packed), 40000);
    cr_assert_eq(packed.at, packed.len);
    free(packed.bytes);
}

Test(report_html, of_too_many_stretches_the_longest_stay)
{
    recorded.episode_count = UM_REPORT_DATA_MAX_STRETCHES + 2;
    for (uint32_t i = 0; i < recorded.episode_count; i++) {
        uint64_t start_ns = START + i * MS;
        episodes[i] = (struct um_recorded_episode){.start_ns = start_ns,
                                                   .end_ns = start_ns + (i < 2 ? 1 : 2) * US,
                                                   .state = UM_STATE_IDLE};
    }
    write_page();
    struct bytes packed = unpack("stretches");
    cr_assert_eq(number_of(data, "stretches_unlisted"), 2);
    (void)take_byte(&packed);
    cr_assert_eq(take_signed(&packed), 2000, "the two short ones came first");
    cr_assert_eq(take_number(&packed), 2);
    free(packed.bytes);
}

Test(report_html, freezes_are_those_of_the_statistics)
{
    tell_freeze(START + 100 * MS + 500 * US, START + 400 * MS, "Button");
    tell_freeze(START - 150 * MS, START + 20 * MS, NULL);
    write_page();
    const cJSON *list = list_of("freezes");
    cr_assert_eq(cJSON_GetArraySize(list), 2);
    static const double first[] = {100.5, 299.5, 9.0, 299.5, UM_STATE_FROZEN};
    const cJSON *freeze = cJSON_GetArrayItem(list, 0);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(cJSON_GetArrayItem(freeze, i)->valuedouble, first[i], "field %d", i);
    cr_assert(cJSON_IsFalse(cJSON_GetArrayItem(freeze, 5)));
    cr_assert_str_eq(cJSON_GetArrayItem(freeze, 6)->valuestring, "WM_LBUTTONUP");
    cr_assert_str_eq(cJSON_GetArrayItem(freeze, 7)->valuestring, "Button");
    const cJSON *second = cJSON_GetArrayItem(list, 1);
    cr_assert_eq(cJSON_GetArrayItem(second, 0)->valuedouble, -150.0);
    cr_assert_eq(cJSON_GetArraySize(second), 6, "it has no suspect");
}

Test(report_html, interactions_have_the_parts_that_were_observed)
{
    interactions[0].times = (struct um_wire_interaction){.arrival_ns = START + 10 * US,
                                                         .dequeued_ns = START + 13 * US,
                                                         .handled_ns = START + 20 * US,
                                                         .painted_ns = START + 300 * US,
                                                         .freeze = 4,
                                                         .key = 65,
                                                         .kind = UM_INTERACTION_KEY};
    interactions[1].release = true;
    interactions[1].times =
        (struct um_wire_interaction){.dequeued_ns = START + 5 * US, .kind = UM_INTERACTION_CLICK};
    recorded.interaction_count = 2;
    write_page();
    struct bytes packed = unpack("interactions");
    cr_assert_eq(take_byte(&packed), UM_INTERACTION_KEY | 8 | 16 | 32 | 64 | 128);
    cr_assert_eq(take_signed(&packed), 10);
    cr_assert_eq(take_number(&packed), 3);
    cr_assert_eq(take_number(&packed), 7);
    cr_assert_eq(take_number(&packed), 280);
    cr_assert_eq(take_number(&packed), 65);
    cr_assert_eq(take_byte(&packed), UM_INTERACTION_CLICK | 4);
    cr_assert_eq(take_signed(&packed), -5);
    cr_assert_eq(packed.at, packed.len, "of a part that was not observed something is told");
    free(packed.bytes);
}

Test(report_html, of_too_many_interactions_the_slowest_stay)
{
    recorded.interaction_count = UM_REPORT_DATA_MAX_INTERACTIONS + 2;
    for (uint32_t i = 0; i < recorded.interaction_count; i++) {
        uint64_t at_ns = START + i * MS;
        interactions[i].times = (struct um_wire_interaction){
            .arrival_ns = at_ns, .dequeued_ns = at_ns + (i < 2 ? 1 : 2) * US};
    }
    write_page();
    struct bytes packed = unpack("interactions");
    cr_assert_eq(number_of(data, "interactions_unlisted"), 2);
    (void)take_byte(&packed);
    cr_assert_eq(take_signed(&packed), 2000);
    cr_assert_eq(take_number(&packed), 2);
    free(packed.bytes);
}

Test(report_html, of_too_many_notes_the_first_stay)
{
    recorded.note_count = UM_REPORT_DATA_MAX_NOTES + 2;
    for (uint32_t i = 0; i < recorded.note_count; i++)
        notes[i].time_ns = START + i * MS;
    write_page();
    cr_assert_eq(cJSON_GetArraySize(list_of("notes")), UM_REPORT_DATA_MAX_NOTES);
    cr_assert_eq(number_of(data, "notes_unlisted"), 2);
}

static const cJSON *distribution(const char *of, const char *part)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list_of("distributions"))
    {
        if (strcmp(text_of(item, "of"), of) == 0 && strcmp(text_of(item, "part"), part) == 0)
            return item;
    }
    return NULL;
}

/* One beat of 1 ms and one of 250 ms, which stands for 25. */
static void add_message(uint32_t freeze, uint32_t number, uint64_t at_ns, const char *window_class)
{
    struct um_recorded_message *message = &messages[recorded.message_count++];
    message->told = (struct um_wire_retrieved){
        .time_ns = at_ns, .length_ns = 2 * MS, .message = number, .freeze = freeze};
    um_wire_set_text(message->told.window_class, sizeof message->told.window_class, window_class);
}

Test(report_html, messages_stand_with_their_freezes)
{
    recorded.messages = messages;
    episodes[0] = (struct um_recorded_episode){.id = 7, .start_ns = START + 90 * MS};
    recorded.episode_count = 1;
    add_message(7, 0x113, START + 80 * MS, "Button");
    add_message(7, 0x202, START + 90 * MS, HOSTILE);
    messages[1].last = true;
    add_message(9, 0xf, START - 5 * MS, "");
    write_page();
    const cJSON *all = cJSON_GetObjectItem(data, "messages");
    cr_assert_eq(cJSON_GetArraySize(all), 2);
    const cJSON *first = cJSON_GetArrayItem(all, 0), *second = cJSON_GetArrayItem(all, 1);
    const cJSON *list = cJSON_GetObjectItem(first, "list");
    cr_expect_float_eq(cJSON_GetObjectItem(first, "freeze")->valuedouble, 90, 1e-9);
    cr_expect(!cJSON_HasObjectItem(second, "freeze"), "it is not in the recording");
    cr_assert_eq(cJSON_GetArraySize(list), 2);
    const cJSON *message = cJSON_GetArrayItem(list, 0);
    cr_expect_float_eq(cJSON_GetArrayItem(message, 0)->valuedouble, 80, 1e-9);
    cr_expect_float_eq(cJSON_GetArrayItem(message, 1)->valuedouble, 2, 1e-9);
    cr_expect_str_eq(cJSON_GetArrayItem(message, 2)->valuestring, "WM_TIMER");
    cr_expect_str_eq(cJSON_GetArrayItem(message, 3)->valuestring, "Button");
    cr_expect_eq(cJSON_GetArrayItem(message, 4)->valueint, 0);
    message = cJSON_GetArrayItem(list, 1);
    cr_expect_str_eq(cJSON_GetArrayItem(message, 3)->valuestring, HOSTILE);
    cr_expect_eq(cJSON_GetArrayItem(message, 4)->valueint, 1);
    message = cJSON_GetArrayItem(cJSON_GetObjectItem(second, "list"), 0);
    cr_expect_float_eq(cJSON_GetArrayItem(message, 0)->valuedouble, -5, 1e-9);
}

Test(report_html, of_too_many_messages_the_last_stay)
{
    recorded.messages = messages;
    for (uint32_t i = 0; i < UM_REPORT_DATA_MAX_MESSAGES + 2; i++)
        add_message(7, i < 2 ? 0x113 : 0x202, START + i, "");
    write_page();
    const cJSON *all = cJSON_GetObjectItem(data, "messages");
    const cJSON *list = cJSON_GetObjectItem(cJSON_GetArrayItem(all, 0), "list");
    cr_expect_eq(cJSON_GetArraySize(list), UM_REPORT_DATA_MAX_MESSAGES);
    const char *name = cJSON_GetArrayItem(cJSON_GetArrayItem(list, 0), 2)->valuestring;
    cr_expect_str_eq(name, "WM_LBUTTONUP");
    cr_expect_eq(cJSON_GetObjectItem(data, "messages_unlisted")->valueint, 2);
}

Test(report_html, percentiles_and_bins_are_those_of_the_beats)
{
    tell_beat(START, MS);
    tell_beat(START + 10 * MS, 250 * MS);
    write_page();
    const cJSON *beats = distribution("beat", "total");
    cr_assert_not_null(beats);
    cr_assert_eq(number_of(beats, "count"), 26);
    cr_assert_eq(number_of(beats, "max"), 250.0);
    cr_assert_float_eq(number_of(beats, "p50"), 120.0, 0.12); /* the 13th: 1, 10, 20, ... 120 */
    cr_assert_eq(number_of(beats, "p999"), 250.0, "it exceeds the greatest value");

    const cJSON *bins = cJSON_GetObjectItem(beats, "bins");
    const cJSON *first = cJSON_GetArrayItem(bins, 0);
    cr_assert_eq(cJSON_GetArrayItem(first, 0)->valuedouble, 30.0, "1 ms begins the bin");
    double sum = 0;
    const cJSON *pair = NULL;
    cJSON_ArrayForEach(pair, bins)
    {
        sum += cJSON_GetArrayItem(pair, 1)->valuedouble;
    }
    cr_assert_eq(sum, 26.0);
}

/* Two keys of which one was seen to paint, and a click that was only seen to be taken. */
Test(report_html, percentiles_of_interactions_are_of_the_parts_that_were_observed)
{
    interactions[0].times = (struct um_wire_interaction){.arrival_ns = START,
                                                         .dequeued_ns = START + 1 * MS,
                                                         .handled_ns = START + 3 * MS,
                                                         .painted_ns = START + 7 * MS};
    interactions[1].times = (struct um_wire_interaction){
        .arrival_ns = START, .dequeued_ns = START + 2 * MS, .handled_ns = START + 5 * MS};
    interactions[2].times =
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
        cr_assert_eq(number_of(part, "count"), expected[i].count, "%s", expected[i].part);
        cr_assert_eq(number_of(part, "max"), expected[i].max, "%s", expected[i].part);
    }
    cr_assert_eq(cJSON_GetArraySize(list_of("distributions")), 5, "the click has none");
}

Test(report_html, what_was_not_measured_is_absent)
{
    recorded.session.caption[0] = '\0';
    recorded.recording.options[0] = '\0';
    write_page();
    cr_assert_eq(cJSON_GetArraySize(list_of("distributions")), 0);
    cr_assert_not(cJSON_HasObjectItem(data, "caption"));
    cr_assert_not(cJSON_HasObjectItem(data, "options"));
    cr_assert_not(cJSON_HasObjectItem(data, "problem"));
    const cJSON *summary = cJSON_GetObjectItemCaseSensitive(data, "summary");
    cr_assert_not(cJSON_HasObjectItem(cJSON_GetObjectItem(summary, "latency_ms"), "p50"));
    cr_assert_not(cJSON_HasObjectItem(cJSON_GetObjectItem(summary, "cost"), "hook_call_ns"));
}

Test(report_html, says_how_a_whole_recording_ended)
{
    recorded.end_reason = UM_END_TARGET_GONE;
    write_page();
    cr_assert(cJSON_IsTrue(cJSON_GetObjectItem(data, "whole")));
    cr_assert_str_eq(text_of(data, "ended"), "target gone");
}

Test(report_html, does_not_say_how_one_ended_that_was_cut_off)
{
    recorded.whole = false;
    strcpy(recorded.problem, "it was cut off");
    write_page();
    cr_assert(cJSON_IsFalse(cJSON_GetObjectItem(data, "whole")));
    cr_assert_not(cJSON_HasObjectItem(data, "ended"));
    cr_assert_str_eq(text_of(data, "problem"), "it was cut off");
}

Test(report_html, a_full_disk_is_an_error)
{
    FILE *file = fopen("/dev/full", "wb");
    cr_assert_not_null(file);
    cr_assert_eq(um_report_html_write(file, &recorded, &options), UM_ERR_IO);
    (void)fclose(file);
}
