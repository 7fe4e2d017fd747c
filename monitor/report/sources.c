#include "monitor/report/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/platform.h"
#include "base/text_file.h"
#include "base/utf8.h"

#define PARTS 32 /* of a path that are tried */
#define TAB 4
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* Sources of programs, and nothing that settings or keys are kept in. docs/recordings.md has this
 * list. */
static const char *const extensions[] = {
    "asm", "c",  "c++",   "cc",    "cpp", "cppm", "cs", "cxx", "d",    "dart", "dpr", "f",    "f90",
    "fs",  "go", "h",     "h++",   "hh",  "hpp",  "hs", "hxx", "inl",  "ipp",  "ixx", "java", "js",
    "jsx", "kt", "lua",   "m",     "mjs", "ml",   "mm", "nim", "pas",  "pp",   "py",  "pyx",  "rb",
    "rs",  "s",  "scala", "swift", "tcc", "tpp",  "ts", "tsx", "vala", "vb",   "zig",
};

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether bytes are `text`, whatever their case; `text` is in lower case. */
static bool is_text(const char *bytes, size_t len, const char *text)
{
    size_t i = 0;
    while (i < len && text[i] && lower(bytes[i]) == text[i])
        i++;
    return i == len && !text[i];
}

/* The length of a name up to its first dot, without blanks at the end. Windows finds a device by
 * this part: `con.c` is the console. */
static size_t stem_of(const char *part, size_t len)
{
    size_t stem = 0;
    while (stem < len && part[stem] != '.')
        stem++;
    while (stem > 0 && part[stem - 1] == ' ')
        stem--;
    return stem;
}

/* Source: learn.microsoft.com, "Naming Files, Paths, and Namespaces". COM and LPT have a digit
 * behind them, or one of the three raised ones. */
static bool is_device(const char *part, size_t len)
{
    static const char *const names[] = {"con", "prn", "aux", "nul", "conin$", "conout$"};
    static const char *const raised[] = {"\xc2\xb9", "\xc2\xb2", "\xc2\xb3"};
    size_t stem = stem_of(part, len);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_text(part, stem, names[i]))
            return true;
    if (stem < 4 || (!is_text(part, 3, "com") && !is_text(part, 3, "lpt")))
        return false;
    for (size_t i = 0; i < sizeof raised / sizeof raised[0]; i++)
        if (is_text(part + 3, stem - 3, raised[i]))
            return true;
    return stem == 4 && part[3] >= '0' && part[3] <= '9';
}

/* Whether a part of a path names something in its folder and nothing else. Names that begin with a
 * dot are refused, because programs keep secrets there, as in `.ssh`. Windows ignores dots and
 * blanks at the end, and has short names, as `SSH~1` and `DB~1.PAS`, for names that would be
 * refused. */
static bool is_plain(const char *part, size_t len)
{
    if (len == 0 || part[0] == '.' || part[len - 1] == '.' || part[len - 1] == ' ' ||
        is_device(part, len))
        return false;
    for (size_t i = 0; i < len; i++)
        if (part[i] == ':' || (unsigned char)part[i] < ' ' ||
            (part[i] == '~' && i + 1 < len && part[i + 1] >= '0' && part[i + 1] <= '9'))
            return false;
    return true;
}

/* The ends of a path that begin with a part of it, the longest first, as far as all parts are
 * plain. Returns how many. */
static size_t find_suffixes(const char *path, const char *suffixes[PARTS])
{
    const char *found[PARTS];
    const char *end = path + strlen(path);
    size_t count = 0;
    while (count < PARTS) {
        const char *begin = end;
        while (begin > path && !is_slash(begin[-1]))
            begin--;
        if (!is_plain(begin, (size_t)(end - begin)))
            break;
        found[count++] = begin;
        if (begin == path)
            break;
        end = begin - 1;
    }
    for (size_t i = 0; i < count; i++)
        suffixes[i] = found[count - 1 - i];
    return count;
}

/* Whether one of the folders of a path, with slashes, is called `include`. */
static bool is_below_include(const char *path, const char *name)
{
    for (const char *at = path, *end; at < name; at = end + 1) {
        end = strchr(at, '/');
        if (is_text(at, (size_t)(end - at), "include"))
            return true;
    }
    return false;
}

size_t um_sources_extensions(void)
{
    return sizeof extensions / sizeof extensions[0];
}

bool um_sources_is_source(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    if (!dot)
        return name[0] != '\0' && is_below_include(path, name);
    for (size_t i = 0; i < um_sources_extensions(); i++)
        if (is_text(dot + 1, strlen(dot + 1), extensions[i]))
            return true;
    return false;
}

/* Copies a text as UTF-8, with blanks for tabs, without carriage returns and byte order mark.
 * `made` has room for 4 times as many bytes. */
