/* A target whose functions share a freeze's time in known parts. Writes the demo's log.
 *
 *   target_works_win32 [options of the demo]
 *
 * A posted UM_DEMO_UI_SPIN makes it work; the last two digits of its length in ms say how (see
 * `works` below). It says on standard output when it comes to its work: "works at NS". After shared
 * work it says which part each function had, and in which line its loop of three lines begins:
 * "share FUNCTION 0.61 LINE". It also says which thread lets it wait: "lock THREAD at NS" when it
 * is about to wait for the lock, "window THREAD at NS" when that thread has its message. A look-up
 * that waits for its lock says "look-up waits". Whoever watches its own time says how often it was
 * not let run and for how long at a stretch: "stood N NS". A length of 50,000 ms or more stands for
 * "until told" (tests/target/told.h); shared work then is that of one function after the other,
 * each until told, and says when it begins: "now FUNCTION NS".
 */
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "demo/journal.h"
#include "base/plain/clock.h"
#include "base/plain/compiler_win32.h"
#include "base/random.h"
#include "tests/target/target.h"
#include "tests/target/told.h"
#include "tests/win/runtime/methods.h"

#define DEPTH 200
#define ROUND 20000  /* of work between two looks at the clock, which take some microseconds */
#define SLICE_US 100 /* of a tenth of the shared work, on average */
#define RELOADS 100
#define LATE_DLL L"works_late.dll"

/* Whatever it is that the compiler could leave out is used here. */
static volatile uint64_t result;

enum { MOST, SOME, LITTLE, SHARES };

static unsigned lines[SHARES]; /* where the loops of these functions begin */

static CRITICAL_SECTION lock;
static HANDLE locked; /* by the holder, which also says so when it has its name */

/* As an end of work. No function but the one that works is called then, not even for the time. */
#define UNTIL_TOLD UINT64_MAX

/* When work of this length ends. */
static uint64_t end_of(uint32_t ms)
{
    return told_lasts(ms) ? UNTIL_TOLD : um_clock_now_ns() + ms * UM_CLOCK_NS_PER_MS;
}

static UM_ALWAYS_INLINE void rest(uint32_t ms)
{
    if (told_lasts(ms))
        told_wait();
    else
        Sleep(ms);
}

/* A thread has come to its work, or to that for which the UI thread waits: says so. */
static void say_begin(const char *what)
{
    printf("%s at %llu\n", what, (unsigned long long)um_clock_now_ns());
    fflush(stdout);
}

/* The functions whose shares are known -------------------------------------------------------- */

static UM_NOINLINE uint64_t work_most(uint64_t until_ns)
{
    uint64_t now_ns = 0;
    lines[MOST] = __LINE__ + 1;
    while (!told && (until_ns == UNTIL_TOLD || (now_ns = um_clock_now_ns()) < until_ns))
        for (int i = 0; i < ROUND; i++)
            result += (uint64_t)i;
    return now_ns;
}

static UM_NOINLINE uint64_t work_some(uint64_t until_ns)
{
    uint64_t now_ns = 0;
    lines[SOME] = __LINE__ + 1;
    while (!told && (until_ns == UNTIL_TOLD || (now_ns = um_clock_now_ns()) < until_ns))
        for (int i = 0; i < ROUND; i++)
            result ^= (uint64_t)i;
    return now_ns;
}

static UM_NOINLINE uint64_t work_little(uint64_t until_ns)
{
    uint64_t now_ns = 0;
    lines[LITTLE] = __LINE__ + 1;
    while (!told && (until_ns == UNTIL_TOLD || (now_ns = um_clock_now_ns()) < until_ns))
        for (int i = 0; i < ROUND; i++)
            result -= (uint64_t)i;
    return now_ns;
}

static void share_in_turn(void)
{
    static const struct {
        const char *name;
        uint64_t (*work)(uint64_t until_ns);
    } parts[SHARES] = {
        {"work_most", work_most}, {"work_some", work_some}, {"work_little", work_little}};
    for (int i = 0; i < SHARES; i++) {
        told_begin();
        printf("now %s %llu\n", parts[i].name, (unsigned long long)um_clock_now_ns());
        fflush(stdout);
        result += parts[i].work(UNTIL_TOLD);
    }
    for (int i = 0; i < SHARES; i++)
        printf("share %s 0 %u\n", parts[i].name, lines[i]);
    fflush(stdout);
}

/* The rounds are not of one length, so that they have no pace in common with the system's timer, by
 * which samples are taken. */
