/* The program's own markers. A module that includes markers/uimon.h exports a variable, which gets
 * the table of this file while the monitor wants markers. Threads of the target then call its
 * functions, which put records into a ring; the worker sends them.
 *
 * The monitor says how many bytes may be sent, so that a flood of markers never fills the pipe, on
 * which beats come, too. What does not get out in time is overwritten in the ring, and counted.
 *
 * Once a second the worker looks for modules that are new. It reads their tables by a call that can
 * fail, because they may be unloaded meanwhile. Storing the pointer is not such a call. So a thread
 * of its own, the setter, holds the module while it stores it. That takes the loader's lock, which
 * a frozen UI thread may hold, so the worker never waits for the setter. The first module that is
 * found starts it; at the end it takes all pointers out again. If it is held up until after the
 * attachment, a call that still comes finds `on` cleared: this DLL is never unloaded, so its
 * functions stay callable. Until it has ended, a later attachment starts no other one. */
#include "hooks/hook_win32.h"

#include <psapi.h>

#include "hooks/export.h"
#include "hooks/mark.h"
#include "hooks/mark_ring.h"

#define VARIABLE "uimon_table_1"
#define MODULES 4096 /* of which new ones are looked for */
#define FOUND 64     /* that have the variable */
#define LOOK_NS UM_CLOCK_NS_PER_S
#define LOOKED_AT 4 /* modules in a turn of the worker */
#define SENT 1024   /* records in a turn */
#define SAID_NS (250 * UM_CLOCK_NS_PER_MS)

enum setter_state { SETTER_NONE, SETTER_RUNS, SETTER_ENDING };

static struct um_mark_ring ring;
static _Atomic int on; /* calls are recorded */

/* Modules that have the variable, or had it: `variable` is then 0. The worker adds to them and
 * changes them while the setter runs, and empties them while it does not. The setter may see a base
 * and a variable that are not of each other; it leaves those alone. */
static struct {
    _Atomic uintptr_t base, variable;
} found[FOUND];
static _Atomic uint32_t found_count;
static _Atomic int setter; /* enum setter_state */

/* Used by the worker alone. */
static struct {
    int wanted;         /* the monitor wants markers */
    int begun;          /* `found` is of this attachment */
    uint64_t may_bytes; /* that may be sent */
    uint64_t next_look_ns;
    HMODULE modules[MODULES]; /* at the last look */
    uint32_t module_count;
    HMODULE fresh[MODULES]; /* that were not looked at yet */
    uint32_t fresh_count;
    uint64_t said_lost; /* by the last MARKS_LOST */
    uint64_t said_ns;
    HANDLE wake; /* wakes the setter, which has its own handle; NULL: there is none */
} marks;

static struct um_mark_record record; /* that is being sent */

/* Any thread of the target --------------------------------------------------------------------- */

static uint64_t add(enum um_wire_mark_what what, uint64_t interval, const char *name,
                    const char *category, const struct uimon_field *fields, uint32_t count)
{
    struct um_mark_record made;
    if (!atomic_load_explicit(&on, memory_order_relaxed))
        return 0;
    uint64_t ticks = um_hook_ticks();
    uint32_t words = um_mark_pack(&made, what, GetCurrentThreadId(), ticks, interval, name,
                                  category, fields, count);
    return um_mark_ring_push(&ring, made.words, words);
}

static void UIMON_CALL marker(const char *name, const char *category,
                              const struct uimon_field *fields, uint32_t count)
{
    (void)add(UM_MARK_INSTANT, 0, name, category, fields, count);
}

static uint64_t UIMON_CALL begin(const char *name, const char *category,
                                 const struct uimon_field *fields, uint32_t count)
{
    return add(UM_MARK_BEGIN, 0, name, category, fields, count);
}

/* Of an interval that began while nobody watched there is nothing to end. */
static void UIMON_CALL end(uint64_t interval, const struct uimon_field *fields, uint32_t count)
{
    if (interval != 0)
        (void)add(UM_MARK_END, interval, NULL, NULL, fields, count);
}

static const struct uimon_table table = {1, sizeof table, marker, begin, end};

/* The setter ----------------------------------------------------------------------------------- */

static int is_writable(uint64_t address)
{
    const DWORD writable =
        PAGE_READWRITE | PAGE_WRITECOPY | PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY;
    MEMORY_BASIC_INFORMATION about;
    return VirtualQuery((const void *)(uintptr_t)address, &about, sizeof about) == sizeof about &&
           about.State == MEM_COMMIT && about.Type == MEM_IMAGE && (about.Protect & writable) != 0;
}

