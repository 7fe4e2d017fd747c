#include "tests/stacks/loaded_win32.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dbghelp.h>
#include <psapi.h>

struct loaded_module loaded_modules[LOADED_MODULES];
size_t loaded_count;
void (*loaded_on_read)(const struct loaded_module *module, uint32_t rva, size_t len);

static void fail(const char *what)
{
    fprintf(stderr, "stacks: %s: error %lu\n", what, GetLastError());
    exit(EXIT_FAILURE);
}

static const uint8_t *at(uint64_t address)
{
    return (const uint8_t *)(uintptr_t)address;
}

static bool read_module(void *context, uint32_t rva, void *bytes, size_t len)
{
    const struct loaded_module *module = context;
    if (rva > module->image_bytes || len > module->image_bytes - rva)
        return false;
    memcpy(bytes, at(module->base + rva), len);
    if (loaded_on_read)
        loaded_on_read(module, rva, len);
    return true;
}

void loaded_look(struct um_modules *um)
{
    static struct um_modules_entry entries[LOADED_MODULES];
    HMODULE handles[LOADED_MODULES];
    DWORD needed;
    if (!EnumProcessModules(GetCurrentProcess(), handles, sizeof handles, &needed) ||
        needed > sizeof handles)
        fail("the modules cannot be listed");
    loaded_count = needed / sizeof handles[0];
    um_modules_init(um, entries, LOADED_MODULES, NULL);
    for (size_t i = 0; i < loaded_count; i++) {
        struct loaded_module *module = &loaded_modules[i];
        const struct um_pdata_source source = {module, read_module};
        MODULEINFO info;
        int32_t index;
        if (!GetModuleInformation(GetCurrentProcess(), handles[i], &info, sizeof info))
            fail("no word of a module");
        module->base = (uint64_t)(uintptr_t)info.lpBaseOfDll;
        module->image_bytes = info.SizeOfImage;
        GetModuleBaseNameA(GetCurrentProcess(), handles[i], module->name, sizeof module->name);
        if (um_modules_add(um, module->base, &source, &index) != UM_OK || index != (int32_t)i)
            fail(module->name);
    }
}

const struct loaded_module *loaded_at(uint64_t address)
{
    for (size_t i = 0; i < loaded_count; i++)
        if (address - loaded_modules[i].base < loaded_modules[i].image_bytes)
            return &loaded_modules[i];
    return NULL;
}

/* The entry of a function, looked for in the simplest way: one after the other. */
static RUNTIME_FUNCTION *entry_of(const struct loaded_module *module, uint64_t pc)
{
    const IMAGE_DOS_HEADER *dos = (const IMAGE_DOS_HEADER *)at(module->base);
    const IMAGE_NT_HEADERS64 *headers =
        (const IMAGE_NT_HEADERS64 *)at(module->base + (uint64_t)dos->e_lfanew);
    const IMAGE_DATA_DIRECTORY *directory =
        &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXCEPTION];
    RUNTIME_FUNCTION *entries =
        (RUNTIME_FUNCTION *)(uintptr_t)(module->base + directory->VirtualAddress);
    for (size_t i = 0; i < directory->Size / sizeof *entries; i++)
        if (pc - module->base >= entries[i].BeginAddress &&
            pc - module->base < entries[i].EndAddress)
            return &entries[i];
    return NULL;
}

bool loaded_is_prologue(uint64_t pc)
{
    const struct loaded_module *module = loaded_at(pc);
    const RUNTIME_FUNCTION *entry = module ? entry_of(module, pc) : NULL;
    return entry && pc - module->base - entry->BeginAddress <
                        at(module->base + entry->UnwindData)[1]; /* the size of the prologue */
}

void loaded_registers(const CONTEXT *context, struct um_unwind_registers *registers)
{
    registers->pc = context->Rip;
    memcpy(registers->integer, &context->Rax, sizeof registers->integer);
}

