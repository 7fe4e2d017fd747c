#include "monitor/sample/suspensions.h"

#include <stdlib.h>
#include <string.h>

void um_suspensions_add(struct um_suspensions *suspensions, uint64_t length_ns, uint64_t gap_ns)
{
    suspensions->latest_ns[suspensions->count % UM_SUSPENSIONS_KEPT] = length_ns;
    suspensions->count++;
    suspensions->over_2ms += length_ns > UM_SUSPENSIONS_LONG_NS;
    suspensions->total_ns += length_ns;
    if (length_ns > suspensions->max_ns)
        suspensions->max_ns = length_ns;
    suspensions->gap_count += gap_ns != 0;
    suspensions->gap_total_ns += gap_ns;
}

void um_suspensions_withheld(struct um_suspensions *suspensions, uint64_t length_ns)
{
    suspensions->withheld_ns += length_ns;
}

static int by_length(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a;
    uint64_t other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

bool um_suspensions_sum(const struct um_suspensions *suspensions, struct um_wire_sampling *sampling)
{
    uint64_t sorted_ns[UM_SUSPENSIONS_KEPT];
    size_t kept =
        suspensions->count < UM_SUSPENSIONS_KEPT ? suspensions->count : UM_SUSPENSIONS_KEPT;
    if (kept == 0)
        return false;
    memcpy(sorted_ns, suspensions->latest_ns, kept * sizeof sorted_ns[0]);
    qsort(sorted_ns, kept, sizeof sorted_ns[0], by_length);
    *sampling = (struct um_wire_sampling){
        .samples = suspensions->count,
        .over_2ms = suspensions->over_2ms,
        .total_ns = suspensions->total_ns,
        .p50_ns = sorted_ns[(kept - 1) / 2],
        .max_ns = suspensions->max_ns,
        .withheld_ns = suspensions->withheld_ns,
        .interval_ns =
            suspensions->gap_count ? suspensions->gap_total_ns / suspensions->gap_count : 0,
    };
    return true;
}
