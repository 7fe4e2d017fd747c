/* A line on the terminal that is written again and again in the same place, as for progress. It is
 * on stderr. A zeroed struct stands for none.
 */
#ifndef UM_BASE_TERMINAL_LINE_H
#define UM_BASE_TERMINAL_LINE_H

#include <stddef.h>

struct um_terminal_line {
    size_t shown; /* columns that it has on the terminal */
};

/* Writes a text of any length and content over what stands there, in at most `columns`. */
void um_terminal_line_show(struct um_terminal_line *line, const char *text, size_t columns);

/* Clears the line, so that something else can be printed. */
void um_terminal_line_clear(struct um_terminal_line *line);

#endif
