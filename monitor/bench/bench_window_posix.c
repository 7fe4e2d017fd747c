/* Nobody asks: on this system programs are only watched (um_target->why_watch_only). */
#include "monitor/bench/bench_window.h"

const struct um_bench_window_backend *um_bench_window = NULL;
