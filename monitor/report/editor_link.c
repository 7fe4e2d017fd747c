#include "monitor/report/editor_link.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Source: RFC 3986, section 3.1, for what a scheme is made of. */
static size_t scheme_bytes(const char *link)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t len = strspn(link, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
    return link[0] != '\0' && strchr(letters, link[0]) && link[len] == ':' ? len : 0;
}

bool um_editor_link_check(const char *link, char *error, size_t cap_bytes)
{
    static const char *const scripts[] = {"javascript", "data", "vbscript", "blob"};
    const char *why = "it does not say {file}";
    if (!link)
        return true;
    size_t len = scheme_bytes(link);
    bool ok = len > 0 && strstr(link, "{file}");
    if (len == 0)
        why = "it does not begin with a scheme";
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        char scheme[16] = "";
        if (len >= sizeof scheme)
            continue;
        memcpy(scheme, link, len);
        if (um_utf8_equal(scheme, scripts[i])) {
            ok = false;
            why = "it would run a script";
        }
    }
    if (!ok)
        snprintf(error, cap_bytes,
                 "uimon: --editor-link %s: %s; write it as in vscode://file/{file}:{line}",
                 um_utf8_show(link, 60).text, why);
    return ok;
}
