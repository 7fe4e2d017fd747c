#include "base/message_names.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/message_names_list.h"

#define USER_FIRST 0x0400
#define APP_FIRST 0x8000
#define REGISTERED_FIRST 0xc000
#define REGISTERED_LAST 0xffff

static const struct {
    uint32_t id;
    const char *name;
} table[] = {
#define ENTRY(name, id) {id, #name},
    UM_MESSAGE_NAMES_LIST(ENTRY, ENTRY)
#undef ENTRY
};

static const char *find(uint32_t id)
{
    size_t first = 0;
    size_t end = sizeof table / sizeof table[0];

    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (table[middle].id == id)
            return table[middle].name;
        if (table[middle].id < id)
            first = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

bool um_message_names_is_registered(uint32_t id)
{
    return id >= REGISTERED_FIRST && id <= REGISTERED_LAST;
}

void um_message_names_get(uint32_t id, const char *registered, char *buf, size_t cap_bytes)
{
    const char *name = um_message_names_is_registered(id) && registered[0] ? registered : find(id);

    if (name)
        snprintf(buf, cap_bytes, "%s", name);
    else if (id == USER_FIRST || id == APP_FIRST)
        snprintf(buf, cap_bytes, "%s", id == USER_FIRST ? "WM_USER" : "WM_APP");
    else if (id < USER_FIRST)
        snprintf(buf, cap_bytes, "0x%04" PRIX32 " (undocumented)", id);
    else if (id < APP_FIRST)
        snprintf(buf, cap_bytes, "WM_USER+%" PRIu32, id - USER_FIRST);
    else if (id < REGISTERED_FIRST)
        snprintf(buf, cap_bytes, "WM_APP+%" PRIu32, id - APP_FIRST);
    else if (id <= REGISTERED_LAST)
        snprintf(buf, cap_bytes, "0x%04" PRIX32 " (registered)", id);
    else
        snprintf(buf, cap_bytes, "0x%" PRIX32 " (reserved)", id);
}
