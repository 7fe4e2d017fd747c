/* The two functions that a compiler may call even in freestanding code. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t len);
void *memset(void *to, int value, size_t len);

/* Volatile, so that the loops are not turned back into calls of the functions they are. */
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
