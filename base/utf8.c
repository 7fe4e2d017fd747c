#include "base/utf8.h"

#include <string.h>

#include "base/plain/text.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define PATH_COLUMNS 200

struct range {
    uint32_t first;
    uint32_t last;
};

/* Blocks that terminals draw two columns wide, after Unicode's EastAsianWidth.txt. Whole blocks
 * are taken, so a few unassigned characters count as wide as well. */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},
    {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

/* Combining marks and invisible characters, which take no column. */
static const struct range narrow[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x064b, 0x065f},   {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f},   {0x20d0, 0x20ff},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};

/* Control characters; marks, overrides and isolates of the direction of writing; ends of lines and
 * paragraphs; the byte order mark; annotations; tags. */
static const struct range unshown[] = {
    {0x0001, 0x001f}, {0x007f, 0x009f}, {0x061c, 0x061c}, {0x200e, 0x200f},   {0x2028, 0x202e},
    {0x2066, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0001, 0xe007f},
};

/* The ranges ascend. Most characters of most texts lie before the first. */
static bool in_ranges(uint32_t character, const struct range *ranges, size_t count)
{
    size_t low = 0;
    size_t high = character < ranges[0].first ? 0 : count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (character < ranges[middle].first)
            high = middle;
        else if (character > ranges[middle].last)
            low = middle + 1;
        else
            return true;
    }
    return false;
}

/* Reads the character at `bytes`; `*len` is its length. False if it is broken; then `*len` is 1.
 * Never reads past a NUL, because a NUL continues no character. */
static bool decode(const unsigned char *bytes, size_t *len, uint32_t *character)
{
    size_t count = um_text_character_bytes(bytes, 4);

    *len = count > 0 ? count : 1;
    *character = count > 1 ? bytes[0] & 0xffu >> (count + 1) : bytes[0];
    for (size_t i = 1; i < count; i++)
        *character = *character << 6 | (bytes[i] & 0x3f);
    return count > 0;
}

uint32_t um_utf8_next(const char **text)
{
    uint32_t character;
    size_t len;

    if ((unsigned char)**text < 0x80) {
        character = (unsigned char)**text;
        *text += character != 0;
        return character;
    }
    if (!decode((const unsigned char *)*text, &len, &character))
        character = UM_UTF8_REPLACEMENT;
    *text += len;
    return character;
}

bool um_utf8_valid(const char *text, size_t len_bytes)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t at = 0;
    size_t count;

    while (at < len_bytes && bytes[at] != 0) {
        if ((count = um_text_character_bytes(bytes + at, len_bytes - at)) == 0)
            return false;
        at += count;
    }
    return at == len_bytes;
}

/* Whether it is a capital of a block in which capital and small letters alternate, the capital
 * first. In most of these blocks capitals are even code points, in two stretches of Latin odd
 * ones. */
static bool is_alternating_capital(uint32_t c)
{
    bool odd = c & 1;
    if ((c >= 0x0139 && c <= 0x0148) || (c >= 0x0179 && c <= 0x017e))
        return odd;
    return !odd && ((c >= 0x0100 && c <= 0x0137 && c != 0x0130) || (c >= 0x014a && c <= 0x0177) ||
                    (c >= 0x0460 && c <= 0x0481) || (c >= 0x048a && c <= 0x04bf) ||
                    (c >= 0x04d0 && c <= 0x052f) || (c >= 0x1e00 && c <= 0x1e95) ||
                    (c >= 0x1ea0 && c <= 0x1eff));
}

/* Capitals that are followed by their small letters at a fixed distance. */
static const struct {
    struct range capitals;
    int32_t distance;
} folds[] = {
    {{'A', 'Z'}, 32},         {{0x00c0, 0x00d6}, 32}, {{0x00d8, 0x00de}, 32},
    {{0x0178, 0x0178}, -121}, {{0x0386, 0x0386}, 38}, {{0x0388, 0x038a}, 37},
    {{0x038c, 0x038c}, 64},   {{0x038e, 0x038f}, 63}, {{0x0391, 0x03a1}, 32},
    {{0x03a3, 0x03ab}, 32},   {{0x03c2, 0x03c2}, 1}, /* the final sigma */
    {{0x0400, 0x040f}, 80},   {{0x0410, 0x042f}, 32}, {{0x0531, 0x0556}, 48},
};

uint32_t um_utf8_fold(uint32_t character)
{
    if (character > 'Z' && character < 0xc0) /* most characters of most texts */
        return character;
    for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++) {
        if (character < folds[i].capitals.first)
            break;
        if (character <= folds[i].capitals.last)
            return character + (uint32_t)folds[i].distance;
    }
    return is_alternating_capital(character) ? character + 1 : character;
}

/* Whether `text` begins with `part` when both are folded. */
static bool begins_with(const char *text, const char *part)
{
    while (*part != '\0')
        if (um_utf8_fold(um_utf8_next(&text)) != um_utf8_fold(um_utf8_next(&part)))
            return false;
    return true;
}

