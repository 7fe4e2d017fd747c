#include "tests/bench/ancestor.h"

#include <math.h>

#define WAIT_MS 20.0

double ancestor_length_ms(const double *seen_ms, size_t count, double begin_ms, double thaw_ms)
{
    double length_ms = 0;
    double best_ms = 0;

    for (size_t i = 0; i + 1 < count; i++) {
        double detected_ms = seen_ms[i] + WAIT_MS;
        double overlap_ms = fmin(seen_ms[i + 1], thaw_ms) - fmax(seen_ms[i], begin_ms);
        if (detected_ms < seen_ms[i + 1] && overlap_ms > best_ms) {
            best_ms = overlap_ms;
            length_ms = floor(seen_ms[i + 1] - detected_ms);
        }
    }
    return length_ms;
}
