/* The stacks of a page, of a recording whose stacks are known: stacked.h. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "monitor/report/editor_link.h"
#include "monitor/report/report_html.h"
#include "monitor/report/report_stacks.h"
#include "tests/hostile.h"
#include "tests/unit/report/packed.h"
#include "tests/unit/report/stacked.h"
#include "tests/written.h"

static struct stacked stacked;
static struct um_options options;
static cJSON *root;
static const cJSON *data;

static void setup(void)
{
    stacked_init(&stacked);
    memset(&options, 0, sizeof options);
}

static void teardown(void)
{
    cJSON_Delete(root);
    stacked_deinit(&stacked);
}

TestSuite(report_stacks, .init = setup, .fini = teardown);

static void make(void)
{
    root = cJSON_CreateObject();
    cr_assert_eq(um_report_stacks_put(root, &stacked.recorded, &options), UM_OK);
    data = cJSON_GetObjectItem(root, "stacks");
}

static const char *text_at(const cJSON *list, int at)
{
    const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(list, at));
    return text ? text : "";
}

static double number_at(const cJSON *list, int at)
{
    const cJSON *item = cJSON_GetArrayItem(list, at);
    cr_assert(cJSON_IsNumber(item));
    return item->valuedouble;
}

/* The numbers of a packed list. Returns how many. */
static size_t unpack(const char *name, uint64_t *numbers, size_t most)
{
    struct packed *packed = packed_read(data, name);
    size_t count = 0;
    memset(numbers, 0, most * sizeof *numbers);
    while (packed->at < packed->len) {
        cr_assert_lt(count, most);
        numbers[count++] = packed_number(packed);
    }
    return count;
}

static const cJSON *function_at(uint64_t place)
{
    return cJSON_GetArrayItem(json_at(data, "functions"), (int)place);
}

/* The functions of a stack, innermost first, as "parse_solution<proc<..."; "~" for what was called
 * through functions that are left out, "?" for an outer end that was not read, and in front of a
 * guess. */
static void spell(uint64_t node, char *text, size_t cap)
{
    uint64_t nodes[64], frames[64];
    size_t count = unpack("nodes", nodes, 64), used = 0;
    unpack("frames", frames, 64);
    text[0] = '\0';
    while (node > 1) {
        cr_assert_lt((node - 2) * 2, count);
        uint64_t frame = nodes[(node - 2) * 2 + 1];
        used += (size_t)snprintf(text + used, cap - used, "%s%s%s<",
                                 frames[(frame >> 1) * 3 + 2] & 2 ? "?" : "", frame & 1 ? "~" : "",
                                 text_at(function_at(frames[(frame >> 1) * 3]), 0));
        node = nodes[(node - 2) * 2];
    }
    snprintf(text + used, cap - used, "%s", node == 1 ? "?" : "");
}

/* How many samples of a freeze (1, 2) have this stack, and what they add up to, in µs. */
static unsigned count_stacks(uint64_t freeze, const char *stack, uint64_t *wall_us,
                             uint64_t *cpu_us)
{
    uint64_t samples[256];
    size_t count = unpack("samples", samples, 256);
    unsigned found = 0;
    *wall_us = *cpu_us = 0;
    cr_assert_eq(count % 6, 0);
    for (size_t i = 0; i < count; i += 6) {
        char text[256];
        spell(samples[i + 1] >> 1, text, sizeof text);
        if (samples[i] != freeze || strcmp(text, stack) != 0)
            continue;
        found++;
        *wall_us += samples[i + 2];
        *cpu_us += samples[i + 3] + samples[i + 4];
    }
    return found;
}

Test(report_stacks, are_those_of_the_recording)
{
    uint64_t wall_us, cpu_us;
    stacked_read(&stacked);
    make();
    cr_expect_eq(count_stacks(1, "parse_solution<proc<SendMessageW<main<", &wall_us, &cpu_us), 10);
    cr_expect_eq(wall_us, 100000);
    cr_expect_eq(count_stacks(2, "draw<main<", &wall_us, &cpu_us), 16);
    cr_expect_eq(cpu_us, 75000);
    cr_expect_eq(count_stacks(2, "draw<?", &wall_us, &cpu_us), 4);
    cr_expect_eq(wall_us, 40000);
    cr_expect_eq(json_number(data, "lost"), 0);
    cr_expect_eq(json_size(data, "sources"), 0);
    cr_expect_null(json_at(data, "mine"));
}

