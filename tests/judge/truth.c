#include "tests/judge/truth.h"

const struct um_demo_log_event *truth_back(const struct um_demo_log_event *events, size_t count,
                                           const struct um_demo_log_event *truth)
{
    for (size_t i = 0; i < count; i++)
        if (events[i].kind == UM_DEMO_LOG_BACK && events[i].tid == truth->tid &&
            events[i].begin_ns >= truth->end_ns)
            return &events[i];
    return NULL;
}

static uint64_t latest_begin_ns(const struct um_demo_log_event *truth)
{
    return truth->retrieved_ns ? truth->retrieved_ns : truth->begin_ns;
}

static uint64_t earliest_begin_ns(const struct um_demo_log_event *truth,
                                  const struct um_demo_log_event *back)
{
    uint64_t begin_ns = truth->posted_ns ? truth->posted_ns : latest_begin_ns(truth);
    return back->posted_ns < begin_ns ? back->posted_ns : begin_ns;
}

static double outside(double value, double least, double most)
{
    if (value < least)
        return value - least;
    return value > most ? value - most : 0;
}

double truth_begin_off_ms(const struct um_demo_log_event *truth,
                          const struct um_demo_log_event *back, double reported_ns)
{
    return outside(reported_ns / 1e6, (double)earliest_begin_ns(truth, back) / 1e6,
                   (double)latest_begin_ns(truth) / 1e6);
}

double truth_length_off_ms(const struct um_demo_log_event *truth,
                           const struct um_demo_log_event *back, double reported_ms)
{
    return outside(reported_ms, (double)(truth->end_ns - latest_begin_ns(truth)) / 1e6,
                   (double)(back->begin_ns - earliest_begin_ns(truth, back)) / 1e6);
}

uint64_t truth_stalled_ns(const struct um_demo_log_event *events, size_t count, uint64_t begin_ns,
                          uint64_t end_ns)
{
    uint64_t total_ns = 0;
    uint64_t counted_ns = begin_ns; /* several threads wait at the same time, too */

    for (size_t i = 0; i < count; i++) {
        uint64_t due_ns = events[i].begin_ns + UM_DEMO_LOG_TICK_NS;
        uint64_t from_ns = due_ns > counted_ns ? due_ns : counted_ns;
        uint64_t to_ns = events[i].end_ns < end_ns ? events[i].end_ns : end_ns;
        if (events[i].kind != UM_DEMO_LOG_STALL || to_ns <= from_ns)
            continue;
        total_ns += to_ns - from_ns;
        counted_ns = to_ns;
    }
    return total_ns;
}
