#include "monitor/profile/mine.h"

#include <math.h>
#include <stdio.h>

#include "base/module_list.h"

#define Z 1.959963984540054 /* a normal deviate is above it in 2.5 % of cases */

void um_mine_interval(double hits, double of, double *low, double *high)
{
    *low = 0;
    *high = 1;
    if (!(of > 0))
        return;
    double n = of, share = hits / n;
    double middle = share + Z * Z / (2 * n);
    double half = Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n));
    if (hits > 0) /* otherwise it is 0, but for rounding */
        *low = (middle - half) / (1 + Z * Z / n);
    if (hits < of)
        *high = (middle + half) / (1 + Z * Z / n);
}

/* Fills in the interval. `squares` is the sum of the squares of the weights. */
static void put_interval(struct um_mine *mine, double squares)
{
    double known_ns = (double)(mine->yours_ns + mine->others_ns);
    double count = (double)(mine->yours + mine->others);
    double effective = um_samples_effective(known_ns, squares);
    mine->effective = effective < count ? effective : count; /* it is not above, but for rounding */
    double hits = mine->others == 0 ? mine->effective
                  : mine->yours > 0 ? mine->effective * (double)mine->yours_ns / known_ns
                                    : 0;
    um_mine_interval(hits, mine->effective, &mine->low, &mine->high);
}

void um_mine_count(const struct um_view *view, const char *modules, struct um_mine *mine)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    struct um_view all = *view;
    double squares = 0;
    *mine = (struct um_mine){0};
    all.only = all.hide = NULL;
    for (size_t i = 0; i < view->samples->count; i++) {
        bool found = false;
        if (!um_view_sample(&all, i, frames, &sample))
            continue;
        bool unknown = sample.cut;
        for (size_t j = 0; j < sample.frame_count && !found; j++) {
            uint32_t function = (uint32_t)frames[j].key;
            const struct um_functions_name *name = um_functions_get(all.functions, function);
            bool is_mine = um_module_list_has_method(modules, name->module,
                                                     name->is_managed ? name->name : "");
            found = is_mine && !frames[j].guessed;
            unknown |= name->is_unknown || (is_mine && frames[j].guessed);
        }
        uint64_t *counted = found ? &mine->yours : unknown ? &mine->unattributed : &mine->others;
        uint64_t *weighed = found     ? &mine->yours_ns
                            : unknown ? &mine->unattributed_ns
                                      : &mine->others_ns;
        *counted += sample.cost.samples;
        *weighed += sample.cost.wall_ns;
        if (found || !unknown)
            squares += (double)sample.cost.wall_ns * (double)sample.cost.wall_ns;
    }
    put_interval(mine, squares);
}

void um_mine_text(const struct um_mine *mine, char *text, size_t cap_bytes)
{
    uint64_t known = mine->yours + mine->others;
    char unread[80] = "";
    if (known == 0) {
        snprintf(text, cap_bytes, "yours unknown: no sample could be read");
        return;
    }
    if (mine->unattributed > 0) {
        uint64_t known_ns = mine->yours_ns + mine->others_ns;
        double share = (double)mine->unattributed_ns / (double)(known_ns + mine->unattributed_ns);
        snprintf(unread, sizeof unread, ", and %.0f %% of the samples could not be read",
                 ceil(share * 100));
    }
    snprintf(text, cap_bytes, "yours %.0f to %.0f %%%s", floor(mine->low * 100),
             ceil(mine->high * 100), unread);
}

void um_mine_put(const struct um_mine *mine, struct um_wire_stack *stack)
{
    stack->known |= UM_WIRE_STACK_MINE;
    uint64_t count = mine->yours + mine->others + mine->unattributed;
    uint64_t all_ns = mine->yours_ns + mine->others_ns + mine->unattributed_ns;
    stack->yours = (uint32_t)um_samples_share(count, mine->yours_ns, all_ns);
    stack->unread = (uint32_t)um_samples_share(count, mine->unattributed_ns, all_ns);
    um_mine_text(mine, stack->whose, sizeof stack->whose);
}
