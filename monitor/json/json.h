/* Makes all JSON that uimon writes, as trees of cJSON, and reads members of such trees.
 *
 * A struct um_json remembers that memory ran out. So a writer adds everything it has, one call
 * after the other, and checks once at the end (um_json_print). After a failure an object or array
 * may be NULL; nothing is added to it then. Not on the hot path.
 */
#ifndef UM_MONITOR_JSON_H
#define UM_MONITOR_JSON_H

#include <stdbool.h>
#include <stdint.h>

struct cJSON;
struct um_pack;

struct um_json {
    bool failed; /* there was no memory for something */
};

/* A number; one that is infinite or not a number is left out, since JSON has neither. */
void um_json_number(struct um_json *json, struct cJSON *object, const char *name, double value);

/* A number with at most so many decimals (0 to 9), because cJSON would write all digits that a
 * double has. */
void um_json_decimals(struct um_json *json, struct cJSON *object, const char *name, double value,
                      int decimals);

/* A point in time, in ms since 1970 UTC, as ISO 8601 has it: "2026-11-21T12:45:34Z". */
void um_json_utc(struct um_json *json, struct cJSON *object, const char *name, int64_t utc_ms);

/* A length in milliseconds, to the microsecond. */
void um_json_ms(struct um_json *json, struct cJSON *object, const char *name, uint64_t ns);

/* A number with all its 64 bits, which a double would round. */
void um_json_u64(struct um_json *json, struct cJSON *object, const char *name, uint64_t value);

void um_json_bool(struct um_json *json, struct cJSON *object, const char *name, bool value);

/* A text, unless it is empty or NULL. Bytes that are not UTF-8 are replaced, since JSON forbids
 * them. */
void um_json_text(struct um_json *json, struct cJSON *object, const char *name, const char *text);

/* The same, but also for an empty text. */
void um_json_any_text(struct um_json *json, struct cJSON *object, const char *name,
                      const char *text);

/* A list of numbers, packed and in base64, as the pages read it. Releases the list. */
void um_json_packed(struct um_json *json, struct cJSON *object, const char *name,
                    struct um_pack *packed);

/* Adds an object or an array to an object, or to the end of an array. Owner: the parent. NULL
 * without memory. */
struct cJSON *um_json_object(struct um_json *json, struct cJSON *parent, const char *name);
struct cJSON *um_json_array(struct um_json *json, struct cJSON *parent, const char *name);
struct cJSON *um_json_append_object(struct um_json *json, struct cJSON *array);
struct cJSON *um_json_append_array(struct um_json *json, struct cJSON *array);

/* Adds a number or a text, which may be empty, to the end of an array. */
void um_json_append_number(struct um_json *json, struct cJSON *array, double value);
void um_json_append_text(struct um_json *json, struct cJSON *array, const char *text);

/* Adds an item that was made elsewhere to the end of an array, or to an object. Owner: the parent,
 * from now on. NULL is a failure. */
void um_json_append(struct um_json *json, struct cJSON *array, struct cJSON *item);
void um_json_put(struct um_json *json, struct cJSON *object, const char *name, struct cJSON *item);

/* Prints the tree, in one line or in many, and releases it. Owner: cJSON_free. NULL if memory ran
 * out, now or before. */
char *um_json_print(const struct um_json *json, struct cJSON *root, bool lines);

/* The member of an object; NULL if there is none, or it is no object. */
struct cJSON *um_json_member(const struct cJSON *object, const char *name);

/* The text of a member; NULL if there is none, or it is no text. Owner: the object. */
const char *um_json_member_text(const struct cJSON *object, const char *name);

/* Reads a member that is a number from 0 to `most`. False, and `out` is unchanged, if it is not. */
bool um_json_member_number(const struct cJSON *object, const char *name, double most, double *out);

#endif