static void copy_text(const char *text, char *made)
{
    size_t used = 0, column = 0;
    if (strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
        text += strlen(BYTE_ORDER_MARK);
    for (uint32_t c; (c = um_utf8_next(&text)) != 0;) {
        size_t blanks = c == '\t' ? TAB - column % TAB : 0;
        memset(made + used, ' ', blanks);
        used += blanks;
        if (c != '\t' && c != '\r')
            used += um_utf8_encode(c, made + used);
        column = c == '\n' ? 0 : column + (blanks ? blanks : 1);
    }
    made[used] = '\0';
}

/* Makes file->text of bytes, if they are a text of enough lines. `bytes` has room for a NUL. */
static bool take_text(char *bytes, size_t len, uint32_t least_lines, struct um_sources_file *file)
{
    struct um_text_file_lines lines = um_text_file_lines(bytes, len);
    const char *line;
    size_t line_len;
    bool is_text = !memchr(bytes, '\0', len);
    while (is_text && um_text_file_next_line(&lines, &line, &line_len))
        ;
    char *made = is_text && lines.number >= least_lines ? malloc(4 * len + 1) : NULL;
    if (!made)
        return false;
    bytes[len] = '\0';
    copy_text(bytes, made);
    file->text = made;
    return true;
}

/* Makes a text's line ends LF, or CRLF. `made` has room for twice as many bytes. Returns how many
 * it has. */
static size_t convert_ends(const char *bytes, size_t len, bool to_crlf, char *made)
{
    size_t used = 0;
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\r' && i + 1 < len && bytes[i + 1] == '\n')
            continue;
        if (bytes[i] == '\n' && to_crlf)
            made[used++] = '\r';
        made[used++] = bytes[i];
    }
    return used;
}

/* Whether the bytes have a checksum; UNKNOWN if there is none, or it cannot be computed. */
static enum um_sources_state compare(const char *checksum, const char *bytes, size_t len)
{
    char own[UM_CHECKSUM_BYTES];
    enum um_checksum_kind kind = um_checksum_kind_of(checksum);
    if (kind == UM_CHECKSUM_KINDS || um_checksum_of(kind, bytes, len, own) != UM_OK)
        return UM_SOURCES_UNKNOWN;
    return strcmp(own, checksum) == 0 ? UM_SOURCES_SAME : UM_SOURCES_OTHER;
}

/* The same, whatever the line ends are now. */
static enum um_sources_state compare_text(const char *checksum, const char *bytes, size_t len)
{
    enum um_sources_state state = compare(checksum, bytes, len);
    char *made = state == UM_SOURCES_OTHER ? malloc(2 * len + 1) : NULL;
    if (made &&
        (compare(checksum, made, convert_ends(bytes, len, false, made)) == UM_SOURCES_SAME ||
         compare(checksum, made, convert_ends(bytes, len, true, made)) == UM_SOURCES_SAME))
        state = UM_SOURCES_SAME;
    else if (state == UM_SOURCES_OTHER && !made) /* there is no memory to find out */
        state = UM_SOURCES_UNKNOWN;
    free(made);
    return state;
}

/* Tries a file in a folder; one that is not the wanted one is without its text. */
static bool try_file(const char *folder, size_t folder_len, const char *suffix,
                     const struct um_sources_wanted *wanted, struct um_sources_file *file)
{
    char error[256], *text;
    size_t len;
    bool ends = folder_len > 0 && is_slash(folder[folder_len - 1]);
    int written = snprintf(file->path, sizeof file->path, "%.*s%s%s", (int)folder_len, folder,
                           ends ? "" : "/", suffix);
    if (written < 0 || (size_t)written >= sizeof file->path)
        return false;
    for (char *at = file->path; *at; at++)
        if (*at == '\\')
            *at = '/';
    if (!um_sources_is_source(file->path) || !um_platform_is_regular(file->path) ||
        um_text_file_load(file->path, UM_SOURCES_FILE_BYTES, "a source", &text, &len, error,
                          sizeof error) != UM_OK)
        return false;
    char *bytes = realloc(text, len + 1);
    file->state = bytes ? compare_text(wanted->checksum, bytes, len) : UM_SOURCES_UNKNOWN;
    file->text = NULL;
    uint32_t least_lines = file->state == UM_SOURCES_UNKNOWN ? wanted->least_lines : 0;
    bool taken =
        bytes && (file->state == UM_SOURCES_OTHER || take_text(bytes, len, least_lines, file));
    free(bytes ? bytes : text);
    return taken;
}

bool um_sources_find(const char *folders, const struct um_sources_wanted *wanted,
                     struct um_sources_file *file)
{
    const char *suffixes[PARTS];
    struct um_sources_file tried;
    bool is_found = false;
    size_t count = folders ? find_suffixes(wanted->path, suffixes) : 0;
    for (size_t i = 0; i < count; i++)
        for (const char *at = folders; *at;) {
            size_t len = strcspn(at, ";");
            bool is_there = len > 0 && try_file(at, len, suffixes[i], wanted, &tried);
            if (is_there && (!is_found || tried.state != UM_SOURCES_OTHER))
                *file = tried;
            is_found |= is_there;
            if (is_there && tried.state != UM_SOURCES_OTHER)
                return true;
            at += len + (at[len] == ';');
        }
    return is_found;
}
