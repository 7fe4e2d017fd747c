#include "tests/stacks/nest_win32.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

/* Each of these is a function of its own, whatever the optimiser thinks of it, and none of its
 * calls is its last action unless that is what it is for. */
#ifdef __GNUC__
#define ALONE __attribute__((noipa))
#else
#define ALONE __declspec(noinline)
#endif
#define NEST_STACK_BYTES (4 << 20) /* there as a whole: see CMakeLists.txt */
#define DEPTH 45

/* How often a scene is played in a row, so that a thread is seldom found in the system. */
#define OFTEN 50000

void (*volatile nest_bottom)(void) = nest_work;
volatile long nest_waiting;
volatile long nest_released;

static volatile long sink;
static volatile long stopped;
static HWND window;

ALONE void nest_work(void)
{
    for (long i = 0; i < 3; i++)
        sink += i ^ sink;
}

ALONE void nest_wait(void)
{
    nest_waiting = 1;
    while (!nest_released)
        sink++;
    nest_waiting = 0;
}

/* Scenes --------------------------------------------------------------------------------------- */

static ALONE void recurse(long depth)
{
    if (depth > 1)
        recurse(depth - 1);
    else
        nest_bottom();
    sink += depth;
}

static ALONE void recursion(void)
{
    recurse(DEPTH);
    sink++;
}

/* Its frame's size is known only when it runs, so it has a frame register. */
static ALONE void dynamic(void)
{
    size_t len = (size_t)(sink & 1023) + 16;
    volatile char *bytes = _alloca(len);
    bytes[0] = 1;
    nest_bottom();
    sink += bytes[0];
}

/* Larger than a page. */
static ALONE void pages(void)
{
    volatile char bytes[6000];
    bytes[0] = 1;
    nest_bottom();
    sink += bytes[0];
}

/* Larger than 512 KiB, which needs a number of 32 bits. */
static ALONE void megabyte(void)
{
    volatile char bytes[700000];
    bytes[0] = 1;
    nest_bottom();
    sink += bytes[0];
}

#ifdef __GNUC__
static ALONE void saves(void)
{
    __asm__ volatile("" ::
                         : "rbx", "rsi", "rdi", "rbp", "r12", "r13", "r14", "r15", "xmm6", "xmm7",
                           "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
    nest_bottom();
    sink++;
}

/* Compilers push what they save. These save by moves, near and far, with a frame register and
 * without. */
void nest_moves(void);
__asm__(".text\n"
        ".globl nest_moves\n"
        ".seh_proc nest_moves\n"
        "nest_moves:\n"
        "subq $0x58, %rsp\n"
        ".seh_stackalloc 0x58\n"
        "movq %rbx, 0x28(%rsp)\n"
        ".seh_savereg %rbx, 0x28\n"
        "movq %r12, 0x30(%rsp)\n"
        ".seh_savereg %r12, 0x30\n"
        "movaps %xmm6, 0x40(%rsp)\n"
        ".seh_savexmm %xmm6, 0x40\n"
        ".seh_endprologue\n"
        "xorl %ebx, %ebx\n"
        "xorl %r12d, %r12d\n"
        "callq *nest_bottom(%rip)\n"
        "movaps 0x40(%rsp), %xmm6\n"
        "movq 0x28(%rsp), %rbx\n"
        "movq 0x30(%rsp), %r12\n"
        "addq $0x58, %rsp\n"
        "ret\n"
        ".seh_endproc\n");

void nest_far_moves(void);
__asm__(".text\n"
        ".globl nest_far_moves\n"
        ".seh_proc nest_far_moves\n"
        "nest_far_moves:\n"
        "pushq %r13\n"
        ".seh_pushreg %r13\n"
        "subq $0x180020, %rsp\n"
        ".seh_stackalloc 0x180020\n"
        "leaq 0x80(%rsp), %r13\n"
        ".seh_setframe %r13, 0x80\n"
        "movq %rsi, 0x170000(%rsp)\n"
        ".seh_savereg %rsi, 0x170000\n"
        "movaps %xmm7, 0x171000(%rsp)\n"
        ".seh_savexmm %xmm7, 0x171000\n"
        ".seh_endprologue\n"
        "xorl %esi, %esi\n"
        "subq $0x400, %rsp\n" /* the frame register is what counts from here on */
        "callq nest_moves\n"
        "movaps 0x170f80(%r13), %xmm7\n"
        "movq 0x16ff80(%r13), %rsi\n"
        "leaq 0x17ffa0(%r13), %rsp\n"
        "popq %r13\n"
        "ret\n"
        ".seh_endproc\n");

#endif

static ALONE long called_last(long depth)
{
    nest_bottom();
    return sink + depth;
}

/* Its last call is a jump, behind its epilogue. */
static ALONE long calls_last(long depth)
{
    nest_work();
    return called_last(depth + 1);
}

static ALONE void tail(void)
{
    sink += calls_last(2);
}

static ALONE int __cdecl compare(const void *a, const void *b)
{
    nest_bottom();
    return *(const int *)a - *(const int *)b;
}

static ALONE void sort(void)
{
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof numbers[0], compare);
    sink += numbers[0];
}

static ALONE BOOL CALLBACK visit(HWND hwnd, LPARAM parameter)
{
    (void)parameter;
    nest_bottom();
    return !hwnd;
}

