/* uimon-clr64.dll and uimon-clr32.dll: a profiler that the .NET runtime loads at its start, if the
 * environment says so. It has each traced method call the stubs, which count and time its calls
 * (calls.h).
 *
 * The environment (environment.h) tells the runtime to load it, and the profiler for which program
 * that is meant and what is traced.
 *
 * The runtime asks once for each method, before it compiles it. One that is not traced runs as fast
 * as ever. Since a method that is compiled into its caller calls no stub, the profiler refuses that
 * for those that are traced.
 *
 * No C library; it imports kernel32 alone, opens nothing and starts no thread. Never unloaded.
 */
#ifndef UM_CLR_PROFILER_WIN32_H
#define UM_CLR_PROFILER_WIN32_H

#include <stdint.h>

#include "clr/calls.h"

/* Called by the stubs where their shortest way ends; `sp` as there. Thread: any of the target's. */
void um_profiler_enter(uintptr_t method, uintptr_t sp);
void um_profiler_leave(uintptr_t method, uintptr_t sp);
void um_profiler_cpu(void);

/* stubs_x64.S, stubs_x86.S */
void um_stub_count(uintptr_t method);
void um_stub_enter(uintptr_t method);
void um_stub_leave(uintptr_t method);

/* Of the stubs: where the thread's record lies, as an offset from GS or FS; 0: not there. */
extern uint32_t um_stub_tls;

/* Exported by this name, UM_CALLS_VARIABLE. */
extern struct um_calls uimon_calls_1;

#endif
