/* Which inputs a fuzzer does something with that takes long. Header-only, so that a fuzzer is one
 * file. */
#ifndef UM_TESTS_FUZZ_ONE_OF_H
#define UM_TESTS_FUZZ_ONE_OF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True for one of so many inputs, and always for the same ones. All bytes count, so that those that
 * a fuzzer makes of a chosen one are not all chosen too. */
static inline bool one_of(uint64_t many, const uint8_t *data, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
    return (hash >> 32) % many == 0;
}

#endif
