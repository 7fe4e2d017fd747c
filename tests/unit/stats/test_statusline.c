#include <criterion/criterion.h>
#include <string.h>

#include "base/utf8.h"
#include "monitor/stats/statusline.h"
#include "monitor/target/target.h"

#define MS UINT64_C(1000000)
#define ALL_KNOWN                                                                                  \
    (UM_WIRE_STATUS_HAS_LATENCY | UM_WIRE_STATUS_HAS_LAG | UM_WIRE_STATUS_HAS_LAST_FREEZE)

static struct um_wire_status status;
static const char *hidden_by;

static void setup(void)
{
    hidden_by = "";
    status = (struct um_wire_status){.time_ns = 12300 * MS,
                                     .lag_ns = 300000,
                                     .p50_ns = 300000,
                                     .p99_ns = 1200000,
                                     .last_freeze_ns = 300 * MS,
                                     .freeze_total_ns = 600 * MS,
                                     .freezes = 2,
                                     .state_since_ns = 2000 * MS,
                                     .state = UM_STATE_RESPONSIVE};
}

TestSuite(statusline, .init = setup);

static const char *line(unsigned flags, size_t columns)
{
    static char buf[UM_STATUSLINE_BYTES];

    cr_assert_eq(
        um_statusline_format(&status, flags, false, hidden_by, 12.3, columns, buf, sizeof buf),
        UM_OK);
    return buf;
}

Test(statusline, says_everything_where_there_is_room)
{
    cr_assert_str_eq(line(ALL_KNOWN, 0),
                     "12.3 s  responsive  lag 0.3 ms  p50 0.3  p99 1.2  freezes 2 (last 300 ms, "
                     "total 600 ms)");
}

Test(statusline, shows_a_dash_for_what_was_not_measured)
{
    status = (struct um_wire_status){.state = UM_STATE_RESPONSIVE};
    cr_assert_str_eq(line(0, 0),
                     "12.3 s  responsive  lag \xe2\x80\x93 ms  p50 \xe2\x80\x93  p99 \xe2\x80\x93  "
                     "freezes 0");
}

Test(statusline, has_no_lag_from_the_end_of_a_freeze_until_the_next_beat)
{
    status.lag_ns = 290 * MS; /* of the beat that the freeze held up */
    status.last_freeze_end_ns = status.time_ns - 50 * MS;
    cr_assert_str_eq(line(ALL_KNOWN, 0),
                     "12.3 s  responsive  lag \xe2\x80\x93 ms  p50 0.3  p99 1.2  freezes 2 (last "
                     "300 ms, total 600 ms)");
    status.outstanding_ns = status.time_ns - 40 * MS;
    status.lag_ns = 40 * MS;
    cr_assert_not_null(strstr(line(ALL_KNOWN, 0), "  lag 40 ms  "), "the next beat waits");
    status.outstanding_ns = 0;
    cr_assert_not_null(strstr(line(ALL_KNOWN, 0), "  lag 40 ms  "), "the next beat is answered");
}

Test(statusline, does_not_claim_more_than_the_windows_thread)
{
    char buf[UM_STATUSLINE_BYTES];

    cr_assert_eq(um_statusline_format(&status, 0, true, "", 1, 0, buf, sizeof buf), UM_OK);
    cr_assert_not_null(strstr(buf, "  window thread  lag "));
    cr_assert_null(strstr(buf, "responsive"));
}

Test(statusline, says_for_how_long_it_is_not_responsive)
{
    status.state = UM_STATE_FROZEN;
    status.state_since_ns = 11500 * MS;
    status.lag_ns = 812400000;
    cr_assert_str_eq(line(ALL_KNOWN, 40), "frozen 0.8 s  lag 812 ms  freezes 2");
}

Test(statusline, begins_with_what_hides_the_overlay)
{
    hidden_by = "\"cover\" (cover.exe, pid 12)";
    cr_assert_str_eq(line(0, 0), "overlay hidden by \"cover\" (cover.exe, pid 12)  12.3 s  "
                                 "responsive  lag \xe2\x80\x93 ms  p50 \xe2\x80\x93  p99 "
                                 "\xe2\x80\x93  freezes 2 (total 600 ms)");
    cr_assert_str_eq(line(ALL_KNOWN, 60),
                     "overlay hidden by \"cover\" (cover.exe, pid 12)  responsive");
}

Test(statusline, a_state_that_begins_in_the_future_has_no_length)
{
    status.state = UM_STATE_IDLE;
    status.state_since_ns = status.time_ns + 1;
    cr_assert_str_eq(line(ALL_KNOWN, 25), "idle  lag 0.3 ms");
}

Test(statusline, tenths_are_shown_below_ten)
{
    status.lag_ns = 9949999;
    cr_assert_not_null(strstr(line(ALL_KNOWN, 0), "lag 9.9 ms"));
    status.lag_ns = 9950000;
    cr_assert_not_null(strstr(line(ALL_KNOWN, 0), "lag 10 ms"));
}

Test(statusline, shows_what_was_lost)
{
    status.lost = 17;
    cr_assert_not_null(strstr(line(ALL_KNOWN, 0), "  lost 17"));
}

Test(statusline, is_never_wider_than_the_terminal)
{
    status.lost = 5;
    for (size_t columns = 1; columns < 120; columns++) {
        cr_assert_leq(um_utf8_columns(line(ALL_KNOWN, columns)), columns);
        cr_assert_leq(um_utf8_columns(line(0, columns)), columns);
    }
    cr_assert_str_eq(line(ALL_KNOWN, 10), "responsive");
}

Test(statusline, the_widest_numbers_fit_the_buffer)
{
    char buf[UM_STATUSLINE_BYTES];

    char longest[UM_TARGET_HIDER_BYTES] = "";
    memset(longest, 'W', sizeof longest - 1);
    hidden_by = longest;
    memset(&status, 0xff, sizeof status);
    status.state = UM_STATE_SUSPENDED;
    status.state_since_ns = 0;
    cr_assert_eq(
        um_statusline_format(&status, ALL_KNOWN, false, hidden_by, 1e300, 0, buf, sizeof buf),
        UM_OK);
    cr_assert_not_null(strstr(buf, "lost 18446744073709551615"));
    cr_assert_eq(um_statusline_format(&status, ALL_KNOWN, false, "", 1, 80, buf, sizeof buf - 1),
                 UM_ERR_TOO_LARGE);
}

Test(statusline, shows_the_latency_of_typing_and_of_the_last_click)
{
    unsigned painted = UM_WIRE_STATUS_TYPING_PAINTED | UM_WIRE_STATUS_CLICK_PAINTED;
    unsigned flags = UM_WIRE_STATUS_HAS_LAG | UM_WIRE_STATUS_HAS_TYPING | UM_WIRE_STATUS_HAS_CLICK;

    status.typing_p50_ns = 8500000;
    status.typing_p99_ns = 31 * MS;
    status.click_ns = 12 * MS;
    cr_expect_not_null(strstr(line(flags | painted, 0),
                              "  typing 8.5/31 ms to painted  click 12 ms to painted  "
                              "freezes 2"));
    cr_expect_not_null(
        strstr(line(flags, 0), "  typing 8.5/31 ms to handled  click 12 ms to handled  freezes 2"));
    cr_expect_null(strstr(line(UM_WIRE_STATUS_HAS_LAG, 0), "typing"));
    cr_expect_null(strstr(line(UM_WIRE_STATUS_HAS_LAG, 0), "click"));
}
