/* Nobody asks: on this system programs are only watched (um_target->why_watch_only). */
#include "monitor/bench/inject.h"

const struct um_inject_backend *um_inject = NULL;
