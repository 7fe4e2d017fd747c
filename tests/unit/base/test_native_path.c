#include <criterion/criterion.h>
#include <string.h>

#include "base/native_path.h"

static bool device_of(void *context, wchar_t letter, wchar_t *device, size_t cap)
{
    const wchar_t *name = letter == L'C'   ? L"\\Device\\HarddiskVolume1"
                          : letter == L'D' ? L"\\Device\\HarddiskVolume11"
                                           : NULL;
    (void)context;
    if (!name || wcslen(name) >= cap)
        return false;
    wcscpy(device, name);
    return true;
}

static const struct {
    const wchar_t *native, *path;
} cases[] = {
    {L"\\Device\\HarddiskVolume1\\Windows\\a.dll", L"C:\\Windows\\a.dll"},
    {L"\\Device\\HarddiskVolume11\\b.dll", L"D:\\b.dll"},
    {L"\\device\\harddiskvolume1\\c.dll", L"C:\\c.dll"},
    {L"\\Device\\HarddiskVolume2\\d.dll", L"\\Device\\HarddiskVolume2\\d.dll"}, /* has no letter */
    {L"\\Device\\Mup\\server\\share\\e.dll", L"\\\\server\\share\\e.dll"},
    {L"\\Device\\Mup\\;LanmanRedirector\\;Z:0000000000012345\\server\\share\\f.dll",
     L"\\\\server\\share\\f.dll"},
    {L"\\??\\Z:\\work\\g.dll", L"Z:\\work\\g.dll"},
    {L"\\??\\UNC\\server\\share\\h.dll", L"\\\\server\\share\\h.dll"},
};

Test(native_path, is_written_as_programs_do)
{
    wchar_t path[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_assert(um_native_path_translate(cases[i].native, device_of, NULL, path, 64));
        cr_expect_eq(wcscmp(path, cases[i].path), 0, "%ls: %ls", cases[i].native, path);
    }
}

Test(native_path, that_is_too_long_is_none)
{
    wchar_t path[17];
    cr_expect(um_native_path_translate(cases[0].native, device_of, NULL, path, 17));
    cr_expect(!um_native_path_translate(cases[0].native, device_of, NULL, path, 16));
    cr_expect(!um_native_path_translate(cases[3].native, device_of, NULL, path, 17));
}

/* Nothing that could be on another machine, or be no file at all. */
Test(native_path, of_a_drive)
{
    static const wchar_t *const good[] = {L"C:\\a", L"z:\\folder\\file.dll", L"C:\\a\\...b",
                                          L"C:\\.hidden\\a.dll"};
    static const wchar_t *const bad[] = {L"",
                                         L"C",
                                         L"C:",
                                         L"C:a.dll",
                                         L"a.dll",
                                         L"\\a.dll",
                                         L"\\\\server\\share\\a.dll",
                                         L"\\\\?\\C:\\a.dll",
                                         L"\\\\.\\pipe\\a",
                                         L"\\??\\C:\\a.dll",
                                         L"\\Device\\Mup\\server\\share\\a.dll",
                                         L"C:/a.dll",
                                         L"C:\\a.dll:stream",
                                         L"C:\\a\\..\\b.dll",
                                         L"C:\\.\\b.dll",
                                         L"1:\\a.dll",
                                         L"//server/share/a.dll"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        cr_expect(um_native_path_has_drive(good[i]), "%ls", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect(!um_native_path_has_drive(bad[i]), "%ls", bad[i]);
}
