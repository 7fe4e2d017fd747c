#include "monitor/stats/wait_text.h"

#include <stdio.h>

const char *um_wait_text_kind(uint8_t kind)
{
    static const char *const kinds[UM_WIRE_WAIT_KINDS] = {"unknown", "lock",   "window", "mutex",
                                                          "call",    "thread", "process"};
    return kinds[kind < UM_WIRE_WAIT_KINDS ? kind : 0];
}

void um_wait_text(const struct um_wire_wait *wait, char *text, size_t cap_bytes)
{
    static const char *const heads[UM_WIRE_WAIT_KINDS] = {"for",
                                                          "for a lock held by",
                                                          "for window",
                                                          "for a mutex held by",
                                                          "for an answer of",
                                                          "for the end of",
                                                          "for the end of"};
    const char *head = heads[wait->kind < UM_WIRE_WAIT_KINDS ? wait->kind : 0];
    /* Of an unknown kind there may be a thread or none. */
    bool is_process = wait->kind == UM_WIRE_WAIT_PROCESS || wait->thread == 0;
    char object[160] = "";
    char process[160] = "";
    if (wait->kind == UM_WIRE_WAIT_WINDOW)
        (void)snprintf(object, sizeof object, " %s of", wait->object);
    if (wait->process_name[0] != '\0')
        (void)snprintf(process, sizeof process, " (%s)", wait->process_name);
    (void)snprintf(text, cap_bytes, "%s%s %s %lu%s%s%s", head, object,
                   is_process ? "process" : "thread",
                   (unsigned long)(is_process ? wait->process : wait->thread), process,
                   wait->function[0] != '\0' ? ", in " : "", wait->function);
}
