/* Reads `key=value` files. This is their syntax; the keys are those of monitor/options/options.h.
 *
 *   # a comment                   to the end of its line; after a value it needs a blank before it
 *   headless                      a key alone switches something on
 *   height = 160                  a value
 *   caption = "issue #12 "        quotes keep '#' and blanks at the ends
 *
 * Blanks around keys and values do not matter, nor do empty lines, CRLF line ends, or a byte order
 * mark. There are no sections and no escapes. The text must be UTF-8. Not on the hot path.
 */
#ifndef UM_BASE_CONFIG_H
#define UM_BASE_CONFIG_H

#include <stddef.h>

#include "base/plain/status.h"

#define UM_CONFIG_MAX_LINE_BYTES 1024
#define UM_CONFIG_MAX_BYTES 65536

/* Called for each line that sets something. `value` is NULL for a key alone; both texts are valid
 * during the call only. On failure it writes to `error` what is wrong with the line, and otherwise
 * a warning, if there is one; file name and line number are put before that. */
typedef enum um_status um_config_entry(void *context, const char *key, const char *value,
                                       char *error, size_t error_cap);

/* Reads a file's text and stops at the first mistake. If UM_OK, `error` has the first warning, or
 * is empty.
 * Units: `name` is the file's name for error lines, as in "uimon.conf:7: unknown key 'treshold'".
 * Errors: UM_ERR_FORMAT a line that cannot be read; or what `entry` returned. */
enum um_status um_config_parse(const char *text, size_t len_bytes, const char *name,
                               um_config_entry *entry, void *context, char *error,
                               size_t error_cap);

/* Reads a file into memory.
 * Owner: free(*text). Thread: blocks on the disk.
 * Errors: UM_ERR_NOT_FOUND there is none; UM_ERR_IO it cannot be read; UM_ERR_TOO_LARGE over
 * UM_CONFIG_MAX_BYTES; UM_ERR_MEMORY. `error` has the line to print. */
enum um_status um_config_load(const char *path, char **text, size_t *len_bytes, char *error,
                              size_t error_cap);

#endif
