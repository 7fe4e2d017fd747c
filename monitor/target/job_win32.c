#include "monitor/target/job_win32.h"

#include <stdbool.h>
#include <stdlib.h>

#define FIRST_ROOM 16
#define MAX_PROCESSES 65536 /* in one job that are listed */

/* What the job changes for the program:
 * - Nothing limits it: no flag but BREAKAWAY_OK is set. The system ends no process of a job whose
 *   last handle is closed, unless KILL_ON_JOB_CLOSE is set.
 * - BREAKAWAY_OK: CreateProcess with CREATE_BREAKAWAY_FROM_JOB fails in a job without it. Outside
 *   of any job it works, and does nothing. What breaks away is not in the list.
 * - IsProcessInJob says that it is in one. That is so in many places: terminals, IDEs, services.
 * - It can make jobs of its own: since Windows 8 they are nested, and are listed here too. */
HANDLE um_job_open(HANDLE process)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags =
                                                       JOB_OBJECT_LIMIT_BREAKAWAY_OK};
    HANDLE job = CreateJobObjectW(NULL, NULL);
    if (!job)
        return NULL;
    if (SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits) &&
        AssignProcessToJobObject(job, process))
        return job;
    CloseHandle(job);
    return NULL;
}

static size_t list_bytes(size_t room)
{
    return offsetof(JOBOBJECT_BASIC_PROCESS_ID_LIST, ProcessIdList) + room * sizeof(ULONG_PTR);
}

/* Owner: free(*list). */
static enum um_status read_list(HANDLE job, JOBOBJECT_BASIC_PROCESS_ID_LIST **list)
{
    for (size_t room = FIRST_ROOM; room <= MAX_PROCESSES; room *= 2) {
        JOBOBJECT_BASIC_PROCESS_ID_LIST *made = calloc(1, list_bytes(room));
        if (!made)
            return UM_ERR_MEMORY;
        bool done = QueryInformationJobObject(job, JobObjectBasicProcessIdList, made,
                                              (DWORD)list_bytes(room), NULL) != 0;
        DWORD error = GetLastError();
        if (done && made->NumberOfProcessIdsInList <= room) {
            *list = made;
            return UM_OK;
        }
        free(made);
        if (done || error != ERROR_MORE_DATA)
            return UM_ERR_IO;
    }
    return UM_ERR_IO;
}

enum um_status um_job_list(HANDLE job, uint32_t except, uint32_t **pids, size_t *count)
{
    JOBOBJECT_BASIC_PROCESS_ID_LIST *list;
    size_t kept = 0;
    enum um_status status = read_list(job, &list);
    if (status != UM_OK)
        return status;
    uint32_t *made = calloc((size_t)list->NumberOfProcessIdsInList + 1, sizeof *made);
    for (DWORD i = 0; made && i < list->NumberOfProcessIdsInList; i++)
        if (list->ProcessIdList[i] != except)
            made[kept++] = (uint32_t)list->ProcessIdList[i];
    free(list);
    if (!made)
        return UM_ERR_MEMORY;
    *pids = made;
    *count = kept;
    return UM_OK;
}