bool loaded_copy(struct loaded_stop *stop, HANDLE thread, uint64_t stack_base)
{
    stop->context.ContextFlags = CONTEXT_FULL;
    if (!GetThreadContext(thread, &stop->context) || stop->context.Rsp >= stack_base)
        return false;
    size_t len = (size_t)(stack_base - stop->context.Rsp);
    if (len > stop->cap) {
        free(stop->bytes);
        stop->bytes = malloc(len);
        stop->cap = stop->bytes ? len : 0;
    }
    if (!stop->bytes)
        return false;
    memcpy(stop->bytes, at(stop->context.Rsp), len);
    stop->stack = (struct um_unwind_stack){stop->context.Rsp, stop->bytes, len};
    loaded_registers(&stop->context, &stop->registers);
    return true;
}

/* Whether a word can be read from the stack there. */
static bool is_in_stack(const struct loaded_stop *stop, uint64_t address)
{
    return address >= stop->stack.address &&
           address - stop->stack.address <= stop->stack.len - sizeof(uint64_t);
}

/* Whether the instruction before is a system call, out of which the system can call back. */
static bool is_after_system_call(uint64_t pc)
{
    return loaded_at(pc - 2) && at(pc)[-2] == 0x0f && at(pc)[-1] == 0x05;
}

bool loaded_virtual_unwind(const struct loaded_stop *stop, struct loaded_frames *frames)
{
    CONTEXT context = stop->context;
    frames->count = 0;
    while (context.Rip != 0 && frames->count < STACK_FILE_FRAMES) {
        const struct loaded_module *module = loaded_at(context.Rip);
        RUNTIME_FUNCTION *entry = module ? entry_of(module, context.Rip) : NULL;
        PVOID data;
        ULONG64 frame;
        if (!is_in_stack(stop, context.Rsp))
            return false;
        frames->list[frames->count++] = (struct stack_file_frame){context.Rip, context.Rsp};
        if (entry) {
            RtlVirtualUnwind(UNW_FLAG_NHANDLER, module->base, context.Rip, entry, &context, &data,
                             &frame, NULL);
        } else if (frames->count > 1 && !is_after_system_call(context.Rip)) {
            return false;
        } else {
            context.Rip = *(const uint64_t *)at(context.Rsp);
            context.Rsp += sizeof(uint64_t);
        }
    }
    return context.Rip == 0;
}

/* StackWalk64 knows no context, so what it reads is here. */
static const struct loaded_stop *walked;

static BOOL CALLBACK walk_read(HANDLE process, DWORD64 address, PVOID bytes, DWORD len,
                               LPDWORD read)
{
    (void)process;
    const struct um_unwind_stack *stack = &walked->stack;
    *read = 0;
    if (address >= stack->address && address - stack->address <= stack->len &&
        len <= stack->len - (address - stack->address))
        memcpy(bytes, stack->bytes + (address - stack->address), len);
    else if (loaded_at(address) && loaded_at(address + len - 1))
        memcpy(bytes, at(address), len);
    else
        return FALSE;
    *read = len;
    return TRUE;
}

static PVOID CALLBACK walk_entry(HANDLE process, DWORD64 address)
{
    (void)process;
    const struct loaded_module *module = loaded_at(address);
    return module ? entry_of(module, address) : NULL;
}

static DWORD64 CALLBACK walk_base(HANDLE process, DWORD64 address)
{
    (void)process;
    const struct loaded_module *module = loaded_at(address);
    return module ? module->base : 0;
}

bool loaded_stack_walk(const struct loaded_stop *stop, struct loaded_frames *frames)
{
    CONTEXT context = stop->context;
    STACKFRAME64 frame = {.AddrPC = {.Offset = context.Rip, .Mode = AddrModeFlat},
                          .AddrStack = {.Offset = context.Rsp, .Mode = AddrModeFlat},
                          .AddrFrame = {.Offset = context.Rbp, .Mode = AddrModeFlat}};
    walked = stop;
    frames->count = 0;
    while (frames->count < STACK_FILE_FRAMES &&
           StackWalk64(IMAGE_FILE_MACHINE_AMD64, GetCurrentProcess(), NULL, &frame, &context,
                       walk_read, walk_entry, walk_base, NULL)) {
        /* Its stack pointers are not those of unwinding: Wine's are behind by a leaf's word. */
        frames->list[frames->count++] = (struct stack_file_frame){frame.AddrPC.Offset, 0};
        if (frame.AddrReturn.Offset == 0)
            return true;
    }
    return false;
}
