/* The functions that addresses belong to: a table of names.
 *
 * A callback looks names up. Names come late and from another process, so it may not know one yet.
 * All code without a name that is in no module is one function, because its addresses differ from
 * process to process. Each function has a number, the same for all addresses in it. The table is
 * bounded; functions that do not fit are UM_FUNCTIONS_MORE. Not on the hot path. Thread: one at a
 * time.
 */
#ifndef UM_MONITOR_FUNCTIONS_H
#define UM_MONITOR_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"
#include "base/intern.h"

#define UM_FUNCTIONS_MORE 0 /* "(more functions)", for which there was no room */
#define UM_FUNCTIONS_MOST 65536
#define UM_FUNCTIONS_LABEL 256
#define UM_FUNCTIONS_TEXT 1024 /* bytes of a name's text, with its NUL */

/* The name of code without one that is in no module: "code without a name". */
extern const char um_functions_nameless[];

/* Texts are UTF-8; "" or NULL for what is not known. Texts beyond 1,023 bytes are cut there. */
struct um_functions_name {
    const char *module; /* its file's path or name */
    const char *name;
    const char *file;
    uint32_t line;   /* of the function or of the address, as it came first */
    bool is_managed; /* the name is "Namespace.Type.Method(arguments)" */
    bool
        is_unknown; /* the code is in no module, and may be a managed method without a known name */
    bool is_nearest;      /* the line is only the nearest one before that is known */
    const char *checksum; /* of the file, as base/checksum.h writes it */
};

/* Looks the name of an address up. The texts must stay valid until the next call. False if it is
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

/* A copy of a text, cut at UM_FUNCTIONS_TEXT bytes. Owner: free it. NULL: there is no memory. */
char *um_functions_copy_text(const char *text);

/* Makes an empty table. `look_up` may be NULL. Owner: um_functions_deinit.
 * Errors: UM_ERR_MEMORY. */
enum um_status um_functions_init(struct um_functions *functions, um_functions_look_up *look_up,
                                 void *context);

/* Accepts a zeroed table. */
void um_functions_deinit(struct um_functions *functions);

/* The number of the function that has an address; UM_FUNCTIONS_MORE if there is no room or no
 * memory. */
uint32_t um_functions_of(struct um_functions *functions, uint64_t key);

/* The texts of a function; none of them is NULL. Owner: the table. */
const struct um_functions_name *um_functions_get(const struct um_functions *functions, uint32_t id);

/* The texts of an address itself, so that file and line are those of the address. They must stay
 * valid as those of `look_up` do. False if it is not known. */
bool um_functions_address(const struct um_functions *functions, uint64_t key,
                          struct um_functions_name *name);

/* Writes a place in the source: "Parser.cs:118", or "Parser.cs:~118" if the line is only the
 * nearest one before. */
void um_functions_put_place(const char *file, uint32_t line, bool is_nearest, char *text,
                            size_t cap_bytes);

/* Whether a function has a name: not an offset in a module, and not um_functions_nameless. */
bool um_functions_is_named(const struct um_functions_name *name);

struct um_functions_label {
    char text[UM_FUNCTIONS_LABEL];
};

/* "module!name", or only the name if the module is not known. The module is without its folder and
 * ".exe" or ".dll". A name that begins with "+" is an offset in it: "module+0x1234". */
struct um_functions_label um_functions_label(const struct um_functions *functions, uint32_t id);

/* The same for a comparison of two processes: functions without a name are one for each module,
 * "module!code without a name". */
struct um_functions_label um_functions_lasting_label(const struct um_functions *functions,
                                                     uint32_t id);

#endif
