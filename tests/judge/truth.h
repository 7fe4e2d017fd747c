/* How far a report lies from what the demo's log allows (demo/log.h). Used by the end-to-end tests
 * and by the judge. Portable.
 *
 * A freeze begins when the message was retrieved in whose handling the thread froze, which is
 * between POSTED and RETRIEVED (at BEGIN if it was not retrieved), or when the input came that was
 * answered first afterwards, if that had been waiting even before. It ends between END and the next
 * retrieval, BACK.
 */
#ifndef UM_TESTS_TRUTH_H
#define UM_TESTS_TRUTH_H

#include <stddef.h>
#include <stdint.h>

#include "demo/log.h"

/* The first `back` line after an event of its thread, or NULL; other lines are skipped. */
const struct um_demo_log_event *truth_back(const struct um_demo_log_event *events, size_t count,
                                           const struct um_demo_log_event *truth);

/* How far a reported begin (ns on the demo's clock) or length (ms) is off.
 * Units: ms; 0: where, or as long as, it was; negative: too early, too short. */
double truth_begin_off_ms(const struct um_demo_log_event *truth,
                          const struct um_demo_log_event *back, double reported_ns);
double truth_length_off_ms(const struct um_demo_log_event *truth,
                           const struct um_demo_log_event *back, double reported_ms);

/* How much of a time the stalls cover; other lines are skipped. The stalls stand in the order of
 * their begins. Units: ns. */
uint64_t truth_stalled_ns(const struct um_demo_log_event *events, size_t count, uint64_t begin_ns,
                          uint64_t end_ns);

#endif
