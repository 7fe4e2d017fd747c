#include "monitor/flows/json_stream.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <yajl/yajl_parse.h>

#include "monitor/flows/unpack.h"

#define PATH_BYTES 256
#define CHUNK_BYTES 65536
#define NO_PATH SIZE_MAX
#define DOUBLE_DIGITS 15

/* An object or array that is open. */
struct level {
    size_t path_len; /* of the path of the container itself */
    size_t match;    /* the path of the value that comes next: an element, or a member by its key */
    size_t own;      /* the path of the container itself */
    bool is_array;
    bool gives_members;
};

struct reading {
    const struct um_json_stream *stream;
    size_t *path_lens; /* of each of its paths */
    struct level levels[UM_JSON_STREAM_DEEPEST];
    size_t depth;
    char path[PATH_BYTES]; /* of the value that comes next; longer ones match nothing */
    size_t path_len;
    cJSON *trees[UM_JSON_STREAM_DEEPEST]; /* what is being built: the root first */
    size_t tree_depth;
    size_t tree_parts;
    size_t tree_path;
    char *key;         /* of the member of the tree that comes next */
    size_t open_bytes; /* were read since the last event: a text that is not whole is read again */
    enum um_status status;
};

/* Paths ---------------------------------------------------------------------------------------- */

static size_t match(const struct reading *reading)
{
    const struct um_json_stream *stream = reading->stream;
    if (reading->path_len >= PATH_BYTES)
        return NO_PATH;
    for (size_t i = 0; i < stream->path_count; i++)
        if (reading->path_lens[i] == reading->path_len &&
            memcmp(stream->paths[i].path, reading->path, reading->path_len) == 0)
            return i;
    return NO_PATH;
}

/* A path that is too long stays so, since only its length is counted. */
static void append(struct reading *reading, const char *text, size_t len)
{
    if (reading->path_len + len < PATH_BYTES)
        memcpy(reading->path + reading->path_len, text, len);
    reading->path_len += len;
}

/* The path of the value that comes next. */
static size_t next_path(const struct reading *reading)
{
    return reading->depth > 0 ? reading->levels[reading->depth - 1].match : match(reading);
}

/* Trees ---------------------------------------------------------------------------------------- */

static int fail(struct reading *reading, enum um_status status)
{
    reading->status = status;
    return 0;
}

/* Gives a value to the caller. */
static int give(struct reading *reading, size_t path, const struct um_json_stream_value *value)
{
    return reading->stream->take(reading->stream->context, path, value)
               ? 1
               : fail(reading, UM_ERR_MEMORY);
}

/* Adds an item to the tree that is being built. Owner: the tree. */
static int add_item(struct reading *reading, cJSON *item)
{
    cJSON *parent = reading->trees[reading->tree_depth - 1];
    if (++reading->tree_parts > UM_JSON_STREAM_MOST_PARTS) {
        cJSON_Delete(item);
        return fail(reading, UM_ERR_TOO_LARGE);
    }
    bool added = item && (cJSON_IsArray(parent)
                              ? cJSON_AddItemToArray(parent, item)
                              : reading->key && cJSON_AddItemToObject(parent, reading->key, item));
    if (added)
        return 1;
    cJSON_Delete(item);
    return fail(reading, UM_ERR_MEMORY);
}

static int begin_tree(struct reading *reading, bool is_array)
{
    cJSON *item = is_array ? cJSON_CreateArray() : cJSON_CreateObject();
    if (reading->tree_depth > 0 && !add_item(reading, item))
        return 0;
    if (!item)
        return fail(reading, UM_ERR_MEMORY);
    reading->trees[reading->tree_depth++] = item;
    return 1;
}

static int end_tree(struct reading *reading)
{
    cJSON *root = reading->trees[0];
    if (--reading->tree_depth > 0)
        return 1;
    int given = give(reading, reading->tree_path, &(struct um_json_stream_value){.tree = root});
    cJSON_Delete(root);
    return given;
}

/* Events --------------------------------------------------------------------------------------- */

/* Whether what comes next is a member of an object of which each is given. */
static bool gives_members(const struct reading *reading)
{
    return reading->depth > 0 && reading->levels[reading->depth - 1].gives_members;
}

