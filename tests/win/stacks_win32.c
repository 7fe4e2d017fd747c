/* Unwinds stacks of this program's own threads, and compares with what others say of them: Windows'
 * (or Wine's) RtlVirtualUnwind, StackWalk64 of dbghelp, and the processor's own calls and returns.
 *
 *   live N        stops a thread N times that plays all scenes (tests/stacks/nest_win32.h),
 *                 wherever it is then
 *   steps N       lets a thread execute N instructions of each plain scene one by one, and keeps a
 *                 list of its calls and returns
 *   record FILE   writes stacks of all scenes (tests/stacks/stack_file.h)
 *
 * Prints lines of names and numbers. Exit code 1, and a line that says where, if the unwinder
 * differs from the truth.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <dbghelp.h>

#include "tests/stacks/loaded_win32.h"
#include "tests/stacks/nest_win32.h"

#define TRAP_FLAG 0x100
#define TRIES 50
#define SHOWN 5 /* differences that are told in full */

static struct um_modules modules;
static struct um_unwind_code code;
static struct um_unwind_frame frames[STACK_FILE_FRAMES];
static struct um_unwind walk;

static int fail(const char *what)
{
    fprintf(stderr, "stacks: %s: error %lu\n", what, GetLastError());
    exit(EXIT_FAILURE);
}

static void look(void)
{
    loaded_look(&modules);
    code = um_modules_code(&modules);
}

static enum um_unwind_stop unwind(const struct um_unwind_registers *registers,
                                  const struct um_unwind_stack *stack)
{
    um_unwind_begin(&walk, registers, stack, frames, STACK_FILE_FRAMES);
    return um_unwind_run(&walk, &code);
}

/* The first frame that is not the same, or -1. Some truths have no stack pointers, but 0. */
static int first_difference(const struct loaded_frames *truth)
{
    size_t i = 0;
    while (i < truth->count && i < walk.frame_count && truth->list[i].pc == frames[i].pc &&
           (truth->list[i].sp == frames[i].sp || truth->list[i].sp == 0))
        i++;
    return i == truth->count && i == walk.frame_count ? -1 : (int)i;
}

static void print_place(const char *what, uint64_t pc, uint64_t sp)
{
    const struct loaded_module *module = loaded_at(pc);
    printf("  %s %s+0x%" PRIx64 " sp 0x%" PRIx64 "\n", what, module ? module->name : "?",
           module ? pc - module->base : pc, sp);
}

static void print_difference(const char *whose, const struct loaded_frames *truth, size_t i)
{
    printf("difference to %s at frame %zu of %zu (ours %zu):\n", whose, i, truth->count,
           walk.frame_count);
    if (i > 0)
        print_place("behind", frames[i - 1].pc, frames[i - 1].sp);
    if (i < walk.frame_count)
        print_place("ours  ", frames[i].pc, frames[i].sp);
    if (i < truth->count)
        print_place("theirs", truth->list[i].pc, truth->list[i].sp);
}

/* Live ----------------------------------------------------------------------------------------- */

struct tally {
    const char *name;
    unsigned reached; /* it reached the thread's start */
    unsigned both;    /* so did uimon */
    unsigned differ;  /* and they differ */
};

/* Whether a walk that came to an end came to where threads begin. Wine's takes the jump of a tail
 * call for something else than an epilogue, reads a zero in place of the return address, and ends
 * there. */
static bool ends_at_start(const struct loaded_frames *truth)
{
    const struct loaded_module *module =
        truth->count > 0 ? loaded_at(truth->list[truth->count - 1].pc) : NULL;
    return module && _stricmp(module->name, "ntdll.dll") == 0;
}

static void compare(struct tally *tally, bool reached, bool ours, const struct loaded_frames *truth)
{
    reached = reached && ends_at_start(truth);
    tally->reached += reached;
    tally->both += reached && ours;
    int difference = reached && ours ? first_difference(truth) : -1;
    if (difference >= 0 && tally->differ++ < SHOWN)
        print_difference(tally->name, truth, (size_t)difference);
}

/* Stops the thread for a moment somewhere else than before: on a busy machine it may not have run
 * since. After so many tries, it may be where it was. */
