#include "names/coff.h"

#include <string.h>

#include "base/plain/bytes.h"
#include "names/pe.h"

/* Offsets in the file's header, and in a symbol. */
#define TABLE_AT 8
#define COUNT_AT 12
#define SYMBOL_BYTES 18
#define SHORT_NAME_BYTES 8
#define LONG_NAME_AT 4
#define VALUE_AT 8
#define SECTION_AT 12
#define TYPE_AT 14
#define CLASS_AT 16
#define AUX_AT 17

#define TYPE_FUNCTION 0x20
#define TYPE_MASK 0x30
#define CLASS_EXTERNAL 2
#define CLASS_STATIC 3
#define CLASS_WEAK 105

/* Offsets in an entry of the unwind data. */
#define UNWIND_BYTES 12
#define BEGIN_AT 0
#define END_AT 4

struct table {
    struct um_pe pe;
    const uint8_t *symbols;
    uint32_t count;
    const uint8_t *strings; /* they begin with their length */
    size_t strings_bytes;
    const uint8_t *unwind; /* sorted by address, as the format demands */
    size_t unwind_count;
};

static void find_unwind_data(struct table *table)
{
    uint32_t rva, bytes;
    size_t len;
    um_pe_directory(&table->pe, UM_PE_EXCEPTIONS, &rva, &bytes);
    if (table->pe.machine != UM_PE_X64 || bytes == 0)
        return;
    table->unwind = um_pe_at_rva(&table->pe, rva, bytes, &len);
    table->unwind_count = table->unwind ? bytes / UNWIND_BYTES : 0;
}

static bool open_table(const uint8_t *file, size_t len_bytes, struct table *table)
{
    if (!um_pe_open(file, len_bytes, &table->pe))
        return false;
    uint64_t at = um_bytes_get32(table->pe.header + TABLE_AT);
    table->count = um_bytes_get32(table->pe.header + COUNT_AT);
    uint64_t bytes = (uint64_t)table->count * SYMBOL_BYTES;
    table->symbols = um_pe_in_file(&table->pe, at, bytes);
    if (at == 0 || !table->symbols)
        return false;
    table->strings = um_pe_in_file(&table->pe, at + bytes, 4);
    table->strings_bytes = table->strings ? um_bytes_get32(table->strings) : 0;
    if (!um_pe_in_file(&table->pe, at + bytes, table->strings_bytes))
        table->strings_bytes = 0;
    find_unwind_data(table);
    return true;
}

/* The length of a name without the suffix that compilers add to a clone or a part of a function.
 * Debug information leaves the suffix out too. */
static size_t without_clone(const char *name, size_t len)
{
    static const char *const words[] = {".cold",       ".part.",     ".isra.",
                                        ".constprop.", ".lto_priv.", ".llvm."};
    for (size_t at = 1; at < len; at++)
        for (size_t i = 0; i < sizeof words / sizeof *words && name[at] == '.'; i++) {
            size_t word_len = strlen(words[i]);
            if (len - at >= word_len && memcmp(name + at, words[i], word_len) == 0)
                return at;
        }
    return len;
}

/* The name of a function of C without what 32-bit programs add to it: "_name" of the usual calling
 * convention, "_name@8" of the system's, "@name@8" with arguments in registers. */
