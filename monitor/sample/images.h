/* The modules of the target for the unwinder: which there are, and what was read of them so far.
 *
 * Of each module only the pages are read that a walk needs, and they are kept, so a walk over known
 * code reads nothing from the target. Reading happens between two samples, never during one.
 * Modules come and go: um_images_look lists them anew and forgets what was read. A reader starts
 * at um_images_look. Not for several threads at once.
 */
#ifndef UM_MONITOR_IMAGES_H
#define UM_MONITOR_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/sample/modules.h"
#include "monitor/sample/stopper.h"

#define UM_IMAGES_MODULES 2048 /* Visual Studio has some 500 */
#define UM_IMAGES_PAGES 1024   /* of 4 KiB, that are kept in all */

/* Where modules and memory come from; as the functions of stopper.h. */
struct um_images_source {
    void *context;
    bool (*read)(void *context, uint64_t address, void *bytes, size_t len);
    size_t (*modules)(void *context, struct um_stopper_module *list, size_t cap);
    struct um_unwind_code elsewhere; /* answers for code of no module; zeroed: nobody does */
};

struct um_images;

/* Makes an empty table. Owner: um_images_close; `source` is copied, its contexts must outlive the
 * table. Errors: UM_ERR_MEMORY. */
enum um_status um_images_open(const struct um_images_source *source, struct um_images **images);

/* Accepts NULL. */
void um_images_close(struct um_images *images);

/* Lists the modules anew. Indices that were handed out before are void after it.
 * Thread: blocks for some ms. */
void um_images_look(struct um_images *images);

/* Whether there may be more modules than it has room for: walks stop at the code of those. */
bool um_images_is_full(const struct um_images *images);

/* The modules for um_unwind_run. Owner: the table's, until the next um_images_look. */
struct um_unwind_code um_images_code(struct um_images *images);

/* Whether an address lies in a module that is known. */
bool um_images_has(const struct um_images *images, uint64_t address);

/* A module by its index; NULL for UM_UNWIND_NO_MODULE. Owner: the table's, as above. */
const struct um_stopper_module *um_images_module(const struct um_images *images, int32_t index);

/* The time stamp in the header of a module, by its index; 0: it cannot be read. */
uint32_t um_images_timestamp(struct um_images *images, int32_t index);

/* Whether a module, by its index, is still what it was at the last um_images_look: its header is
 * read anew. */
bool um_images_is_there(struct um_images *images, int32_t index);

#endif
