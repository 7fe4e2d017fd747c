#include "base/checksum.h"

#include <string.h>

static const struct kind {
    const char *prefix;
    uint32_t digest_bytes;
} kinds[UM_CHECKSUM_KINDS] = {
    [UM_CHECKSUM_MD5] = {"md5:", 16},
    [UM_CHECKSUM_SHA1] = {"sha1:", 20},
    [UM_CHECKSUM_SHA256] = {"sha256:", 32},
};

enum um_status um_checksum_put(unsigned kind, const uint8_t *digest, size_t len_bytes, char *text)
{
    static const char digits[] = "0123456789abcdef";
    if (kind >= UM_CHECKSUM_KINDS || len_bytes != kinds[kind].digest_bytes)
        return UM_ERR_FORMAT;
    size_t used = strlen(kinds[kind].prefix);
    memcpy(text, kinds[kind].prefix, used);
    for (size_t i = 0; i < len_bytes; i++) {
        text[used++] = digits[digest[i] >> 4];
        text[used++] = digits[digest[i] & 15];
    }
    text[used] = '\0';
    return UM_OK;
}

enum um_checksum_kind um_checksum_kind_of(const char *text)
{
    unsigned kind = 0;
    while (kind < UM_CHECKSUM_KINDS &&
           (strncmp(text, kinds[kind].prefix, strlen(kinds[kind].prefix)) != 0 ||
            strlen(text) != strlen(kinds[kind].prefix) + 2 * kinds[kind].digest_bytes))
        kind++;
    return (enum um_checksum_kind)kind;
}

enum um_status um_checksum_of(enum um_checksum_kind kind, const void *bytes, size_t len_bytes,
                              char *text)
{
    uint8_t digest[UM_CHECKSUM_DIGEST_BYTES];
    if (kind >= UM_CHECKSUM_KINDS)
        return UM_ERR_UNSUPPORTED;
    if (len_bytes > UINT32_MAX)
        return UM_ERR_TOO_LARGE;
    enum um_status status =
        um_checksum_digest(kind, bytes, (uint32_t)len_bytes, digest, kinds[kind].digest_bytes);
    return status == UM_OK ? um_checksum_put(kind, digest, kinds[kind].digest_bytes, text) : status;
}
