/* Flows of a recording, against what the demo logs of its freeze and of the keys that it got. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define KEYS "meanwhile"

static char recording[PATH_BYTES];

/* Records keys that wait in a freeze, until each of them is measured. The thread is stopped in the
 * freeze, so that it lasts until everything has been typed. That is typed slowly: however busy the
 * machine is, uimon hears of some of it in time. */
static cJSON *record_keys(struct target *target)
{
    struct monitor monitor;
    struct program feed;
    snprintf(recording, sizeof recording, "%s", test_file("keys.uirec"));
    start_target(target, NULL, "--still", "--pos", "60,60,900,560", "--typing", "plain", NULL);
    start_monitor(&monitor, target, "--interactions", "--record", windows_path(recording), NULL);
    tail_feed(&feed, &monitor);
    probe("front", hwnd_text(target->hwnd), NULL);
    hold(target, "5000");
    probe("keys", hwnd_text(target->hwnd), KEYS, "4", NULL);
    let_go(target);
    wait_lines(feed.out, "interaction key", strlen(KEYS));
    return stop_monitor(&monitor);
}

static cJSON *ask(const char *option, const char *value)
{
    const char *out, *err;
    char result[PATH_BYTES];
    snprintf(result, sizeof result, "%s", test_file("flows.json"));
    cr_assert_eq(run(&out, &err, "uimon", "flows", windows_path(recording), "--quiet", "--json",
                     windows_path(result), option, value, NULL),
                 0, "%s", err);
    return read_json(result);
}

static size_t count_named(const cJSON *markers, const char *name)
{
    const cJSON *marker;
    size_t count = 0;
    cJSON_ArrayForEach(marker, markers) count +=
        strcmp(cJSON_GetObjectItem(marker, "name")->valuestring, name) == 0;
    return count;
}

/* The flow of which a marker of that name is the first. */
static bool begins_with(const cJSON *flow, const char *name)
{
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(flow, "markers"), 0);
    return strcmp(cJSON_GetObjectItem(first, "name")->valuestring, name) == 0;
}

static double number_in(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItem(object, name);
    cr_assert(cJSON_IsNumber(member), "no %s", name);
    return member->valuedouble;
}

/* How many keys have a flow that begins with their arrival. Of a key that uimon heard of more than
 * 20 ms late, as on a busy machine, the arrival is not known: it begins when the key is taken. */
static size_t count_arrived(const cJSON *root)
{
    const cJSON *flow;
    size_t arrived = 0, taken = 0;
    cJSON_ArrayForEach(flow, cJSON_GetObjectItem(root, "flows"))
    {
        arrived += begins_with(flow, "Key arrived");
        taken += begins_with(flow, "Key taken");
    }
    cr_expect_eq(arrived + taken, strlen(KEYS), "%zu and %zu", arrived, taken);
    cr_expect_gt(arrived, 0);
    return arrived;
}

Test(flows, each_key_of_a_freeze_is_one_flow_from_arrival_to_paint)
{
    struct target target;
    const cJSON *flow;

    cJSON_Delete(record_keys(&target));
    cJSON *root = ask(NULL, NULL);
    count_arrived(root);
    cJSON_ArrayForEach(flow, cJSON_GetObjectItem(root, "flows"))
    {
        const cJSON *markers = cJSON_GetObjectItem(flow, "markers");
        if (!begins_with(flow, "Key arrived"))
            continue;
        cr_expect(count_named(markers, "Key taken") == 1 &&
                  count_named(markers, "Key handled") == 1 &&
                  count_named(markers, "Key painted") == 1 && cJSON_GetArraySize(markers) == 4);
        cr_expect_gt(number_in(flow, "end_ms"), number_in(flow, "start_ms"));
        cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(flow, "connected")), 1,
                     "it is connected to the freeze");
    }
    cJSON_Delete(root);
}

static double length_of(const cJSON *marker)
{
    return number_in(marker, "end_ms") - number_in(marker, "start_ms");
}

/* On a busy machine there may be others beside that of the log. */
static const cJSON *longest_of(const cJSON *markers)
{
    const cJSON *marker, *longest = NULL;
    cJSON_ArrayForEach(marker, markers)
    {
        if (!longest || length_of(marker) > length_of(longest))
            longest = marker;
    }
    cr_assert(longest, "there is none");
    return longest;
}

