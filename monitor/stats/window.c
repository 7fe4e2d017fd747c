#include "monitor/stats/window.h"

/* A sample and its corrections are an arithmetic progression: v, v − T, ..., the last one in
 * [T, 2T). The progressions of a window are written out into the scratch array, and the rank is
 * selected there. The beats of a session do not overlap, so at most two have no room: the one that
 * reaches back before the window, and the outstanding one. (Written out, a freeze of an hour at one
 * beat a ms would be 3.6 million values.) Such a progression is kept by its greatest value, and its
 * values are counted by a division. */

struct set {
    uint64_t *plain; /* single values, from the front of the scratch array */
    size_t plain_len;
    const uint64_t *longs; /* progressions, by their greatest value, from its end */
    size_t longs_len;
    uint64_t period_ns;
    uint64_t count; /* of all values */
};

void um_window_init(struct um_window *window, uint64_t period_ns)
{
    window->period_ns = period_ns;
    window->head = 0;
    window->len = 0;
}

void um_window_set_period(struct um_window *window, uint64_t period_ns)
{
    window->period_ns = period_ns;
}

static void drop_oldest(struct um_window *window)
{
    window->head = (window->head + 1) % UM_WINDOW_SAMPLES;
    window->len--;
}

static void forget_before(struct um_window *window, uint64_t now_ns)
{
    while (window->len > 0 && window->samples[window->head].time_ns < now_ns &&
           now_ns - window->samples[window->head].time_ns >= UM_WINDOW_SPAN_NS)
        drop_oldest(window);
}

void um_window_add(struct um_window *window, uint64_t time_ns, uint64_t latency_ns)
{
    forget_before(window, time_ns);
    if (window->len == UM_WINDOW_SAMPLES)
        drop_oldest(window);
    size_t tail = (window->head + window->len) % UM_WINDOW_SAMPLES;
    window->samples[tail] = (struct um_window_sample){time_ns, latency_ns};
    window->len++;
}

/* How many values a latency stands for. */
static uint64_t length_of(uint64_t latency_ns, uint64_t period_ns)
{
    if (period_ns == 0 || latency_ns < 2 * period_ns)
        return 1;
    return latency_ns / period_ns;
}

/* How many values of a progression are at most `limit_ns`. */
static uint64_t count_up_to(uint64_t latency_ns, uint64_t period_ns, uint64_t limit_ns)
{
    uint64_t length = length_of(latency_ns, period_ns);
    uint64_t least_ns = latency_ns - (length - 1) * period_ns;
    if (limit_ns < least_ns)
        return 0;
    if (limit_ns >= latency_ns)
        return length;
    return (limit_ns - least_ns) / period_ns + 1;
}

static uint64_t count_longs_up_to(const struct set *set, uint64_t limit_ns)
{
    uint64_t count = 0;
    for (size_t i = 0; i < set->longs_len; i++)
        count += count_up_to(set->longs[i], set->period_ns, limit_ns);
    return count;
}

/* Puts one latency into the set, and keeps room for the `left` others that follow. */
static void put(struct set *set, uint64_t latency_ns, size_t left)
{
    uint64_t length = length_of(latency_ns, set->period_ns);
    size_t room = UM_WINDOW_SCRATCH - set->plain_len - set->longs_len - left;
    set->count += length;
    if (length > room / 2) { /* half of it, so that a very long one leaves room for others */
        set->longs_len++;
        set->plain[UM_WINDOW_SCRATCH - set->longs_len] = latency_ns;
        return;
    }
    for (uint64_t i = 0; i < length; i++)
        set->plain[set->plain_len++] = latency_ns - i * set->period_ns;
}

static struct set write_out(struct um_window *window, uint64_t waited_ns)
{
    struct set set = {.plain = window->scratch, .period_ns = window->period_ns};
    size_t left = window->len + 1;
    for (size_t i = 0; i < window->len; i++) {
        size_t at = (window->head + i) % UM_WINDOW_SAMPLES;
        put(&set, window->samples[at].latency_ns, --left);
    }
    if (waited_ns != 0)
        put(&set, waited_ns, 0);
    set.longs = window->scratch + UM_WINDOW_SCRATCH - set.longs_len;
    return set;
}

static uint64_t middle(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t low = a < b ? a : b;
    uint64_t high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Moves the values below `pivot` to the front, and those equal to it behind them. */
static void part(uint64_t *values, size_t len, uint64_t pivot, size_t *below, size_t *equal)
{
    size_t low = 0;
    size_t next = 0;
    size_t high = len;
    while (next < high) {
        uint64_t value = values[next];
        if (value < pivot) {
            values[next++] = values[low];
            values[low++] = value;
        } else if (value > pivot) {
            values[next] = values[--high];
            values[high] = value;
        } else {
            next++;
        }
    }
    *below = low;
    *equal = high - low;
}

/* The value at a rank (from 1). A quickselect over the single values, which in each step also
 * counts the values of the progressions; then a bisection, if only progressions are left. Reorders
 * `plain`. */
static uint64_t select_rank(const struct set *set, uint64_t rank)
{
    uint64_t *values = set->plain;
    size_t len = set->plain_len;
    uint64_t passed = 0; /* single values known to lie below the one looked for */
    uint64_t low = 0;
    uint64_t high = UINT64_MAX;
    while (len > 0) {
        uint64_t pivot = middle(values[0], values[len / 2], values[len - 1]);
        size_t below;
        size_t equal;
        part(values, len, pivot, &below, &equal);
        uint64_t longs_below = pivot == 0 ? 0 : count_longs_up_to(set, pivot - 1);
        if (rank <= passed + below + longs_below) {
            len = below;
            high = pivot - 1;
        } else if (rank <= passed + below + equal + count_longs_up_to(set, pivot)) {
            return pivot;
        } else {
            passed += below + equal;
            values += below + equal;
            len -= below + equal;
            low = pivot + 1;
        }
    }
    while (low < high) {
        uint64_t mid = low + (high - low) / 2;
        if (passed + count_longs_up_to(set, mid) >= rank)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

/* Nearest rank: the smallest value with at least this share of all values at or below it. */
static uint64_t rank_of(uint64_t count, uint64_t percent)
{
    return count / 100 * percent + (count % 100 * percent + 99) / 100;
}

void um_window_query(struct um_window *window, uint64_t now_ns, uint64_t waited_ns,
                     uint64_t *p50_ns, uint64_t *p99_ns, uint64_t *count)
{
    forget_before(window, now_ns);
    struct set set = write_out(window, waited_ns);
    *count = set.count;
    if (set.count == 0)
        return;
    *p50_ns = select_rank(&set, rank_of(set.count, 50));
    *p99_ns = select_rank(&set, rank_of(set.count, 99));
}
