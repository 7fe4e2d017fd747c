#include "ipc/transport.h"

#include <stdio.h>
#include <string.h>

#include "ipc/bootstrap.h"

#define NONCE_BYTES 16

static const char prefix[] = "uimon-";

/* What is left of a name without prefix, hyphen, digits and NUL. */
#define PURPOSE_MAX_BYTES (UM_TRANSPORT_NAME_BYTES - sizeof prefix - 1 - (2 * NONCE_BYTES))

static int is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

int um_transport_name_is_valid(const char *name)
{
    size_t len_bytes = 0;
    while (len_bytes < UM_TRANSPORT_NAME_BYTES && is_name_character(name[len_bytes]))
        len_bytes++;
    return len_bytes > 0 && len_bytes < UM_TRANSPORT_NAME_BYTES && name[len_bytes] == 0 &&
           name[0] != '.';
}

enum um_status um_transport_name(const char *purpose, const uint8_t nonce[16], char *name)
{
    char front[UM_TRANSPORT_NAME_BYTES], made[UM_TRANSPORT_NAME_BYTES];
    if (strlen(purpose) > PURPOSE_MAX_BYTES)
        return UM_ERR_ARG;
    snprintf(front, sizeof front, "%s%s-", prefix, purpose);
    um_bootstrap_name(front, nonce, made);
    if (!um_transport_name_is_valid(made))
        return UM_ERR_ARG;
    memcpy(name, made, strlen(made) + 1);
    return UM_OK;
}

enum um_status um_transport_random_name(const char *purpose, char *name, uint8_t nonce[16])
{
    uint8_t bits[NONCE_BYTES];
    enum um_status status = um_transport_random_bits(bits, sizeof bits);
    if (status == UM_OK)
        status = um_transport_name(purpose, bits, name);
    if (status == UM_OK && nonce)
        memcpy(nonce, bits, sizeof bits);
    return status;
}
