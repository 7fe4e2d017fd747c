/* Feeds any bytes to the readers of marker files and what is made of them: a recording, a profile
 * or a trace. An odd first byte makes a recording of the rest (recording_input.h); other bytes are
 * the file itself. Checks that a refusal is one line, and that flows and markers are found by the
 * names that are written of them. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/utf8.h"
#include "monitor/flows/flow_names.h"
#include "monitor/flows/flows.h"
#include "monitor/flows/flows_near.h"
#include "monitor/flows/flows_write.h"
#include "monitor/flows/marker_file.h"
#include "monitor/flows/recorded_markers.h"
#include "tests/fuzz/recording_input.h"
#include "tests/fuzz/require.h"

#define CHECKED 64 /* markers and flows of each input */
#define SHOWN 100
#define IN_JSON 4           /* flows that are written with those around them, of which */
#define MOST_AROUND 1000    /* there are so many of each of three kinds */
#define STEPS_OF_A_NAME 600 /* in JSON, character by character */
#define MOST_PACKED 1032    /* bytes of a packed byte: zlib's technical details */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_marker(const struct um_markers *markers, uint32_t number)
{
    const struct um_marker *marker = &markers->list[number];
    const struct um_marker_thread *thread = &markers->threads[marker->thread];
    char name[UM_MARKERS_NAME_BYTES];
    require(marker->end_ns >= marker->start_ns);
    require(number >= thread->first && number < thread->first + thread->count);
    require(marker->first_field + marker->field_count <= markers->field_count);
    require(um_markers_find(markers, um_markers_name(markers, number, name)) == number);
    require(number == thread->first || markers->list[number - 1].start_ns <= marker->start_ns);
}

/* A flow is found by its begin, unless the next one of its id begins then. */
static void check_flow(const struct um_markers *markers, const struct um_flows *flows,
                       uint32_t number)
{
    const struct um_flow *flow = &flows->list[number];
    char ms[UM_FLOW_NAMES_MS_BYTES], error[1280];
    const char *id = um_texts_get(&markers->flow_ids, flow->id);
    uint32_t found;
    require(flow->count > 0 && flow->last_ns >= flow->start_ns);
    for (uint32_t i = 0; i < flow->count; i++)
        require(flows->members[flow->first + i] < markers->count);
    size_t cap = strlen(id) + sizeof ms + 1;
    char *name = malloc(cap);
    require(name != NULL);
    snprintf(name, cap, "%s;%s", id, um_flow_names_ms(flow->start_ns, ms));
    require(um_flow_names_find(flows, markers, name, &found, error, sizeof error));
    free(name);
    require(flows->list[found].id == flow->id && flows->list[found].start_ns <= flow->start_ns &&
            (found == number || flows->list[found].start_ns == flow->start_ns));
}

/* Whether the JSON is whole. */
static void check_json(const struct um_markers *markers, const struct um_flows *flows)
{
    char *text = NULL;
    uint32_t *list = NULL;
    size_t len = 0, count = flows->count < IN_JSON ? flows->count : IN_JSON;
    uint64_t around = flows->count < MOST_AROUND ? flows->count : MOST_AROUND;
    steps_allow(count * 3 * around * STEPS_OF_A_NAME);
    struct um_flows_write to = {
        .markers = markers, .flows = flows, .file = open_memstream(&text, &len)};
    require(um_flows_longest(flows, &list) == UM_OK);
    require(to.file && um_flows_write_json(&to, count > 0 ? list[0] : UM_FLOWS_NONE, list, count));
    require(fclose(to.file) == 0);
    free(list);
    cJSON *root = cJSON_Parse(text);
    require(root && cJSON_IsArray(cJSON_GetObjectItem(root, "flows")));
    cJSON_Delete(root);
    free(text);
}

static void check_text(const struct um_markers *markers, const struct um_flows *flows)
{
    char *text = NULL;
    uint32_t *list = NULL;
    struct um_flows_near *near = NULL;
    struct um_flows_slow *slow = NULL;
    size_t len = 0, count = 0;
    struct um_flows_write to = {
        .markers = markers, .flows = flows, .file = open_memstream(&text, &len)};
    require(um_flows_longest(flows, &list) == UM_OK);
    require(to.file && um_flows_write_list(&to, list, flows->count, SHOWN));
    free(list);
    if (flows->count > 0)
        require(um_flows_near_find(flows, 0, 3, &near, &count) == UM_OK &&
                um_flows_write_flow(&to, 0, near, count));
    free(near);
    require(um_flows_slow_find(flows, 0, &slow, &count) == UM_OK);
    um_flows_write_slow(&to, slow, count, SHOWN);
    free(slow);
    require(fclose(to.file) == 0);
    require(um_utf8_valid(text, len) && !strpbrk(text, "\r\x1b"));
    free(text);
}

static void check_markers(struct um_markers *markers)
{
    struct um_flows flows;
    require(um_markers_finish(markers) == UM_OK);
    require(um_flows_init(&flows, markers) == UM_OK);
    for (uint32_t i = 0; i < markers->count && i < CHECKED; i++)
        check_marker(markers, i);
    for (uint32_t i = 0; i < flows.count && i < CHECKED; i++)
        check_flow(markers, &flows, i);
    check_json(markers, &flows);
    check_text(markers, &flows);
    um_flows_deinit(&flows);
}

/* A recording with room for few markers, of which the most telling are kept. */
static void check_few(const struct recording_file *file)
{
    struct um_recording *recording;
    struct um_markers markers = {0};
    char error[1280];
    const size_t most = 20 + file->len % 50;
    if (um_recording_open_memory(file->bytes, file->len, "few", &recording, error, sizeof error) !=
        UM_OK)
        return;
    enum um_status status =
        um_recorded_markers_read(recording, most, &markers, error, sizeof error);
    um_recording_close(recording);
    require(markers.count <= most);
    if (status == UM_OK)
        check_markers(&markers);
    um_markers_deinit(&markers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct um_markers markers = {0};
    char error[1280];
    struct recording_file file = recording_input(data, size);
    if (file.len > 1 && file.bytes[0] == 0x1f && file.bytes[1] == 0x8b)
        steps_allow((uint64_t)file.len * MOST_PACKED * STEPS_A_BYTE);
    enum um_status status =
        um_marker_file_read(recording_input_path(&file), &markers, error, sizeof error);
    require(!strpbrk(error, "\r\n\x1b"));
    require(status == UM_OK || strncmp(error, "uimon: ", 7) == 0);
    if (status == UM_OK)
        check_markers(&markers);
    um_markers_deinit(&markers);
    check_few(&file);
    recording_file_free(&file);
    return 0;
}
