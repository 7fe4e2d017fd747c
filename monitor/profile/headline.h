/* What a freeze was, in one line: "parse_solution ← WM_COMMAND".
 *
 * The rule: from the outermost frame inwards, as long as one next frame is in at least half of all
 * samples, cut-off stacks among them. Where two frames are in exactly half each, it is the one with
 * more wall time, and after that the one whose name comes first. What is found so is the stack that
 * most samples have in common. Of it the innermost functions are shown, innermost first. Functions
 * of the system's modules, and methods of .NET's own namespaces, are left out, unless there are no
 * others. Pure but for its memory; not on
 * the hot path.
 */
#ifndef UM_MONITOR_HEADLINE_H
#define UM_MONITOR_HEADLINE_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/profile/view.h"

#define UM_HEADLINE_NAMES 3
#define UM_HEADLINE_NAME_BYTES 160

/* Modules that are the system's: every program's stacks end in them, whatever it does. */
extern const char um_headline_system[];

struct um_headline {
    size_t count; /* of names; 0: no stack is common to half of the samples */
    char names[UM_HEADLINE_NAMES][UM_HEADLINE_NAME_BYTES]; /* innermost first */
    char call[UM_HEADLINE_NAME_BYTES]; /* the innermost function, if it is the system's, else "" */
    char text[512];   /* UTF-8: the names, short ones, and the message; "" if there is none */
    uint64_t samples; /* with the common stack */
    uint64_t of;      /* samples in all */
    uint64_t cut;     /* of these, with a stack whose outer end was not read */
};

/* The headline of a view, which names a freeze. `message` is the message after which it began,
 * and stands at the end; NULL or "" for none. Names have no module in front, but for those that
 * are offsets in one. The longest are cut.
 * Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE there are too many different stacks for a tree. */
enum um_status um_headline_make(const struct um_view *view, const char *message,
                                struct um_headline *headline);

#endif
