/* Finds the functions of generated code. A runtime that generates code tells the system of its
 * tables, and only inside of its own process does the system look into them.
 *
 * The look-up may call a function of the runtime, which may take a lock of its own. So the monitor
 * asks only while no thread of the target is suspended. */
#include "hooks/hook_win32.h"

static void set_none(uint64_t address, struct um_wire_frame *frame)
{
    frame->type = UM_WIRE_CODE;
    frame->flags = UM_WIRE_CODE_NONE;
    frame->as.code.address = address;
    frame->as.code.base = 0;
    frame->as.code.begin = 0;
    frame->as.code.end = 0;
    frame->as.code.unwind = 0;
}

#ifdef _WIN64

void um_code_find(uint64_t address, struct um_wire_frame *frame)
{
    RUNTIME_FUNCTION copy;
    DWORD64 base = 0;
    SIZE_T done = 0;
    set_none(address, frame);
    PRUNTIME_FUNCTION entry = RtlLookupFunctionEntry(address, &base, NULL);
    /* The runtime may free the entry at any time, so it is read in the way that can fail. */
    if (!entry || !ReadProcessMemory(GetCurrentProcess(), entry, &copy, sizeof copy, &done) ||
        done != sizeof copy)
        return;
    frame->flags = 0;
    frame->as.code.base = base;
    frame->as.code.begin = copy.BeginAddress;
    frame->as.code.end = copy.EndAddress;
    frame->as.code.unwind = copy.UnwindData;
}

#else

/* Programs of 32 bits have no such tables. */
void um_code_find(uint64_t address, struct um_wire_frame *frame)
{
    set_none(address, frame);
}

#endif
