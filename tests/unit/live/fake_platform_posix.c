/* What watching needs of monitor/base/platform.h and platform_posix.c does not have. On Windows the
 * tests use the real functions. */
#include "ipc/thread.h"
#include "ipc/wire.h"
#include "monitor/base/platform.h"

enum um_status um_platform_beside(const char *file, char *path, size_t cap_bytes)
{
    (void)file;
    um_wire_set_text(path, cap_bytes, "beside");
    return UM_OK;
}

uint64_t um_platform_cpu_ns(void)
{
    return um_thread_cpu_ns();
}
