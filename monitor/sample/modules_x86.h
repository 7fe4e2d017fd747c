/* The modules of a process for x86: where its code lies, and the unwind data that some of them
 * have.
 *
 * A module's index counts them in the order in which they were added. The unwind data of a module
 * is read as a whole when it is needed first. A reader starts at um_modules_x86_add, and passes
 * um_modules_x86_code to the unwinder. Thread: one at a time.
 */
#ifndef UM_MONITOR_MODULES_X86_H
#define UM_MONITOR_MODULES_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "monitor/sample/eh_frame.h"
#include "monitor/sample/extents.h"
#include "monitor/sample/pdata.h"
#include "monitor/sample/unwind_x86.h"

#define UM_MODULES_X86_RANGES 4 /* of code, of a module; further ones are left out */

struct um_modules_x86_entry {
    struct um_extent extent; /* below 4 GiB */
    struct um_pdata_source source;
    size_t range_count;
    struct {
        uint32_t rva, bytes;
    } ranges[UM_MODULES_X86_RANGES];
    bool is_searched; /* for unwind data */
    struct um_eh_frame eh_frame;
};

/* Generated code: executable memory of no module. */
struct um_modules_x86_elsewhere {
    void *context;
    bool (*is_code)(void *context, uint32_t address);
    bool (*read)(void *context, uint32_t address, void *bytes, size_t len);
};

/* Private to modules_x86.c. */
struct um_modules_x86 {
    struct um_extents extents; /* of struct um_modules_x86_entry */
    struct um_modules_x86_elsewhere elsewhere;
};

/* Begins without modules. `elsewhere` NULL: there is no generated code. Owner:
 * um_modules_x86_deinit; the caller, of `entries` (room for `cap` modules) and of the context in
 * `elsewhere`, which must outlive `modules`. */
void um_modules_x86_init(struct um_modules_x86 *modules, struct um_modules_x86_entry *entries,
                         size_t cap, const struct um_modules_x86_elsewhere *elsewhere);

/* Accepts zeroed ones. */
void um_modules_x86_deinit(struct um_modules_x86 *modules);

/* Adds the module at `base`, and reads its headers.
 * Errors: UM_ERR_IO they cannot be read; UM_ERR_FORMAT it is no image of 32 bits;
 * UM_ERR_UNSUPPORTED it is for another processor than x86; UM_ERR_EXISTS it overlaps with another
 * one; UM_ERR_TOO_LARGE there is no room. */
enum um_status um_modules_x86_add(struct um_modules_x86 *modules, uint32_t base,
                                  const struct um_pdata_source *source, int32_t *index);

/* The modules and what is elsewhere, for um_unwind_x86_walk. Owner: `modules` must outlive its
 * use. */
struct um_unwind_x86_code um_modules_x86_code(struct um_modules_x86 *modules);

#endif