static const char *undecorate_x86(const char *name, size_t *len)
{
    size_t digits = *len;
    if (*len < 2 || (name[0] != '_' && name[0] != '@'))
        return name;
    while (digits > 1 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    if (digits < *len && digits > 2 && name[digits - 1] == '@')
        *len = digits - 1;
    else if (name[0] == '@')
        return name;
    --*len;
    return name + 1;
}

/* The name of a symbol, without a NUL. NULL: it has none. */
static const char *name_of(const struct table *table, const uint8_t *symbol, size_t *len)
{
    const char *name = (const char *)symbol;
    size_t cap = SHORT_NAME_BYTES;

    if (um_bytes_get32(symbol) == 0) {
        uint32_t at = um_bytes_get32(symbol + LONG_NAME_AT);
        if (at >= table->strings_bytes)
            return NULL;
        name = (const char *)table->strings + at;
        cap = table->strings_bytes - at;
        cap = cap < UM_SYMBOL_TABLE_NAME_BYTES ? cap : UM_SYMBOL_TABLE_NAME_BYTES;
    }
    const char *end = memchr(name, 0, cap);
    *len = end ? (size_t)(end - name) : cap;
    if (table->pe.machine == UM_PE_X86)
        name = undecorate_x86(name, len);
    *len = without_clone(name, *len);
    return name;
}

static enum um_status add(const struct table *table, const uint8_t *symbol,
                          struct um_symbol_table *functions)
{
    struct um_pe_section section;
    bool is_function = (um_bytes_get16(symbol + TYPE_AT) & TYPE_MASK) == TYPE_FUNCTION;
    uint8_t class = symbol[CLASS_AT];
    uint32_t value = um_bytes_get32(symbol + VALUE_AT);
    uint32_t number = um_bytes_get16(symbol + SECTION_AT); /* from 1 */
    size_t len;

    if (class != CLASS_EXTERNAL && class != CLASS_WEAK && (class != CLASS_STATIC || !is_function))
        return UM_OK;
    if (number == 0 || !um_pe_section(&table->pe, number - 1, &section) || !section.is_code ||
        value >= section.end_rva - section.rva)
        return UM_OK;
    const char *name = name_of(table, symbol, &len);
    const struct um_symbol_table_entry entry = {
        .rva = section.rva + value, .end_rva = section.end_rva, .is_label = !is_function};
    return name ? um_symbol_table_add(functions, entry, name, len) : UM_OK;
}

/* How many entries of the unwind data begin at or before `rva`. */
static size_t count_until(const struct table *table, uint32_t rva)
{
    size_t low = 0, high = table->unwind_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (um_bytes_get32(table->unwind + middle * UNWIND_BYTES + BEGIN_AT) <= rva)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void lower(uint32_t *value, uint32_t limit)
{
    if (*value > limit)
        *value = limit;
}

/* Sets where a name ends: with its function, or before the next name or function. `next` is the RVA
 * of the next name. */
static void set_end(const struct table *table, struct um_symbol_table_entry *entry, uint32_t next)
{
    size_t count = count_until(table, entry->rva);
    const uint8_t *behind =
        count < table->unwind_count ? table->unwind + count * UNWIND_BYTES : NULL;
    const uint8_t *here = count > 0 ? table->unwind + (count - 1) * UNWIND_BYTES : NULL;

    if (here && entry->rva < um_bytes_get32(here + END_AT)) {
        lower(&entry->end_rva, um_bytes_get32(here + END_AT));
        entry->is_whole = entry->rva == um_bytes_get32(here + BEGIN_AT);
        return;
    }
    lower(&entry->end_rva, next);
    if (behind && um_bytes_get32(behind + BEGIN_AT) > entry->rva)
        lower(&entry->end_rva, um_bytes_get32(behind + BEGIN_AT));
}

static void set_ends(const struct table *table, struct um_symbol_table *functions)
{
    uint32_t next = UINT32_MAX;
    for (size_t i = functions->count; i-- > 0;) {
        struct um_symbol_table_entry *entry = &functions->entries[i];
        if (i + 1 < functions->count && entry[1].rva > entry->rva)
            next = entry[1].rva;
        set_end(table, entry, next);
    }
}

enum um_status um_coff_read(const uint8_t *file, size_t len_bytes,
                            struct um_symbol_table *functions)
{
    struct table table = {0};
    enum um_status status = UM_OK;

    *functions = (struct um_symbol_table){0};
    if (!open_table(file, len_bytes, &table))
        return UM_OK;
    for (uint64_t i = 0; i < table.count && status == UM_OK; i++) {
        const uint8_t *symbol = table.symbols + i * SYMBOL_BYTES;
        status = add(&table, symbol, functions);
        i += symbol[AUX_AT]; /* its auxiliary records */
    }
    um_symbol_table_sort(functions);
    set_ends(&table, functions);
    return status;
}
