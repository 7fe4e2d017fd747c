/* Any bytes as a recording; what is read of it goes on into everything that is written for
 * people and programs: the summary as text and as JSON, the page, the rows of the CSV, the
 * stacks, and the exports. The bytes are used as recording_input.h says. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/utf8.h"
#include "monitor/flows/recorded_markers.h"
#include "monitor/writers/csv.h"
#include "monitor/recorded/recorded.h"
#include "monitor/recorded/profiled.h"
#include "monitor/report/report_html.h"
#include "monitor/report/report_profile.h"
#include "monitor/export/chosen_markers.h"
#include "monitor/export/export.h"
#include "monitor/flows/recorded_markers.h"
#include "tests/fuzz/made_page.h"
#include "tests/fuzz/one_of.h"
#include "tests/fuzz/recording_input.h"
#include "tests/fuzz/require.h"
#include "tests/hostile.h"

/* 80 for what can be measured; numbers that were made up have up to 20 digits. */
#define SUMMARY_COLUMNS 120
#define PAGE_BYTES_MAX (3 << 20)
#define MARKERS 300 /* so few that some are left out */

#define ONE_OF_LONG 64 /* recordings is read, see recording_input.h; */
#define HOUR_SLICES 36000
#define SLICE_STEPS UINT64_C(1500) /* 180 were measured, for the page and all exports */
#define ONE_OF_WIDE                                                                                \
    16 /* of those whose times are further apart is made a page: it has up to half a
                          million numbers */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A stream that is read back as text. */
struct text {
    FILE *file;
    char *bytes;
    size_t len;
};

static void begin(struct text *text)
{
    *text = (struct text){0};
    text->file = open_memstream(&text->bytes, &text->len);
    require(text->file);
}

static const char *end(struct text *text)
{
    require(fclose(text->file) == 0);
    return text->bytes;
}

static void check_summary(const struct um_summary *summary)
{
    struct text text;

    begin(&text);
    require(um_summary_text_write(text.file, summary) == UM_OK);
    const char *line = end(&text);
    require(hostile_is_harmless(line));
    for (const char *next; *line; line = next) {
        char copy[1024];
        size_t len = strcspn(line, "\n");
        require(len < sizeof copy);
        memcpy(copy, line, len);
        copy[len] = 0;
        require(um_utf8_columns(copy) <= SUMMARY_COLUMNS);
        next = line + len + (line[len] == '\n');
    }
    free(text.bytes);
}

static void check_json(const struct um_summary *summary)
{
    char *json = NULL;

    require(um_summary_json(summary, &json) == UM_OK);
    require(um_utf8_valid(json, strlen(json)));
    cJSON *root = cJSON_Parse(json);
    require(root);
    cJSON_Delete(root);
    cJSON_free(json);
}

static void check_page(const struct um_recorded *recorded, struct um_recording *recording)
{
    static const struct um_options options = {.mine = "a", .hide = "ntdll"};
    struct um_markers markers = {.list = NULL};
    char problem[UM_RECORDING_ERROR_BYTES];
    struct text text;

    require(um_recording_rewind(recording) == UM_OK);
    require(um_recorded_markers_read(recording, MARKERS, &markers, problem, sizeof problem) ==
            UM_OK);
    require(um_markers_finish(&markers) == UM_OK && markers.count <= MARKERS);

    begin(&text);
    require(um_report_html_write(text.file, recorded, &markers, &options, 0) == UM_OK);
    um_markers_deinit(&markers);
    end(&text);
    require(text.len < PAGE_BYTES_MAX);
    (void)check_made_page(text.bytes, text.len, um_report_page);
    free(text.bytes);
}

/* Stacks as text and JSON. */
static void check_stacks(const struct um_recorded *recorded)
{
    static const struct um_options options = {.mine = "a", .hide = "ntdll"};
    struct text text;

    begin(&text);
    require(um_report_profile_text(text.file, recorded, &options) == UM_OK);
    require(hostile_is_harmless(end(&text)));
    free(text.bytes);
    cJSON *root = cJSON_CreateObject();
    require(um_report_profile_json(root, recorded, &options) == UM_OK);
    cJSON_Delete(root);
}

static void check_export(um_export_write *write, bool is_json, bool is_text,
                         const struct um_view *view, const struct um_export_about *about)
{
    struct text text;
    begin(&text);
    enum um_status status = write(view, about, text.file);
    require(status == UM_OK || status == UM_ERR_TOO_LARGE);
    end(&text);
    require(!is_text || hostile_is_harmless(text.bytes));
    cJSON *root = is_json ? cJSON_Parse(text.bytes) : NULL;
    require(root || status != UM_OK || !is_json);
    cJSON_Delete(root);
    free(text.bytes);
}

/* What is written for other tools. There can be too many different stacks for some. */
static void check_exports(const struct um_recorded *recorded, struct um_latency_log *latency_log,
                          struct um_recording *recording)
{
    static const struct um_options options = {.hide = "ntdll"};
    struct um_markers markers = {0};
    struct um_flows flows;
    struct um_profiled profiled;
    struct um_recorded_counters counters = {0};
    char problem[UM_RECORDING_ERROR_BYTES];

