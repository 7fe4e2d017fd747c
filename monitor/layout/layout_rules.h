/* The rules of --layout-components: which windows are components, in place of those that have
 * children. One rule a line:
 *
 *   # a comment                  also behind a rule, after a blank
 *   class:SysListView32          windows of this class
 *   text:Search = Results        windows with this in their text; shown as "Results"
 *   id:1004                      controls with this number, as GetDlgCtrlID tells it
 *
 * Letters may be of either case, blanks at the ends do not matter, and the last " = " of a line
 * begins the name. The first rule that fits a window gives the name. Of a class or text that is
 * longer than UM_WIRE_LAYOUT_TEXT_BYTES only the begin counts.
 *
 * A reader starts at um_layout_rules_open. Pure. Not on the hot path.
 */
#ifndef UM_MONITOR_LAYOUT_RULES_H
#define UM_MONITOR_LAYOUT_RULES_H

#include <stddef.h>

#include "base/plain/status.h"
#include "monitor/layout/layout_window.h"

#define UM_LAYOUT_RULES_MAX_BYTES 65536
#define UM_LAYOUT_RULES_MAX_LINE_BYTES 1024
#define UM_LAYOUT_RULES_MOST 1000

struct um_layout_rules;

/* Reads a file's text and stops at the first mistake. `name` is the file's name for the line in
 * `error`, as in "parts.txt:7: there is nothing behind 'class:'". Owner: um_layout_rules_close.
 * Errors: UM_ERR_FORMAT a line that cannot be read, or too many of them; UM_ERR_MEMORY. */
enum um_status um_layout_rules_open(const char *text, size_t len_bytes, const char *name,
                                    struct um_layout_rules **rules, char *error, size_t error_cap);

/* Accepts NULL. */
void um_layout_rules_close(struct um_layout_rules *rules);

/* The name that the rules give a window: "" if they give none, NULL if no rule fits it. Owner:
 * `rules`. */
const char *um_layout_rules_find(const struct um_layout_rules *rules,
                                 const struct um_layout_window *window);

#endif
