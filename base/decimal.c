#include "base/decimal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *um_decimal_read(const char *text, double *number)
{
    static const char digits[] = "0123456789";
    size_t len = strspn(text, digits);

    if (text[len] == '.') {
        size_t fraction = strspn(text + len + 1, digits);
        if (fraction == 0)
            return NULL;
        len += 1 + fraction;
    }
    if (len == 0 || len > UM_DECIMAL_BYTES)
        return NULL;
    /* After the number may stand what strtod would take for a part of it: an x or an e. */
    char copy[UM_DECIMAL_BYTES + 1];
    memcpy(copy, text, len);
    copy[len] = '\0';
    *number = strtod(copy, NULL);
    return text + len;
}
