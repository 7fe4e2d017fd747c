/* Asks uimon-names.exe, which lies beside this program, for names as the monitor does. Exit code 0,
 * 1 with a line on stderr if there were none, 2 for bad usage.
 *
 * Symbols are looked for as the variable _NT_SYMBOL_PATH says.
 *
 *   ask MODULE FILE    for the addresses (RVAs, hexadecimal) of the file's lines, one line each:
 *                      RVA KIND DISPLACEMENT LINE NAME|FILE, or RVA 0 WHY; at last
 *                      "starts N first US rest US private BYTES cpu US": how often the process was
 *                      started, how long the first address and the others took, what the process
 *                      takes at the end
 *   kill MODULE FILE   the same, but ends the process in the middle
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <psapi.h>
#include <tlhelp32.h>

#include "base/plain/clock.h"
#include "base/platform.h"
#include "monitor/naming/names_process.h"

#define LIMIT_MS 60000 /* only a hang gets there */

static struct um_names_process_address addresses[UM_NAMES_CACHE_COUNT];

static size_t read_addresses(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t count = 0;
    while (file && count < UM_NAMES_CACHE_COUNT &&
           fscanf(file, "%" SCNx32, &addresses[count].rva) == 1)
        count++;
    if (file)
        fclose(file);
    return count;
}

/* The uimon-names.exe that this process has started. Owner: CloseHandle. NULL: there is none. */
static HANDLE find_child(void)
{
    HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    PROCESSENTRY32W entry = {.dwSize = sizeof entry};
    HANDLE child = NULL;

    for (BOOL more = Process32FirstW(snapshot, &entry); more && !child;
         more = Process32NextW(snapshot, &entry))
        if (entry.th32ParentProcessID == GetCurrentProcessId() &&
            _wcsicmp(entry.szExeFile, L"uimon-names.exe") == 0)
            child = OpenProcess(PROCESS_TERMINATE | PROCESS_QUERY_INFORMATION | PROCESS_VM_READ |
                                    SYNCHRONIZE,
                                FALSE, entry.th32ProcessID);
    CloseHandle(snapshot);
    return child;
}

/* Asks without the time to wait, so that something is waited for, and ends the process then. */
static bool kill_in_the_middle(struct um_names_process *names, size_t count)
{
    if (um_names_process_ask(names, addresses, count, 0) != UM_ERR_TIMEOUT)
        return false;
    HANDLE child = find_child();
    bool killed = child && TerminateProcess(child, 1) &&
                  WaitForSingleObject(child, LIMIT_MS) == WAIT_OBJECT_0;
    if (child)
        CloseHandle(child);
    return killed;
}

static uint64_t cpu_us(HANDLE process)
{
    FILETIME begin, end, kernel, user;
    if (!GetProcessTimes(process, &begin, &end, &kernel, &user))
        return 0;
    return (((uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime) +
            ((uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime)) /
           10;
}

static void print_cost(const struct um_names_process *names, const uint64_t ns[3])
{
    PROCESS_MEMORY_COUNTERS_EX memory = {.cb = sizeof memory};
    HANDLE child = find_child();

    if (!GetProcessMemoryInfo(child, (PROCESS_MEMORY_COUNTERS *)&memory, sizeof memory))
        fprintf(stderr, "names: memory: error %lu\n", GetLastError());
    /* Wine leaves PrivateUsage at 0; the other is the same figure by its older name. */
    printf("starts %" PRIu32 " first %" PRIu64 " rest %" PRIu64 " private %" PRIu64 " cpu %" PRIu64
           "\n",
           um_names_process_starts(names), (ns[1] - ns[0]) / 1000, (ns[2] - ns[1]) / 1000,
           (uint64_t)(memory.PrivateUsage ? memory.PrivateUsage : memory.PagefileUsage),
           cpu_us(child));
    if (child)
        CloseHandle(child);
}

static void print_names(const struct um_names_process *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t rva = addresses[i].rva;
        const struct um_names_cached *name = um_names_process_find(names, addresses[i].module, rva);
        if (name && name->kind != UM_NAMES_NOWHERE)
            printf("%" PRIx32 " %u %" PRIu32 " %" PRIu32 " %s|%s\n", rva, name->kind,
                   name->displacement, name->line, name->name, name->file);
        else
            printf("%" PRIx32 " 0 %s\n", rva, name ? um_names_why_text(name->why) : "nothing");
    }
}

static int ask(struct um_names_process *names, size_t count, bool kills)
{
    uint64_t ns[3] = {um_clock_now_ns()};

    if (kills && !kill_in_the_middle(names, count)) {
        fprintf(stderr, "names: the process could not be ended in the middle\n");
        return EXIT_FAILURE;
    }
    enum um_status status = um_names_process_ask(names, addresses, 1, LIMIT_MS);
    ns[1] = um_clock_now_ns();
    if (status == UM_OK)
        status = um_names_process_ask(names, addresses, count, LIMIT_MS);
    ns[2] = um_clock_now_ns();
    if (status != UM_OK) {
        fprintf(stderr, "names: %s (%s)\n", um_status_text(status), um_names_process_why(names));
        return EXIT_FAILURE;
    }
    print_names(names, count);
    print_cost(names, ns);
    return EXIT_SUCCESS;
}

int main(void)
{
    struct um_names_module module = {0};
    struct um_names_process *names;
    uint32_t number;
    const char *search_path = getenv("_NT_SYMBOL_PATH");
    int argc;
    char **argv;

    if (um_platform_start(&argc, &argv) != UM_OK || argc != 4 ||
        (strcmp(argv[1], "ask") != 0 && strcmp(argv[1], "kill") != 0))
        return 2;
    size_t count = read_addresses(argv[3]);
    snprintf(module.path, sizeof module.path, "%s", argv[2]);
    if (count == 0 ||
        um_names_process_open(search_path ? search_path : "", um_transport_system(), &names) !=
            UM_OK ||
        um_names_process_module(names, &module, &number) != UM_OK)
        return 2;
    for (size_t i = 0; i < count; i++)
        addresses[i].module = number;
    int code = ask(names, count, strcmp(argv[1], "kill") == 0);
    um_names_process_close(names);
    return code;
}
