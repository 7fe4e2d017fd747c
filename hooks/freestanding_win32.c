/* memcpy and memset: the C library's functions that a compiler may call even in freestanding code.
 * The DLL has no C library. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t len);
void *memset(void *to, int value, size_t len);

/* Without this, Visual C++ takes them for intrinsics and refuses the definitions (C2169). */
#ifdef _MSC_VER
#pragma function(memcpy, memset)
#endif

/* `out` is volatile, because compilers turn such loops into calls of memcpy and memset, which would
 * then call themselves. */
void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
    volatile unsigned char *out = to;
    const unsigned char *in = from;
    while (len--)
        *out++ = *in++;
    return to;
}

void *memset(void *to, int value, size_t len)
{
    volatile unsigned char *out = to;
    while (len--)
        *out++ = (unsigned char)value;
    return to;
}
