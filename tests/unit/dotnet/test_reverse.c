/* The pipe to which a launched program's runtime connects, over the system's own transport. The
 * test plays the runtime (played_runtime.h): no real one has been tried. */
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/dotnet/reverse.h"
#include "tests/unit/dotnet/played_runtime.h"

#define CONNS 16
#define LOOK_MS 50

static const struct um_eventpipe_provider provider = {.name = "A.b", .keywords = 5, .level = 4};
static struct um_reverse *reverse;
static struct um_conn *conns[CONNS];
static size_t conn_count;
static uint8_t buf[UM_EVENTPIPE_START_BYTES];
static size_t len;
static bool host_is_over;

static bool is_over(void *context)
{
    (void)context;
    return host_is_over;
}

static const struct um_diagnostics_host host = {NULL, is_over};

static void setup(void)
{
    cr_assert_eq(um_reverse_open(um_transport_system(), &reverse), UM_OK);
}

static void teardown(void)
{
    um_reverse_close(reverse);
    for (size_t i = 0; i < conn_count; i++)
        um_transport_system()->close(conns[i]);
}

TestSuite(reverse, .init = setup, .fini = teardown, .timeout = 120);

static struct um_conn *connect(const struct played *played)
{
    cr_assert_lt(conn_count, CONNS);
    return conns[conn_count++] = played_connect(um_reverse_name(reverse), played);
}

/* A connection of this process, which says that it is `pid`. */
static struct um_conn *advertise(uint64_t pid)
{
    struct played played = {.len = 0};
    played_advertise(&played, pid);
    return connect(&played);
}

static enum um_status wait_for(uint32_t pid)
{
    return um_reverse_wait(reverse, pid, LOOK_MS);
}

static enum um_status read_once(struct um_conn *conn)
{
    return um_transport_system()->read(conn, buf, sizeof buf, LOOK_MS, &len);
}

static void expect_question(struct um_conn *conn)
{
    uint8_t wanted[UM_EVENTPIPE_START_BYTES];
    cr_assert_eq(um_eventpipe_start(&provider, 1, 0.5, wanted, sizeof wanted, &len), UM_OK);
    played_read(conn, buf, len);
    cr_expect_arr_eq(buf, wanted, len);
}

Test(reverse, tells_the_runtime_where_it_is_and_not_to_wait)
{
    char wanted[UM_TRANSPORT_NAME_BYTES + 16];
    snprintf(wanted, sizeof wanted, "%s,nosuspend", um_reverse_name(reverse));
    cr_expect_str_eq(um_reverse_value(reverse), wanted);
    cr_expect_eq(strncmp(wanted, "uimon-dotnet-", 13), 0);
}

/* The runtime connects once for each request. */
Test(reverse, a_session_goes_over_the_runtimes_connections)
{
    struct played played = {.len = 0};
    uint8_t stop[UM_EVENTPIPE_STOP_BYTES];
    played_advertise(&played, um_transport_own_pid());
    played_answer(&played);
    memcpy(played.bytes + played.len, "abc", 3);
    played.len += 3;
    struct um_conn *first = connect(&played);
    cr_assert_eq(wait_for(um_transport_own_pid()), UM_OK);
    cr_assert_eq(um_reverse_start(reverse, &provider, 1, 0.5, &host), UM_OK);
    expect_question(first);
    struct um_conn *second = advertise(um_transport_own_pid());
    cr_assert_eq(um_reverse_read(reverse, buf, sizeof buf, LOOK_MS, &len), UM_OK);
    cr_expect(len == 3 && memcmp(buf, "abc", 3) == 0, "what follows the answer is not lost");
    cr_expect_eq(um_reverse_read(reverse, buf, sizeof buf, 0, &len), UM_ERR_TIMEOUT);
    cr_assert_eq(um_reverse_stop(reverse), UM_OK);
    um_eventpipe_stop(PLAYED_SESSION, stop);
    played_read(second, buf, sizeof stop);
    cr_expect_arr_eq(buf, stop, sizeof stop);
    um_transport_system()->shut(first);
}

Test(reverse, a_runtime_that_does_not_connect_again_is_not_asked_to_stop)
{
    struct played played = {.len = 0};
    played_advertise(&played, um_transport_own_pid());
    played_answer(&played);
    connect(&played);
    cr_assert_eq(wait_for(um_transport_own_pid()), UM_OK);
    cr_assert_eq(um_reverse_start(reverse, &provider, 1, 0.5, &host), UM_OK);
    cr_expect_eq(um_reverse_stop(reverse), UM_ERR_TIMEOUT);
}

