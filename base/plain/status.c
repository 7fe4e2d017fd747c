#include "base/plain/status.h"

const char *um_status_text(enum um_status status)
{
    switch (status) {
#define UM_STATUS_CASE(name, value, text)                                                          \
    case UM_##name:                                                                                \
        return text;
        UM_STATUS_LIST(UM_STATUS_CASE)
#undef UM_STATUS_CASE
    }
    return "unknown status";
}
