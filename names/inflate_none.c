#include "names/inflate.h"

enum um_status um_inflate(const uint8_t *packed, size_t packed_len, uint8_t *bytes, size_t len)
{
    (void)packed, (void)packed_len, (void)bytes, (void)len;
    return UM_ERR_UNSUPPORTED;
}