static ALONE void windows(void)
{
    EnumThreadWindows(GetCurrentThreadId(), visit, 0);
    sink++;
}

static ALONE LRESULT CALLBACK window_proc(HWND hwnd, UINT message, WPARAM wide, LPARAM parameter)
{
    LRESULT result = 0;
    if (message == WM_APP)
        nest_bottom();
    else
        result = DefWindowProcW(hwnd, message, wide, parameter);
    return result + sink * 0;
}

static ALONE void message(void)
{
    SendMessageW(window, WM_APP, 0, 0);
    sink++;
}

static ALONE void posted(void)
{
    MSG got;
    PostMessageW(window, WM_APP, 0, 0);
    if (GetMessageW(&got, window, WM_APP, WM_APP) > 0)
        DispatchMessageW(&got);
    sink++;
}

static ALONE LONG CALLBACK handle(EXCEPTION_POINTERS *exception)
{
    if (exception->ExceptionRecord->ExceptionCode != 0x20000001)
        return EXCEPTION_CONTINUE_SEARCH;
    nest_bottom();
    return EXCEPTION_CONTINUE_EXECUTION + (LONG)(sink * 0);
}

static ALONE void exception(void)
{
    RaiseException(0x20000001, 0, 0, NULL);
    sink++;
}

static ALONE void CALLBACK queued(ULONG_PTR parameter)
{
    nest_bottom();
    sink += (long)parameter;
}

static ALONE void apc(void)
{
    QueueUserAPC(queued, GetCurrentThread(), 1);
    SleepEx(0, TRUE);
    sink++;
}

#define F(function) ((nest_function)(void (*)(void))(function))
#define F5(function) F(function), F(function), F(function), F(function), F(function)
#define F15(function) F5(function), F5(function), F5(function)

const struct nest_scene nest_scenes[] = {
    {"recursion", recursion, true, OFTEN, {F15(recurse), F15(recurse), F15(recurse), F(recursion)}},
    {"dynamic", dynamic, true, OFTEN, {F(dynamic)}},
    {"pages", pages, true, OFTEN, {F(pages)}},
    {"megabyte", megabyte, true, OFTEN, {F(megabyte)}},
#ifdef __GNUC__
    {"saves", saves, true, OFTEN, {F(saves)}},
    {"moves", nest_far_moves, true, OFTEN, {F(nest_moves), F(nest_far_moves)}},
#endif
    {"tail", tail, true, OFTEN, {F(called_last), F(tail)}},
    {"sort", sort, true, OFTEN, {F(compare), F(sort)}},
    {"windows", windows, false, 1, {F(visit), F(windows)}},
    {"message", message, false, 1, {F(window_proc), F(message)}},
    {"posted", posted, false, 1, {F(window_proc), F(posted)}},
    {"exception", exception, false, 1, {F(handle), F(exception)}},
    {"apc", apc, false, 1, {F(queued), F(apc)}},
};
const size_t nest_scene_count = sizeof nest_scenes / sizeof nest_scenes[0];

/* The thread ----------------------------------------------------------------------------------- */

struct start {
    const struct nest_scene *scene;
    struct nest_thread *thread;
    HANDLE ready;
};

static ALONE void play(const struct nest_scene *scene)
{
    for (size_t i = 0; !stopped; i = (i + 1) % nest_scene_count) {
        const struct nest_scene *next = scene ? scene : &nest_scenes[i];
        for (int round = next->rounds; round > 0 && !stopped; round--)
            next->play();
    }
}

static DWORD WINAPI run(void *context)
{
    const struct start *start = context;
    const struct nest_scene *scene = start->scene;
    static const WCHAR name[] = L"uimon-nest";
    WNDCLASSW class = {.lpfnWndProc = window_proc, .lpszClassName = name};
    RegisterClassW(&class);
    window = CreateWindowExW(0, name, name, 0, 0, 0, 8, 8, NULL, NULL, NULL, NULL);
    ULONG_PTR low, high;
    GetCurrentThreadStackLimits(&low, &high);
    start->thread->stack_base = high;
    SetEvent(start->ready);
    play(scene);
    DestroyWindow(window);
    return 0;
}

const nest_function nest_outer[] = {F(play), F(run)};
const size_t nest_outer_count = sizeof nest_outer / sizeof nest_outer[0];

static void fail(const char *what)
{
    fprintf(stderr, "nest: %s: error %lu\n", what, GetLastError());
    exit(EXIT_FAILURE);
}

void nest_start(struct nest_thread *thread, const struct nest_scene *scene)
{
    static bool has_handler;
    struct start start = {scene, thread, CreateEventW(NULL, FALSE, FALSE, NULL)};
    if (!has_handler)
        AddVectoredExceptionHandler(0, handle);
    has_handler = true;
    stopped = 0;
    thread->thread = CreateThread(NULL, NEST_STACK_BYTES, run, &start, 0, NULL);
    if (!thread->thread || WaitForSingleObject(start.ready, 60000) != WAIT_OBJECT_0)
        fail("no thread");
    CloseHandle(start.ready);
}

void nest_stop(struct nest_thread *thread)
{
    stopped = 1;
    nest_released = 1;
    if (WaitForSingleObject(thread->thread, 60000) != WAIT_OBJECT_0)
        fail("the thread does not end");
    CloseHandle(thread->thread);
    nest_released = 0;
}
