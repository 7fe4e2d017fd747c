/* Wine's callbacks: places where a system call has called the program back, for a sent message or a
 * hook.
 *
 * Windows, and Wine from version 9 on, leave a frame there that unwind data describes. Wine 8 does
 * not: the return address is no code, and the registers of the system call's caller are not on the
 * stack. They are in records of Wine's own, one for each system call that has not returned: the
 * thread's environment block points to the last one, and each points to the one before it. This
 * recognises such a callback on a copy of the stack, and reads the records. Pure but for the
 * function that reads.
 *
 * The functions that end in _x86 are the same for 32-bit programs, with words of 32 bits.
 *
 * Source: Wine 8.0, dlls/ntdll/unix/signal_x86_64.c and signal_i386.c (KeUserModeCallback, struct
 * syscall_frame) and the machine code of Debian's build of it.
 */
#ifndef UM_MONITOR_CALLBACK_H
#define UM_MONITOR_CALLBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/sample/unwind.h"

#define UM_CALLBACK_MOST 16            /* nested callbacks; further out ones are not read */
#define UM_CALLBACK_RETURN 0xdeadbabeU /* stands in place of a return address */
#define UM_CALLBACK_LAST_WORD 0x20     /* offset of the last word that um_callback_is_at checks */

/* Whether the word at `address` is such a return address. What lies above it must be the callback's
 * number, the address and the length of its arguments, 0, and the arguments.
 * `args_end` gets the address behind the arguments. */
bool um_callback_is_at(const struct um_unwind_stack *stack, uint64_t address, uint64_t *args_end);
bool um_callback_is_at_x86(const struct um_unwind_stack *stack, uint64_t address,
                           uint64_t *args_end);

/* Whether there is any in the copy. Cost: some 40 µs for 256 KiB. */
bool um_callback_is_in(const struct um_unwind_stack *stack);
bool um_callback_is_in_x86(const struct um_unwind_stack *stack);

/* Of `callers`, the registers at the system call that made the callback whose arguments end there:
 * its stack begins behind them. NULL: none did. */
const struct um_unwind_registers *um_callback_caller(const struct um_unwind_registers *callers,
                                                     size_t count, uint64_t args_end);

/* Reads the thread's memory, all of it or false. */
typedef bool (*um_callback_read)(void *context, uint64_t address, void *bytes, size_t len);

/* Reads the registers at the system calls out of which callbacks came, the innermost first, and
 * returns how many there are. `teb` is the address of the thread's environment block. The thread
 * must be suspended meanwhile. */
size_t um_callback_callers(um_callback_read read, void *context, uint64_t teb,
                           struct um_unwind_registers callers[UM_CALLBACK_MOST]);
size_t um_callback_callers_x86(um_callback_read read, void *context, uint64_t teb,
                               struct um_unwind_registers callers[UM_CALLBACK_MOST]);

#endif