static bool stop_somewhere(const struct nest_thread *thread, struct loaded_stop *stop,
                           struct loaded_frames *truth, bool *reached)
{
    bool copied = false, moved = false;
    for (int tries = 0; tries < TRIES && !moved; tries++) {
        uint64_t pc = stop->registers.pc;
        for (int i = rand() % 20000; i > 0; i--)
            YieldProcessor();
        if (SuspendThread(thread->thread) == (DWORD)-1)
            fail("the thread cannot be suspended");
        copied = loaded_copy(stop, thread->thread, thread->stack_base);
        *reached = copied && loaded_virtual_unwind(stop, truth);
        ResumeThread(thread->thread);
        moved = stop->registers.pc != pc;
        if (!moved)
            Sleep(1); /* it may have the processor meanwhile */
    }
    return copied;
}

static int do_live(unsigned count)
{
    static struct loaded_stop stop;
    static struct loaded_frames truth, walked;
    struct tally tallies[] = {{.name = "RtlVirtualUnwind"}, {.name = "StackWalk64"}};
    struct nest_thread thread;
    unsigned reached = 0, prologues = 0, flags[32] = {0};
    nest_start(&thread, NULL);
    Sleep(500); /* so that all scenes have loaded what they need */
    look();
    SymInitialize(GetCurrentProcess(), NULL, FALSE);
    for (unsigned i = 0; i < count; i++) {
        bool virtual_reached;
        if (!stop_somewhere(&thread, &stop, &truth, &virtual_reached))
            fail("the thread has no stack");
        enum um_unwind_stop why = unwind(&stop.registers, &stop.stack);
        bool ours = why == UM_UNWIND_START;
        reached += ours;
        prologues += loaded_is_prologue(stop.registers.pc);
        for (size_t k = 1; k < walk.frame_count; k++)
            flags[frames[k].flags & 31]++;
        if (!ours) {
            printf("stopped after %zu frames: %s\n", walk.frame_count, um_unwind_stop_text(why));
            print_place("at", frames[walk.frame_count - 1].pc, frames[walk.frame_count - 1].sp);
        }
        compare(&tallies[0], virtual_reached, ours, &truth);
        /* Wine's StackWalk64 reads code as its RtlVirtualUnwind does. Where that one goes astray at
         * the jump of a tail call, it takes what lies on the stack for a caller. */
        bool is_sound = virtual_reached && ends_at_start(&truth);
        compare(&tallies[1], loaded_stack_walk(&stop, &walked) && is_sound, ours, &walked);
    }
    nest_stop(&thread);
    free(stop.bytes);
    printf("samples %u reached %u\n", count, reached);
    printf("frames tables %u leaves %u epilogues %u machine %u prologues %u\n",
           flags[UM_UNWIND_TABLE], flags[UM_UNWIND_LEAF], flags[UM_UNWIND_EPILOG],
           flags[UM_UNWIND_MACHINE], prologues);
    for (size_t i = 0; i < 2; i++)
        printf("%s reached %u both %u differ %u\n", tallies[i].name, tallies[i].reached,
               tallies[i].both, tallies[i].differ);
    return tallies[0].differ + tallies[1].differ > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Steps ---------------------------------------------------------------------------------------- */

/* The calls that the thread has made since it was watched: what the processor pushed. */
static struct {
    size_t count;
    struct stack_file_frame calls[STACK_FILE_FRAMES]; /* the outermost first */
    uint64_t last_pc;
    uint64_t last_sp;
    size_t outer; /* frames that were there before */
    bool knows_outer;
} shadow;

static volatile unsigned steps_left;
static unsigned steps, step_differences, step_flags[32], step_prologues;
static uint64_t step_stack_base;
static LARGE_INTEGER step_ticks;

static const uint8_t *code_at(uint64_t pc)
{
    return (const uint8_t *)(uintptr_t)pc;
}

/* Whether the instruction is a return (0xc3) or a call (0xe8), else 0. */
static int kind_of(uint64_t pc)
{
    const uint8_t *bytes = code_at(pc);
    while (*bytes == 0xf2 || *bytes == 0xf3 || (*bytes & 0xf0) == 0x40)
        bytes++;
    if (*bytes == 0xc3 || *bytes == 0xc2)
        return 0xc3;
    return *bytes == 0xe8 || (*bytes == 0xff && (bytes[1] & 0x38) == 0x10) ? 0xe8 : 0;
}

/* What the instruction before did to the list. */
static void follow(uint64_t pc, uint64_t sp)
{
    int kind = shadow.last_pc ? kind_of(shadow.last_pc) : 0;
    if (kind == 0xe8 && sp == shadow.last_sp - 8) {
        uint64_t back = *(const uint64_t *)code_at(sp);
        shadow.calls[shadow.count++] = (struct stack_file_frame){back, sp + 8};
    } else if (kind == 0xc3 && shadow.count > 0) {
        shadow.count--;
    } else if (kind == 0xc3) {
        shadow.knows_outer = false;
    }
    shadow.last_pc = pc;
    shadow.last_sp = sp;
}

static bool agrees_with_shadow(enum um_unwind_stop why)
{
    if (why != UM_UNWIND_START || walk.frame_count < 1 + shadow.count)
        return false;
    for (size_t i = 0; i < shadow.count; i++) {
        const struct stack_file_frame *call = &shadow.calls[shadow.count - 1 - i];
        if (frames[1 + i].pc != call->pc || frames[1 + i].sp != call->sp)
            return false;
    }
    size_t outer = walk.frame_count - 1 - shadow.count;
    if (!shadow.knows_outer)
        shadow.outer = outer;
    shadow.knows_outer = true;
    return outer == shadow.outer;
}

static void print_step(const CONTEXT *context, enum um_unwind_stop why)
{
    const uint8_t *bytes = code_at(context->Rip);
    printf("difference after %zu calls, ours %zu frames of %zu outer: %s\n", shadow.count,
           walk.frame_count, shadow.outer, um_unwind_stop_text(why));
    print_place("at", context->Rip, context->Rsp);
    printf("  code %02x %02x %02x %02x %02x %02x\n", bytes[0], bytes[1], bytes[2], bytes[3],
           bytes[4], bytes[5]);
}

static LONG CALLBACK step(EXCEPTION_POINTERS *exception)
{
    CONTEXT *context = exception->ContextRecord;
    struct um_unwind_registers registers;
    LARGE_INTEGER begin, end;
    if (exception->ExceptionRecord->ExceptionCode != EXCEPTION_SINGLE_STEP)
        return EXCEPTION_CONTINUE_SEARCH;
    follow(context->Rip, context->Rsp);
    /* Nothing below rsp belongs to it, and this handler's own frames are there. */
    const struct um_unwind_stack stack = {context->Rsp, code_at(context->Rsp),
                                          (size_t)(step_stack_base - context->Rsp)};
    loaded_registers(context, &registers);
    QueryPerformanceCounter(&begin);
    enum um_unwind_stop why = unwind(&registers, &stack);
    QueryPerformanceCounter(&end);
    step_ticks.QuadPart += end.QuadPart - begin.QuadPart;
    steps++;
    step_flags[frames[walk.frame_count > 1 ? 1 : 0].flags & 31]++;
    step_prologues += loaded_is_prologue(context->Rip);
    if (!agrees_with_shadow(why) && step_differences++ < SHOWN)
        print_step(context, why);
    if (steps_left > 0 && --steps_left > 0)
        context->EFlags |= TRAP_FLAG;
    else
        context->EFlags &= ~(DWORD)TRAP_FLAG;
    return EXCEPTION_CONTINUE_EXECUTION;
}

static void step_through(const struct nest_scene *scene, unsigned count)
{
    struct nest_thread thread;
    CONTEXT context = {.ContextFlags = CONTEXT_FULL};
    nest_start(&thread, scene);
    Sleep(20);
    memset(&shadow, 0, sizeof shadow);
    step_stack_base = thread.stack_base;
    steps_left = count;
    if (SuspendThread(thread.thread) == (DWORD)-1 || !GetThreadContext(thread.thread, &context))
        fail("the thread cannot be suspended");
    context.EFlags |= TRAP_FLAG;
    if (!SetThreadContext(thread.thread, &context))
        fail("the thread cannot be made to step");
    ResumeThread(thread.thread);
    while (steps_left > 0)
        Sleep(1);
    nest_stop(&thread);
}

static int do_steps(unsigned count)
{
    LARGE_INTEGER frequency;
    PVOID handler = AddVectoredExceptionHandler(1, step);
    look();
    for (size_t i = 0; i < nest_scene_count; i++) {
        unsigned before = step_differences;
        if (!nest_scenes[i].is_plain)
            continue;
        step_through(&nest_scenes[i], count);
        printf("%s steps %u differ %u\n", nest_scenes[i].name, count, step_differences - before);
    }
    RemoveVectoredExceptionHandler(handler);
    QueryPerformanceFrequency(&frequency);
    printf("steps %u differ %u\n", steps, step_differences);
    printf("first tables %u leaves %u epilogues %u prologues %u\n", step_flags[UM_UNWIND_TABLE],
           step_flags[UM_UNWIND_LEAF], step_flags[UM_UNWIND_EPILOG], step_prologues);
    printf("us %.2f\n", (double)step_ticks.QuadPart * 1e6 / (double)frequency.QuadPart / steps);
    return step_differences > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Record --------------------------------------------------------------------------------------- */

#define PIECES 4096
#define ZEROS 32 /* so many in a row are left out */

struct piece {
    const struct loaded_module *module;
    uint32_t rva;
    size_t len;
};

static struct piece pieces[PIECES];
static size_t piece_count;
static FILE *out;

static bool is_kept(const struct loaded_module *module, uint32_t rva, size_t len)
{
    for (size_t i = 0; i < piece_count; i++)
        if (pieces[i].module == module && rva >= pieces[i].rva &&
            rva + len <= pieces[i].rva + pieces[i].len)
            return true;
    return false;
}

static void keep(const struct loaded_module *module, uint32_t rva, size_t len)
{
    if (is_kept(module, rva, len))
        return;
    if (piece_count == PIECES)
        fail("too many pieces");
    pieces[piece_count++] = (struct piece){module, rva, len};
}

/* All of the table and the headers, so that any way to search it finds what it reads. */
static void keep_read(const struct loaded_module *module, uint32_t rva, size_t len)
{
    const IMAGE_DOS_HEADER *dos = (const IMAGE_DOS_HEADER *)code_at(module->base);
    const IMAGE_NT_HEADERS64 *headers =
        (const IMAGE_NT_HEADERS64 *)code_at(module->base + (uint64_t)dos->e_lfanew);
    const IMAGE_DATA_DIRECTORY *table =
        &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXCEPTION];
    keep(module, 0, (size_t)dos->e_lfanew + sizeof *headers);
    keep(module, table->VirtualAddress, table->Size);
    keep(module, rva, len);
}

static void write_bytes(const void *bytes, size_t len)
{
    if (fwrite(bytes, 1, len, out) != len)
        fail("the file cannot be written");
}

static void write_u64(uint64_t value)
{
    write_bytes(&value, sizeof value);
}

static void write_head(enum stack_file_kind kind, size_t len)
{
    uint32_t head[] = {kind, (uint32_t)len};
    write_bytes(head, sizeof head);
}

static void write_memory(enum stack_file_kind kind, uint64_t address, const void *bytes, size_t len)
{
    write_head(kind, 8 + len);
    write_u64(address);
    write_bytes(bytes, len);
}

/* The stack without its long rows of zeros. */
static void write_stack(const struct um_unwind_stack *stack)
{
    size_t begin = 0;
    while (begin < stack->len) {
        size_t end = begin;
        size_t zeros = 0;
        for (; end < stack->len && zeros < ZEROS; end++)
            zeros = stack->bytes[end] == 0 ? zeros + 1 : 0;
        if (end - zeros > begin)
            write_memory(STACK_FILE_STACK, stack->address + begin, stack->bytes + begin,
                         end - zeros - begin);
        begin = end;
        while (begin < stack->len && stack->bytes[begin] == 0)
            begin++;
    }
}

static uint64_t begin_of(nest_function function)
{
    struct um_unwind_function found;
    uint64_t pc = (uint64_t)(uintptr_t)function;
    if (code.find(code.context, pc, &found) != UM_UNWIND_FOUND)
        fail("a function is no function");
    return found.base + found.rva.begin_rva;
}

static size_t count_known(const struct nest_scene *scene)
{
    size_t count = 0;
    while (count < NEST_KNOWN && scene->known[count])
        count++;
    return count;
}

/* The bottom, the scene, and the thread around it. */
static void write_known(const struct nest_scene *scene)
{
    size_t count = count_known(scene);
    write_head(STACK_FILE_KNOWN, (1 + count + nest_outer_count) * 8);
    write_u64(begin_of(nest_wait));
    for (size_t i = 0; i < count; i++)
        write_u64(begin_of(scene->known[i]));
    for (size_t i = 0; i < nest_outer_count; i++)
        write_u64(begin_of(nest_outer[i]));
}

static void write_own(void)
{
    size_t count = 1 + nest_outer_count;
    for (size_t i = 0; i < nest_scene_count; i++)
        count += i > 0 ? count_known(&nest_scenes[i]) : 2;
    write_head(STACK_FILE_OWN, count * 8);
    write_u64(begin_of(nest_wait));
    for (size_t i = 0; i < nest_outer_count; i++)
        write_u64(begin_of(nest_outer[i]));
    for (size_t i = 0; i < nest_scene_count; i++) /* the first one names one of them many times */
        for (size_t k = i > 0 ? 0 : count_known(&nest_scenes[i]) - 2;
             k < count_known(&nest_scenes[i]); k++)
            write_u64(begin_of(nest_scenes[i].known[k]));
}

static void write_sample(const char *name, const struct loaded_stop *stop,
                         const struct loaded_frames *truth)
{
    write_head(STACK_FILE_SAMPLE, sizeof stop->registers + 16 + strlen(name));
    write_bytes(&stop->registers, sizeof stop->registers);
    write_u64(stop->stack.address);
    write_u64(stop->stack.len);
    write_bytes(name, strlen(name));
    write_stack(&stop->stack);
    write_head(STACK_FILE_TRUTH, truth->count * sizeof truth->list[0]);
    write_bytes(truth->list, truth->count * sizeof truth->list[0]);
}

/* Takes what a thread is in now, unless it is not what is wanted. */
static bool record(const struct nest_thread *thread, const char *name, const char *kind,
                   bool (*is_wanted)(void))
{
    static struct loaded_stop stop;
    static struct loaded_frames truth, walked;
    char whole[64];
    bool reached;
    if (!stop_somewhere(thread, &stop, &truth, &reached) || !reached ||
        !loaded_stack_walk(&stop, &walked))
        return false;
    unwind(&stop.registers, &stop.stack);
    if (first_difference(&truth) >= 0 || first_difference(&walked) >= 0)
        fail("the truths are not the same");
    if (is_wanted && !is_wanted())
        return false;
    loaded_on_read = keep_read;
    unwind(&stop.registers, &stop.stack);
    loaded_on_read = NULL;
    snprintf(whole, sizeof whole, "%s%s", name, kind);
    write_sample(whole, &stop, &truth);
    printf("%s frames %zu\n", whole, truth.count);
    return true;
}

static bool is_in_prologue(void)
{
    return loaded_is_prologue(frames[0].pc);
}

static bool is_in_epilogue(void)
{
    return walk.frame_count > 1 && frames[1].flags == UM_UNWIND_EPILOG;
}

static void record_scene(const struct nest_scene *scene)
{
    struct nest_thread thread;
    nest_bottom = nest_wait;
    nest_start(&thread, scene);
    while (!nest_waiting)
        Sleep(1);
    look();
    if (!record(&thread, scene->name, "", NULL))
        fail(scene->name);
    write_known(scene);
    nest_bottom = nest_work;
    nest_released = 1;
    for (int i = 0; i < 500 && !record(&thread, scene->name, ", prologue", is_in_prologue); i++) {
    }
    for (int i = 0; i < 500 && !record(&thread, scene->name, ", epilogue", is_in_epilogue); i++) {
    }
    nest_stop(&thread);
}

static void write_modules(void)
{
    for (size_t i = 0; i < loaded_count; i++) {
        const struct loaded_module *module = &loaded_modules[i];
        bool is_first = true;
        for (size_t k = 0; k < piece_count; k++) {
            if (pieces[k].module != module)
                continue;
            if (is_first) {
                write_head(STACK_FILE_MODULE, 12 + strlen(module->name));
                write_u64(module->base);
                write_bytes(&module->image_bytes, 4);
                write_bytes(module->name, strlen(module->name));
            }
            is_first = false;
            write_memory(STACK_FILE_BYTES, module->base + pieces[k].rva,
                         code_at(module->base + pieces[k].rva), pieces[k].len);
        }
    }
}

static int do_record(const char *path)
{
    out = fopen(path, "wb");
    if (!out)
        fail(path);
    SymInitialize(GetCurrentProcess(), NULL, FALSE);
    write_bytes(STACK_FILE_MAGIC, strlen(STACK_FILE_MAGIC));
    for (size_t i = 0; i < nest_scene_count; i++)
        record_scene(&nest_scenes[i]);
    write_own();
    write_modules();
    return fclose(out) == 0 ? EXIT_SUCCESS : fail(path);
}

int main(int argc, char **argv)
{
    srand(1);
    if (argc == 3 && strcmp(argv[1], "live") == 0)
        return do_live((unsigned)strtoul(argv[2], NULL, 10));
    if (argc == 3 && strcmp(argv[1], "steps") == 0)
        return do_steps((unsigned)strtoul(argv[2], NULL, 10));
    if (argc == 3 && strcmp(argv[1], "record") == 0)
        return do_record(argv[2]);
    fprintf(stderr, "usage: stacks live N | steps N | record FILE\n");
    return 2;
}
