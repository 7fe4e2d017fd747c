#include "monitor/layout/layout_session.h"

#include <stdio.h>
#include <string.h>

#define BEGIN "uimon.layout."

void um_layout_session_name(uint32_t pid, char name[UM_LAYOUT_SESSION_BYTES])
{
    snprintf(name, UM_LAYOUT_SESSION_BYTES, BEGIN "%lu", (unsigned long)pid);
}

bool um_layout_session_pid(const char *name, uint32_t *pid)
{
    char again[UM_LAYOUT_SESSION_BYTES];
    uint64_t number = 0;
    if (strncmp(name, BEGIN, sizeof BEGIN - 1) != 0)
        return false;
    for (const char *at = name + sizeof BEGIN - 1; *at >= '0' && *at <= '9'; at++)
        if (number <= UINT32_MAX)
            number = number * 10 + (unsigned)(*at - '0');
    um_layout_session_name((uint32_t)number, again); /* also refuses what follows the digits */
    if (number == 0 || number > UINT32_MAX || strcmp(name, again) != 0)
        return false;
    *pid = (uint32_t)number;
    return true;
}

void um_layout_session_end_left(const struct um_layout_session_host *host, uint32_t own_pid,
                                const char *const names[], size_t count)
{
    uint32_t pid;
    for (size_t i = 0; i < count; i++)
        if (um_layout_session_pid(names[i], &pid) && pid != own_pid &&
            host->process(host->context, pid) == UM_LAYOUT_SESSION_DEAD)
            host->end(host->context, names[i]);
}
