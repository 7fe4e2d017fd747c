/* A transport within one process, for tests. */
#ifndef UM_TESTS_TRANSPORT_MEMORY_H
#define UM_TESTS_TRANSPORT_MEMORY_H

#include "ipc/transport.h"

/* Its peer_pid answers with this process's own. Owner: static. Thread: any. */
const struct um_transport *um_transport_memory(void);

#endif
