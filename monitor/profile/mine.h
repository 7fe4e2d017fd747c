/* Whose is it: the share of samples in which code of the user's own modules was running or had
 * called what was.
 *
 * A sample is the user's if any frame that was read is. If there is none, and the stack was cut
 * off, or has code that may be a managed method of any name, nobody can tell: such samples are
 * counted by themselves, and the share is one of the others. The interval says how well so many
 * samples know the share, as if each were drawn by itself. Those of one freeze are not: neighbours
 * look alike. So it speaks of the freezes that were sampled, and not of those to come. Pure; not on
 * the hot path.
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
    uint64_t unattributed; /* none of yours was seen, but one may be there */
    double low, high;      /* the 95 % interval of yours / (yours + others), from 0 to 1 */
};

/* Counts the samples of a view, also with frames that it does not show. `modules` is a list of
 * module_list.h. */
void um_mine_count(const struct um_view *view, const char *modules, struct um_mine *mine);

/* The 95 % interval of a share by Wilson's score method; 0 to 1 if there are no samples.
 * Source: E. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA
 * 22, 1927; R. Newcombe, "Two-sided confidence intervals for the single proportion: comparison of
 * seven methods", Statistics in Medicine 17, 1998, method 3. */
void um_mine_interval(uint64_t hits, uint64_t of, double *low, double *high);

/* "yours 0 to 2 %"; "yours 12 to 20 %, and 5 % of the samples could not be read"; "yours unknown:
 * no sample could be read". Percents are rounded outwards. */
void um_mine_text(const struct um_mine *mine, char *text, size_t cap_bytes);

/* Puts what was counted of a freeze's samples into its stack. */
void um_mine_tell(const struct um_mine *mine, struct um_wire_stack *stack);

#endif