/* Stores a pointer in place of another one, if the module is still there and has that one. */
static void replace(uint64_t base, uint64_t variable, const void *before, const void *after)
{
    HMODULE module = NULL;
    if (variable == 0 || !GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                                             (const wchar_t *)(uintptr_t)variable, &module))
        return;
    if ((uint64_t)(uintptr_t)module == base &&
        um_export_find(um_hook_read, NULL, base, VARIABLE) == variable && is_writable(variable))
        InterlockedCompareExchangePointer((void *volatile *)(uintptr_t)variable, (void *)after,
                                          (void *)before);
    FreeLibrary(module);
}

static void replace_all(const void *before, const void *after)
{
    uint32_t count = atomic_load(&found_count);
    for (uint32_t i = 0; i < count; i++)
        replace(atomic_load(&found[i].base), atomic_load(&found[i].variable), before, after);
}

static DWORD WINAPI run_setter(void *wake)
{
    while (atomic_load(&setter) == SETTER_RUNS) {
        replace_all(NULL, &table);
        WaitForSingleObject(wake, INFINITE);
    }
    replace_all(&table, NULL);
    CloseHandle(wake);
    atomic_store(&setter, SETTER_NONE);
    return 0;
}

/* Starts the setter; there must be none. If that fails, the next look tries again. */
static void start_setter(void)
{
    HANDLE self = GetCurrentProcess();
    HANDLE its = NULL, thread = NULL;

    marks.wake = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (marks.wake)
        DuplicateHandle(self, marks.wake, self, &its, 0, FALSE, DUPLICATE_SAME_ACCESS);
    atomic_store(&setter, SETTER_RUNS);
    if (its)
        thread = CreateThread(NULL, 0, run_setter, its, 0, NULL);
    if (thread) {
        CloseHandle(thread);
        return;
    }
    atomic_store(&setter, SETTER_NONE);
    um_hook_close(&its);
    um_hook_close(&marks.wake);
}

/* Finding modules ------------------------------------------------------------------------------ */

/* Searches a list from `*at` on, and from its begin, and leaves `*at` behind what it has found: two
 * lists are mostly in the same order. */
static int has_module(const HMODULE *list, uint32_t count, HMODULE module, uint32_t *at)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = *at + i < count ? *at + i : *at + i - count;
        if (list[place] != module)
            continue;
        *at = place + 1;
        return 1;
    }
    return 0;
}

/* Lists the modules that were not there at the last look. */
static void list_fresh(void)
{
    static HMODULE now[MODULES];
    DWORD bytes = 0;
    uint32_t count, same = 0, old_at, fresh_at = 0, fresh_before = marks.fresh_count;
    if (!K32EnumProcessModules(GetCurrentProcess(), now, sizeof now, &bytes))
        return;
    count = bytes / sizeof now[0] < MODULES ? (uint32_t)(bytes / sizeof now[0]) : MODULES;
    while (same < count && same < marks.module_count && now[same] == marks.modules[same])
        same++;
    old_at = same;
    for (uint32_t i = same; i < count && marks.fresh_count < MODULES; i++)
        if (!has_module(marks.modules, marks.module_count, now[i], &old_at) &&
            !has_module(marks.fresh, fresh_before, now[i], &fresh_at))
            marks.fresh[marks.fresh_count++] = now[i];
    for (uint32_t i = 0; i < count; i++)
        marks.modules[i] = now[i];
    marks.module_count = count;
}

/* Looks where variables are that have lost the table: their module was unloaded, and perhaps loaded
 * anew, or another one lies there now. Wakes the setter if it is to set one. */
static void look_again(void)
{
    uint32_t count = atomic_load(&found_count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t variable = atomic_load(&found[i].variable);
        const void *value;
        if (variable && um_hook_read(NULL, variable, &value, sizeof value) && value == &table)
            continue;
        variable = um_export_find(um_hook_read, NULL, atomic_load(&found[i].base), VARIABLE);
        atomic_store(&found[i].variable, (uintptr_t)variable);
        if (variable && marks.wake && um_hook_read(NULL, variable, &value, sizeof value) && !value)
            SetEvent(marks.wake);
    }
}

