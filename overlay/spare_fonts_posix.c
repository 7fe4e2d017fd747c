#include "overlay/spare_fonts.h"

#include <stdio.h>

/* Where distributions put them. */
static const char *const files[] = {
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",              /* Debian, Ubuntu */
    "/usr/share/fonts/google-noto-sans-cjk-fonts/NotoSansCJK-Regular.ttc", /* Fedora */
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",                   /* Arch */
    "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc",
    "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
    "/usr/share/fonts/truetype/ancient-scripts/Symbola_hint.ttf",
};

bool um_spare_fonts_path(size_t number, char *path, size_t cap_bytes)
{
    if (number >= sizeof files / sizeof files[0])
        return false;
    int needed = snprintf(path, cap_bytes, "%s", files[number]);
    return needed > 0 && (size_t)needed < cap_bytes;
}
