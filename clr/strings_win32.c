/* The functions of the C library that base/module_list.c and base/utf8.c call. The DLL has no C
 * library. */
#include <stddef.h>

void *memchr(const void *at, int byte, size_t len);
size_t strlen(const char *text);
char *strchr(const char *text, int byte);
size_t strspn(const char *text, const char *these);
size_t strcspn(const char *text, const char *these);

#ifdef _MSC_VER
#pragma function(strlen)
#endif

void *memchr(const void *at, int byte, size_t len)
{
    const volatile unsigned char *text = at;
    for (size_t i = 0; i < len; i++)
        if (text[i] == (unsigned char)byte)
            return (unsigned char *)at + i;
    return NULL;
}

size_t strlen(const char *text)
{
    const volatile char *at = text;
    size_t len = 0;
    while (at[len])
        len++;
    return len;
}

char *strchr(const char *text, int byte)
{
    return memchr(text, byte, strlen(text) + 1);
}

size_t strspn(const char *text, const char *these)
{
    size_t len = 0;
    while (text[len] && strchr(these, text[len]))
        len++;
    return len;
}

size_t strcspn(const char *text, const char *these)
{
    size_t len = 0;
    while (text[len] && !strchr(these, text[len]))
        len++;
    return len;
}
