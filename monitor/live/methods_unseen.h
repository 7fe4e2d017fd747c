/* Says which entries of the list of what is traced (--only, or else --mine, as the program was
 * started) no managed method is in, with the name that was probably meant.
 *
 * METHOD_OTHER has what else is in the program. METHOD_UNSEEN is published with the nearest of
 * these: of types and methods so many parts of the name as the entry has, the whole file name of a
 * module, or a type that the entry is the end of. A reader starts at um_methods_unseen_take.
 * Portable. Thread: one at a time; blocks only in `publish`.
 */
#ifndef UM_MONITOR_METHODS_UNSEEN_H
#define UM_MONITOR_METHODS_UNSEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/texts.h"
#include "ipc/wire.h"

/* Zeroed but for `publish` and `context`, it is empty. What follows these is private. */
struct um_methods_unseen {
    void (*publish)(void *context, const struct um_wire_frame *frame);
    void *context;
    struct um_texts others;
    uint32_t told; /* of these entries METHOD_UNSEEN has come */
    uint32_t unseen, said;
    struct um_wire_method_unseen entries[UM_WIRE_METHOD_ENTRIES];
};

/* Takes a frame of the DLL; ignores others than METHOD_OTHER, METHOD_UNSEEN and METHODS. */
void um_methods_unseen_take(struct um_methods_unseen *unseen, const struct um_wire_frame *frame);

/* The next line for the console: likely slips at once, the others with `is_end`. False: none. */
bool um_methods_unseen_line(struct um_methods_unseen *unseen, bool is_end, char *line,
                            size_t cap_bytes);

void um_methods_unseen_deinit(struct um_methods_unseen *unseen);

#endif
