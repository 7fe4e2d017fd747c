/* Events of a XAML program as text, one a line: its time, its thread, its name, and what it says.
 *
 *     # 0xa is arranged within 0x1
 *     1000000 7 ArrangeElement/Start ElementId=0xa Left=50 Top=200 Width=40 Height=20
 *     1500000 7 ArrangeElement/Stop ElementId=0xa VisualOffsetX=50 VisualOffsetY=200
 *
 * Times are in ns. Whole numbers are decimal, or hexadecimal with 0x; others have a point and
 * perhaps a minus. An event of the name Lost says that events were lost before it. Names that are
 * not known are let pass. Empty lines, and those that begin with #, say nothing. Tests feed what
 * comes after the system with such texts. A reader starts at um_layout_recorded_next. Pure.
 */
#ifndef UM_MONITOR_LAYOUT_RECORDED_H
#define UM_MONITOR_LAYOUT_RECORDED_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/layout/layout_event.h"

#define UM_LAYOUT_RECORDED_LINE_BYTES 512 /* without its end */

/* Set `text` and `len_bytes`, and zero the rest. Owner: the text stays the caller's. */
struct um_layout_recorded {
    const char *text;
    size_t len_bytes;
    size_t at;
    uint32_t line;   /* number of the line that was read last, from 1 */
    uint64_t fields; /* that were not known, so far */
};

/* Reads the next event. Errors: UM_ERR_CLOSED there is none; UM_ERR_FORMAT the line is none (the
 * next call goes on behind it); UM_ERR_TOO_LARGE it is too long, likewise. */
enum um_status um_layout_recorded_next(struct um_layout_recorded *recorded,
                                       struct um_layout_event *event);

#endif
