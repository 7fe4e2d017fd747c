/* The checksum of recordings and of a benchmark's scenario: the CRC-32 of IEEE 802.3 and of zlib
 * (polynomial 0xedb88320 reflected, begun with and finished by all ones). Not on the hot path. */
#ifndef UM_BASE_CRC32_H
#define UM_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continues a checksum over some more bytes; the first call gets 0. Thread: any.
 * Source: ISO 3309 and RFC 1952, section 8, whose table-driven code this is. */
uint32_t um_crc32(uint32_t crc, const uint8_t *bytes, size_t len_bytes);

#endif