/* The one that was asked for, of those around it. */
static const cJSON *asked_flow(const cJSON *root)
{
    const cJSON *asked = cJSON_GetObjectItem(root, "flow"), *flow;
    cJSON_ArrayForEach(flow, cJSON_GetObjectItem(root, "flows"))
    {
        if (cJSON_Compare(cJSON_GetObjectItem(flow, "id"), cJSON_GetObjectItem(asked, "id"),
                          true) &&
            number_in(flow, "start_ms") == number_in(asked, "start_ms"))
            return flow;
    }
    cr_assert(false, "the flow that was asked for is not there");
    return NULL;
}

Test(flows, a_freeze_has_what_it_held_up)
{
    struct target target;
    struct um_demo_log_event *freeze;
    char name[80];

    cJSON *summary = record_keys(&target);
    cJSON *root = ask("--search", "frozen");
    const cJSON *marker = longest_of(cJSON_GetObjectItem(root, "markers"));
    const cJSON *field = cJSON_GetArrayItem(cJSON_GetObjectItem(marker, "fields"), 0);
    const cJSON *mention = cJSON_GetObjectItem(field, "flow");
    cr_assert(mention, "the freeze is in a flow");
    snprintf(name, sizeof name, "%s;%.6f", cJSON_GetObjectItem(mention, "id")->valuestring,
             number_in(mention, "start_ms"));
    cr_assert_eq(log_events(target.log, UM_DEMO_LOG_FREEZE, &freeze), 1);
    double off_ms = length_off_ms(target.log, freeze, length_of(marker));
    cr_expect(is_about(off_ms, summary, freeze), "%.1f ms is off by %.1f", length_of(marker),
              off_ms);
    cJSON_Delete(summary);
    cJSON_Delete(root);
    root = ask(NULL, NULL);
    size_t arrived = count_arrived(root);
    cJSON_Delete(root);
    root = ask("--slow", "100");
    const cJSON *slow = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "flows"), 0);
    cr_assert(slow, "a key was slow");
    const char *held =
        cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetObjectItem(slow, "freeze"), "id"));
    cr_expect(held && strncmp(held, name, strlen(held)) == 0, "%s held it up",
              held ? held : "none");
    cJSON_Delete(root);
    root = ask("--flow", name);
    const cJSON *flow = asked_flow(root);
    const cJSON *markers = cJSON_GetObjectItem(flow, "markers");
    cr_expect(begins_with(flow, "Frozen"));
    cr_expect_eq(count_named(markers, "Beat taken"), 1);
    cr_expect_eq(count_named(markers, "Key taken"), arrived);
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(flow, "connected")), arrived + 1);
    cJSON_Delete(root);
    free(freeze);
}

/* Files of other tools: as they are, and packed. They have the same flows. */
Test(flows, files_of_other_tools_are_read)
{
    static const char *const files[] = {"profile.firefox.json", "profile.firefox.json.gz",
                                        "profile.chrome.json"};
    const char *out, *err;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, UM_SOURCE_DIR "/tests/golden/%s", files[i]);
        cr_assert_eq(run(&out, &err, "uimon", "flows", windows_path(path), "--slow", "50", NULL), 0,
                     "%s: %s", files[i], err);
        cr_expect(strstr(out, "  fedcba98000000a1;5 ") && strstr(out, "Key arrived to Key taken") &&
                      strstr(out, "held up by freeze fedcba98000000a4;0"),
                  "%s: %s", files[i], out);
    }
}

/* A program that is killed leaves half an event. */
Test(flows, a_trace_that_is_cut_off_is_read_to_there)
{
    static char json[65536];
    char path[PATH_BYTES];
    const char *out, *err;
    FILE *file = fopen(UM_SOURCE_DIR "/tests/golden/profile.chrome.json", "rb");
    cr_assert(file);
    size_t len = fread(json, 1, sizeof json, file);
    fclose(file);
    snprintf(path, sizeof path, "%s", test_file("cut.json"));
    file = fopen(path, "wb");
    cr_assert(file && len > 20 && fwrite(json, 1, len - 20, file) == len - 20 && fclose(file) == 0);
    cr_expect_eq(run(&out, &err, "uimon", "flows", windows_path(path), NULL), 1);
    cr_expect(strstr(out, "  fedcba98000000a1;5 "), "%s", out);
    cr_expect(strstr(err, "cut.json: is cut off; what it has up to there was read"), "%s", err);
}
