#include "monitor/bench/bisect.h"

#include <stdbool.h>

static unsigned count_of(uint64_t mask)
{
    unsigned count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

/* The lower half of the suspects; of an odd number the smaller one. */
static uint64_t lower_half(uint64_t mask)
{
    unsigned wanted = count_of(mask) / 2;
    uint64_t half = 0;
    for (unsigned i = 0; wanted > 0; i++) {
        uint64_t bit = UINT64_C(1) << i & mask;
        half |= bit;
        wanted -= bit != 0;
    }
    return half;
}

static enum um_status ask(const struct um_bisect_host *host, struct um_bisect *search,
                          uint64_t before, uint64_t after, enum um_until_answer *answer)
{
    struct um_bisect_step *step = &search->steps[search->step_count];

    *step = (struct um_bisect_step){.before = before, .after = after};
    enum um_status status = host->ask(host->context, step);
    search->step_count += status == UM_OK;
    *answer = step->answer;
    return status;
}

/* Whether all suspects together cost anything. */
static enum um_status ask_all(const struct um_bisect_host *host, struct um_bisect *search)
{
    static const enum um_bisect_outcome outcomes[] = {
        [UM_UNTIL_FASTER] = UM_BISECT_FASTER,
        [UM_UNTIL_SLOWER] = UM_BISECT_FOUND,
        [UM_UNTIL_SAME] = UM_BISECT_NONE,
        [UM_UNTIL_CANNOT_TELL] = UM_BISECT_CANNOT_TELL,
    };
    enum um_until_answer answer;
    enum um_status status = ask(host, search, 0, search->left, &answer);
    if (status == UM_OK)
        search->outcome = outcomes[answer];
    return status;
}

/* Which half of those left costs. */
static enum um_status halve(const struct um_bisect_host *host, struct um_bisect *search)
{
    uint64_t lower = lower_half(search->left), upper = search->left & ~lower;
    enum um_until_answer answer;
    enum um_status status = ask(host, search, lower, upper, &answer);

    if (status != UM_OK)
        return status;
    if (answer == UM_UNTIL_SLOWER)
        search->left = upper;
    else if (answer == UM_UNTIL_FASTER)
        search->left = lower;
    else
        search->outcome = answer == UM_UNTIL_SAME ? UM_BISECT_SHARED : UM_BISECT_CANNOT_TELL;
    return UM_OK;
}

enum um_status um_bisect_search(const struct um_bisect_host *host, unsigned count,
                                struct um_bisect *out)
{
    *out = (struct um_bisect){.outcome = UM_BISECT_CANNOT_TELL};
    if (count < 2 || count > UM_BISECT_MOST)
        return UM_ERR_ARG;
    out->left = count == UM_BISECT_MOST ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    enum um_status status = ask_all(host, out);
    while (status == UM_OK && out->outcome == UM_BISECT_FOUND && count_of(out->left) > 1)
        status = halve(host, out);
    if (status != UM_OK)
        out->outcome = UM_BISECT_CANNOT_TELL;
    return status;
}
