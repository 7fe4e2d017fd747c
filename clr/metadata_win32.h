/* What the runtime knows of a method: its module and its name. Thread: any on which the runtime
 * calls the profiler.
 */
#ifndef UM_CLR_METADATA_WIN32_H
#define UM_CLR_METADATA_WIN32_H

#include <stdint.h>
#include <windows.h>

#include "ipc/wire.h"

/* An object of COM: it has a table of functions of different types. */
typedef void um_clr_function(void);
struct um_clr_object {
    um_clr_function *const *functions;
};

struct um_clr_method_names {
    char path[UM_WIRE_MODULE_PATH_BYTES];     /* of its module; empty: not known */
    char module[UM_WIRE_METHOD_MODULE_BYTES]; /* its file's name */
    char name[UM_WIRE_METHOD_NAME_BYTES];     /* "Namespace.Type.Method"; empty: not known */
    size_t type_bytes;                        /* of its type in it; 0: not known, or cut */
};

/* `info` is an ICorProfilerInfo. What is not known is empty: a method that was made at run time has
 * no name. */
void um_metadata_method(struct um_clr_object *info, uintptr_t function,
                        struct um_clr_method_names *names);

#endif
