#include "base/checksum.h"

#include <mbedtls/md.h>

enum um_status um_checksum_digest(enum um_checksum_kind kind, const void *bytes, uint32_t len_bytes,
                                  uint8_t *digest, uint32_t digest_bytes)
{
    static const mbedtls_md_type_t types[UM_CHECKSUM_KINDS] = {
        [UM_CHECKSUM_MD5] = MBEDTLS_MD_MD5,
        [UM_CHECKSUM_SHA1] = MBEDTLS_MD_SHA1,
        [UM_CHECKSUM_SHA256] = MBEDTLS_MD_SHA256,
    };
    const mbedtls_md_info_t *info = mbedtls_md_info_from_type(types[kind]);
    if (!info || mbedtls_md_get_size(info) != digest_bytes ||
        mbedtls_md(info, bytes, len_bytes, digest) != 0)
        return UM_ERR_UNSUPPORTED;
    return UM_OK;
}
