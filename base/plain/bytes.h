/* Numbers as bytes, the lowest first, on every machine: in frames, recordings and questions for
 * names. Units: `at` has room for, or has, as many bytes as the number. Freestanding: the hook DLL
 * has no C library, so these are stores and loads of single bytes. */
#ifndef UM_BASE_BYTES_H
#define UM_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline void um_bytes_put16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void um_bytes_put32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
}

static inline void um_bytes_put64(uint8_t *at, uint64_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
    at[4] = (uint8_t)(value >> 32);
    at[5] = (uint8_t)(value >> 40);
    at[6] = (uint8_t)(value >> 48);
    at[7] = (uint8_t)(value >> 56);
}

static inline uint16_t um_bytes_get16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t um_bytes_get32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t um_bytes_get64(const uint8_t *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

/* The same for a number of 1, 2, 4 or 8 bytes. */
static inline void um_bytes_put(uint8_t *at, size_t bytes, uint64_t value)
{
    switch (bytes) {
    case 1:
        at[0] = (uint8_t)value;
        break;
    case 2:
        um_bytes_put16(at, (uint16_t)value);
        break;
    case 4:
        um_bytes_put32(at, (uint32_t)value);
        break;
    default:
        um_bytes_put64(at, value);
        break;
    }
}

static inline uint64_t um_bytes_get(const uint8_t *at, size_t bytes)
{
    switch (bytes) {
    case 1:
        return at[0];
    case 2:
        return um_bytes_get16(at);
    case 4:
        return um_bytes_get32(at);
    default:
        return um_bytes_get64(at);
    }
}

#endif
