#include "monitor/stats/wait_text.h"

#include <stdio.h>
#include <string.h>

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

bool um_wait_text_is_wait(const char *call)
{
    static const char *const waits[] = {
        /* of ntdll and win32u, without "Nt" or "Zw" in front */
        "AlpcSendWaitReceivePort", "DelayExecution", "RemoveIoCompletion", "RemoveIoCompletionEx",
        "ReplyWaitReceivePort", "ReplyWaitReceivePortEx", "RequestWaitReplyPort",
        "SignalAndWaitForSingleObject", "UserGetMessage", "UserMsgWaitForMultipleObjectsEx",
        "UserWaitMessage", "WaitForAlertByThreadId", "WaitForDebugEvent", "WaitForKeyedEvent",
        "WaitForMultipleObjects", "WaitForMultipleObjects32", "WaitForSingleObject",
        "WaitForWorkViaWorkerFactory",
        /* of the modules above them */
        "GetMessageA", "GetMessageW", "MsgWaitForMultipleObjects", "MsgWaitForMultipleObjectsEx",
        "RtlSleepConditionVariableCS", "RtlSleepConditionVariableSRW", "RtlWaitOnAddress", "Sleep",
        "SleepConditionVariableCS", "SleepConditionVariableSRW", "SleepEx", "WaitForInputIdle",
        "WaitForMultipleObjectsEx", "WaitForSingleObjectEx", "WaitMessage", "WaitOnAddress"};
    bool is_system_call = strncmp(call, "Nt", 2) == 0 || strncmp(call, "Zw", 2) == 0;
    const char *name = is_system_call ? call + 2 : call;
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++)
        if (strcmp(name, waits[i]) == 0)
            return true;
    return false;
}
