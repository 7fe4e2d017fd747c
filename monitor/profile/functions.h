/* The functions that addresses belong to: a table of names.
 *
 * Names come late and from another process, so an address may be asked for before its name is
 * known. Then a callback is asked, and without an answer the address stands for itself. Each
 * function is known by a number, the same for all addresses in it. The table is bounded; what does
 * not fit is UM_FUNCTIONS_MORE. Not on the hot path. Thread: one at a time.
 */
#ifndef UM_MONITOR_FUNCTIONS_H
#define UM_MONITOR_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"
#include "monitor/profile/intern.h"

#define UM_FUNCTIONS_MORE 0 /* "(more functions)", for which there was no room */
#define UM_FUNCTIONS_MOST 65536
#define UM_FUNCTIONS_LABEL 256
#define UM_FUNCTIONS_TEXT 1024 /* bytes of a name's text, with its NUL */

/* Texts are UTF-8; "" or NULL for what is not known. Texts beyond 1,023 bytes are cut there. */
struct um_functions_name {
    const char *module; /* its file's path or name */
    const char *name;
    const char *file;
    uint32_t line;   /* of the function, or of the address: as it was given first */
    bool is_managed; /* the name is "Namespace.Type.Method(arguments)" */
    bool is_unknown; /* it is code of no module, and may be a managed method of any name */
};

/* Answers with the name of an address; the texts must stay until it is called again. False if it is
 * not known. */
typedef bool um_functions_look_up(void *context, uint64_t key, struct um_functions_name *name);

struct um_functions_address {
    uint64_t key;
    uint32_t function;
};

/* Private to functions.c. */
struct um_functions {
    struct um_functions_name *names;
    struct um_functions_address *addresses;
    uint32_t name_count, address_count;
    size_t name_cap, address_cap;
    struct um_intern by_name, by_key;
    um_functions_look_up *look_up;
    void *context;
};

/* An empty table. `look_up` may be NULL. Owner: um_functions_deinit. Errors: UM_ERR_MEMORY. */
enum um_status um_functions_init(struct um_functions *functions, um_functions_look_up *look_up,
                                 void *context);

/* Accepts a zeroed table. */
void um_functions_deinit(struct um_functions *functions);

/* The number of the function that has an address; UM_FUNCTIONS_MORE if there is no room or no
 * memory. */
uint32_t um_functions_of(struct um_functions *functions, uint64_t key);

/* The texts of a function; never NULL in any of them. Owner: the table. */
const struct um_functions_name *um_functions_get(const struct um_functions *functions, uint32_t id);

struct um_functions_label {
    char text[UM_FUNCTIONS_LABEL];
};

/* "module!name", or only the name if the module is not known. The module is without its folder and
 * ".exe" or ".dll". A name that begins with "+" is an offset in it: "module+0x1234". */
struct um_functions_label um_functions_label(const struct um_functions *functions, uint32_t id);

#endif
