#include "monitor/base/wide_win32.h"

#include <stdlib.h>
#include <windows.h>

#include "ipc/wire.h"

void um_wide_to_utf8(const wchar_t *wide, char *buf, size_t cap_bytes)
{
    int len = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *whole = len > 0 ? malloc((size_t)len) : NULL;

    if (whole)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, whole, len, NULL, NULL);
    um_wire_set_text(buf, cap_bytes, whole);
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