static void look_at(uint64_t base)
{
    uint64_t variable = um_export_find(um_hook_read, NULL, base, VARIABLE);
    uint32_t count = atomic_load(&found_count), place = count;
    if (variable == 0)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t other = atomic_load(&found[i].variable);
        if (other == variable)
            return;
        if (other == 0)
            place = i;
    }
    if (place == FOUND)
        return;
    atomic_store(&found[place].base, (uintptr_t)base);
    atomic_store(&found[place].variable, (uintptr_t)variable);
    if (place == count)
        atomic_store(&found_count, count + 1);
    if (marks.wake)
        SetEvent(marks.wake);
}

static void look(uint64_t now_ns)
{
    if (!marks.begun && atomic_load(&setter) == SETTER_NONE) {
        atomic_store(&found_count, 0);
        marks.begun = 1;
    }
    if (!marks.begun)
        return;
    if (now_ns >= marks.next_look_ns) {
        marks.next_look_ns = now_ns + LOOK_NS;
        list_fresh();
        look_again();
    }
    /* The first module of the list is the program. */
    for (uint32_t i = 0; i < LOOKED_AT && marks.fresh_count > 0; i++) {
        look_at((uint64_t)(uintptr_t)marks.fresh[0]);
        marks.fresh_count--;
        for (uint32_t k = 0; k < marks.fresh_count; k++)
            marks.fresh[k] = marks.fresh[k + 1];
    }
    if (atomic_load(&found_count) > 0 && atomic_load(&setter) == SETTER_NONE)
        start_setter();
}

/* Sending -------------------------------------------------------------------------------------- */

void um_marks_begin(void)
{
    marks.wanted = marks.begun = 0;
    marks.may_bytes = 0;
    marks.next_look_ns = 0;
    marks.module_count = marks.fresh_count = 0;
    marks.said_lost = marks.said_ns = 0;
    um_mark_ring_clear(&ring);
}

void um_marks_allow(uint32_t bytes)
{
    marks.may_bytes += bytes;
    if (marks.wanted)
        return;
    marks.wanted = 1;
    um_mark_ring_clear(&ring);
    atomic_store(&on, 1);
}

static int put_record(uint32_t words, int (*put)(const struct um_wire_frame *frame))
{
    static struct um_wire_frame frame;
    struct um_mark_reader reader = um_mark_read(&record, words);
    for (int first = 1; um_mark_next(&reader, first, um_hook.ticks_per_s, &frame); first = 0) {
        marks.may_bytes -=
            frame.as.mark.bytes < marks.may_bytes ? frame.as.mark.bytes : marks.may_bytes;
        if (!put(&frame))
            return 0;
    }
    return 1;
}

/* Puts how many records were lost, if that is news. `last`: those that are left are lost, too. */
static int put_lost(uint64_t now_ns, int last, int (*put)(const struct um_wire_frame *frame))
{
    struct um_wire_frame frame = {.type = UM_WIRE_MARKS_LOST};
    frame.as.marks_lost.lost = ring.lost + (last ? um_mark_ring_left(&ring) : 0);
    if (frame.as.marks_lost.lost == marks.said_lost || (!last && now_ns < marks.said_ns + SAID_NS))
        return 1;
    marks.said_lost = frame.as.marks_lost.lost;
    marks.said_ns = now_ns;
    return put(&frame);
}

static int put_records(uint64_t now_ns, uint64_t patience_ns, int *found_some,
                       int (*put)(const struct um_wire_frame *frame))
{
    for (uint32_t i = 0; i < SENT && marks.may_bytes >= 2 * UM_WIRE_MAX_BYTES; i++) {
        if (!um_mark_ring_pop(&ring, record.words, UM_MARK_WORDS_MOST, now_ns, patience_ns))
            break;
        *found_some = 1;
        if (!put_record(UM_MARK_WORDS_MOST, put))
            return 0;
    }
    return 1;
}

int um_marks_turn(uint64_t now_ns, int *found_some, int (*put)(const struct um_wire_frame *frame))
{
    *found_some = 0;
    if (!marks.wanted)
        return 1;
    look(now_ns);
    return put_records(now_ns, UM_MARK_RING_PATIENCE_NS, found_some, put) &&
           put_lost(now_ns, 0, put);
}

void um_marks_stop(void)
{
    int runs = SETTER_RUNS;
    atomic_store(&on, 0);
    if (!marks.wake)
        return;
    atomic_compare_exchange_strong(&setter, &runs, SETTER_ENDING);
    SetEvent(marks.wake);
    um_hook_close(&marks.wake);
}

int um_marks_put_last(uint64_t now_ns, int (*put)(const struct um_wire_frame *frame))
{
    int found_some;
    return !marks.wanted || (put_records(now_ns, 0, &found_some, put) && put_lost(now_ns, 1, put));
}
