/* The modules of a process: where the unwinder finds code and unwind data.
 *
 * A module's index counts them in the order in which they were added. For code in no module,
 * `elsewhere` is asked: a runtime that generates code has its own tables, which only the target
 * itself can look into. A reader starts at um_modules_add, and passes um_modules_code to the
 * unwinder. Thread: one at a time.
 */
#ifndef UM_MONITOR_MODULES_H
#define UM_MONITOR_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/sample/extents.h"
#include "monitor/sample/pdata.h"
#include "monitor/sample/unwind.h"

struct um_modules_entry {
    struct um_extent extent;
    struct um_pdata pdata;
};

/* Private to modules.c. Nothing to release. */
struct um_modules {
    struct um_extents extents; /* of struct um_modules_entry */
    struct um_unwind_code elsewhere;
};

/* Begins without modules. `elsewhere` answers for code that is in none; NULL: nobody does.
 * Owner: the caller, of `entries` (room for `cap` modules) and of the context in `elsewhere`, which
 * must outlive `modules`. */
void um_modules_init(struct um_modules *modules, struct um_modules_entry *entries, size_t cap,
                     const struct um_unwind_code *elsewhere);

/* Adds the module at `base`, and reads its headers.
 * Errors: as um_pdata_open; UM_ERR_EXISTS it overlaps with another one; UM_ERR_TOO_LARGE there is
 * no room. */
enum um_status um_modules_add(struct um_modules *modules, uint64_t base,
                              const struct um_pdata_source *source, int32_t *index);

/* The modules and what is elsewhere, for um_unwind_run.
 * Owner: `modules` must outlive its use. */
struct um_unwind_code um_modules_code(struct um_modules *modules);

#endif
