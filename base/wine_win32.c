#include "base/wine_win32.h"

#include <windows.h>

/* Wine's ntdll has a function that Windows' has not.
 * Source: https://gitlab.winehq.org/wine/wine/-/wikis/Developer-FAQ */
const char *um_wine_version(void)
{
    typedef const char *(CDECL * version_function)(void);
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    version_function version =
        ntdll ? (version_function)GetProcAddress(ntdll, "wine_get_version") : NULL;
    return version ? version() : NULL;
}