Test(reverse, without_a_runtime_there_is_nothing_to_ask)
{
    cr_expect_eq(wait_for(um_transport_own_pid()), UM_ERR_TIMEOUT);
    cr_expect_eq(um_reverse_start(reverse, &provider, 1, 0.5, &host), UM_ERR_NOT_FOUND);
}

/* Children of the program inherit the variable. As long as there is room their connections are
 * kept, so that they do not come again and again; nothing is read from them. */
Test(reverse, runtimes_of_other_processes_are_held_and_never_asked)
{
    for (size_t i = 0; i <= UM_REVERSE_HELD; i++) {
        advertise(um_transport_own_pid() + 1);
        cr_expect_eq(wait_for(um_transport_own_pid() + 1), UM_ERR_TIMEOUT,
                     "the system knows better");
    }
    for (size_t i = 0; i < UM_REVERSE_HELD; i++)
        cr_expect_eq(read_once(conns[i]), UM_ERR_TIMEOUT, "%zu is held", i);
    cr_expect_eq(read_once(conns[UM_REVERSE_HELD]), UM_ERR_CLOSED, "there is no room for more");
    advertise(um_transport_own_pid());
    enum um_status status = UM_ERR_TIMEOUT;
    for (int i = 0; i < 400 && status == UM_ERR_TIMEOUT; i++)
        status = wait_for(um_transport_own_pid());
    cr_expect_eq(status, UM_OK, "the program's own runtime is let in all the same");
}

Test(reverse, who_says_something_else_is_dropped)
{
    struct played wrong[3] = {{.len = 0}, {.len = 0}, {.len = 0}};
    played_advertise(&wrong[0], um_transport_own_pid());
    wrong[0].bytes[3] = 'X'; /* another magic */
    played_advertise(&wrong[1], um_transport_own_pid() + 7);
    played_advertise(&wrong[2], um_transport_own_pid() + (UINT64_C(1) << 32));
    for (size_t i = 0; i < 3; i++) {
        struct um_conn *conn = connect(&wrong[i]);
        cr_expect_eq(wait_for(um_transport_own_pid()), UM_ERR_TIMEOUT, "%zu", i);
        cr_expect_eq(read_once(conn), UM_ERR_CLOSED, "%zu", i);
    }
    advertise(um_transport_own_pid());
    cr_expect_eq(wait_for(um_transport_own_pid()), UM_OK);
}

Test(reverse, who_says_nothing_or_only_a_part_does_not_keep_others_out)
{
    struct played part = {.len = 0};
    played_advertise(&part, um_transport_own_pid());
    part.len = 33;
    connect(NULL);
    connect(&part);
    advertise(um_transport_own_pid());
    enum um_status status = UM_ERR_TIMEOUT;
    for (int i = 0; i < 100 && status == UM_ERR_TIMEOUT; i++)
        status = wait_for(um_transport_own_pid());
    cr_expect_eq(status, UM_OK);
}

Test(reverse, a_runtime_that_refuses_is_told)
{
    struct played played = {.len = 0};
    played_advertise(&played, um_transport_own_pid());
    memcpy(played.bytes + played.len, "DOTNET_IPC_V1\0\x18\0\xff\xff\0\0\x84\x13\x13\x80", 24);
    played.len += 24;
    connect(&played);
    cr_assert_eq(wait_for(um_transport_own_pid()), UM_OK);
    cr_expect_eq(um_reverse_start(reverse, &provider, 1, 0.5, &host), UM_ERR_DENIED);
    cr_expect_eq(um_reverse_start(reverse, &provider, 1, 0.5, &host), UM_ERR_NOT_FOUND);
}

Test(reverse, waiting_for_an_answer_ends_when_its_host_is_over)
{
    advertise(um_transport_own_pid());
    cr_assert_eq(wait_for(um_transport_own_pid()), UM_OK);
    host_is_over = true;
    cr_expect_eq(um_reverse_start(reverse, &provider, 1, 0.5, &host), UM_ERR_CLOSED);
}

/* It connects anew if a connection breaks. */
Test(reverse, the_runtimes_newest_connection_counts)
{
    struct um_conn *old = advertise(um_transport_own_pid());
    cr_assert_eq(wait_for(um_transport_own_pid()), UM_OK);
    struct played played = {.len = 0};
    played_advertise(&played, um_transport_own_pid());
    played_answer(&played);
    struct um_conn *new = connect(&played);
    um_transport_system()->shut(old);
    cr_assert_eq(um_reverse_start(reverse, &provider, 1, 0.5, &host), UM_OK);
    expect_question(new);
}