    require(um_profiled_init(&profiled, recorded, &options) == UM_OK);
    require(um_recording_rewind(recording) == UM_OK);
    (void)um_recorded_markers_read(recording, UM_MARKERS_MOST, &markers, problem, sizeof problem);
    require(um_markers_finish(&markers) == UM_OK && um_flows_init(&flows, &markers) == UM_OK);
    bool *chosen = um_chosen_markers(&markers, &flows, 0, INT64_MAX / 2);
    require(chosen);
    /* Of a long time the lag alone has millions of numbers. */
    if (recorded->slice_count <= HOUR_SLICES)
        require(um_recorded_counters_make(&counters, recorded) == UM_OK);
    um_recorded_counters_keep(&counters, UM_SLICE_NS, UINT64_MAX);
    require(um_latency_log_end(latency_log, recorded) == UM_OK);
    struct um_export_about about = {.program = "a",
                                    .markers = &markers,
                                    .flows = &flows,
                                    .chosen = chosen,
                                    .counters = &counters,
                                    .stats = recorded->stats,
                                    .latency_log = latency_log};
    check_export(um_export_folded, false, true, &profiled.view, &about);
    check_export(um_export_speedscope, true, false, &profiled.view, &about);
    check_export(um_export_firefox, true, false, &profiled.view, &about);
    check_export(um_export_perfetto, false, false, &profiled.view, &about);
    check_export(um_export_chrome, true, false, &profiled.view, &about);
    check_export(um_export_csv, false, true, &profiled.view, &about);
    check_export(um_export_hlog, false, true, &profiled.view, &about);
    for (; about.latency < UM_LATENCIES_COUNT; about.latency++)
        check_export(um_export_hgrm, false, true, &profiled.view, &about);
    um_recorded_counters_deinit(&counters);
    free(chosen);
    um_flows_deinit(&flows);
    um_markers_deinit(&markers);
    um_profiled_deinit(&profiled);
}

/* Whether a cell is read as a formula. A time before the session's start, which a recording that
 * was made up can have, is a number and no formula. */
static bool is_formula(const char *cell)
{
    size_t digits = strspn(cell + 1, "0123456789.");
    if (cell[0] == '-' && digits > 0 && (cell[1 + digits] == ',' || cell[1 + digits] == '\n'))
        return false;
    cell += cell[0] == '"';
    return cell[0] && strchr("=+-@\t\r", cell[0]);
}

/* A row has as many cells as the header, and none of them is a formula. */
static void check_row(const char **row, size_t cells)
{
    const char *at = *row;
    size_t count = 0;
    bool quoted = false;

    for (bool begins = true; *at && (quoted || *at != '\n'); at++) {
        require(!begins || !is_formula(at));
        count += begins;
        quoted ^= *at == '"';
        begins = !quoted && *at == ',';
    }
    require(!quoted && *at == '\n' && count == cells);
    *row = at + 1;
}

static void check_csv(struct um_recording *recording)
{
    struct text text;
    struct um_wire_frame frame;
    struct um_csv *csv;

    begin(&text);
    require(um_recording_rewind(recording) == UM_OK && um_csv_open(text.file, &csv) == UM_OK);
    while (um_recording_next(recording, &frame) == UM_OK)
        require(um_csv_frame(csv, &frame) == UM_OK);
    require(um_csv_close(csv) == UM_OK);
    const char *row = end(&text);
    require(hostile_is_harmless(row));
    size_t cells = 1;
    for (const char *at = row; *at != '\n'; at++)
        cells += *at == ',';
    while (*row)
        check_row(&row, cells);
    free(text.bytes);
}

static void check_recorded(struct um_recording *recording, const struct recording_file *file)
{
    static struct um_recorded recorded;
    struct um_latency_log latency_log = {0};

    steps_allow(HOUR_SLICES * SLICE_STEPS);
    if (recording_input_is_long(recording) && !one_of(ONE_OF_LONG, file->bytes, file->len))
        return;
    recorded.take = um_latency_log_take;
    recorded.take_context = &latency_log;
    if (um_recorded_read(recording, &recorded) == UM_OK) {
        check_summary(&recorded.summary);
        check_json(&recorded.summary);
        if (recorded.slice_count <= HOUR_SLICES || one_of(ONE_OF_WIDE, file->bytes, file->len))
            check_page(&recorded, recording);
        check_stacks(&recorded);
        check_exports(&recorded, &latency_log, recording);
    }
    um_recorded_deinit(&recorded);
    um_latency_log_deinit(&latency_log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recording_file file = recording_input(data, size);
    struct um_recording *recording = NULL;
    char error[UM_RECORDING_ERROR_BYTES] = "";

    if (um_recording_open_memory(file.bytes, file.len, "x", &recording, error, sizeof error) ==
        UM_OK) {
        check_recorded(recording, &file);
        check_csv(recording);
        um_recording_close(recording);
    }
    recording_file_free(&file);
    return 0;
}
