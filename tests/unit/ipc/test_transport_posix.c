/* Another user at the other end of a socket. That cannot be had in a test: what the system says of
 * who is there is changed on its way. */
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "ipc/transport.h"

static bool is_other_user;

/* In place of the C library's. */
int getsockopt(int fd, int level, int option, void *value, socklen_t *bytes)
{
    int result = (int)syscall(SYS_getsockopt, fd, level, option, value, bytes);
    if (result == 0 && is_other_user && level == SOL_SOCKET && option == SO_PEERCRED)
        ((struct ucred *)value)->uid++;
    return result;
}

static const struct um_transport *transport;
static char name[UM_TRANSPORT_NAME_BYTES];
static struct um_listener *listener;
static struct um_conn *conn;

static void begin(void)
{
    uint8_t nonce[16];
    transport = um_transport_system();
    cr_assert_eq(um_transport_random_name("test", name, nonce), UM_OK);
    cr_assert_eq(transport->listen(name, 0, &listener), UM_OK);
}

static void end(void)
{
    if (conn)
        transport->close(conn);
    transport->close_listener(listener);
}

TestSuite(transport_posix, .init = begin, .fini = end);

Test(transport_posix, another_users_listener_is_not_talked_to)
{
    is_other_user = true;
    cr_expect_eq(transport->connect(name, 0, &conn), UM_ERR_DENIED);
}

Test(transport_posix, another_user_is_not_let_in)
{
    struct um_conn *accepted = NULL;
    cr_assert_eq(transport->connect(name, 0, &conn), UM_OK);
    is_other_user = true;
    cr_expect_eq(transport->accept(listener, 1, &accepted), UM_ERR_TIMEOUT);
    is_other_user = false;
    struct um_conn *mine;
    cr_assert_eq(transport->connect(name, 0, &mine), UM_OK);
    cr_assert_eq(transport->accept(listener, 60000, &accepted), UM_OK, "the next one is");
    transport->close(accepted);
    transport->close(mine);
}
