#include "ipc/layout_steps.h"

#include "base/message_names.h"
#include "base/plain/text.h"

void um_layout_steps_name(uint32_t message, char *buf, size_t cap_bytes)
{
    switch (message) {
#define NAME_CASE(number, name, window_class, step, whose)                                         \
    case number:                                                                                   \
        um_text_set(buf, cap_bytes, name);                                                         \
        return;
        UM_LAYOUT_STEPS(NAME_CASE)
#undef NAME_CASE
    default:
        um_message_names_get(message, "", buf, cap_bytes);
    }
}