bool um_utf8_contains(const char *text, const char *part)
{
    while (!begins_with(text, part))
        if (um_utf8_next(&text) == 0)
            return false;
    return true;
}

bool um_utf8_equal(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0')
        if (um_utf8_fold(um_utf8_next(&a)) != um_utf8_fold(um_utf8_next(&b)))
            return false;
    return *a == *b;
}

uint32_t um_utf8_next_shown(const char **text)
{
    uint32_t c = um_utf8_next(text);
    return in_ranges(c, unshown, sizeof unshown / sizeof unshown[0]) ? UM_UTF8_REPLACEMENT : c;
}

static size_t width(uint32_t c)
{
    if (in_ranges(c, narrow, sizeof narrow / sizeof narrow[0]))
        return 0;
    return in_ranges(c, wide, sizeof wide / sizeof wide[0]) ? 2 : 1;
}

size_t um_utf8_columns(const char *text)
{
    size_t columns = 0;
    uint32_t c;

    while ((c = um_utf8_next_shown(&text)) != 0)
        columns += width(c);
    return columns;
}

size_t um_utf8_encode(uint32_t character, char *out)
{
    unsigned char *bytes = (unsigned char *)out;

    if (character < 0x80) {
        bytes[0] = (unsigned char)character;
        return 1;
    }
    if (character < 0x800) {
        bytes[0] = (unsigned char)(0xc0 | character >> 6);
        bytes[1] = (unsigned char)(0x80 | (character & 0x3f));
        return 2;
    }
    if (character < 0x10000) {
        bytes[0] = (unsigned char)(0xe0 | character >> 12);
        bytes[1] = (unsigned char)(0x80 | (character >> 6 & 0x3f));
        bytes[2] = (unsigned char)(0x80 | (character & 0x3f));
        return 3;
    }
    bytes[0] = (unsigned char)(0xf0 | character >> 18);
    bytes[1] = (unsigned char)(0x80 | (character >> 12 & 0x3f));
    bytes[2] = (unsigned char)(0x80 | (character >> 6 & 0x3f));
    bytes[3] = (unsigned char)(0x80 | (character & 0x3f));
    return 4;
}

static bool is_wider(const char *text, size_t columns)
{
    size_t used = 0;
    uint32_t c;

    while (used <= columns && (c = um_utf8_next_shown(&text)) != 0)
        used += width(c);
    return used > columns;
}

enum um_status um_utf8_fit(const char *text, size_t columns, char *buf, size_t cap_bytes)
{
    bool cut = is_wider(text, columns);
    size_t room = cut && columns > 0 ? columns - 1 : columns;
    size_t used = 0;
    size_t len = 0;
    size_t more;
    uint32_t c;

    if (cap_bytes == 0)
        return UM_ERR_TOO_LARGE;
    while ((c = um_utf8_next_shown(&text)) != 0 && used + (more = width(c)) <= room) {
        char bytes[4];
        size_t count = um_utf8_encode(c, bytes);
        if (len + count >= cap_bytes) {
            buf[len] = '\0';
            return UM_ERR_TOO_LARGE;
        }
        memcpy(buf + len, bytes, count);
        len += count;
        used += more;
    }
    buf[len] = '\0';
    if (cut && columns > 0) {
        if (len + sizeof ELLIPSIS > cap_bytes)
            return UM_ERR_TOO_LARGE;
        memcpy(buf + len, ELLIPSIS, sizeof ELLIPSIS);
    }
    return UM_OK;
}

struct um_utf8_shown um_utf8_show(const char *text, size_t columns)
{
    struct um_utf8_shown shown;

    um_utf8_fit(text, columns, shown.text, sizeof shown.text);
    return shown;
}

/* How many columns and bytes the next character takes when it is shown; moves past it. */
static size_t measure(const char **text, size_t *bytes)
{
    char encoded[4];
    uint32_t c = um_utf8_next_shown(text);
    *bytes = um_utf8_encode(c, encoded);
    return width(c);
}

struct um_utf8_shown um_utf8_show_path(const char *path)
{
    struct um_utf8_shown shown;
    size_t len = strlen(path);
    size_t most = PATH_COLUMNS * 4;
    const char *from = len > most ? path + len - most : path;
    size_t columns = 0;
    size_t bytes = 0;
    size_t one;

    while (((unsigned char)*from & 0xc0) == 0x80)
        from++;
    for (const char *at = from; *at; bytes += one)
        columns += measure(&at, &one);
    if (from == path && columns <= PATH_COLUMNS && bytes < sizeof shown.text) {
        um_utf8_fit(path, PATH_COLUMNS, shown.text, sizeof shown.text);
        return shown;
    }
    while (columns > PATH_COLUMNS - 1 || bytes + sizeof ELLIPSIS > sizeof shown.text) {
        columns -= measure(&from, &one);
        bytes -= one;
    }
    memcpy(shown.text, ELLIPSIS, sizeof ELLIPSIS);
    um_utf8_fit(from, PATH_COLUMNS, shown.text + sizeof ELLIPSIS - 1,
                sizeof shown.text - sizeof ELLIPSIS + 1);
    return shown;
}
