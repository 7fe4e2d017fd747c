#include "monitor/profile/mine.h"

#include <math.h>
#include <stdio.h>

#include "monitor/profile/module_list.h"

#define Z 1.959963984540054 /* exceeded with a chance of 2.5 % */

void um_mine_interval(uint64_t hits, uint64_t of, double *low, double *high)
{
    *low = 0;
    *high = 1;
    if (of == 0)
        return;
    double n = (double)of, share = (double)hits / n;
    double middle = share + Z * Z / (2 * n);
    double half = Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n));
    if (hits > 0) /* at the ends it is 0 and 1, but for rounding */
        *low = (middle - half) / (1 + Z * Z / n);
    if (hits < of)
        *high = (middle + half) / (1 + Z * Z / n);
}

void um_mine_count(const struct um_view *view, const char *modules, struct um_mine *mine)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    struct um_view all = *view;
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
            found = um_module_list_has(modules, name->module) ||
                    (name->is_managed && um_module_list_has_name(modules, name->name));
            unknown |= name->is_unknown;
        }
        uint64_t *counted = found ? &mine->yours : unknown ? &mine->unattributed : &mine->others;
        *counted += sample.cost.samples;
    }
    um_mine_interval(mine->yours, mine->yours + mine->others, &mine->low, &mine->high);
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
        double share = (double)mine->unattributed / (double)(known + mine->unattributed);
        snprintf(unread, sizeof unread, ", and %.0f %% of the samples could not be read",
                 ceil(share * 100));
    }
    snprintf(text, cap_bytes, "yours %.0f to %.0f %%%s", floor(mine->low * 100),
             ceil(mine->high * 100), unread);
}

void um_mine_tell(const struct um_mine *mine, struct um_wire_stack *stack)
{
    stack->known |= UM_WIRE_STACK_MINE;
    stack->yours = (uint32_t)mine->yours;
    stack->unread = (uint32_t)mine->unattributed;
    um_mine_text(mine, stack->whose, sizeof stack->whose);
}
