/* A table of a module's functions by address, for modules without debug information. exports.h and
 * coff.h fill such a table. Not on the hot path.
 */
#ifndef UM_NAMES_SYMBOL_TABLE_H
#define UM_NAMES_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain/status.h"

#define UM_SYMBOL_TABLE_NAME_BYTES 4096 /* of one name with its NUL; longer ones are cut */
#define UM_SYMBOL_TABLE_TEXT_MAX (UINT32_C(256) << 20) /* of all names; what is more is left out */

struct um_symbol_table_entry {
    uint32_t rva;
    uint32_t end_rva; /* behind the last byte that may have this name */
    bool is_whole;    /* the function reaches from `rva` to `end_rva`; else others may lie there */
    bool is_label;    /* the file does not say that it is a function */
    uint32_t name_at; /* offset in `text`; set by um_symbol_table_add */
    const char *name; /* set by um_symbol_table_sort. Owner: the table */
};

/* A zeroed struct is empty. */
struct um_symbol_table {
    struct um_symbol_table_entry *entries;
    size_t count;
    size_t cap;
    char *text; /* the names, each with its NUL */
    size_t text_len;
    size_t text_cap;
};

/* Adds an entry, unless its name is empty or the text is full. Units: `name` has `len_bytes`
 * without a NUL. Errors: UM_ERR_MEMORY. */
enum um_status um_symbol_table_add(struct um_symbol_table *table,
                                   struct um_symbol_table_entry entry, const char *name,
                                   size_t len_bytes);

/* Sorts by address; to be called once all entries are added. Of several at one address
 * um_symbol_table_find returns the last: a function rather than a label, then the first name in the
 * order of strcmp. */
void um_symbol_table_sort(struct um_symbol_table *table);

/* The last entry at or before `rva`, if `rva` is before its `end_rva`; else NULL. */
const struct um_symbol_table_entry *um_symbol_table_find(const struct um_symbol_table *table,
                                                         uint32_t rva);

void um_symbol_table_free(struct um_symbol_table *table);

#endif
