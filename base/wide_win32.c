#include "base/wide_win32.h"

#include <stdlib.h>
#include <windows.h>

#include "base/plain/text.h"

char *um_wide_copy_utf8(const wchar_t *wide)
{
    int len = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = len > 0 ? malloc((size_t)len) : NULL;

    if (text)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, len, NULL, NULL);
    return text;
}

void um_wide_to_utf8(const wchar_t *wide, char *buf, size_t cap_bytes)
{
    char *whole = um_wide_copy_utf8(wide);
    um_text_set(buf, cap_bytes, whole);
    free(whole);
}

wchar_t *um_wide_from_utf8(const char *text)
{
    int len = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = len > 0 ? calloc((size_t)len, sizeof *wide) : NULL;

    if (wide)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, len);
    return wide;
}