static UM_NOINLINE void share_work(uint32_t ms)
{
    struct um_random random = {.state = ms};
    uint64_t begin_ns = um_clock_now_ns();
    uint64_t end_ns = begin_ns + ms * UM_CLOCK_NS_PER_MS;
    uint64_t most_ns = 0, some_ns = 0, little_ns = 0, now_ns = begin_ns;
    if (told_lasts(ms)) {
        share_in_turn();
        return;
    }
    while (now_ns < end_ns) {
        uint64_t slice_ns =
            (SLICE_US / 2 + um_random_below(&random, SLICE_US)) * UM_CLOCK_NS_PER_US;
        uint64_t after_ns = work_most(now_ns + 6 * slice_ns);
        most_ns += after_ns - now_ns;
        now_ns = work_some(after_ns + 3 * slice_ns);
        some_ns += now_ns - after_ns;
        after_ns = work_little(now_ns + slice_ns);
        little_ns += after_ns - now_ns;
        now_ns = after_ns;
    }
    double all_ns = (double)(now_ns - begin_ns);
    printf("share work_most %.4f %u\n", (double)most_ns / all_ns, lines[MOST]);
    printf("share work_some %.4f %u\n", (double)some_ns / all_ns, lines[SOME]);
    printf("share work_little %.4f %u\n", (double)little_ns / all_ns, lines[LITTLE]);
    fflush(stdout);
}

/* The other ones ------------------------------------------------------------------------------ */

static UM_NOINLINE uint64_t recurse(uint32_t depth, uint32_t ms)
{
    if (depth == 0)
        return work_some(end_of(ms));
    uint64_t below = recurse(depth - 1, ms);
    result += depth; /* so that there is something left to do after the call */
    return below;
}

static void recurse_deeply(uint32_t ms)
{
    result = recurse(DEPTH, ms);
}

static void say_thread(const char *what, DWORD tid)
{
    char line[32];
    snprintf(line, sizeof line, "%s %lu", what, (unsigned long)tid);
    say_begin(line);
}

/* Windows has it since version 1607 of Windows 10, and no import library of mingw-w64's. */
static void name_thread(const wchar_t *name)
{
    typedef HRESULT(WINAPI * set_description)(HANDLE thread, PCWSTR description);
    set_description set = (set_description)GetProcAddress(GetModuleHandleW(L"kernelbase.dll"),
                                                          "SetThreadDescription");
    if (set)
        set(GetCurrentThread(), name);
}

/* The thread that holds the lock. It is there, and has its name, before the program can be watched:
 * uimon asks for a thread's name once. */
static struct {
    HANDLE wanted; /* the lock is to be held */
    DWORD tid;
    uint32_t ms;
} holder;

static UM_NOINLINE void hold_lock(uint32_t ms)
{
    EnterCriticalSection(&lock);
    SetEvent(locked);
    rest(ms);
    LeaveCriticalSection(&lock);
}

static DWORD WINAPI run_holder(void *unused)
{
    (void)unused;
    name_thread(L"holder");
    SetEvent(locked);
    while (WaitForSingleObject(holder.wanted, INFINITE) == WAIT_OBJECT_0)
        hold_lock(holder.ms);
    return 0;
}

static void start_holder(void)
{
    locked = CreateEventW(NULL, FALSE, FALSE, NULL);
    holder.wanted = CreateEventW(NULL, FALSE, FALSE, NULL);
    CloseHandle(CreateThread(NULL, 0, run_holder, NULL, 0, &holder.tid));
    WaitForSingleObject(locked, INFINITE);
}

static UM_NOINLINE void wait_for_lock(uint32_t ms)
{
    holder.ms = ms;
    SetEvent(holder.wanted);
    WaitForSingleObject(locked, INFINITE);
    say_thread("lock", holder.tid);
    EnterCriticalSection(&lock);
    LeaveCriticalSection(&lock);
}

static LRESULT CALLBACK answer_slowly(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message != UM_DEMO_UI_SPIN)
        return DefWindowProcW(hwnd, message, wparam, lparam);
    say_thread("window", GetCurrentThreadId());
    rest((uint32_t)wparam);
    PostQuitMessage(0);
    return 1;
}

static DWORD WINAPI own_window(void *window)
{
    WNDCLASSW window_class = {.lpfnWndProc = answer_slowly,
                              .hInstance = GetModuleHandleW(NULL),
                              .lpszClassName = L"UimonSlow"};
    MSG msg;
    RegisterClassW(&window_class);
    HWND hwnd = CreateWindowExW(0, window_class.lpszClassName, L"slow", 0, 0, 0, 0, 0, HWND_MESSAGE,
                                NULL, window_class.hInstance, NULL);
    *(HWND *)window = hwnd;
    SetEvent(locked);
    while (GetMessageW(&msg, NULL, 0, 0) > 0)
        DispatchMessageW(&msg);
    DestroyWindow(hwnd);
    return 0;
}

