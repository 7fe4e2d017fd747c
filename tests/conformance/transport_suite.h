/* What every transport must do: one suite of checks for all backends, run by
 * tests/unit/ipc/test_transport.c natively and by tests/win/transport_win32.c on Windows.
 *
 * A check gets the transport and returns NULL, or a sentence that says what went wrong. Each uses
 * names of its own, so that checks can run in any order and side by side.
 */
#ifndef UM_TESTS_TRANSPORT_SUITE_H
#define UM_TESTS_TRANSPORT_SUITE_H

#include "ipc/transport.h"

#define TRANSPORT_SUITE(X)                                                                         \
    X(bytes_arrive_in_order_both_ways)                                                             \
    X(slow_reader_gets_a_large_write_whole)                                                        \
    X(both_directions_flow_at_once)                                                                \
    X(read_polls_without_waiting)                                                                  \
    X(read_gives_up_after_its_timeout)                                                             \
    X(read_that_gave_up_loses_nothing)                                                             \
    X(read_waits_for_what_comes_later)                                                             \
    X(read_without_room_is_refused)                                                                \
    X(write_gives_up_when_nobody_reads)                                                            \
    X(write_of_nothing_succeeds)                                                                   \
    X(reader_gets_everything_before_the_close)                                                     \
    X(reader_that_waits_sees_the_close)                                                            \
    X(writer_sees_the_close)                                                                       \
    X(writer_that_waits_sees_the_close)                                                            \
    X(bytes_written_before_accept_arrive)                                                          \
    X(connect_to_nobody_is_not_found)                                                              \
    X(connect_waits_for_the_name)                                                                  \
    X(connect_gives_up_when_nobody_accepts)                                                        \
    X(accept_gives_up_after_its_timeout)                                                           \
    X(accept_polls_without_waiting)                                                                \
    X(second_listener_is_refused)                                                                  \
    X(name_is_free_after_the_listener)                                                             \
    X(bad_names_are_refused)                                                                       \
    X(interrupt_ends_present_and_later_accepts)                                                    \
    X(shut_ends_a_read)                                                                            \
    X(shut_ends_a_write)                                                                           \
    X(shut_ends_later_reads_and_writes)                                                            \
    X(several_clients_are_kept_apart)                                                              \
    X(connection_outlives_its_listener)                                                            \
    X(closed_listener_closes_whoever_waits)                                                        \
    X(released_connection_can_be_adopted)                                                          \
    X(peer_is_this_process)                                                                        \
    X(closing_nothing_is_harmless)

#define TRANSPORT_SUITE_DECLARE(name)                                                              \
    const char *transport_suite_##name(const struct um_transport *transport);
TRANSPORT_SUITE(TRANSPORT_SUITE_DECLARE)
#undef TRANSPORT_SUITE_DECLARE

#endif
