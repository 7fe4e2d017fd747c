/* The session of ETW on the system at hand. Nobody has run this on Windows yet. */
#include <windows.h>

#include <criterion/criterion.h>

#include "base/wine_win32.h"
#include "monitor/layout/layout_etw.h"

static struct um_ring_slot slots[64];

Test(layout_etw, begins_a_session_or_says_why_not)
{
    struct um_layout_etw *etw = NULL;
    struct um_ring ring = {0};
    um_ring_init(&ring, slots, sizeof slots / sizeof slots[0]);
    for (int i = 0; i < 3; i++) {
        enum um_status status =
            um_layout_etw->open(GetCurrentProcessId(), GetCurrentThreadId(), &ring, &etw);
        if (um_wine_version()) /* its StartTrace works, its OpenTrace does not */
            cr_assert_eq(status, UM_ERR_UNSUPPORTED, "%s", um_status_text(status));
        else
            cr_assert(status == UM_OK || status == UM_ERR_DENIED, "%s", um_status_text(status));
        um_layout_etw->close(etw);
        etw = NULL;
    }
    um_layout_etw->close(NULL);
}
