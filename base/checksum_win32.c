#include "base/checksum.h"

#include <windows.h>

#include <bcrypt.h>

/* A system whose policy is FIPS refuses MD5. */
enum um_status um_checksum_digest(enum um_checksum_kind kind, const void *bytes, uint32_t len_bytes,
                                  uint8_t *digest, uint32_t digest_bytes)
{
    static const wchar_t *const names[UM_CHECKSUM_KINDS] = {
        [UM_CHECKSUM_MD5] = BCRYPT_MD5_ALGORITHM,
        [UM_CHECKSUM_SHA1] = BCRYPT_SHA1_ALGORITHM,
        [UM_CHECKSUM_SHA256] = BCRYPT_SHA256_ALGORITHM,
    };
    BCRYPT_ALG_HANDLE algorithm = NULL;
    if (BCryptOpenAlgorithmProvider(&algorithm, names[kind], NULL, 0) < 0)
        return UM_ERR_UNSUPPORTED;
    NTSTATUS status =
        BCryptHash(algorithm, NULL, 0, (PUCHAR)bytes, len_bytes, digest, digest_bytes);
    BCryptCloseAlgorithmProvider(algorithm, 0);
    return status >= 0 ? UM_OK : UM_ERR_UNSUPPORTED;
}
