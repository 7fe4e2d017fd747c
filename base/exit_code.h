/* The exit codes of uimon. Scripts depend on them, so none of them changes its meaning. */
#ifndef UM_BASE_EXIT_CODE_H
#define UM_BASE_EXIT_CODE_H

enum um_exit_code {
    UM_EXIT_DONE = 0,
    UM_EXIT_FAILED = 1,
    UM_EXIT_USAGE = 2,
    UM_EXIT_NO_TARGET = 3,     /* or it did not appear in time */
    UM_EXIT_DENIED = 4,        /* the target is elevated, protected or an ARM program */
    UM_EXIT_LIMIT = 5,         /* a limit given with --fail-over was exceeded */
    UM_EXIT_BISECT_SKIP = 125, /* with --bisect in place of others: as `git bisect run` has it */
    UM_EXIT_CANNOT_TELL = 6 /* none was exceeded for certain, but one needs more runs to decide */
};

#endif
