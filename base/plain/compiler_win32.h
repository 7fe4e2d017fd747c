/* What C cannot say, and each compiler says in its own words. Header-only. */
#ifndef UM_BASE_PLAIN_COMPILER_WIN32_H
#define UM_BASE_PLAIN_COMPILER_WIN32_H

#ifdef _MSC_VER
#include <intrin.h>
#define UM_NOINLINE __declspec(noinline)
#define UM_ALWAYS_INLINE __forceinline
/* Where on the stack the function runs that this stands in. */
#define UM_STACK_PLACE() ((void *)_AddressOfReturnAddress())
#else
#define UM_NOINLINE __attribute__((noinline))
#define UM_ALWAYS_INLINE inline __attribute__((always_inline))
#define UM_STACK_PLACE() __builtin_frame_address(0)
#endif

#endif
