#include "monitor/report/report_flows.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/pack.h"
#include "monitor/flows/flows.h"
#include "monitor/json/json.h"

#define FLAG_INTERVAL 1U
#define FLAG_OPEN 2U
#define FLAG_STACK_BASED 4U
#define DOUBLE_BYTES 8

/* Times of damaged recordings may lie further apart than an int64_t reaches; they wrap. */
static int64_t between(int64_t from_ns, int64_t to_ns)
{
    return (int64_t)((uint64_t)to_ns - (uint64_t)from_ns);
}

static void put_texts(struct um_json *json, cJSON *root, const char *name,
                      const struct um_texts *texts)
{
    cJSON *list = um_json_array(json, root, name);
    for (uint32_t i = 0; i < texts->count; i++)
        um_json_append_text(json, list, um_texts_get(texts, i));
}

static void put_threads(struct um_json *json, cJSON *root, const struct um_markers *markers)
{
    cJSON *list = um_json_array(json, root, "threads");
    for (size_t i = 0; i < markers->thread_count; i++) {
        const struct um_marker_thread *thread = &markers->threads[i];
        cJSON *item = um_json_append_array(json, list);
        um_json_append_text(json, item, thread->label);
        um_json_append_number(json, item, thread->name);
        um_json_append_number(json, item, thread->process);
        um_json_append_number(json, item, (double)thread->pid);
        um_json_append_number(json, item, thread->count);
    }
}

static void pack_field(struct um_pack *packed, const struct um_flows *flows,
                       const struct um_marker_field *field, size_t number)
{
    um_pack_number(packed, field->name);
    um_pack_byte(packed, field->kind);
    if (field->kind == UM_MARKER_NUMBER)
        for (unsigned i = 0; i < DOUBLE_BYTES; i++)
            um_pack_byte(packed, (uint8_t)(field->value >> 8 * i));
    else
        um_pack_number(packed,
                       um_markers_is_flow(field) ? um_flows_of_field(flows, number) : field->value);
}

static void put_markers(struct um_json *json, cJSON *root, const struct um_markers *markers,
                        const struct um_flows *flows)
{
    struct um_pack packed = {.bytes = NULL};
    int64_t last_ns = 0;
    for (uint32_t i = 0; i < markers->count; i++) {
        const struct um_marker *marker = &markers->list[i];
        uint32_t context = um_flows_context(flows, i);
        um_pack_number(&packed, marker->name);
        um_pack_number(&packed, marker->category);
        um_pack_byte(&packed, (uint8_t)((marker->interval ? FLAG_INTERVAL : 0) |
                                        (marker->open ? FLAG_OPEN : 0) |
                                        (marker->stack_based ? FLAG_STACK_BASED : 0)));
        um_pack_signed(&packed, between(last_ns, marker->start_ns));
        if (marker->interval)
            um_pack_number(&packed, (uint64_t)between(marker->start_ns, marker->end_ns));
        um_pack_signed(&packed, context == UM_MARKERS_NONE ? 0 : (int64_t)context - (int64_t)i);
        um_pack_number(&packed, marker->field_count);
        for (uint32_t k = 0; k < marker->field_count; k++)
            pack_field(&packed, flows, &markers->fields[marker->first_field + k],
                       marker->first_field + k);
        last_ns = marker->start_ns;
    }
    um_json_packed(json, root, "markers", &packed);
}

static void pack_places(struct um_pack *packed, const uint32_t *list, size_t count)
{
    int64_t last = 0;
    um_pack_number(packed, count);
    for (size_t i = 0; i < count; i++) {
        um_pack_signed(packed, (int64_t)list[i] - last);
        last = list[i];
    }
}

static void put_list(struct um_json *json, cJSON *root, const struct um_flows *flows)
{
    struct um_pack packed = {.bytes = NULL};
    int64_t last_ns = 0;
    for (size_t i = 0; i < flows->count; i++) {
        const struct um_flow *flow = &flows->list[i];
        um_pack_number(&packed, flow->id);
        um_pack_signed(&packed, between(last_ns, flow->start_ns));
        um_pack_signed(&packed, between(flow->start_ns, flow->last_ns));
        um_pack_signed(&packed, between(flow->start_ns, flow->end_ns));
        um_pack_byte(&packed, um_flows_is_open(flows, (uint32_t)i));
        pack_places(&packed, flows->members + flow->first, flow->count);
        last_ns = flow->start_ns;
    }
    um_json_packed(json, root, "list", &packed);
}

static void put_kin(struct um_json *json, cJSON *root, const struct um_flows *flows)
{
    static const enum um_flows_kin kins[] = {UM_FLOWS_INCOMING, UM_FLOWS_CONNECTED,
                                             UM_FLOWS_OUTGOING};
    struct um_pack packed = {.bytes = NULL};
    for (uint32_t i = 0; i < flows->count; i++)
        for (size_t k = 0; k < sizeof kins / sizeof kins[0]; k++) {
            uint32_t *list = NULL;
            size_t count = 0;
            json->failed |= um_flows_kin(flows, i, kins[k], &list, &count) != UM_OK;
            pack_places(&packed, list, count);
            free(list);
        }
    um_json_packed(json, root, "kin", &packed);
}

enum um_status um_report_flows_put(cJSON *root, const struct um_markers *markers)
{
    struct um_json json = {.failed = false};
    struct um_flows flows;
    if (!markers || markers->count == 0)
        return UM_OK;
    enum um_status status = um_flows_init(&flows, markers);
    if (status == UM_OK) {
        cJSON *object = um_json_object(&json, root, "flows");
        put_texts(&json, object, "texts", &markers->texts);
        put_texts(&json, object, "ids", &markers->flow_ids);
        put_threads(&json, object, markers);
        put_markers(&json, object, markers, &flows);
        put_list(&json, object, &flows);
        put_kin(&json, object, &flows);
        um_json_number(&json, object, "left_out", (double)markers->left_out);
        status = json.failed ? UM_ERR_MEMORY : UM_OK;
    }
    um_flows_deinit(&flows);
    return status;
}
