#include "monitor/target/environment.h"

#include <stdlib.h>

static wchar_t upper(wchar_t character)
{
    return character >= L'a' && character <= L'z' ? (wchar_t)(character - L'a' + L'A') : character;
}

/* Compares the name of a string "NAME=VALUE" with a name: below 0, 0 or above. A string that begins
 * with '=' is the system's own, and comes first. */
static int compare_name(const wchar_t *entry, const wchar_t *name)
{
    if (*entry == L'=')
        return -1;
    while (*entry != L'=' && *entry && *name && upper(*entry) == upper(*name)) {
        entry++;
        name++;
    }
    wchar_t left = *entry == L'=' ? L'\0' : upper(*entry), right = upper(*name);
    return left < right ? -1 : left > right;
}

/* Appends a text, and moves `*to` behind it. */
static void put(wchar_t **to, const wchar_t *text)
{
    size_t len = wcslen(text);
    wmemcpy(*to, text, len);
    *to += len;
}

static void put_variable(wchar_t **to, const wchar_t *name, const wchar_t *before,
                         const wchar_t *value)
{
    put(to, name);
    put(to, L"=");
    put(to, before);
    put(to, before[0] != L'\0' ? L";" : L"");
    put(to, value);
    *(*to)++ = L'\0';
}

wchar_t *um_environment_with(const wchar_t *all, const wchar_t *name, const wchar_t *value,
                             bool joins)
{
    const wchar_t *before = L"", *at = all;
    bool is_put = false;
    while (*at)
        at += wcslen(at) + 1;
    size_t len = (size_t)(at - all) + wcslen(name) + wcslen(value) + 5;
    wchar_t *made = calloc(len, sizeof *made), *to = made;
    if (!made)
        return NULL;
    for (at = all; *at; at += wcslen(at) + 1) {
        int order = compare_name(at, name);
        if (order == 0 && joins)
            before = wcschr(at, L'=') ? wcschr(at, L'=') + 1 : L"";
        if (order >= 0 && !is_put) {
            put_variable(&to, name, before, value);
            is_put = true;
        }
        if (order == 0)
            continue;
        put(&to, at);
        *to++ = L'\0';
    }
    if (!is_put)
        put_variable(&to, name, before, value);
    return made;
}