/* Whether the caller has asked for the value that comes next, or it is part of one. */
static bool is_wanted(const struct reading *reading)
{
    return reading->tree_depth > 0 || next_path(reading) != NO_PATH || gives_members(reading);
}

/* Gives a member with its key, which is the end of the path. */
static int give_member(struct reading *reading, const struct um_json_stream_value *value)
{
    const struct level *level = &reading->levels[reading->depth - 1];
    size_t key = level->path_len + (level->path_len > 0);
    struct um_json_stream_value member = *value;
    if (reading->path_len >= PATH_BYTES)
        return 1;
    member.key = reading->path + key;
    member.key_len_bytes = reading->path_len - key;
    return give(reading, level->own, &member);
}

static int on_value(struct reading *reading, const struct um_json_stream_value *value, cJSON *item)
{
    if (reading->tree_depth > 0)
        return add_item(reading, item);
    if (gives_members(reading))
        return give_member(reading, value);
    size_t path = next_path(reading);
    if (path == NO_PATH || reading->stream->paths[path].want == UM_JSON_STREAM_END)
        return 1;
    return give(reading, path, value);
}

static int on_null(void *context)
{
    struct reading *reading = context;
    const struct um_json_stream_value value = {0};
    reading->open_bytes = 0;
    return on_value(reading, &value, reading->tree_depth > 0 ? cJSON_CreateNull() : NULL);
}

static int on_boolean(void *context, int is_true)
{
    struct reading *reading = context;
    const struct um_json_stream_value value = {.number = is_true != 0};
    reading->open_bytes = 0;
    return on_value(reading, &value, reading->tree_depth > 0 ? cJSON_CreateBool(is_true) : NULL);
}

/* In trees and members, a whole number of more digits than a double has is a text: it is an id. */
static bool is_id(const char *text)
{
    return strlen(text) > DOUBLE_DIGITS && text[strspn(text, "-0123456789")] == '\0';
}

/* A number of at most 15 digits without an exponent, as nearly all are. Its digits and the power of
 * ten are exact as doubles, so that one division rounds rightly. Source: Clinger, "How to read
 * floating point numbers accurately", 1990. */
static bool read_short_number(const char *text, size_t len, double *number)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool is_negative = len > 0 && text[0] == '-';
    size_t point = len; /* behind it */
    uint64_t digits = 0;
    if (len - is_negative > DOUBLE_DIGITS)
        return false;
    for (size_t i = is_negative; i < len; i++)
        if (text[i] >= '0' && text[i] <= '9')
            digits = 10 * digits + (uint64_t)(text[i] - '0');
        else if (text[i] == '.')
            point = i + 1;
        else
            return false;
    *number = (double)digits / powers[len - point];
    *number = is_negative ? -*number : *number;
    return true;
}

/* A text with its NUL. Owner: free. */
static char *copy_text(const unsigned char *text, size_t len)
{
    char *copy = malloc(len + 1);
    if (copy) {
        memcpy(copy, text, len);
        copy[len] = '\0';
    }
    return copy;
}

/* Any other number, of which `copy` has the first 63 bytes. False without memory. */
static bool read_long_number(const char *text, size_t len, const char copy[64], double *number)
{
    char *whole = len < 64 ? NULL : copy_text((const unsigned char *)text, len);
    if (len >= 64 && !whole)
        return false;
    *number = strtod(whole ? whole : copy, NULL);
    free(whole);
    return true;
}

/* A number of a tree. A double has not all digits of a long one, so that one has its text, too:
 * cJSON releases it with the item. NULL without memory. */
static cJSON *make_number(double number, const char copy[64], size_t len)
{
    if (is_id(copy))
        return cJSON_CreateString(copy);
    cJSON *item = cJSON_CreateNumber(number);
    if (!item || len <= DOUBLE_DIGITS || len >= 64)
        return item;
    item->valuestring = cJSON_malloc(len + 1);
    if (!item->valuestring) {
        cJSON_Delete(item);
        return NULL;
    }
    memcpy(item->valuestring, copy, len + 1);
    return item;
}

