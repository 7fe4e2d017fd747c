/* Reads large JSON files value by value: what a file of a gigabyte says is never in memory at once.
 * The file may be packed as gzip does it.
 *
 * A reader names the values that it wants by their paths: "meta.version" is a member of a member of
 * the file's object, "threads[].name" one of each element of an array, and "[]" each element of an
 * array that is the file itself. Nothing else is kept. Source: the parser is yajl's, unpacking
 * zlib's. Not on the hot path. Thread: waits for the disk.
 */
#ifndef UM_MONITOR_JSON_STREAM_H
#define UM_MONITOR_JSON_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"

struct cJSON;

#define UM_JSON_STREAM_DEEPEST 64                     /* values within one another */
#define UM_JSON_STREAM_MOST_PARTS 1000000             /* of a value that is given as a whole */
#define UM_JSON_STREAM_BOM "\xef\xbb\xbf"             /* may stand before the JSON */
#define UM_JSON_STREAM_MOST_BYTES (UINT64_C(1) << 30) /* unpacked */
#define UM_JSON_STREAM_LONGEST_BYTES (16 << 20)       /* of a text or number, or between values */

/* How a value is given. */
enum um_json_stream_want {
    UM_JSON_STREAM_VALUE, /* a text, a number or nothing; of an object or an array nothing at all */
    /* The same; an object or an array as a whole. In it a whole number of more than 15 digits is a
     * text, and another number of so many has its text as `valuestring` besides. */
    UM_JSON_STREAM_TREE,
    /* A text, a number or nothing; of an object each of its own members that is no object or array,
     * with its key, and then nothing; of an array nothing. A whole number of more than 15 digits is
     * a text in it, and members with very long keys are left out. */
    UM_JSON_STREAM_MEMBERS,
    UM_JSON_STREAM_END /* an object, when it is over, after what is wanted of it */
};

struct um_json_stream_path {
    const char *path;
    enum um_json_stream_want want;
};

struct um_json_stream_value {
    const struct cJSON *tree; /* NULL: it is no object or array */
    const char *key;          /* `key_len_bytes` of it; NULL: it is no member of such an object */
    size_t key_len_bytes;
    const char *text; /* `len_bytes` of it; NULL: it is no text */
    size_t len_bytes;
    bool is_number;
    double number; /* of true 1, and of what is no number 0 */
};

struct um_json_stream {
    const struct um_json_stream_path *paths;
    size_t path_count;
    void *context;
    /* Takes a value of path number `path`. False ends reading: there is no memory. */
    bool (*take)(void *context, size_t path, const struct um_json_stream_value *value);
};

/* Reads a file from its present place to its end. `error` gets what is wrong with it, as "is no
 * JSON: ...", to put behind its name, and with UM_OK what is odd about it, if something is. If the
 * file itself is an array, its bracket at the end may be missing, as programs that are killed leave
 * such files. Errors: UM_ERR_FORMAT it is no JSON, or its packing is damaged; UM_ERR_PARTIAL it is
 * cut off; UM_ERR_TOO_LARGE too deep, too long, with too many parts or too long a text; UM_ERR_IO;
 * UM_ERR_MEMORY. */
enum um_status um_json_stream_read(const struct um_json_stream *stream, FILE *file, char *error,
                                   size_t cap_bytes);

#endif
