/* The floor: what uimon itself adds to its numbers. `uimon calibrate` measures it with a window
 * that answers at once and keeps it on disk; benchmark results have a copy, to be shown beside
 * them.
 *
 * A floor is used only on the machine and with the version of uimon that measured it. It is never
 * subtracted, because the difference of two percentiles is not a percentile of anything.
 * All times are in milliseconds, NAN if not measured. Not on the hot path.
 */
#ifndef UM_MONITOR_FLOOR_H
#define UM_MONITOR_FLOOR_H

#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/plain/status.h"

#define UM_FLOOR_SCHEMA 1
#define UM_FLOOR_FILE "floor.json"
#define UM_FLOOR_TEXT_BYTES 128
#define UM_FLOOR_FILE_BYTES 65536

enum um_floor_part {
    UM_FLOOR_DELAY,
    UM_FLOOR_PROCESSING,
    UM_FLOOR_PRESENTATION,
    UM_FLOOR_TOTAL,
    UM_FLOOR_PARTS
};

/* Kinds of input. */
enum um_floor_kind { UM_FLOOR_KEY, UM_FLOOR_CLICK, UM_FLOOR_WHEEL, UM_FLOOR_KINDS };

struct um_floor_figure {
    double p50, p98; /* of beats, p98 holds the 99th percentile */
    uint32_t count;
};

struct um_floor {
    char uimon[UM_FLOOR_TEXT_BYTES]; /* its version */
    char machine[UM_FLOOR_TEXT_BYTES];
    char date[UM_FLOOR_TEXT_BYTES]; /* "2026-11-20T12:00:00Z" */
    struct um_floor_figure beats;
    struct um_floor_figure inputs[UM_FLOOR_KINDS][UM_FLOOR_PARTS];
};

/* "key", "click", "wheel". */
extern const char *const um_floor_kind_names[UM_FLOOR_KINDS];

/* A floor in which nothing was measured. */
void um_floor_init(struct um_floor *floor);

/* The floor as an object for a result. Owner: cJSON_Delete. NULL without memory. */
cJSON *um_floor_to_json(const struct um_floor *floor);

/* Reads such an object. Errors: UM_ERR_FORMAT; UM_ERR_VERSION another schema. */
enum um_status um_floor_from_json(const cJSON *object, struct um_floor *out);

/* Writes the file, so that a reader gets the old one or the new one, never a part (output.h).
 * Errors: UM_ERR_IO, with a line on stderr; UM_ERR_MEMORY. */
enum um_status um_floor_save(const char *path, const struct um_floor *floor);

/* Reads the file; a floor of another version or machine is refused.
 * Errors, with a line in `why` that says what to do: UM_ERR_NOT_FOUND there is none; UM_ERR_FORMAT,
 * UM_ERR_IO; UM_ERR_VERSION another uimon measured it, UM_ERR_UNSUPPORTED on another machine. */
enum um_status um_floor_load(const char *path, const char *machine, struct um_floor *out, char *why,
                             size_t why_cap);

/* What was measured, in one line: "a key 0.31 ms (p98 0.52), a click 0.40 ms (p98 0.71), a beat
 * 0.10 ms (p99 0.25)". Keys and clicks: until painting has ended. "" if nothing was measured. */
void um_floor_describe(const struct um_floor *floor, char *buf, size_t cap_bytes);

#endif
