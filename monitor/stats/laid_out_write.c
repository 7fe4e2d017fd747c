#include "monitor/stats/laid_out_write.h"

#include <inttypes.h>

#include <cjson/cJSON.h>

#include "base/message_names.h"
#include "base/utf8.h"
#include "ipc/layout_steps.h"
#include "monitor/stats/ms_text.h"

#define COLUMNS 80
#define INDENT "             "
#define TEXT_ROWS 10
#define JSON_ROWS 1000
#define NAME_BYTES (2 * UM_WIRE_LAYOUT_TEXT_BYTES + 4)
#define LINE_BYTES 512

/* "Lists @ Pane", "Pane". */
static void name_of(const struct um_laid_out_component *component, char *buf, size_t cap_bytes)
{
    bool both = component->text[0] != '\0' && component->window_class[0] != '\0';
    (void)snprintf(buf, cap_bytes, "%s%s%s", component->text, both ? " @ " : "",
                   component->window_class);
}

/* "WM_SIZE"; "": no message took a time. */
static void message_of(const struct um_laid_out_component *component, char *buf, size_t cap_bytes)
{
    buf[0] = '\0';
    if (component->cost.message != 0)
        um_layout_steps_name(component->cost.message, buf, cap_bytes);
}

/* Text ----------------------------------------------------------------------------------------- */

static void write_fitted(FILE *file, const char *before, const char *text)
{
    char fitted[LINE_BYTES];
    size_t used = um_utf8_columns(before);
    (void)um_utf8_fit(text, COLUMNS > used ? COLUMNS - used : 1, fitted, sizeof fitted);
    (void)fprintf(file, "%s%s\n", before, fitted);
}

/* A time of 0 is none: the component had no such step. */
static struct um_ms_text ms_text(uint64_t ns)
{
    static const struct um_ms_text none = {"-"};
    return ns ? um_ms_text(ns) : none;
}

static void write_row(FILE *file, const struct um_laid_out *laid_out,
                      const struct um_laid_out_component *component)
{
    const struct um_wire_layout_cost *cost = &component->cost;
    char numbers[LINE_BYTES];
    char name[NAME_BYTES];
    char message[UM_MESSAGE_NAMES_BYTES];
    char handler[UM_HANDLERS_TEXT_BYTES];
    char why[UM_MESSAGE_NAMES_BYTES + UM_HANDLERS_TEXT_BYTES + 4];
    (void)snprintf(numbers, sizeof numbers, "  %9" PRIu32 " %10s %8s %9s %9s  ", cost->frames,
                   ms_text(cost->layout_ns).chars, ms_text(cost->own_layout_ns).chars,
                   ms_text(cost->paint_ns).chars, ms_text(cost->worst_frame_ns).chars);
    name_of(component, name, sizeof name);
    write_fitted(file, numbers, name);
    if (component->draws_parts)
        (void)fputs(INDENT "parts not seen\n", file);
    message_of(component, message, sizeof message);
    if (message[0] == '\0')
        return;
    um_laid_out_handler(laid_out, component, handler, sizeof handler);
    (void)snprintf(why, sizeof why, "%s%s%s", message, handler[0] != '\0' ? ", " : "", handler);
    write_fitted(file, INDENT "mostly ", why);
}

void um_laid_out_write_text(FILE *file, const struct um_laid_out *laid_out)
{
    const struct um_laid_out_component *list[TEXT_ROWS];
    if (!laid_out || !um_laid_out_sum(laid_out)->any)
        return;
    const struct um_laid_out_sum *sum = um_laid_out_sum(laid_out);
    size_t count = um_laid_out_list(laid_out, list, TEXT_ROWS);
    (void)fprintf(file, "  Layout     %" PRIu64 " layout frames", sum->frames);
    if (sum->lost)
        (void)fprintf(file, "; %" PRIu64 " more were not seen whole", sum->lost);
    (void)fputc('\n', file);
    if (count == 0)
        return;
    (void)fputs("     frames  layout ms   own ms  paint ms  worst ms  text @ class\n", file);
    for (size_t i = 0; i < count && i < TEXT_ROWS; i++)
        write_row(file, laid_out, list[i]);
    if (count > TEXT_ROWS)
        (void)fprintf(file, INDENT "and %zu more\n", count - TEXT_ROWS);
}

/* JSON ----------------------------------------------------------------------------------------- */

static void put_component(struct um_json *json, const struct um_laid_out *laid_out,
                          const struct um_laid_out_component *component, cJSON *object)
{
    const struct um_wire_layout_cost *cost = &component->cost;
    const struct um_laid_out_component *parent = um_laid_out_get(laid_out, component->parent);
    char message[UM_MESSAGE_NAMES_BYTES];
    char handler[UM_HANDLERS_TEXT_BYTES];
    message_of(component, message, sizeof message);
    um_laid_out_handler(laid_out, component, handler, sizeof handler);
    um_json_text(json, object, "text", component->text);
    um_json_text(json, object, "class", component->window_class);
    if (parent)
        um_json_text(json, object, "parent",
                     parent->text[0] != '\0' ? parent->text : parent->window_class);
    um_json_u64(json, object, "frames", cost->frames);
    um_json_ms(json, object, "layout_ms", cost->layout_ns);
    um_json_ms(json, object, "own_layout_ms", cost->own_layout_ns);
    um_json_ms(json, object, "measure_ms", cost->measure_ns);
    um_json_ms(json, object, "arrange_ms", cost->arrange_ns);
    um_json_ms(json, object, "paint_ms", cost->paint_ns);
    um_json_ms(json, object, "worst_frame_ms", cost->worst_frame_ns);
    if (component->rendered != 0) {
        um_json_u64(json, object, "authored", component->authored);
        um_json_u64(json, object, "rendered", component->rendered);
    }
    if (component->draws_parts)
        um_json_bool(json, object, "parts_seen", false);
    um_json_text(json, object, "message", message);
    um_json_text(json, object, "handler", handler);
}

void um_laid_out_write_json(struct um_json *json, cJSON *root, const struct um_laid_out *laid_out)
{
    const struct um_laid_out_component *list[JSON_ROWS];
    if (!laid_out || !um_laid_out_sum(laid_out)->any)
        return;
    size_t count = um_laid_out_list(laid_out, list, JSON_ROWS);
    cJSON *frames = um_json_object(json, root, "layout_frames");
    um_json_u64(json, frames, "count", um_laid_out_sum(laid_out)->frames);
    um_json_u64(json, frames, "lost", um_laid_out_sum(laid_out)->lost);
    if (um_laid_out_sum(laid_out)->without_end + um_laid_out_sum(laid_out)->without_begin > 0) {
        um_json_u64(json, frames, "steps_without_end", um_laid_out_sum(laid_out)->without_end);
        um_json_u64(json, frames, "steps_without_begin", um_laid_out_sum(laid_out)->without_begin);
    }
    cJSON *array = um_json_array(json, root, "layout");
    for (size_t i = 0; i < count && i < JSON_ROWS && !json->failed; i++)
        put_component(json, laid_out, list[i], um_json_append_object(json, array));
}