Test(report_stacks, functions_have_modules_files_and_lines)
{
    stacked_read(&stacked);
    make();
    for (int i = 1; i < json_size(data, "functions"); i++) {
        const cJSON *function = function_at((uint64_t)i);
        const char *module = text_at(json_at(data, "modules"), (int)number_at(function, 1));
        int file = (int)number_at(function, 2);
        if (strcmp(text_at(function, 0), "SendMessageW") == 0) {
            cr_expect_str_eq(module, "C:\\Windows\\System32\\USER32.dll");
            cr_expect_eq(file, -1);
        } else if (strcmp(text_at(function, 0), "parse_solution") == 0) {
            cr_expect_str_eq(module, "C:\\work\\plug.dll");
            cr_expect_str_eq(text_at(json_at(data, "files"), file), "C:\\src\\plug.c");
            cr_expect_eq(number_at(function, 3), 33);
            cr_expect_eq(number_at(function, 5), 30);
            cr_expect_eq(number_at(function, 6), 48);
        } else {
            cr_expect_eq(number_at(function, 6), 0);
        }
    }
    cr_expect_eq(json_size(data, "functions"), 6);
    cr_expect_eq(json_size(data, "files"), 2);
}

Test(report_stacks, what_is_hidden_stays_visible)
{
    uint64_t wall_us, cpu_us, samples[256];
    options.hide = "user32,plug";
    stacked_read(&stacked);
    make();
    cr_expect_eq(count_stacks(1, "~proc<main<", &wall_us, &cpu_us), 10);
    unpack("samples", samples, 256);
    cr_expect_eq(samples[1] & 1, 1, "it was taken in plug");
    cr_expect_eq(samples[10 * 6 + 1] & 1, 0);
    cr_expect_str_eq(json_text(data, "hide"), "user32,plug");
}

Test(report_stacks, whose_it_was)
{
    options.mine = "plug,plgu,\"a, b\"";
    stacked_read(&stacked);
    make();
    cr_expect_str_eq(json_text(data, "mine.unseen"), "plgu, a, b");
    cr_expect_str_eq(json_text(data, "mine.freezes.0"), "yours 72 to 100 %");
    cr_expect_str_eq(json_text(data, "mine.freezes.1"),
                     "yours 0 to 20 %, and 20 % of the samples could not be read");
}

/* draw's line is only the nearest one before. */
Test(report_stacks, lines_say_whether_they_are_only_the_nearest)
{
    uint64_t frames[64];
    stacked.is_nearest[STACKED_DRAW] = true;
    stacked_read(&stacked);
    make();
    size_t count = unpack("frames", frames, 64);
    for (size_t i = 0; i < count; i += 3) {
        const cJSON *function = function_at(frames[i]);
        bool is_draw = strcmp(text_at(function, 0), "draw") == 0;
        cr_expect_eq(frames[i + 2], 4 * (uint64_t)number_at(function, 3) + is_draw);
        cr_expect_eq(number_at(function, 4), is_draw);
    }
    cr_expect_geq(count, 3 * 4);
}

/* Three of the samples, and the others of the same node of the recording, come in turns. */
Test(report_stacks, guesses_are_marked_sample_by_sample)
{
    uint64_t wall_us, cpu_us;
    stacked.guessed = 3;
    stacked_read(&stacked);
    make();
    cr_expect_eq(count_stacks(1, "parse_solution<proc<?SendMessageW<main<", &wall_us, &cpu_us), 3);
    cr_expect_eq(count_stacks(1, "parse_solution<proc<SendMessageW<main<", &wall_us, &cpu_us), 7);
    cJSON_Delete(root);
    options.hide = "user32";
    make();
    cr_expect_eq(count_stacks(1, "parse_solution<~proc<?main<", &wall_us, &cpu_us), 3);
    cr_expect_eq(count_stacks(1, "parse_solution<~proc<main<", &wall_us, &cpu_us), 7);
}

/* Makes plug.c in a new folder, which becomes --source-path. */
static void put_plug(char *folder, char path[64])
{
    cr_assert(mkdtemp(folder));
    snprintf(path, 64, "%s/plug.c", folder);
    FILE *file = fopen(path, "wb");
    cr_assert(file);
    for (int i = 1; i <= 40; i++)
        fprintf(file, "line %d </script>\n", i);
    fclose(file);
    options.source_path = folder;
}