static UM_NOINLINE void send_message(uint32_t ms)
{
    HWND window = NULL;
    HANDLE thread = CreateThread(NULL, 0, own_window, (void *)&window, 0, NULL);
    WaitForSingleObject(locked, INFINITE);
    result += (uint64_t)SendMessageW(window, UM_DEMO_UI_SPIN, ms, 0);
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}

static UM_NOINLINE void sleep_long(uint32_t ms)
{
    rest(ms);
    result++;
}

static UM_NOINLINE void call_late(uint32_t ms)
{
    HMODULE module = LoadLibraryW(LATE_DLL);
    void (*work)(uint32_t) =
        module ? (void (*)(uint32_t))GetProcAddress(module, "late_work") : NULL;
    const uint32_t turn_ms = 10;
    say_begin("works");
    while (work && told_lasts(ms) && !told)
        work(turn_ms);
    if (work && !told_lasts(ms))
        work(ms);
    result++;
}

static UM_NOINLINE void reload(uint32_t ms)
{
    for (int i = 0; i < RELOADS; i++) {
        HMODULE module = LoadLibraryW(LATE_DLL);
        void (*work)(uint32_t) =
            module ? (void (*)(uint32_t))GetProcAddress(module, "late_work") : NULL;
        if (work)
            work(ms / RELOADS);
        if (module)
            FreeLibrary(module);
    }
}

/* Code that is made at run time, as a runtime's compiler does: a row of functions, each of which
 * calls the next, and the last one work_below. The system is told of their unwind data. */
#define GENERATED 12
#define GENERATED_BYTES RUNTIME_FUNCTION_BYTES
#define ODD_ONE 3 /* by its number */

typedef void (*work_fn)(uint32_t ms);

/* Functions, their unwind data and their entries, all in the same memory. */
struct generated {
    uint8_t code[GENERATED][GENERATED_BYTES];
    uint8_t unwind[8];
    RUNTIME_FUNCTION entries[GENERATED];
    _Alignas(RUNTIME_METHODS_AT) struct runtime_methods methods;
};

_Static_assert(offsetof(struct generated, methods) == RUNTIME_METHODS_AT, "where it is looked for");

static UM_NOINLINE void work_below(uint32_t ms)
{
    work_some(end_of(ms));
    result++;
}

static struct generated *generate(void)
{
    static const uint8_t begin[] = {0x53,                   /* push rbx */
                                    0x48, 0x83, 0xec, 0x20, /* sub rsp, 32 */
                                    0x48, 0xb8};            /* mov rax, the next one */
    static const uint8_t end[] = {0xff, 0xd0,               /* call rax */
                                  0x48, 0x83, 0xc4, 0x20,   /* add rsp, 32 */
                                  0x5b, 0xc3};              /* pop rbx; ret */
    static const uint8_t unwind[] = {1, 5, 2, 0, 5, 0x32, 1, 0x30};
    struct generated *made =
        VirtualAlloc(NULL, sizeof *made, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
    if (!made)
        exit(EXIT_FAILURE);
    memcpy(made->unwind, unwind, sizeof unwind);
    for (size_t i = 0; i < GENERATED; i++) {
        uint8_t *at = made->code[i];
        uint64_t next = i + 1 < GENERATED ? (uint64_t)(uintptr_t)made->code[i + 1]
                                          : (uint64_t)(uintptr_t)work_below;
        memcpy(at, begin, sizeof begin);
        memcpy(at + sizeof begin, &next, sizeof next);
        memcpy(at + sizeof begin + sizeof next, end, sizeof end);
        made->entries[i].BeginAddress = (DWORD)(i * GENERATED_BYTES);
        made->entries[i].EndAddress =
            (DWORD)(i * GENERATED_BYTES + sizeof begin + sizeof next + sizeof end);
        made->entries[i].UnwindData = (DWORD)offsetof(struct generated, unwind);
    }
    return made;
}

static void call_generated(uint32_t ms)
{
    static struct generated *made;
    if (!made) {
        made = generate();
        RtlAddFunctionTable(made->entries, GENERATED, (DWORD64)(uintptr_t)made);
    }
    ((work_fn)(uintptr_t)made->code[0])(ms);
    result++;
}

/* Called by the system, on any thread. */
static PRUNTIME_FUNCTION CALLBACK find_entry(DWORD64 pc, void *context)
{
    struct generated *made = context;
    size_t i = (size_t)(pc - (DWORD64)(uintptr_t)made) / GENERATED_BYTES;
    return i < GENERATED ? &made->entries[i] : NULL;
}

/* The same as .NET does it. */
static void call_generated_by_callback(uint32_t ms)
{
    static struct generated *made;
    if (!made) {
        made = generate();
        DWORD64 base = (DWORD64)(uintptr_t)made;
        RtlInstallFunctionTableCallback(base | 3, base, sizeof made->code, find_entry, made, NULL);
    }
    ((work_fn)(uintptr_t)made->code[0])(ms);
    result++;
}

/* The same for a runtime whose function takes a lock that the frozen thread holds. */
static PRUNTIME_FUNCTION CALLBACK find_entry_locked(DWORD64 pc, void *context)
{
    if (!TryEnterCriticalSection(&lock)) {
        static const char line[] = "look-up waits\n";
        DWORD written;
        WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), line, sizeof line - 1, &written, NULL);
        EnterCriticalSection(&lock);
    }
    PRUNTIME_FUNCTION entry = find_entry(pc, context);
    LeaveCriticalSection(&lock);
    return entry;
}

