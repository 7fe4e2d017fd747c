#include "monitor/report/report_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/double_bits.h"
#include "base/ns.h"
#include "base/pack.h"
#include "base/plain/clock.h"
#include "monitor/json/json.h"

#define FLAG_APART 1U
#define FLAG_SPREAD 2U
#define DOUBLE_BYTES 8
#define MOST_THOUSANDTHS 9e15 /* the page's numbers are doubles */
#define NS_PER_US UM_CLOCK_NS_PER_US

enum source { OF_WINDOWS, OF_DOTNET };

/* A time since the session's start; what began before is negative. */
static int64_t since_start_us(const struct um_recorded *recorded, uint64_t time_ns)
{
    uint64_t start_ns = recorded->session.start_ns;
    return time_ns >= start_ns ? (int64_t)((time_ns - start_ns) / NS_PER_US)
                               : -(int64_t)((start_ns - time_ns) / NS_PER_US);
}

static void pack_value(struct um_pack *packed, double value, double scale)
{
    if (scale > 0) {
        um_pack_number(packed, (uint64_t)fmin(value * scale + 0.5, MOST_THOUSANDTHS));
        return;
    }
    uint64_t bits = um_double_bits_of(value);
    for (unsigned i = 0; i < DOUBLE_BYTES; i++)
        um_pack_byte(packed, (uint8_t)(bits >> 8 * i));
}

static void pack_span(struct um_pack *packed, const struct um_curves_span *span, int64_t apart_us,
                      int64_t length_us, double scale)
{
    double mean = um_curves_mean(span);
    bool spread = span->least != mean || span->greatest != mean;
    um_pack_byte(packed, (uint8_t)((apart_us != 0 ? FLAG_APART : 0) | (spread ? FLAG_SPREAD : 0)));
    if (apart_us != 0)
        um_pack_signed(packed, apart_us);
    um_pack_number(packed, (uint64_t)length_us);
    pack_value(packed, mean, scale);
    if (spread) {
        pack_value(packed, span->least, scale);
        pack_value(packed, span->greatest, scale);
    }
}

/* Values with a `scale` become so many times as large, as a whole number; with 0 they stay what
 * they are. */
static void put_spans(struct um_json *json, cJSON *item, const struct um_recorded *recorded,
                      const struct um_curve *curve, double scale)
{
    struct um_pack packed = {.bytes = NULL};
    int64_t last_us = 0;
    for (size_t i = 0; i < curve->len; i++) {
        int64_t start_us = since_start_us(recorded, curve->list[i].start_ns);
        int64_t end_us = since_start_us(recorded, curve->list[i].end_ns);
        pack_span(&packed, &curve->list[i], start_us - last_us, end_us - start_us, scale);
        last_us = end_us;
    }
    um_json_packed(json, item, "spans", &packed);
    if (curve->grain_ns > 0)
        um_json_ms(json, item, "grain_ms", curve->grain_ns);
}

static void put_own(struct um_json *json, cJSON *list, const struct um_recorded *recorded)
{
    static const struct {
        const char *name;
        double scale;
    } own[UM_CURVES_COUNT] = {
        [UM_CURVES_POOL] = {"pool", 1.0 / UM_CLOCK_NS_PER_US},
        [UM_CURVES_MESSAGES] = {"messages", 1000},
        [UM_CURVES_FRAMES] = {"frames", 1000},
    };
    for (int i = 0; i < UM_CURVES_COUNT; i++) {
        const struct um_curve *curve = &recorded->curves.curves[i];
        if (curve->len == 0)
            continue;
        cJSON *item = um_json_append_object(json, list);
        um_json_text(json, item, "of", own[i].name);
        put_spans(json, item, recorded, curve, own[i].scale);
    }
}

