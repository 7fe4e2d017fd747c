/* Which machine code a process runs, and whether one of uimon's DLLs can be loaded into it. There
 * is one for x64 and one for x86. Pure. Not on the hot path.
 */
#ifndef UM_MONITOR_MACHINE_H
#define UM_MONITOR_MACHINE_H

#include <stdint.h>

/* As in the headers of executable files. Source: winnt.h, IMAGE_FILE_MACHINE_... */
enum um_machine {
    UM_MACHINE_UNKNOWN = 0,
    UM_MACHINE_X86 = 0x014c,
    UM_MACHINE_ARM = 0x01c4,
    UM_MACHINE_X64 = 0x8664,
    UM_MACHINE_ARM64 = 0xaa64
};

/* The machine of a process. `wow` is the machine of a 32-bit process, and unknown for any other
 * one; `native` is the system's own; `reported` is what Windows 11 reports for the process, and
 * unknown on older systems. On an ARM64 system only `reported` distinguishes an emulated x64
 * process from an ARM64 one: without it the result is unknown. */
uint16_t um_machine_of(uint16_t wow, uint16_t native, uint16_t reported);

/* 32 or 64; 64 for an unknown machine. */
uint8_t um_machine_bits(uint16_t machine);

/* Why a process of this machine cannot be watched; "" if it can, or if its machine is not known.
 * Owner: static text. Thread: any. */
const char *um_machine_why_not(uint16_t machine);

/* Why stacks cannot be read on a system for `native`; "" if they can. On ARM64 the system's
 * libraries in a program for x64 are mostly ARM64 code (ARM64EC). The unwind tables of x64 do not
 * describe that code, and it does not use the registers of x64.
 * Owner: static text. Thread: any. Source: "Understanding ARM64EC ABI and assembly code", Microsoft
 * Learn. */
const char *um_machine_why_no_stacks(uint16_t native);

#endif
