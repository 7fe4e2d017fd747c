#include "base/native_path.h"

#include <wctype.h>

#define DEVICE_CHARS 260

/* What follows a beginning, in any case; NULL: the text does not begin so. */
static const wchar_t *after(const wchar_t *text, const wchar_t *begin)
{
    for (; *begin; text++, begin++)
        if (towlower((wint_t)*text) != towlower((wint_t)*begin))
            return NULL;
    return text;
}

static bool join(const wchar_t *begin, const wchar_t *rest, wchar_t *path, size_t cap)
{
    if (wcslen(begin) + wcslen(rest) >= cap)
        return false;
    wcscpy(path, begin);
    wcscat(path, rest);
    return true;
}

/* The part of a network file's name from the server on. Before that are the redirector's device,
 * and perhaps its name and the drive letter:
 * `\Device\Mup\;LanmanRedirector\;Z:0000000000012345\server\share\file`. */
static const wchar_t *find_server(const wchar_t *native)
{
    const wchar_t *rest = after(native, L"\\Device\\Mup\\");
    while (rest && *rest == L';') {
        rest = wcschr(rest, L'\\');
        rest = rest ? rest + 1 : NULL;
    }
    return rest;
}

bool um_native_path_translate(const wchar_t *native, um_native_path_device *device, void *context,
                              wchar_t *path, size_t cap)
{
    wchar_t name[DEVICE_CHARS], begin[] = L"A:";
    const wchar_t *rest = after(native, L"\\??\\"); /* Wine has drive letters behind that */
    const wchar_t *server = rest ? after(rest, L"UNC\\") : find_server(native);
    if (server)
        return join(L"\\\\", server, path, cap);
    if (rest)
        return join(L"", rest, path, cap);
    for (; begin[0] <= L'Z'; begin[0]++) {
        if (!device(context, begin[0], name, DEVICE_CHARS))
            continue;
        rest = after(native, name);
        if (rest && *rest == L'\\')
            return join(begin, rest, path, cap);
    }
    return join(L"", native, path, cap);
}

/* Whether a part of a path, up to a backslash or the end, is `.` or `..`. */
static bool is_step(const wchar_t *part)
{
    size_t len = wcscspn(part, L"\\");
    return (len == 1 || len == 2) && wcsspn(part, L".") >= len;
}

bool um_native_path_has_drive(const wchar_t *path)
{
    wchar_t letter = path[0];
    if (!((letter >= L'A' && letter <= L'Z') || (letter >= L'a' && letter <= L'z')) ||
        path[1] != L':' || path[2] != L'\\' || wcspbrk(path + 2, L":/"))
        return false;
    for (const wchar_t *at = path + 2; at; at = wcschr(at, L'\\'))
        if (is_step(++at))
            return false;
    return true;
}
