/* What the program returns; the list is frozen, scripts depend on it. */
#ifndef UM_MONITOR_EXIT_CODE_H
#define UM_MONITOR_EXIT_CODE_H

enum um_exit_code {
    UM_EXIT_DONE = 0,
    UM_EXIT_FAILED = 1,
    UM_EXIT_USAGE = 2,
    UM_EXIT_NO_TARGET = 3, /* or it never came */
    UM_EXIT_DENIED = 4,    /* elevation, a protected process, wrong bitness */
    UM_EXIT_LIMIT = 5      /* a limit given on the command line was exceeded */
};

#endif
