/* `uimon report --html --follow`: when the page of a growing recording is made anew, and when that
 * is over. The caller makes the page.
 *
 * A page is made when the recording has grown, two seconds after the page before at the earliest,
 * and not before twenty times as much time has passed as making that page has taken of the
 * processor: so it takes 5 % of a core at most, however long the recording is. Each page shows the
 * whole recording, of which report_reading.h reads only what is new. Not on the hot path; a reader
 * starts at um_report_follow_turn.
 */
#ifndef UM_MONITOR_REPORT_FOLLOW_H
#define UM_MONITOR_REPORT_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#define UM_REPORT_FOLLOW_LOOK_MS 250 /* so often the caller looks */

enum um_report_follow_next {
    UM_REPORT_FOLLOW_WAIT,
    UM_REPORT_FOLLOW_MAKE, /* a page */
    UM_REPORT_FOLLOW_GONE  /* nobody writes the recording any more, and it does not grow */
};

/* Zeroed, no page was made. */
struct um_report_follow {
    uint64_t made_ns;  /* when the making of the last page began; 0: none was made */
    uint64_t took_ns;  /* of the processor, by that page */
    uint64_t bytes;    /* of the recording, when it was made */
    uint64_t still_ns; /* since when the recording is as long as it is */
    uint64_t seen_bytes;
};

/* How it is now. */
struct um_report_follow_look {
    uint64_t now_ns;
    uint64_t bytes;  /* of the recording */
    bool is_written; /* a process has it open for writing (um_platform_is_written) */
};

/* What to do next. */
enum um_report_follow_next um_report_follow_turn(struct um_report_follow *follow,
                                                 const struct um_report_follow_look *look);

/* A page was made: its making began at this look, and took so much of the processor. */
void um_report_follow_made(struct um_report_follow *follow,
                           const struct um_report_follow_look *look, uint64_t took_ns);

/* From the beginning of a page to that of the next one, if making it takes so much of the
 * processor. Units: ns. */
uint64_t um_report_follow_period(uint64_t took_ns);

#endif
