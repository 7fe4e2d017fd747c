/* Unpacks what Deflate has packed, as the PDB in an assembly. One backend by what is linked: zlib
 * (inflate_zlib.c), or nothing (inflate_none.c), where a 32-bit build by Visual C++ has no zlib.
 * Not on the hot path.
 */
#ifndef UM_NAMES_INFLATE_H
#define UM_NAMES_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

/* Unpacks data without a header into exactly `len` bytes. Units: both lengths are below 4 GiB.
 * Errors: UM_ERR_FORMAT it is something else; UM_ERR_MEMORY; UM_ERR_UNSUPPORTED there is no
 * library. */
enum um_status um_inflate(const uint8_t *packed, size_t packed_len, uint8_t *bytes, size_t len);

#endif