static int on_number(void *context, const char *text, size_t len)
{
    struct reading *reading = context;
    char copy[64] = "";
    struct um_json_stream_value value = {.is_number = true};
    reading->open_bytes = 0;
    if (!is_wanted(reading))
        return 1;
    bool is_short = read_short_number(text, len, &value.number);
    if (!is_short || reading->tree_depth > 0)
        memcpy(copy, text, len < sizeof copy ? len : sizeof copy - 1);
    if (!is_short && !read_long_number(text, len, copy, &value.number))
        return fail(reading, UM_ERR_MEMORY);
    if (reading->tree_depth > 0)
        return on_value(reading, &value, make_number(value.number, copy, len));
    if (gives_members(reading) && is_id(copy))
        value = (struct um_json_stream_value){.text = copy, .len_bytes = strlen(copy)};
    return on_value(reading, &value, NULL);
}

static int on_text(void *context, const unsigned char *text, size_t len)
{
    struct reading *reading = context;
    const struct um_json_stream_value value = {.text = (const char *)text, .len_bytes = len};
    reading->open_bytes = 0;
    if (reading->tree_depth == 0)
        return on_value(reading, &value, NULL);
    char *copy = copy_text(text, len);
    int added = add_item(reading, copy ? cJSON_CreateString(copy) : NULL);
    free(copy);
    return added;
}

static int on_begin(struct reading *reading, bool is_array)
{
    reading->open_bytes = 0;
    if (reading->depth == UM_JSON_STREAM_DEEPEST)
        return fail(reading, UM_ERR_TOO_LARGE);
    size_t path = reading->tree_depth > 0 ? NO_PATH : next_path(reading);
    struct level *level = &reading->levels[reading->depth++];
    *level = (struct level){.path_len = reading->path_len, .own = path, .is_array = is_array};
    if (is_array)
        append(reading, "[]", 2);
    level->match = is_array ? match(reading) : NO_PATH;
    if (reading->tree_depth > 0)
        return begin_tree(reading, is_array);
    if (path == NO_PATH)
        return 1;
    level->gives_members = !is_array && reading->stream->paths[path].want == UM_JSON_STREAM_MEMBERS;
    if (reading->stream->paths[path].want != UM_JSON_STREAM_TREE)
        return 1;
    reading->tree_path = path;
    reading->tree_parts = 0;
    return begin_tree(reading, is_array);
}

static int on_end(struct reading *reading)
{
    const struct level *level = &reading->levels[--reading->depth];
    reading->open_bytes = 0;
    reading->path_len = level->path_len;
    if (reading->tree_depth > 0)
        return end_tree(reading);
    if (level->own == NO_PATH || reading->stream->paths[level->own].want < UM_JSON_STREAM_MEMBERS)
        return 1;
    return give(reading, level->own, &(struct um_json_stream_value){0});
}

static int on_begin_object(void *context)
{
    return on_begin(context, false);
}

static int on_begin_array(void *context)
{
    return on_begin(context, true);
}

static int on_end_either(void *context)
{
    return on_end(context);
}

static int on_key(void *context, const unsigned char *text, size_t len)
{
    struct reading *reading = context;
    struct level *level = &reading->levels[reading->depth - 1];
    reading->open_bytes = 0;
    if (reading->tree_depth > 0) {
        free(reading->key);
        reading->key = copy_text(text, len);
        return reading->key ? 1 : fail(reading, UM_ERR_MEMORY);
    }
    reading->path_len = level->path_len;
    if (reading->path_len > 0)
        append(reading, ".", 1);
    append(reading, (const char *)text, len);
    level->match = level->gives_members ? NO_PATH : match(reading);
    return 1;
}

/* NULL without memory. Owner: free. */
static size_t *measure_paths(const struct um_json_stream *stream)
{
    size_t *lens = calloc(stream->path_count + 1, sizeof *lens);
    for (size_t i = 0; lens && i < stream->path_count; i++)
        lens[i] = strlen(stream->paths[i].path);
    return lens;
}

/* The file ------------------------------------------------------------------------------------- */

static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                         .yajl_boolean = on_boolean,
                                         .yajl_number = on_number,
                                         .yajl_string = on_text,
                                         .yajl_start_map = on_begin_object,
                                         .yajl_map_key = on_key,
                                         .yajl_end_map = on_end_either,
                                         .yajl_start_array = on_begin_array,
                                         .yajl_end_array = on_end_either};

