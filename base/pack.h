/* Long lists of numbers as few bytes, for a page that carries them as base64 (report_page.html
 * unpacks them) and for messages of Protocol Buffers.
 *
 * A number is a varint: 7 bits a byte, the lowest first; the top bit says that more follow. A
 * number that can be negative is folded first: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... Pure; not
 * on the hot path.
 */
#ifndef UM_BASE_PACK_H
#define UM_BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed, it is empty. Owner: um_pack_deinit. */
struct um_pack {
    uint8_t *bytes;
    size_t len;
    size_t cap;
    bool failed; /* there was no memory: um_pack_base64 gives NULL */
};

void um_pack_byte(struct um_pack *packed, uint8_t byte);
void um_pack_number(struct um_pack *packed, uint64_t number);
void um_pack_signed(struct um_pack *packed, int64_t number);

/* The bytes as base64. Owner: free. NULL without memory. Source: RFC 4648, section 4. */
char *um_pack_base64(const struct um_pack *packed);

/* Frees the bytes. Accepts a zeroed struct. */
void um_pack_deinit(struct um_pack *packed);

#endif
