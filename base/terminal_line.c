#include "base/terminal_line.h"

#include <stdio.h>

#include "base/utf8.h"

void um_terminal_line_show(struct um_terminal_line *line, const char *text, size_t columns)
{
    char cut[512];
    um_utf8_fit(text, columns, cut, sizeof cut);
    size_t width = um_utf8_columns(cut);
    fprintf(stderr, "\r%s%*s", cut, line->shown > width ? (int)(line->shown - width) : 0, "");
    fflush(stderr);
    line->shown = width;
}

void um_terminal_line_clear(struct um_terminal_line *line)
{
    if (line->shown > 0)
        fprintf(stderr, "\r%*s\r", (int)line->shown, "");
    fflush(stderr);
    line->shown = 0;
}
