#include "monitor/compare/floor.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "monitor/base/output.h"
#include "monitor/base/utf8.h"

static const char *const part_names[UM_FLOOR_PARTS] = {
    [UM_FLOOR_DELAY] = "input_delay_ms",
    [UM_FLOOR_PROCESSING] = "processing_ms",
    [UM_FLOOR_PRESENTATION] = "presentation_ms",
    [UM_FLOOR_TOTAL] = "total_ms",
};

static const struct {
    const char *name;
    size_t offset;
} kinds[] = {
    {"key", offsetof(struct um_floor, key)},
    {"click", offsetof(struct um_floor, click)},
    {"wheel", offsetof(struct um_floor, wheel)},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static struct um_floor_figure *figures_of(struct um_floor *floor, size_t kind)
{
    return (struct um_floor_figure *)(void *)((char *)floor + kinds[kind].offset);
}

static const struct um_floor_figure *figures_in(const struct um_floor *floor, size_t kind)
{
    return (const struct um_floor_figure *)(const void *)((const char *)floor + kinds[kind].offset);
}

void um_floor_init(struct um_floor *floor)
{
    const struct um_floor_figure none = {.p50 = NAN, .p98 = NAN}; /* some NANs are function calls */
    *floor = (struct um_floor){.beats = none};
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t part = 0; part < UM_FLOOR_PARTS; part++)
            figures_of(floor, kind)[part] = none;
}

/* From here on: JSON. */

static bool put_figure(cJSON *parent, const char *name, const struct um_floor_figure *figure,
                       const char *high_name)
{
    if (figure->count == 0)
        return true;
    cJSON *object = cJSON_AddObjectToObject(parent, name);
    return object && cJSON_AddNumberToObject(object, "count", figure->count) &&
           cJSON_AddNumberToObject(object, "p50", figure->p50) &&
           cJSON_AddNumberToObject(object, high_name, figure->p98);
}

static bool put_kind(cJSON *parent, const char *name, const struct um_floor_figure *parts)
{
    cJSON *object = cJSON_AddObjectToObject(parent, name);
    bool whole = object != NULL;
    for (size_t part = 0; part < UM_FLOOR_PARTS && whole; part++)
        whole = put_figure(object, part_names[part], &parts[part], "p98");
    return whole;
}

cJSON *um_floor_to_json(const struct um_floor *floor)
{
    cJSON *object = cJSON_CreateObject();
    bool whole = object && cJSON_AddStringToObject(object, "uimon", floor->uimon) &&
                 cJSON_AddNumberToObject(object, "schema", UM_FLOOR_SCHEMA) &&
                 cJSON_AddStringToObject(object, "kind", "floor") &&
                 cJSON_AddStringToObject(object, "date", floor->date) &&
                 cJSON_AddStringToObject(object, "machine", floor->machine) &&
                 put_figure(object, "beats_ms", &floor->beats, "p99");
    for (size_t kind = 0; kind < KINDS && whole; kind++)
        whole = put_kind(object, kinds[kind].name, figures_in(floor, kind));
    if (whole)
        return object;
    cJSON_Delete(object);
    return NULL;
}

/* Takes a text member in a form that can be shown; "" if there is none. */
static void take_text(const cJSON *object, const char *name, char *buf, size_t cap)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    um_utf8_fit(text ? text : "", cap / 4, buf, cap);
}

static bool take_number(const cJSON *object, const char *name, double max, double *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || !(item->valuedouble <= max))
        return false;
    *out = item->valuedouble;
    return true;
}

/* Takes a figure. If it is absent it was not measured; false if it is broken. */
static bool take_figure(const cJSON *parent, const char *name, const char *high_name,
                        struct um_floor_figure *out)
{
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(parent, name);
    struct um_floor_figure figure;
    double count;
    if (!object)
        return true;
    if (!take_number(object, "count", 1e9, &count) || count < 1 ||
        !take_number(object, "p50", 1e9, &figure.p50) ||
        !take_number(object, high_name, 1e9, &figure.p98))
        return false;
    figure.count = (uint32_t)count;
    *out = figure;
    return true;
}

