/* What a freeze was, in one line: "parse_solution ← WM_COMMAND".
 *
 * The rule finds the stack that most samples have in common, by their weights (samples.h). It
 * goes from the outermost frame inwards, as long as one next frame is in at least half of the
 * samples. If two frames are in exactly half each, the one with more samples counts, and then the
 * one whose name comes first. What it takes half of is the first of these that leads to a
 * function:
 *
 *   all samples, from the outermost frame of the stacks that were read to their end;
 *   all samples, from the outermost frame that was read of the others: deep recursions look so.
 *     At least one function of the stack must not be the system's;
 *   the samples whose stacks were read to their end: where the others could not be read, they say
 *     nothing against it;
 *   all samples, as the second one, but with functions of the system alone.
 *
 * The innermost functions of that stack are shown, innermost first. Functions of the system's
 * modules, and methods of .NET's own namespaces, are left out, unless there are no others. Those
 * of uimon's own DLL are left out in any case. Code without a name in no module is shown once where
 * it follows itself. If the first function is a managed method, its file and line follow, where
 * most of its samples are. A function that is a guess has UM_WIRE_GUESS in front. Pure but for its
 * memory; not on the hot path.
 */
#ifndef UM_MONITOR_HEADLINE_H
#define UM_MONITOR_HEADLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "monitor/profile/view.h"

#define UM_HEADLINE_NAMES 3
#define UM_HEADLINE_NAME_BYTES 160
#define UM_HEADLINE_PLACE_BYTES UM_WIRE_PLACE_BYTES

/* The system's modules, and uimon's own DLL: the stacks of every program that is watched end in
 * them, whatever it does. */
extern const char um_headline_system[];

/* The types of the methods that .NET's runtime makes for calls between managed and native code.
 * They belong to no assembly, although the runtime says one: the first that needed such a
 * method. */
extern const char um_headline_stubs[];

struct um_headline {
    size_t count; /* how many names; 0: no half of the samples has a stack in common */
    char names[UM_HEADLINE_NAMES][UM_HEADLINE_NAME_BYTES]; /* innermost first */
    bool guessed[UM_HEADLINE_NAMES];   /* it, or one between it and the name before, is a guess */
    char call[UM_HEADLINE_NAME_BYTES]; /* the innermost function, if it is the system's, else "" */
    /* Of the first name, as um_functions_put_place without folders, marked if that is true of half
     * of its samples; "": not known. */
    char place[UM_HEADLINE_PLACE_BYTES];
    char text[512]; /* UTF-8: the names, shortened, and the message; "" without names */
    /* Numbers of samples, by their weights. */
    uint64_t of;     /* of all, or if `is_of_read` of those whose stacks were read to their end */
    uint64_t alike;  /* of these, how many have the common stack */
    uint64_t cut;    /* of all, how many have a stack that was not read to its end */
    bool is_of_read; /* see above */
};

/* Makes the headline of a view of one freeze. `message`, after which the freeze began, is at the
 * end; NULL or "": none. Names are without their modules, but for those that are offsets in one.
 * Long names are cut.
 * Errors: UM_ERR_MEMORY; UM_ERR_TOO_LARGE there are too many different stacks for a tree. */
enum um_status um_headline_make(const struct um_view *view, const char *message,
                                struct um_headline *headline);

#endif
