#include "monitor/stats/call_rows.h"

#include <cjson/cJSON.h>

#define JSON_LEVELS 200 /* less deep than parsers refuse */

size_t um_call_rows_within(const struct um_call_rows *rows, uint32_t node, uint32_t *list,
                           size_t cap)
{
    size_t count = 0;
    size_t len = 0;
    for (uint32_t at = rows->first(rows->tree, node); at != UM_CALL_ROWS_NONE;
         at = rows->next(rows->tree, at)) {
        count++;
        size_t place = len < cap ? len++ : cap;
        for (; place > 0 && rows->is_before(rows->tree, at, list[place - 1]); place--)
            if (place < cap)
                list[place] = list[place - 1];
        if (place < cap)
            list[place] = at;
    }
    return count;
}

/* Text ----------------------------------------------------------------------------------------- */

struct shown {
    const struct um_call_rows *rows;
    FILE *file;
    size_t written;
    uint64_t greatest[UM_CALL_ROWS_SHOWN]; /* weights, in descending order */
};

/* Keeps the greatest weights of the nodes that can be written. */
static void rank(struct shown *shown, uint32_t node, unsigned level)
{
    const struct um_call_rows *rows = shown->rows;
    if (level == UM_CALL_ROWS_LEVELS)
        return;
    for (uint32_t at = rows->first(rows->tree, node); at != UM_CALL_ROWS_NONE;
         at = rows->next(rows->tree, at)) {
        uint64_t weight = rows->weigh(rows->tree, at);
        size_t place = UM_CALL_ROWS_SHOWN;
        for (; place > 0 && weight > shown->greatest[place - 1]; place--)
            if (place < UM_CALL_ROWS_SHOWN)
                shown->greatest[place] = shown->greatest[place - 1];
        if (place < UM_CALL_ROWS_SHOWN)
            shown->greatest[place] = weight;
        rank(shown, at, level + 1);
    }
}

static void write_within(struct shown *shown, uint32_t node, unsigned level)
{
    const struct um_call_rows *rows = shown->rows;
    uint32_t list[UM_CALL_ROWS_SHOWN];
    if (level == UM_CALL_ROWS_LEVELS)
        return;
    size_t count = um_call_rows_within(rows, node, list, UM_CALL_ROWS_SHOWN);
    for (size_t i = 0; i < count && i < UM_CALL_ROWS_SHOWN && shown->written < UM_CALL_ROWS_SHOWN;
         i++) {
        if (rows->weigh(rows->tree, list[i]) < shown->greatest[UM_CALL_ROWS_SHOWN - 1])
            continue;
        rows->write(rows->tree, shown->file, list[i], level);
        shown->written++;
        write_within(shown, list[i], level + 1);
    }
}

size_t um_call_rows_write_text(const struct um_call_rows *rows, FILE *file, uint32_t node)
{
    struct shown shown = {.rows = rows, .file = file};
    rank(&shown, node, 0);
    write_within(&shown, node, 0);
    return shown.written;
}

/* JSON ----------------------------------------------------------------------------------------- */

static void put_within(const struct um_call_rows *rows, struct um_json *json, cJSON *parent,
                       const char *name, uint32_t node, unsigned level)
{
    uint32_t list[UM_CALL_ROWS_JSON_ROWS];
    size_t count = um_call_rows_within(rows, node, list, UM_CALL_ROWS_JSON_ROWS);
    size_t room = level == JSON_LEVELS ? 0 : UM_CALL_ROWS_JSON_ROWS;
    if (count > room)
        um_json_u64(json, parent, "left_out", count - room);
    if (count == 0 || room == 0)
        return;
    cJSON *array = um_json_array(json, parent, name);
    for (size_t i = 0; i < count && i < room && !json->failed; i++) {
        cJSON *object = um_json_append_object(json, array);
        rows->put(rows->tree, json, object, list[i]);
        put_within(rows, json, object, "within", list[i], level + 1);
    }
}

void um_call_rows_write_json(const struct um_call_rows *rows, struct um_json *json, cJSON *parent,
                             const char *name, uint32_t node)
{
    put_within(rows, json, parent, name, node, 0);
}

void um_call_rows_put_ms(struct um_json *json, cJSON *object, const char *name, uint64_t ns)
{
    um_json_decimals(json, object, name, (double)ns / 1e6, 4);
}
