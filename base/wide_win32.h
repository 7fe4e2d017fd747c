/* Text between the program (UTF-8) and the Windows API (UTF-16). */
#ifndef UM_BASE_WIDE_WIN32_H
#define UM_BASE_WIDE_WIN32_H

#include <stddef.h>
#include <wchar.h>

/* UTF-16 to UTF-8, always NUL-terminated. A text that is too long is cut between two characters. */
void um_wide_to_utf8(const wchar_t *wide, char *buf, size_t cap_bytes);

/* The same, whole. Owner: free. NULL without memory. */
char *um_wide_copy_utf8(const wchar_t *wide);

/* UTF-8 to UTF-16. Owner: free. NULL without memory, or if the text is not UTF-8. */
wchar_t *um_wide_from_utf8(const char *text);

#endif
