/* Status codes: one list of codes and texts for every module.
 *
 * UM_OK is 0 and failures are negative, so `if (status < 0)` and `if (status != UM_OK)` mean the
 * same. On each platform one place translates the system's errors into these codes: pipe_win32.c,
 * transport_posix.c. Not on the hot path.
 */
#ifndef UM_BASE_STATUS_H
#define UM_BASE_STATUS_H

#define UM_STATUS_LIST(X)                                                                          \
    X(OK, 0, "done")                                                                               \
    X(ERR_ARG, -1, "an argument is not valid")                                                     \
    X(ERR_MEMORY, -2, "out of memory")                                                             \
    X(ERR_IO, -3, "input or output failed")                                                        \
    X(ERR_TIMEOUT, -4, "nothing happened in the time given")                                       \
    X(ERR_CLOSED, -5, "the other side is gone")                                                    \
    X(ERR_NOT_FOUND, -6, "no such thing")                                                          \
    X(ERR_DENIED, -7, "the system does not allow it")                                              \
    X(ERR_EXISTS, -8, "it exists already")                                                         \
    X(ERR_FORMAT, -9, "the data breaks its format")                                                \
    X(ERR_VERSION, -10, "the data is of a version this program does not know")                     \
    X(ERR_TOO_LARGE, -11, "it is larger than its limit")                                           \
    X(ERR_PARTIAL, -12, "the data ends too early")                                                 \
    X(ERR_AMBIGUOUS, -13, "more than one thing fits")                                              \
    X(ERR_BUSY, -14, "somebody else is using it")                                                  \
    X(ERR_UNSUPPORTED, -15, "this system cannot do it")

enum um_status {
#define UM_STATUS_ENUM(name, value, text) UM_##name = (value),
    UM_STATUS_LIST(UM_STATUS_ENUM)
#undef UM_STATUS_ENUM
};

/* The code's sentence, never NULL: "unknown status" for a number outside the list.
 * Owner: static text. Thread: any. */
const char *um_status_text(enum um_status status);

#endif
