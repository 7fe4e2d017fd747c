#include "monitor/compare/floor.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "base/utf8.h"
#include "monitor/json/json.h"

static const char *const part_names[UM_FLOOR_PARTS] = {
    [UM_FLOOR_DELAY] = "input_delay_ms",
    [UM_FLOOR_PROCESSING] = "processing_ms",
    [UM_FLOOR_PRESENTATION] = "presentation_ms",
    [UM_FLOOR_TOTAL] = "total_ms",
};

const char *const um_floor_kind_names[UM_FLOOR_KINDS] = {"key", "click", "wheel"};

void um_floor_init(struct um_floor *floor)
{
    /* Not static: with some compilers NAN is a function call. */
    const struct um_floor_figure none = {.p50 = NAN, .p98 = NAN};
    *floor = (struct um_floor){.beats = none};
    for (size_t kind = 0; kind < UM_FLOOR_KINDS; kind++)
        for (size_t part = 0; part < UM_FLOOR_PARTS; part++)
            floor->inputs[kind][part] = none;
}

/* JSON ----------------------------------------------------------------------------------------- */

static void put_figure(struct um_json *json, cJSON *parent, const char *name,
                       const struct um_floor_figure *figure, const char *high_name)
{
    if (figure->count == 0)
        return;
    cJSON *object = um_json_object(json, parent, name);
    um_json_number(json, object, "count", figure->count);
    um_json_number(json, object, "p50", figure->p50);
    um_json_number(json, object, high_name, figure->p98);
}

cJSON *um_floor_to_json(const struct um_floor *floor)
{
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_json_text(&json, root, "uimon", floor->uimon);
    um_json_number(&json, root, "schema", UM_FLOOR_SCHEMA);
    um_json_text(&json, root, "kind", "floor");
    um_json_text(&json, root, "date", floor->date);
    um_json_text(&json, root, "machine", floor->machine);
    put_figure(&json, root, "beats_ms", &floor->beats, "p99");
    for (size_t kind = 0; kind < UM_FLOOR_KINDS; kind++) {
        cJSON *object = um_json_object(&json, root, um_floor_kind_names[kind]);
        for (size_t part = 0; part < UM_FLOOR_PARTS; part++)
            put_figure(&json, object, part_names[part], &floor->inputs[kind][part], "p98");
    }
    if (!json.failed)
        return root;
    cJSON_Delete(root);
    return NULL;
}

/* Takes a text member in a form that can be shown; "" if there is none. */
static void take_text(const cJSON *object, const char *name, char *buf, size_t cap)
{
    const char *text = um_json_member_text(object, name);
    um_utf8_fit(text ? text : "", cap / 4, buf, cap);
}

/* Reads a figure. An absent one was not measured. False if it is malformed. */
static bool take_figure(const cJSON *parent, const char *name, const char *high_name,
                        struct um_floor_figure *out)
{
    const cJSON *object = um_json_member(parent, name);
    struct um_floor_figure figure;
    double count;
    if (!object)
        return true;
    if (!um_json_member_number(object, "count", 1e9, &count) || count < 1 ||
        !um_json_member_number(object, "p50", 1e9, &figure.p50) ||
        !um_json_member_number(object, high_name, 1e9, &figure.p98))
        return false;
    figure.count = (uint32_t)count;
    *out = figure;
    return true;
}

enum um_status um_floor_from_json(const cJSON *object, struct um_floor *out)
{
    const char *what = um_json_member_text(object, "kind");
    struct um_floor made;
    double schema;
    um_floor_init(&made);
    if (!what || strcmp(what, "floor") != 0 ||
        !um_json_member_number(object, "schema", 1e6, &schema))
        return UM_ERR_FORMAT;
    if (schema < UM_FLOOR_SCHEMA || schema > UM_FLOOR_SCHEMA)
        return UM_ERR_VERSION;
    take_text(object, "uimon", made.uimon, sizeof made.uimon);
    take_text(object, "date", made.date, sizeof made.date);
    take_text(object, "machine", made.machine, sizeof made.machine);
    bool whole = take_figure(object, "beats_ms", "p99", &made.beats);
    for (size_t kind = 0; kind < UM_FLOOR_KINDS; kind++) {
        const cJSON *parts = um_json_member(object, um_floor_kind_names[kind]);
        for (size_t part = 0; part < UM_FLOOR_PARTS && whole; part++)
            whole = take_figure(parts, part_names[part], "p98", &made.inputs[kind][part]);
    }
    if (!whole)
        return UM_ERR_FORMAT;
    *out = made;
    return UM_OK;
}

/* The file ------------------------------------------------------------------------------------- */

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
    describe_figure("a key", &floor->inputs[UM_FLOOR_KEY][UM_FLOOR_TOTAL], "p98", buf, cap_bytes);
    describe_figure("a click", &floor->inputs[UM_FLOOR_CLICK][UM_FLOOR_TOTAL], "p98", buf,
                    cap_bytes);
    describe_figure("a beat", &floor->beats, "p99", buf, cap_bytes);
}