enum um_status um_floor_from_json(const cJSON *object, struct um_floor *out)
{
    const char *what = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "kind"));
    struct um_floor made;
    double schema;
    um_floor_init(&made);
    if (!what || strcmp(what, "floor") != 0 || !take_number(object, "schema", 1e6, &schema))
        return UM_ERR_FORMAT;
    if (schema < UM_FLOOR_SCHEMA || schema > UM_FLOOR_SCHEMA)
        return UM_ERR_VERSION;
    take_text(object, "uimon", made.uimon, sizeof made.uimon);
    take_text(object, "date", made.date, sizeof made.date);
    take_text(object, "machine", made.machine, sizeof made.machine);
    bool whole = take_figure(object, "beats_ms", "p99", &made.beats);
    for (size_t kind = 0; kind < KINDS; kind++) {
        const cJSON *parts = cJSON_GetObjectItemCaseSensitive(object, kinds[kind].name);
        for (size_t part = 0; part < UM_FLOOR_PARTS && whole; part++)
            whole = take_figure(parts, part_names[part], "p98", &figures_of(&made, kind)[part]);
    }
    if (!whole)
        return UM_ERR_FORMAT;
    *out = made;
    return UM_OK;
}

/* From here on: the file. */

enum um_status um_floor_save(const char *path, const struct um_floor *floor)
{
    cJSON *object = um_floor_to_json(floor);
    char *text = object ? cJSON_Print(object) : NULL;
    cJSON_Delete(object);
    if (!text)
        return UM_ERR_MEMORY;
    bool whole = um_output_write(path, "calibrate", text);
    cJSON_free(text);
    return whole ? UM_OK : UM_ERR_IO;
}

static enum um_status read_floor(const char *path, struct um_floor *out)
{
    static char text[UM_FLOOR_FILE_BYTES];
    FILE *file = fopen(path, "rb");
    if (!file)
        return UM_ERR_NOT_FOUND;
    size_t len = fread(text, 1, sizeof text, file);
    bool whole = feof(file) && !ferror(file);
    fclose(file);
    if (!whole)
        return UM_ERR_IO;
    cJSON *object = cJSON_ParseWithLength(text, len);
    enum um_status status = object ? um_floor_from_json(object, out) : UM_ERR_FORMAT;
    cJSON_Delete(object);
    return status;
}

enum um_status um_floor_load(const char *path, const char *machine, struct um_floor *out, char *why,
                             size_t why_cap)
{
    static const char remedy[] = "`uimon calibrate` measures what uimon itself adds";
    struct um_floor made;
    enum um_status status = read_floor(path, &made);
    if (status == UM_ERR_NOT_FOUND) {
        snprintf(why, why_cap, "there is no floor for this machine: %s", remedy);
    } else if (status != UM_OK && status != UM_ERR_VERSION) {
        snprintf(why, why_cap, "the floor in %s cannot be read: %s", path, remedy);
    } else if (status == UM_ERR_VERSION || strcmp(made.uimon, UM_VERSION) != 0) {
        status = UM_ERR_VERSION;
        snprintf(why, why_cap, "the floor was measured by another uimon and is not used: %s",
                 remedy);
    } else if (strcmp(made.machine, machine) != 0) {
        status = UM_ERR_UNSUPPORTED;
        snprintf(why, why_cap, "the floor was measured on another machine and is not used: %s",
                 remedy);
    } else {
        *out = made;
    }
    return status;
}

/* Appends "a key 0.31 ms (p98 0.52)". */
static void describe_figure(const char *what, const struct um_floor_figure *figure,
                            const char *high_name, char *buf, size_t cap)
{
    size_t len = strlen(buf);
    if (figure->count > 0 && len < cap)
        snprintf(buf + len, cap - len, "%s%s %.2f ms (%s %.2f)", len > 0 ? ", " : "", what,
                 figure->p50, high_name, figure->p98);
}

void um_floor_describe(const struct um_floor *floor, char *buf, size_t cap_bytes)
{
    buf[0] = '\0';
    describe_figure("a key", &floor->key[UM_FLOOR_TOTAL], "p98", buf, cap_bytes);
    describe_figure("a click", &floor->click[UM_FLOOR_TOTAL], "p98", buf, cap_bytes);
    describe_figure("a beat", &floor->beats, "p99", buf, cap_bytes);
}
