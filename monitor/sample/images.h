/* The modules of the target for the unwinder of its processor, with a cache of their memory.
 *
 * Only the pages that a walk needs are read, and they are kept, so a walk over known code reads
 * nothing from the target. Reading happens between two samples, never during one. um_images_look
 * lists the modules anew and empties the cache. A reader starts there. Thread: one at a time.
 */
#ifndef UM_MONITOR_IMAGES_H
#define UM_MONITOR_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/sample/modules.h"
#include "monitor/sample/modules_x86.h"
#include "monitor/sample/stopper.h"

#define UM_IMAGES_MODULES 2048 /* Visual Studio has some 500 */
#define UM_IMAGES_PAGES 1024   /* in the cache, of 4 KiB */
#define UM_IMAGES_RANGES 128   /* of a 32-bit target's memory without modules, that are kept */

struct um_images;

/* Makes an empty table. `elsewhere` answers for code of no module in a 64-bit target; NULL: nobody
 * does. In a 32-bit target, executable memory of no module is such code.
 * Owner: um_images_close; `stopper` and the context of `elsewhere` must outlive the table.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_images_open(struct um_stopper *stopper, const struct um_unwind_code *elsewhere,
                              struct um_images **images);

/* Accepts NULL. */
void um_images_close(struct um_images *images);

/* Lists the modules anew. Earlier indices are no longer valid.
 * Thread: blocks for some ms. */
void um_images_look(struct um_images *images);

/* Whether there may be more modules than there is room for. Walks stop at the code of those. */
bool um_images_is_full(const struct um_images *images);

/* The modules for um_unwind_run, and for um_unwind_x86_walk if the target is a 32-bit one. Owner:
 * the table's, until the next um_images_look. */
struct um_unwind_code um_images_code(struct um_images *images);
struct um_unwind_x86_code um_images_code_x86(struct um_images *images);

/* The begin of the function with the byte at an address, by unwind data. False: it has none. */
bool um_images_begin(struct um_images *images, uint64_t address, uint64_t *begin);

/* Forgets which memory of a 32-bit target is generated code: a runtime can free and move it. */
void um_images_forget(struct um_images *images);

/* An address in a module of a 32-bit target that was not known at the last look, and for which the
 * unwinder has asked since then; 0: there is none. */
uint32_t um_images_missed(const struct um_images *images);

/* Whether an address lies in a module that is known. */
bool um_images_has(const struct um_images *images, uint64_t address);

/* The module with the byte at an address; NULL: none that is known. Owner: as um_images_module. */
const struct um_stopper_module *um_images_module_at(const struct um_images *images,
                                                    uint64_t address);

/* A module by its index; NULL for UM_UNWIND_NO_MODULE. Owner: the table's, as above. */
const struct um_stopper_module *um_images_module(const struct um_images *images, int32_t index);

/* The time stamp in the header of a module, by its index; 0: it cannot be read. */
uint32_t um_images_timestamp(struct um_images *images, int32_t index);

/* Reads the time stamp in the header of the image at `base`. False: it cannot be read. */
bool um_images_read_timestamp(struct um_stopper *stopper, uint64_t base, uint32_t *timestamp);

/* Whether a module, by its index, is the same as at the last um_images_look. Reads its header
 * anew. */
bool um_images_is_there(struct um_images *images, int32_t index);

#endif
