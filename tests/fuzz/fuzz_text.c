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

#include "base/output.h"
#include "base/utf8.h"
#include "monitor/doctor/findings.h"
#include "monitor/target/target_spec.h"
#include "tests/fuzz/require.h"
#include "tests/hostile.h"
#include "tests/hostile_comparison.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A search takes as many steps as text and part have characters, multiplied: only in such texts as
 * a title may be. */
#define TITLE_BYTES 512

typedef void writer(FILE *file, const void *from);

static void write_line(FILE *file, const void *text)
{
    um_output_text(file, text);
}

static void write_list(FILE *file, const void *from)
{
    const char *text = from;
    struct um_target_info info = {.pid = 1, .hwnd = 1, .bits = 64};

    snprintf(info.name, sizeof info.name, "%s", text);
    snprintf(info.title, sizeof info.title, "%s", text);
    snprintf(info.window_class, sizeof info.window_class, "%s", text);
    require(um_target_spec_print_list(file, &info, 1, 0) == UM_OK);
}

static void write_findings(FILE *file, const void *from)
{
    const char *text = from;
    static struct um_findings findings;
    const struct um_findings_header header = {
        .machine = text, .system = "s", .cpus = 1, .target = text};

    memset(&findings, 0, sizeof findings);
    struct um_finding *finding = um_findings_add(&findings, "id", "about", UM_FINDING_FAILS);
    snprintf(finding->text, sizeof finding->text, "%s", text);
    require(um_findings_print(file, &findings, &header) == UM_OK);
}

static void write_comparison(FILE *file, const void *comparison)
{
    um_compare_text_write(file, comparison);
}

static void write_markdown(FILE *file, const void *comparison)
{
    um_compare_markdown_write(file, comparison);
}

/* Takes it over. */
static void check_json(char *json)
{
    cJSON *root = cJSON_Parse(json);
    require(root);
    cJSON_Delete(root);
    cJSON_free(json);
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
    check_json(json);
}

/* A text is found in itself, whatever it is, and its second half is. */
static void check_search(const char *text)
{
    const char *at = text;
    size_t characters = 0;

    while (um_utf8_next(&at) != 0)
        characters++;
    require(at == text + strlen(text) && characters <= strlen(text));
    require(um_utf8_equal(text, text) && um_utf8_contains(text, text));
    require(um_utf8_columns(text) <= 2 * characters);
    if (strlen(text) > TITLE_BYTES)
        return;
    at = text;
    for (size_t i = 0; i < characters / 2; i++)
        um_utf8_next(&at);
    require(um_utf8_contains(text, at));
}

/* What a writer makes of a text or a comparison. Owner: free. */
static char *made_of(writer *write, const void *from)
{
    char *bytes = NULL;
    size_t len = 0;
    FILE *file = open_memstream(&bytes, &len);

    require(file);
    write(file, from);
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

/* Everything that is made of a text. */
enum form { LINE, LIST, FINDINGS, COMPARISON, MARKDOWN, FORMS };

static const struct {
    writer *write;
    bool wraps; /* may make more lines, but none that is not its own */
} forms[FORMS] = {[LINE] = {write_line, false},
                  [LIST] = {write_list, false},
                  [FINDINGS] = {write_findings, true},
                  [COMPARISON] = {write_comparison, true},
                  [MARKDOWN] = {write_markdown, false}};

static bool has_plain;            /* a text without anything special was the first, */
static size_t plain_lines[FORMS]; /* and has so many lines */

static void check(enum form form, const void *from)
{
    char *made = made_of(forms[form].write, from);

    if (!has_plain)
        plain_lines[form] = hostile_lines(made);
    require(hostile_is_harmless(made));
    require(forms[form].wraps || hostile_lines(made) == plain_lines[form]);
    require(!strstr(made, "\nuimon: "));
    require(form != COMPARISON || strncmp(made, "uimon: ", 7) != 0);
    if (form == MARKDOWN)
        check_marks(made);
    free(made);
}

static void check_comparison(void *context, const struct um_compare_text *comparison)
{
    char *json = NULL;

    (void)context;
    check(COMPARISON, comparison);
    check(MARKDOWN, comparison);
    require(um_compare_json(comparison, &json) == UM_OK);
    require(um_utf8_valid(json, strlen(json)));
    check_json(json);
}

static void check_forms(const char *text)
{
    check(LINE, text);
    check(LIST, text);
    check(FINDINGS, text);
    hostile_compare(text, check_comparison, NULL);
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
    if (!has_plain)
        check_forms("plain");
    has_plain = true;
    check_forms(text);
    check_findings_json(text);
    check_search(text);
    check_cuts(text);
    free(text);
    return 0;
}
