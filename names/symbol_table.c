#include "names/symbol_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum um_status um_symbol_table_add(struct um_symbol_table *table,
                                   struct um_symbol_table_entry entry, const char *name,
                                   size_t len_bytes)
{
    size_t len =
        len_bytes < UM_SYMBOL_TABLE_NAME_BYTES ? len_bytes : UM_SYMBOL_TABLE_NAME_BYTES - 1;
    if (len == 0 || table->text_len + len + 1 > UM_SYMBOL_TABLE_TEXT_MAX)
        return UM_OK;
    if (!um_list_reserve(&table->entries, &table->cap, table->count + 1, SIZE_MAX,
                         sizeof *table->entries) ||
        !um_list_reserve(&table->text, &table->text_cap, table->text_len + len + 1,
                         UM_SYMBOL_TABLE_TEXT_MAX, 1))
        return UM_ERR_MEMORY;
    entry.name_at = (uint32_t)table->text_len;
    entry.name = NULL;
    table->entries[table->count++] = entry;
    memcpy(table->text + table->text_len, name, len);
    table->text[table->text_len + len] = '\0';
    table->text_len += len + 1;
    return UM_OK;
}

static int compare(const void *a, const void *b)
{
    const struct um_symbol_table_entry *left = a, *right = b;
    if (left->rva != right->rva)
        return left->rva < right->rva ? -1 : 1;
    if (left->is_label != right->is_label)
        return left->is_label ? -1 : 1;
    return strcmp(right->name, left->name);
}

void um_symbol_table_sort(struct um_symbol_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        table->entries[i].name = table->text + table->entries[i].name_at;
    if (table->count > 0)
        qsort(table->entries, table->count, sizeof *table->entries, compare);
}

const struct um_symbol_table_entry *um_symbol_table_find(const struct um_symbol_table *table,
                                                         uint32_t rva)
{
    size_t low = 0, high = table->count; /* the first behind `rva` is in here */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->entries[middle].rva <= rva)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || rva >= table->entries[low - 1].end_rva)
        return NULL;
    return &table->entries[low - 1];
}

void um_symbol_table_free(struct um_symbol_table *table)
{
    free(table->entries);
    free(table->text);
    *table = (struct um_symbol_table){0};
}
