/* uimon-markers64.dll and uimon-markers32.dll: uimon.h compiled, for languages that cannot include
 * it. The functions are those of uimon.h. No C runtime; imports nothing. */
#define uimon_is_watched uimon_h_is_watched
#define uimon_marker uimon_h_marker
#define uimon_begin uimon_h_begin
#define uimon_end uimon_h_end
#include "markers/uimon.h"
#undef uimon_is_watched
#undef uimon_marker
#undef uimon_begin
#undef uimon_end

#include <windows.h>

#define EXPORTED __declspec(dllexport)

BOOL WINAPI DllMainCRTStartup(HINSTANCE module, DWORD reason, void *reserved);
EXPORTED int UIMON_CALL uimon_is_watched(void);
EXPORTED void UIMON_CALL uimon_marker(const char *name, const char *category,
                                      const struct uimon_field *fields, uint32_t count);
EXPORTED uint64_t UIMON_CALL uimon_begin(const char *name, const char *category,
                                         const struct uimon_field *fields, uint32_t count);
EXPORTED void UIMON_CALL uimon_end(uint64_t interval, const struct uimon_field *fields,
                                   uint32_t count);

BOOL WINAPI DllMainCRTStartup(HINSTANCE module, DWORD reason, void *reserved)
{
    (void)module;
    (void)reason;
    (void)reserved;
    return TRUE;
}

int UIMON_CALL uimon_is_watched(void)
{
    return uimon_h_is_watched();
}

void UIMON_CALL uimon_marker(const char *name, const char *category,
                             const struct uimon_field *fields, uint32_t count)
{
    uimon_h_marker(name, category, fields, count);
}

uint64_t UIMON_CALL uimon_begin(const char *name, const char *category,
                                const struct uimon_field *fields, uint32_t count)
{
    return uimon_h_begin(name, category, fields, count);
}

void UIMON_CALL uimon_end(uint64_t interval, const struct uimon_field *fields, uint32_t count)
{
    uimon_h_end(interval, fields, count);
}
