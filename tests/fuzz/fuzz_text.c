/* Any bytes as a text that a program, a file or a neighbour has chosen, in everything that shows
 * such texts to people: lines on a terminal, the tables of `list` and `doctor`, and comparisons as
 * text, Markdown and JSON. A text never adds a line of its own, and nothing of it commands a
 * terminal or Markdown. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/base/output.h"
#include "monitor/base/utf8.h"
#include "monitor/doctor/findings.h"
#include "monitor/target/target_spec.h"
#include "tests/fuzz/require.h"
#include "tests/hostile.h"
#include "tests/hostile_comparison.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef void writer(FILE *file, const char *text);

static void write_line(FILE *file, const char *text)
{
    um_output_text(file, text);
}

static void write_list(FILE *file, const char *text)
{
    struct um_target_info info = {.pid = 1, .hwnd = 1, .bits = 64};

    snprintf(info.name, sizeof info.name, "%s", text);
    snprintf(info.title, sizeof info.title, "%s", text);
    snprintf(info.window_class, sizeof info.window_class, "%s", text);
    require(um_target_spec_print_list(file, &info, 1, 0) == UM_OK);
}

static void write_findings(FILE *file, const char *text)
{
    static struct um_findings findings;
    const struct um_findings_header header = {
        .machine = text, .system = "s", .cpus = 1, .target = text};

    memset(&findings, 0, sizeof findings);
    struct um_finding *finding = um_findings_add(&findings, "id", "about", UM_FINDING_FAILS);
    snprintf(finding->text, sizeof finding->text, "%s", text);
    require(um_findings_print(file, &findings, &header) == UM_OK);
}

static void put_text(void *file, const struct um_compare_text *text)
{
    um_compare_text_write(file, text);
}

static void write_comparison(FILE *file, const char *text)
{
    hostile_compare(text, put_text, file);
}

static void put_markdown(void *file, const struct um_compare_text *text)
{
    um_compare_markdown_write(file, text);
}

static void write_markdown(FILE *file, const char *text)
{
    hostile_compare(text, put_markdown, file);
}

/* It is JSON, and it is UTF-8. Takes it over. */
static void check_json(char *json)
{
    require(um_utf8_valid(json, strlen(json)));
    cJSON *root = cJSON_Parse(json);
    require(root);
    cJSON_Delete(root);
    cJSON_free(json);
}

static void check_comparison_json(void *context, const struct um_compare_text *text)
{
    char *json = NULL;

    (void)context;
    require(um_compare_json(text, &json) == UM_OK);
    check_json(json);
}

static void check_findings_json(const char *text)
{
    static struct um_findings findings;
    const struct um_findings_header header = {
        .machine = text, .system = text, .cpus = 2, .target = text};
    char *json = NULL;

    memset(&findings, 0, sizeof findings);
    for (int verdict = 0; verdict < 4; verdict++) {
        struct um_finding *finding =
            um_findings_add(&findings, "id", "about", (enum um_finding_verdict)verdict);
        snprintf(finding->text, sizeof finding->text, "%s", text);
        snprintf(finding->advice, sizeof finding->advice, "%s", text);
    }
    require(um_findings_json(&findings, &header, &json) == UM_OK);
    cJSON *root = cJSON_Parse(json);
    require(root);
    cJSON_Delete(root);
    cJSON_free(json);
}

/* A text is found in itself, whatever it is, and its halves are. */
static void check_search(const char *text)
{
    const char *at = text;
    size_t characters = 0;

    while (um_utf8_next(&at) != 0)
        characters++;
    require(at == text + strlen(text) && characters <= strlen(text));
    require(um_utf8_equal(text, text) && um_utf8_contains(text, text));
    require(um_utf8_columns(text) <= 2 * characters);
    at = text;
    for (size_t i = 0; i < characters / 2; i++)
        um_utf8_next(&at);
    require(um_utf8_contains(text, at));
}

/* What a writer makes of a text. Owner: free. */
static char *made_of(writer *write, const char *text)
{
    char *bytes = NULL;
    size_t len = 0;
    FILE *file = open_memstream(&bytes, &len);

    require(file);
    write(file, text);
    require(fclose(file) == 0);
    return bytes;
}

/* Marks that begin something in Markdown are escaped or put apart, wherever they stand. */
static void check_marks(const char *made)
{
    static const char *const never[] = {"<script", "<img", "](", "<a ", "```"};

    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        require(!strstr(made, never[i]));
}

/* One that wraps its lines may make more of them, but none that is not its own. */
static void check(writer *write, const char *text, bool wraps)
{
    char *plain = made_of(write, "plain");
    char *made = made_of(write, text);

    require(hostile_is_harmless(made));
    require(wraps || hostile_lines(made) == hostile_lines(plain));
    require(!strstr(made, "\nuimon: "));
    require(write != write_comparison || strncmp(made, "uimon: ", 7) != 0);
    if (write == write_markdown)
        check_marks(made);
    free(plain);
    free(made);
}

/* What is cut to a width is UTF-8, shows nothing harmful, and is no wider. */
static void check_cuts(const char *text)
{
    char cut[64];

    struct um_utf8_shown shown = um_utf8_show(text, 40);
    require(um_utf8_valid(shown.text, strlen(shown.text)) && um_utf8_columns(shown.text) <= 40);
    struct um_utf8_shown path = um_utf8_show_path(text);
    require(um_utf8_valid(path.text, strlen(path.text)) && hostile_is_harmless(path.text));
    if (um_utf8_fit(text, 12, cut, sizeof cut) == UM_OK)
        require(um_utf8_valid(cut, strlen(cut)) && um_utf8_columns(cut) <= 12);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    require(text);
    memcpy(text, data, size);
    text[size] = 0;
    check(write_line, text, false);
    check(write_list, text, false);
    check(write_findings, text, true);
    check(write_comparison, text, true);
    check(write_markdown, text, false);
    hostile_compare(text, check_comparison_json, NULL);
    check_findings_json(text);
    check_search(text);
    check_cuts(text);
    free(text);
    return 0;
}
