/* Checksums of source files, as compilers write them into PDBs: "sha256:" and the digest in lower
 * case. The digest itself is computed by the system's CNG on Windows (checksum_win32.c), and by
 * mbedtls elsewhere (checksum_posix.c). They tell whether a file is the one that was compiled, and
 * protect nothing. Not on the hot path.
 */
#ifndef UM_BASE_CHECKSUM_H
#define UM_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

#define UM_CHECKSUM_BYTES 72        /* of the longest text, that of SHA-256, with its NUL */
#define UM_CHECKSUM_DIGEST_BYTES 32 /* of the longest digest */

enum um_checksum_kind {
    UM_CHECKSUM_MD5,
    UM_CHECKSUM_SHA1,
    UM_CHECKSUM_SHA256,
    UM_CHECKSUM_KINDS,
};

/* Writes the text of a digest. Units: `text` has UM_CHECKSUM_BYTES.
 * Errors: UM_ERR_FORMAT digests of this kind have another length, or there is no such kind. */
enum um_status um_checksum_put(unsigned kind, const uint8_t *digest, size_t len_bytes, char *text);

/* Which kind a text names; UM_CHECKSUM_KINDS: it is "", or of none of them. */
enum um_checksum_kind um_checksum_kind_of(const char *text);

/* Computes the text of a file's bytes. Units: `text` has UM_CHECKSUM_BYTES.
 * Errors: UM_ERR_UNSUPPORTED the system does not compute this kind, as where it allows no MD5;
 * UM_ERR_TOO_LARGE there are 4 GiB of bytes or more. */
enum um_status um_checksum_of(enum um_checksum_kind kind, const void *bytes, size_t len_bytes,
                              char *text);

/* The backend of um_checksum_of. Units: `digest` has UM_CHECKSUM_DIGEST_BYTES, and `digest_bytes`
 * are those of the kind. Errors: UM_ERR_UNSUPPORTED. */
enum um_status um_checksum_digest(enum um_checksum_kind kind, const void *bytes, uint32_t len_bytes,
                                  uint8_t *digest, uint32_t digest_bytes);

#endif