/* A source that is found stands in the page; the other one is not there. */
Test(report_stacks, sources_that_are_found)
{
    char folder[] = "/tmp/uimon-stacks-XXXXXX", path[64];
    put_plug(folder, path);
    stacked_read(&stacked);
    make();
    const cJSON *sources = json_at(data, "sources");
    cr_expect_eq(cJSON_GetArraySize(sources), 1);
    int place = atoi(sources->child->string);
    cr_expect_str_eq(text_at(json_at(data, "files"), place), "C:\\src\\plug.c");
    cr_expect_str_eq(text_at(sources->child, 0), path);
    cr_expect_eq(strncmp(text_at(sources->child, 1), "line 1 </script>\nline 2", 22), 0);
    cr_expect_eq(cJSON_GetArrayItem(sources->child, 2)->valueint, 1, "there is no checksum");
    cr_expect_eq(cJSON_GetArraySize(json_at(data, "others")), 0);
    remove(path);
    rmdir(folder);
}

/* parse and draw were compiled from two files of one path, of which sha256sum knows the first. */
Test(report_stacks, a_source_that_was_changed_is_not_in_the_page)
{
    char folder[] = "/tmp/uimon-stacks-XXXXXX", path[64];
    put_plug(folder, path);
    stacked.files[STACKED_DRAW] = stacked.files[STACKED_PARSE];
    stacked.checksums[STACKED_PARSE] =
        "sha256:1fa18fa2e6877aeb6276d3cc76cb143c78cbc6533f307e09a3965b2cfa9883e5";
    stacked.checksums[STACKED_DRAW] = "sha1:0000000000000000000000000000000000000000";
    stacked_read(&stacked);
    make();
    const cJSON *sources = json_at(data, "sources"), *others = json_at(data, "others");
    cr_assert_eq(cJSON_GetArraySize(sources), 1);
    cr_assert_eq(cJSON_GetArraySize(others), 1);
    cr_expect_str_eq(text_at(sources->child, 0), path);
    cr_expect_eq(cJSON_GetArrayItem(sources->child, 2)->valueint, 0);
    cr_expect_str_eq(others->child->valuestring, path);
    const int place = atoi(sources->child->string), other = atoi(others->child->string);
    cr_expect_neq(place, other);
    cr_expect_str_eq(text_at(json_at(data, "files"), place), "C:\\src\\plug.c");
    cr_expect_str_eq(text_at(json_at(data, "files"), other), "C:\\src\\plug.c");
    remove(path);
    rmdir(folder);
}

Test(report_stacks, hostile_names_are_data_and_never_markup)
{
    for (size_t i = 0; i < HOSTILE_TEXTS; i++) {
        size_t len;
        for (size_t j = 0; j < STACKED_FUNCTIONS; j++)
            stacked.names[j] = stacked.files[j] = hostile_texts[(i + j) % HOSTILE_TEXTS];
        stacked.modules[0] = hostile_texts[i];
        options.mine = options.hide = hostile_texts[i];
        stacked_read(&stacked);
        FILE *file = written_open();
        cr_assert_eq(um_report_html_write(file, &stacked.recorded, NULL, &options, 0), UM_OK);
        char *page = written_read(file, &len);
        cr_expect(um_utf8_valid(page, len));
        char *at = strstr(page, "<script id=\"data\"");
        cr_assert(at);
        at = strchr(at, '>') + 1;
        const char *first = strchr(at, '<');
        cr_expect(first && strncmp(first, "</script>", 9) == 0);
        const char *after = NULL;
        cJSON *json = cJSON_ParseWithLengthOpts(at, (size_t)(first - at), &after, 0);
        cr_expect(json, "no JSON with %s", hostile_texts[i]);
        cJSON_Delete(json);
        stacked_deinit(&stacked);
        stacked_init(&stacked);
    }
}

Test(report_stacks, editor_links_that_can_be)
{
    static const char *const good[] = {"vscode://file/{file}:{line}", "file:///{file}",
                                       "x-mine+1.0:open?f={file}&l={line}"};
    static const char *const bad[] = {"{file}",
                                      "/{file}",
                                      "vscode://file/",
                                      "javascript:alert('{file}')",
                                      "JavaScript:{file}",
                                      "data:text,{file}",
                                      "vbscript:{file}",
                                      ":{file}",
                                      "1a:{file}",
                                      "",
                                      "java\nscript:{file}"};
    char error[256];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        cr_expect(um_editor_link_check(good[i], error, sizeof error), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_expect(!um_editor_link_check(bad[i], error, sizeof error), "%s", bad[i]);
        cr_expect(hostile_is_harmless(error) && strstr(error, "uimon: --editor-link"), "%s", error);
    }
    cr_expect(um_editor_link_check(NULL, error, sizeof error));
}
