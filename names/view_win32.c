#include "names/view_win32.h"

#include <windows.h>

#include "base/local_file_win32.h"

bool um_view_open(const wchar_t *path, struct um_view *view)
{
    LARGE_INTEGER bytes = {0};
    HANDLE mapping = NULL;
    const void *mapped = NULL;
    HANDLE file =
        um_local_file_open(path, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL);

    if (file == INVALID_HANDLE_VALUE)
        return false;
    if (GetFileSizeEx(file, &bytes))
        mapping = CreateFileMappingW(file, NULL, PAGE_READONLY, 0, 0, NULL);
    if (mapping)
        mapped = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, (SIZE_T)bytes.QuadPart);
    if (mapping)
        CloseHandle(mapping);
    CloseHandle(file);
    if (mapped)
        *view = (struct um_view){mapped, (size_t)bytes.QuadPart};
    return mapped != NULL; /* cppcheck-suppress memleak ; the view has it */
}

void um_view_close(struct um_view *view)
{
    if (view->bytes)
        UnmapViewOfFile(view->bytes);
    *view = (struct um_view){NULL, 0};
}
