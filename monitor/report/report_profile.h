/* What `uimon report` writes of the stacks in a recording: the hottest functions, how much of the
 * freezes was sampled at all, and whose it was.
 *
 * A freeze's number is its place in `freeze_list`, from 1 on. The time of a freeze that no sample
 * stands for, because it lies before the first one or between two absences, is counted by itself as
 * unattributed. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_REPORT_PROFILE_H
#define UM_MONITOR_REPORT_PROFILE_H

#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "monitor/options/options.h"
#include "monitor/recorded/profiled.h"
#include "monitor/recorded/recorded.h"

#define UM_REPORT_PROFILE_FUNCTIONS 100 /* in the JSON, at most */

struct cJSON;

/* What the samples of a view add up to. */
struct um_report_profile_sum {
    struct um_calltree_cost cost;
    uint64_t cut;          /* samples whose stack was not read to its outer end */
    uint64_t outside;      /* samples that were taken outside of freezes */
    uint64_t frozen_ns;    /* how long the view's freezes were */
    uint64_t unsampled_ns; /* of that, what no sample stands for */
};

/* Adds up the samples of one freeze by its place in the list (from 0), or of all samples with
 * UM_VIEW_ALL. */
void um_report_profile_add_up(const struct um_recorded *recorded,
                              const struct um_profiled *profiled, uint32_t place,
                              struct um_report_profile_sum *sum);

/* With options->mine: fills in, in the summary of a recording, whose its freezes were by these
 * modules; what was recorded may be by other modules. Errors: UM_ERR_MEMORY, with the summary
 * untouched. */
enum um_status um_report_profile_whose(struct um_recorded *recorded,
                                       const struct um_options *options);

/* Writes the hottest rows of the UI thread, what other threads did if any were sampled, and whose
 * it was if options->mine asks, in at most 80 columns.
 * Nothing if there are no samples. Without --only and --hide, functions of the system are left
 * out.
 * Errors: UM_ERR_MEMORY; UM_ERR_IO. */
enum um_status um_report_profile_text(FILE *out, const struct um_recorded *recorded,
                                      const struct um_options *options);

/* Adds "profile" to the JSON of the summary, unless there are no samples. Errors: UM_ERR_MEMORY. */
enum um_status um_report_profile_json(struct cJSON *root, const struct um_recorded *recorded,
                                      const struct um_options *options);

#endif
