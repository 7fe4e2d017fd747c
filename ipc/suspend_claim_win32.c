#include "ipc/suspend_claim_win32.h"

#include "ipc/bootstrap.h"

static void name_of(const uint8_t nonce[16], wchar_t *wide)
{
    char name[UM_BOOTSTRAP_PATH_BYTES];
    um_bootstrap_claim_name(nonce, name);
    for (int i = 0; i < UM_BOOTSTRAP_PATH_BYTES; i++)
        wide[i] = (wchar_t)name[i];
}

/* Takes a section over, even if it fails. Checks that its pages are committed, because another
 * program could have made it. */
static enum um_status map_section(HANDLE section, struct um_suspend_claim_map *map)
{
    MEMORY_BASIC_INFORMATION info;
    void *mapped = MapViewOfFile(section, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, sizeof *map->claim);
    if (mapped && VirtualQuery(mapped, &info, sizeof info) && info.State == MEM_COMMIT) {
        map->section = section;
        map->claim = mapped;
        return UM_OK;
    }
    if (mapped)
        UnmapViewOfFile(mapped);
    CloseHandle(section);
    return UM_ERR_IO;
}

enum um_status um_suspend_claim_map_new(const uint8_t nonce[16], struct um_suspend_claim_map *map)
{
    wchar_t name[UM_BOOTSTRAP_PATH_BYTES];
    name_of(nonce, name);
    HANDLE section =
        CreateFileMappingW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, sizeof *map->claim, name);
    if (!section)
        return UM_ERR_IO;
    if (GetLastError() == ERROR_ALREADY_EXISTS) {
        CloseHandle(section);
        return UM_ERR_EXISTS;
    }
    return map_section(section, map);
}

enum um_status um_suspend_claim_map_open(const uint8_t nonce[16], struct um_suspend_claim_map *map)
{
    wchar_t name[UM_BOOTSTRAP_PATH_BYTES];
    name_of(nonce, name);
    HANDLE section = OpenFileMappingW(FILE_MAP_READ | FILE_MAP_WRITE, FALSE, name);
    return section ? map_section(section, map) : UM_ERR_NOT_FOUND;
}

void um_suspend_claim_unmap(struct um_suspend_claim_map *map)
{
    if (map->claim)
        UnmapViewOfFile(map->claim);
    if (map->section)
        CloseHandle(map->section);
    map->claim = NULL;
    map->section = NULL;
}