static void call_generated_with_lock(uint32_t ms)
{
    struct generated *made = generate();
    DWORD64 base = (DWORD64)(uintptr_t)made;
    RtlInstallFunctionTableCallback(base | 3, base, sizeof made->code, find_entry_locked, made,
                                    NULL);
    EnterCriticalSection(&lock);
    ((work_fn)(uintptr_t)made->code[0])(ms);
    LeaveCriticalSection(&lock);
    result++;
}

/* The same for a runtime that is loaded, so that its library for debuggers knows the functions. */
static void call_methods(uint32_t ms, enum runtime_what what)
{
    struct generated *made = generate();
    LoadLibraryW(L"coreclr.dll");
    memcpy(made->methods.magic, RUNTIME_MAGIC, sizeof made->methods.magic);
    made->methods.odd_one = ODD_ONE;
    made->methods.what = what;
    GetEnvironmentVariableA(RUNTIME_ASSEMBLY, made->methods.assembly,
                            sizeof made->methods.assembly);
    RtlAddFunctionTable(made->entries, GENERATED, (DWORD64)(uintptr_t)made);
    ((work_fn)(uintptr_t)made->code[0])(ms);
    result++;
}

static void call_methods_and_read(uint32_t ms)
{
    call_methods(ms, RUNTIME_READS);
}

static void call_methods_and_end(uint32_t ms)
{
    call_methods(ms, RUNTIME_ENDS);
}

static void call_methods_and_hang(uint32_t ms)
{
    call_methods(ms, RUNTIME_HANGS);
}

/* Work in what the system calls back --------------------------------------------------------- */

static uint32_t callback_ms; /* how long; 0: it is done */

static UM_NOINLINE void work_once(void)
{
    if (callback_ms > 0) {
        say_begin("works");
        work_some(end_of(callback_ms));
    }
    callback_ms = 0;
}

static UM_NOINLINE INT_PTR CALLBACK fill_dialog(HWND hwnd, UINT message, WPARAM wparam,
                                                LPARAM lparam)
{
    (void)wparam;
    (void)lparam;
    if (message != WM_INITDIALOG)
        return FALSE;
    work_once();
    EndDialog(hwnd, 0);
    return TRUE;
}

static UM_NOINLINE void open_dialog(uint32_t ms)
{
    static const struct {
        DLGTEMPLATE head;
        WORD menu, window_class, title;
    } template = {.head = {.style = WS_POPUP | WS_BORDER, .cx = 50, .cy = 20}};
    callback_ms = ms;
    result += (uint64_t)DialogBoxIndirectParamW(NULL, &template.head, NULL, fill_dialog, 0);
}

static UM_NOINLINE LRESULT CALLBACK answer_move(HWND hwnd, UINT message, WPARAM wparam,
                                                LPARAM lparam)
{
    if (message == WM_WINDOWPOSCHANGED)
        work_once();
    return DefWindowProcW(hwnd, message, wparam, lparam);
}

