/* A target with markers of its own (markers/uimon.h). Writes the demo's log.
 *
 *   target_markers_win32 [options of the demo]
 *
 * Each 10 ms its UI thread posts a task to a worker, within an interval, and the worker runs it.
 * Each task is a flow, which ends when it has run. When somebody watches, it loads the DLL that
 * UM_MARKERS_DLL names (uimon-markers64.dll) and calls its functions for every other task. Each
 * marker has a number that counts up. What it did while it was watched is on standard output, a
 * line a marker:
 *
 *   mark NUMBER NAME TASK THREAD
 *
 * A posted UM_DEMO_UI_SPIN makes it flood uimon with so many thousand markers from four threads,
 * and say "flood COUNT" with all of them. From then on each tick has a marker "Calm". */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "demo/ui_win32.h"
#include "markers/uimon.h"
#include "tests/target/target.h"

#define TICK_MS 10
#define TASKS 256
#define FLOODERS 4

typedef uint64_t(UIMON_CALL *begin_call)(const char *name, const char *category,
                                         const struct uimon_field *fields, uint32_t count);
typedef void(UIMON_CALL *end_call)(uint64_t interval, const struct uimon_field *fields,
                                   uint32_t count);

static begin_call dll_begin; /* NULL: the DLL is not loaded */
static end_call dll_end;
static volatile LONG numbers;
static HANDLE tasks; /* how many wait for the worker */
static bool is_calm; /* the flood is over */
static CRITICAL_SECTION output;

static void say(uint32_t number, const char *name, uint32_t task)
{
    EnterCriticalSection(&output);
    printf("mark %lu %s %lu %lu\n", (unsigned long)number, name, (unsigned long)task,
           (unsigned long)GetCurrentThreadId());
    fflush(stdout);
    LeaveCriticalSection(&output);
}

static uint32_t next_number(void)
{
    return (uint32_t)InterlockedIncrement(&numbers);
}

/* The address of a variable is unique in a program until the variable is gone. Here it is a number
 * that nobody would take for one of uimon's. */
static uint64_t id_of(uint32_t task)
{
    return UINT64_C(0x7a5c000000000000) + task;
}

static uint64_t begin(const char *name, uint32_t number, uint32_t task)
{
    const struct uimon_field fields[] = {uimon_number("n", number), uimon_flow("task", id_of(task)),
                                         uimon_text("who", "target")};
    return dll_begin && task % 2 ? dll_begin(name, "pipeline", fields, 3)
                                 : uimon_begin(name, "pipeline", fields, 3);
}

static void end(uint64_t interval, uint32_t task, const struct uimon_field *fields, uint32_t count)
{
    if (dll_end && task % 2)
        dll_end(interval, fields, count);
    else
        uimon_end(interval, fields, count);
}

static void post(uint32_t task)
{
    const struct uimon_field fields[] = {uimon_number("n", next_number()),
                                         uimon_flow("task", id_of(task))};
    bool watched = uimon_is_watched();
    uimon_marker("Post", "pipeline", fields, 2);
    if (watched)
        say((uint32_t)fields[0].number, "Post", task);
    ReleaseSemaphore(tasks, 1, NULL);
}

static void run_task(uint32_t task)
{
    const struct uimon_field last = uimon_flow_end("done", id_of(task));
    uint32_t number = next_number();
    uint64_t interval = begin("Run", number, task);
    Sleep(1);
    end(interval, task, &last, 1);
    if (interval)
        say(number, "Run", task);
}

static DWORD WINAPI work(void *unused)
{
    (void)unused;
    for (uint32_t task = 1; WaitForSingleObject(tasks, INFINITE) == WAIT_OBJECT_0; task++)
        run_task(task);
    return 0;
}

static void load_dll(void)
{
    const char *path = getenv("UM_MARKERS_DLL");
    HMODULE dll = path ? LoadLibraryA(path) : NULL;
    begin_call found = dll ? (begin_call)GetProcAddress(dll, "uimon_begin") : NULL;
    if (!found)
        return;
    dll_end = (end_call)GetProcAddress(dll, "uimon_end");
    dll_begin = found;
    printf("loaded\n");
    fflush(stdout);
}

static void tick(void)
{
    static uint32_t task;
    static bool loaded;
    uint32_t number = next_number();
    if (!loaded && uimon_is_watched()) {
        loaded = true;
        load_dll();
    }
    if (is_calm)
        uimon_marker("Calm", "calm", NULL, 0);
    task++;
    uint64_t interval = uimon_is_watched() ? begin("Tick", number, task) : 0;
    post(task);
    end(interval, task, NULL, 0);
    if (interval)
        say(number, "Tick", task);
}

static DWORD WINAPI flood(void *count)
{
    for (uintptr_t i = 0; i < (uintptr_t)count; i++) {
        const struct uimon_field fields[] = {uimon_number("i", (double)i),
                                             uimon_text("text", "as long as many texts are")};
        uimon_marker("Flood", "flood", fields, 2);
    }
    return 0;
}

static void flood_all(uint32_t thousands)
{
    HANDLE threads[FLOODERS];
    for (int i = 0; i < FLOODERS; i++)
        threads[i] = CreateThread(NULL, 0, flood, (void *)(uintptr_t)(thousands * 1000u / FLOODERS),
                                  0, NULL);
    WaitForMultipleObjects(FLOODERS, threads, TRUE, INFINITE);
    is_calm = true;
    printf("flood %lu\n", (unsigned long)(thousands * 1000u / FLOODERS * FLOODERS));
    fflush(stdout);
}

static LRESULT CALLBACK window_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message == WM_TIMER)
        tick();
    else if (message == UM_DEMO_UI_SPIN)
        flood_all((uint32_t)wparam);
    return target_proc(hwnd, message, wparam, lparam);
}

int main(int argc, char **argv)
{
    const struct target_window window = {L"um_target_markers", L"markers", 400, 300, window_proc};
    InitializeCriticalSection(&output);
    tasks = CreateSemaphoreW(NULL, 0, TASKS, NULL);
    CloseHandle(CreateThread(NULL, 0, work, NULL, 0, NULL));
    HWND hwnd = target_open(argc, argv, &window);
    SetTimer(hwnd, 1, TICK_MS, NULL);
    return target_run();
}