/* Writes a copy with at most so many spans, as far as they touch. */
static void put_shortened(struct um_json *json, cJSON *item, const struct um_recorded *recorded,
                          const struct um_curve *curve, size_t most)
{
    struct um_curve copy = *curve;
    copy.list = malloc(curve->len * sizeof *copy.list);
    if (copy.list) {
        memcpy(copy.list, curve->list, curve->len * sizeof *copy.list);
        um_curves_shorten(&copy, most);
        put_spans(json, item, recorded, &copy, 0);
    }
    json->failed |= !copy.list;
    free(copy.list);
}

static void put_counters(struct um_json *json, cJSON *list, const struct um_recorded *recorded)
{
    const struct um_curves *curves = &recorded->curves;
    size_t count = curves->own.count > 0 ? curves->own.count : 1;
    size_t most = UM_REPORT_CURVES_COUNTER_SPANS / count;
    most = most > UM_REPORT_CURVES_LEAST_SPANS ? most : UM_REPORT_CURVES_LEAST_SPANS;
    for (size_t i = 0; i < curves->own.count; i++) {
        const struct um_own_counter *own = &curves->own.list[i];
        if (!curves->counters[i] || curves->counters[i]->len == 0)
            continue;
        cJSON *item = um_json_append_object(json, list);
        um_json_text(json, item, "of", "counter");
        um_json_text(json, item, "provider", own->provider);
        um_json_any_text(json, item, "name", own->name);
        um_json_text(json, item, "display", own->display);
        um_json_text(json, item, "unit", own->unit);
        um_json_bool(json, item, "per_second", own->kind == UM_WIRE_COUNTER_INCREMENT);
        put_shortened(json, item, recorded, curves->counters[i], most);
    }
}

/* One that lasts is as long as it is known to have lasted. */
static void put_starvation(struct um_json *json, cJSON *list, const struct um_recorded *recorded,
                           uint64_t start_ns, uint64_t end_ns, double peak, enum source source)
{
    cJSON *item = um_json_append_array(json, list);
    int64_t start_us = since_start_us(recorded, start_ns);
    int64_t end_us = since_start_us(recorded, end_ns != 0 ? end_ns : recorded->end_ns);
    um_json_append_number(json, item, (double)start_us / 1000);
    um_json_append_number(json, item, end_us > start_us ? (double)(end_us - start_us) / 1000 : 0);
    um_json_append_number(json, item, peak);
    um_json_append_number(json, item, source);
    um_json_append_number(json, item, end_ns == 0);
}

static size_t put_starvations(struct um_json *json, cJSON *root, const struct um_recorded *recorded)
{
    cJSON *list = um_json_array(json, root, "starvations");
    const struct um_counted_pool *pool =
        recorded->summary.counted ? um_counted_pool(recorded->summary.counted) : NULL;
    for (size_t i = 0; pool && i < pool->len; i++)
        put_starvation(json, list, recorded, pool->list[i].start_ns, pool->list[i].end_ns,
                       (double)pool->list[i].peak_ns / UM_CLOCK_NS_PER_MS, OF_WINDOWS);
    for (size_t i = 0; i < recorded->curves.starvation_count; i++) {
        const struct um_curves_starvation *starvation = &recorded->curves.starvations[i];
        put_starvation(json, list, recorded, starvation->start_ns, starvation->end_ns,
                       starvation->most, OF_DOTNET);
    }
    return (pool ? pool->len : 0) + recorded->curves.starvation_count;
}

enum um_status um_report_curves_put(cJSON *root, const struct um_recorded *recorded)
{
    struct um_json json = {.failed = false};
    cJSON *object = cJSON_CreateObject();
    cJSON *list = um_json_array(&json, object, "list");
    put_own(&json, list, recorded);
    put_counters(&json, list, recorded);
    size_t starvations = put_starvations(&json, object, recorded);
    um_json_bool(&json, object, "cut", recorded->curves.cut);
    if (cJSON_GetArraySize(list) > 0 || starvations > 0)
        um_json_put(&json, root, "curves", object);
    else
        cJSON_Delete(object);
    return json.failed || !object ? UM_ERR_MEMORY : UM_OK;
}
