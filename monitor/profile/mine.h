/* Whose is it: the share of samples in which code of the user's own modules was running, or had
 * called the code that was running.
 *
 * A sample is the user's if any frame that was read is in these modules. A sample without such a
 * frame is unattributed if its stack was cut off, or has code that may be a managed method: its
 * owner is not known. Unattributed samples are counted by themselves; the share is that of the
 * other samples, by their weights (samples.h). The interval says how exact the share of so many
 * samples is if they are independent: of unequal weights w, they are as good as (Σw)² / Σw²
 * samples of equal ones, and that is the number that counts. Samples of one freeze are not,
 * since neighbours look alike. So the interval is about the freezes that were sampled, and not
 * about future ones. Pure; not on the hot path.
 */
#ifndef UM_MONITOR_MINE_H
#define UM_MONITOR_MINE_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/wire.h"
#include "monitor/profile/view.h"

struct um_mine {
    uint64_t yours;
    uint64_t others;
    uint64_t unattributed; /* no frame of yours was seen, but there may be one */
    uint64_t yours_ns, others_ns, unattributed_ns; /* what these samples weigh */
    double effective; /* so many samples of equal weights know the share as well as all but the
                       * unattributed ones; at most yours + others */
    double low, high; /* the 95 % interval of yours_ns / (yours_ns + others_ns), from 0 to 1 */
};

/* Counts the samples of a view. Frames that the view does not show count, too. `modules` is a list
 * of module_list.h. */
void um_mine_count(const struct um_view *view, const char *modules, struct um_mine *mine);

/* The 95 % interval of a share by Wilson's score method: `hits` of `of` samples, which need not be
 * whole numbers; 0 to 1 if there are no samples.
 * Source: E. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA
 * 22, 1927; R. Newcombe, "Two-sided confidence intervals for the single proportion: comparison of
 * seven methods", Statistics in Medicine 17, 1998, method 3. */
void um_mine_interval(double hits, double of, double *low, double *high);

/* "yours 0 to 2 %"; "yours 12 to 20 %, and 5 % of the samples could not be read"; "yours unknown:
 * no sample could be read". Percents are rounded outwards. */
void um_mine_text(const struct um_mine *mine, char *text, size_t cap_bytes);

/* Puts what a freeze's samples say into its STACK: how many are yours, by their weights. */
void um_mine_put(const struct um_mine *mine, struct um_wire_stack *stack);

#endif