/* The status of what yajl has refused. */
static enum um_status explain(struct reading *reading, yajl_handle parser, yajl_status parsed,
                              char *error, size_t cap)
{
    if (parsed == yajl_status_client_canceled) {
        snprintf(error, cap, "%s",
                 reading->status != UM_ERR_TOO_LARGE ? um_status_text(reading->status)
                 : reading->tree_parts > UM_JSON_STREAM_MOST_PARTS
                     ? "has a value of more than a million parts"
                     : "has values too deep within one another");
        return reading->status;
    }
    unsigned char *text = yajl_get_error(parser, 0, NULL, 0);
    size_t len = text ? strcspn((char *)text, "\n") : 0;
    snprintf(error, cap, "is no JSON: %.*s", (int)len, text ? (char *)text : "");
    if (text)
        yajl_free_error(parser, text);
    return UM_ERR_FORMAT;
}

/* Whether the file has been read to where nothing can be missing but its last bracket. */
static bool lacks_its_last_bracket(const struct reading *reading)
{
    return reading->depth == 1 && reading->levels[0].is_array;
}

static enum um_status parse(struct reading *reading, yajl_handle parser, struct um_unpack *unpack,
                            char *error, size_t cap)
{
    static unsigned char chunk[CHUNK_BYTES];
    size_t len, skipped = sizeof UM_JSON_STREAM_BOM - 1;
    enum um_status status;
    while ((status = um_unpack_read(unpack, chunk, sizeof chunk, &len)) == UM_OK && len > 0) {
        if (len < skipped || memcmp(chunk, UM_JSON_STREAM_BOM, skipped) != 0)
            skipped = 0;
        yajl_status parsed = yajl_parse(parser, chunk + skipped, len - skipped);
        skipped = 0;
        if (parsed != yajl_status_ok)
            return explain(reading, parser, parsed, error, cap);
        reading->open_bytes += len;
        if (reading->open_bytes > UM_JSON_STREAM_LONGEST_BYTES) {
            snprintf(error, cap, "has a text of more than 16 megabytes");
            return UM_ERR_TOO_LARGE;
        }
    }
    if (status != UM_OK) {
        snprintf(error, cap, "%s",
                 status == UM_ERR_TOO_LARGE ? "is longer than a gigabyte"
                 : status == UM_ERR_PARTIAL ? "is cut off"
                 : status == UM_ERR_FORMAT  ? "is damaged, where it is packed"
                                            : "cannot be read");
        return status;
    }
    yajl_status parsed = yajl_complete_parse(parser);
    if (parsed == yajl_status_ok || lacks_its_last_bracket(reading)) {
        if (unpack->has_rest)
            snprintf(error, cap, "other bytes follow what is packed; they were not read");
        return UM_OK;
    }
    if (parsed != yajl_status_client_canceled && reading->depth > 0) {
        snprintf(error, cap, "is cut off");
        return UM_ERR_PARTIAL;
    }
    return explain(reading, parser, parsed, error, cap);
}

enum um_status um_json_stream_read(const struct um_json_stream *stream, FILE *file, char *error,
                                   size_t cap_bytes)
{
    struct reading *reading = calloc(1, sizeof *reading);
    struct um_unpack unpack;
    enum um_status status = UM_ERR_MEMORY;
    size_t *path_lens = measure_paths(stream);
    yajl_handle parser = reading && path_lens ? yajl_alloc(&callbacks, NULL, reading) : NULL;
    snprintf(error, cap_bytes, "%s", um_status_text(UM_ERR_MEMORY));
    if (parser && um_unpack_init(&unpack, file, UM_JSON_STREAM_MOST_BYTES) == UM_OK) {
        /* Texts that are no UTF-8 are mended where they are shown. */
        yajl_config(parser, yajl_dont_validate_strings, 1);
        reading->stream = stream;
        reading->path_lens = path_lens;
        error[0] = '\0';
        status = parse(reading, parser, &unpack, error, cap_bytes);
        um_unpack_deinit(&unpack);
    }
    if (parser)
        yajl_free(parser);
    if (reading && reading->tree_depth > 0)
        cJSON_Delete(reading->trees[0]);
    if (reading)
        free(reading->key);
    free(reading);
    free(path_lens);
    return status;
}