/* The size of its frame is known only when it runs, so it has a frame register. */
static UM_NOINLINE void move_window(uint32_t ms)
{
    volatile char *bytes = _alloca(ms);
    WNDCLASSW window_class = {.lpfnWndProc = answer_move,
                              .hInstance = GetModuleHandleW(NULL),
                              .lpszClassName = L"UimonMoved"};
    RegisterClassW(&window_class);
    HWND hwnd = CreateWindowExW(0, window_class.lpszClassName, L"moved", WS_POPUP, 0, 0, 10, 10,
                                NULL, NULL, window_class.hInstance, NULL);
    bytes[0] = 1;
    callback_ms = ms;
    SetWindowPos(hwnd, NULL, 5, 5, 0, 0, SWP_NOSIZE | SWP_NOZORDER | SWP_NOACTIVATE);
    DestroyWindow(hwnd);
    result += (uint64_t)bytes[0];
}

static UM_NOINLINE LRESULT CALLBACK hear_of_window(int code, WPARAM wparam, LPARAM lparam)
{
    if (code == HCBT_CREATEWND)
        work_once();
    return CallNextHookEx(NULL, code, wparam, lparam);
}

static UM_NOINLINE void hook_window(uint32_t ms)
{
    HHOOK hook = SetWindowsHookExW(WH_CBT, hear_of_window, NULL, GetCurrentThreadId());
    callback_ms = ms;
    DestroyWindow(
        CreateWindowExW(0, L"Static", L"hooked", WS_POPUP, 0, 0, 1, 1, NULL, NULL, NULL, NULL));
    UnhookWindowsHookEx(hook);
    result++;
}

/* From one look at the clock to the next. */
static void watch_itself(uint32_t ms)
{
    static unsigned count;
    uint64_t before_ns = um_clock_now_ns();
    uint64_t end_ns = before_ns + ms * UM_CLOCK_NS_PER_MS;
    uint64_t longest_ns = 0;
    while (before_ns < end_ns) {
        uint64_t now_ns = um_clock_now_ns();
        if (now_ns - before_ns > longest_ns)
            longest_ns = now_ns - before_ns;
        before_ns = now_ns;
    }
    printf("stood %u %llu\n", ++count, (unsigned long long)longest_ns);
    fflush(stdout);
}

static const struct work {
    const char *name;
    void (*run)(uint32_t ms);
    bool says_so; /* when it begins, because it comes to its work only after something else */
} works[] = {
    {"share_work", share_work, false},
    {"recurse", recurse_deeply, false},
    {"wait_for_lock", wait_for_lock, false},
    {"sleep_long", sleep_long, false},
    {"call_late", call_late, true},
    {"send_message", send_message, false},
    {"reload", reload, false},
    {"call_generated", call_generated, false},
    {"call_generated_by_callback", call_generated_by_callback, false},
    {"call_methods_and_read", call_methods_and_read, false},
    {"call_methods_and_end", call_methods_and_end, false},
    {"call_methods_and_hang", call_methods_and_hang, false},
    {"open_dialog", open_dialog, true},
    {"move_window", move_window, true},
    {"hook_window", hook_window, true},
    {"call_generated_with_lock", call_generated_with_lock, false},
    {"watch_itself", watch_itself, false},
};

/* The window ---------------------------------------------------------------------------------- */

static void work(HWND hwnd, uint32_t ms)
{
    const struct work *chosen = &works[ms % 100 < ARRAYSIZE(works) ? ms % 100 : 0];
    struct um_demo_log_event event = {.kind = UM_DEMO_LOG_FREEZE,
                                      .requested_ms = ms,
                                      .retrieved_ns = target_ui.retrieved_ns,
                                      .message = UM_DEMO_UI_SPIN,
                                      .hwnd = (uint64_t)(uintptr_t)hwnd,
                                      .tid = GetCurrentThreadId()};
    snprintf(event.name, sizeof event.name, "%s", chosen->name);
    told = 0;
    if (told_lasts(ms))
        told_begin();
    um_demo_journal_away(target_ui.journal, event.tid); /* from now on it can be told */
    if (!chosen->says_so)
        say_begin("works");
    event.begin_ns = um_clock_now_ns();
    chosen->run(ms);
    event.end_ns = um_clock_now_ns();
    target_ui.away = true;
    um_demo_journal_write(target_ui.journal, &event);
}

static LRESULT CALLBACK window_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (message != UM_DEMO_UI_SPIN)
        return target_proc(hwnd, message, wparam, lparam);
    work(hwnd, (uint32_t)wparam);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct target_window window = {L"UimonWorks", L"works", 640, 400, window_proc};

    InitializeCriticalSection(&lock);
    start_holder();
    target_open(argc, argv, &window);
    return target_run();
}
