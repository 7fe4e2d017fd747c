/* All unit tests that are built for Windows run there. */
#include <stddef.h>

#include "tests/runner/runner.h"

const struct runner_left_out runner_left_out[] = {{NULL, NULL, false}};
