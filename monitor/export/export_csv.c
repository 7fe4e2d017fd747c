#include "monitor/export/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv_text.h"
#include "base/double_bits.h"
#include "base/list.h"
#include "monitor/flows/flow_names.h"

/* A cell while it is put together. */
struct csv {
    const struct um_export_about *about;
    const struct um_markers *markers;
    FILE *out;
    char *cell;
    size_t len, room;
    bool failed; /* there was no memory */
};

static void begin_cell(struct csv *to)
{
    fputc(',', to->out);
    to->len = 0;
}

static void add(struct csv *to, const char *text)
{
    size_t len = strlen(text);
    to->failed |= !um_list_reserve(&to->cell, &to->room, to->len + len + 1, SIZE_MAX, 1);
    if (to->failed)
        return;
    memcpy(to->cell + to->len, text, len + 1);
    to->len += len;
}

static void end_cell(struct csv *to)
{
    if (to->len > 0 && !to->failed)
        um_csv_text_put(to->out, to->cell);
}

static void put_text(struct csv *to, uint32_t text)
{
    fputc(',', to->out);
    um_csv_text_put(to->out, um_markers_get_text(to->markers, text));
}

static void put_ms(struct csv *to, int64_t time_ns)
{
    char text[UM_FLOW_NAMES_MS_BYTES];
    fprintf(to->out, ",%s", um_flow_names_ms(time_ns, text));
}

/* "NAME=VALUE; NAME=VALUE" */
static void put_fields(struct csv *to, const struct um_marker *marker)
{
    char number[32];
    begin_cell(to);
    for (uint32_t i = 0; i < marker->field_count; i++) {
        const struct um_marker_field *field = &to->markers->fields[marker->first_field + i];
        if (um_markers_is_flow(field))
            continue;
        add(to, to->len > 0 ? "; " : "");
        add(to, um_markers_get_text(to->markers, field->name));
        add(to, "=");
        snprintf(number, sizeof number, "%.15g", um_double_bits_value(field->value));
        add(to, field->kind == UM_MARKER_NUMBER ? number
                                                : um_markers_get_text(to->markers, field->value));
    }
    end_cell(to);
}

/* "ID;MS ID;MS" */
static void put_flows(struct csv *to, const struct um_marker *marker)
{
    char ms[UM_FLOW_NAMES_MS_BYTES];
    begin_cell(to);
    for (size_t i = 0; i < marker->field_count; i++) {
        uint32_t number = um_flows_of_field(to->about->flows, marker->first_field + i);
        if (number == UM_FLOWS_NONE)
            continue;
        const struct um_flow *flow = &to->about->flows->list[number];
        add(to, to->len > 0 ? " " : "");
        add(to, um_texts_get(&to->markers->flow_ids, flow->id));
        add(to, ";");
        add(to, um_flow_names_ms(flow->start_ns, ms));
    }
    end_cell(to);
}

static void put_marker(struct csv *to, uint32_t number)
{
    const struct um_marker *marker = &to->markers->list[number];
    const struct um_marker_thread *thread = &to->markers->threads[marker->thread];
    char name[UM_MARKERS_NAME_BYTES];
    um_csv_text_put(to->out, um_markers_name(to->markers, number, name));
    put_text(to, thread->name);
    put_text(to, thread->process);
    put_text(to, marker->name);
    put_text(to, marker->category);
    put_ms(to, marker->start_ns);
    if (marker->open)
        fputc(',', to->out);
    else
        put_ms(to, marker->end_ns);
    put_fields(to, marker);
    put_flows(to, marker);
    fputs(marker->open ? ",open\n" : ",\n", to->out);
}

enum um_status um_export_csv(const struct um_view *view, const struct um_export_about *about,
                             FILE *out)
{
    static const struct um_markers none;
    struct csv to = {.about = about, .out = out};
    (void)view;
    to.markers = about->markers ? about->markers : &none;
    fputs("marker,thread,process,name,category,start_ms,end_ms,fields,flows,open\n", out);
    for (uint32_t i = 0; i < to.markers->count && !to.failed; i++)
        if (um_export_shows(about, i))
            put_marker(&to, i);
    free(to.cell);
    return fflush(out) != 0 || ferror(out) ? UM_ERR_IO : to.failed ? UM_ERR_MEMORY : UM_OK;
}
