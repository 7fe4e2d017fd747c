/* Text for a terminal, broken between words before column 80. Not on the hot path. */
#ifndef UM_BASE_TEXT_WRAP_H
#define UM_BASE_TEXT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Prints words and a newline. The first line begins at the column `at`, where the stream stands;
 * the others are indented by `indent`. A word that is longer than a line is not broken. */
void um_text_wrap(FILE *out, const char *text, size_t at, size_t indent);

#endif
