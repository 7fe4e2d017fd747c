#include "overlay/spare_fonts.h"

#include <stdio.h>
#include <windows.h>

/* In each edition of Windows 10 and 11, or else in those of the language.
 * Source: Microsoft's font lists of Windows 10 and 11. */
static const char *const files[] = {
    "msyh.ttc",     /* Microsoft YaHei: Chinese, also most of what is Japanese */
    "YuGothM.ttc",  /* Yu Gothic: Japanese */
    "malgun.ttf",   /* Malgun Gothic: Korean */
    "msgothic.ttc", /* MS Gothic: Japanese */
    "simsun.ttc",   /* SimSun: Chinese */
    "seguisym.ttf", /* Segoe UI Symbol: symbols, and emoji in one colour */
    "seguiemj.ttf", /* Segoe UI Emoji */
};

bool um_spare_fonts_path(size_t number, char *path, size_t cap_bytes)
{
    wchar_t folder[MAX_PATH];
    char text[3 * MAX_PATH];
    UINT len = GetSystemWindowsDirectoryW(folder, MAX_PATH);
    if (number >= sizeof files / sizeof files[0] || len == 0 || len >= MAX_PATH ||
        WideCharToMultiByte(CP_UTF8, 0, folder, -1, text, sizeof text, NULL, NULL) == 0)
        return false;
    int needed = snprintf(path, cap_bytes, "%s\\Fonts\\%s", text, files[number]);
    return needed > 0 && (size_t)needed < cap_bytes;
}
