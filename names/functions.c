#include "names/functions.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ENTRIES 256
#define FIRST_TEXT 8192

static bool has_room(struct um_functions *functions)
{
    if (functions->count < functions->cap)
        return true;
    size_t cap = functions->cap ? functions->cap * 2 : FIRST_ENTRIES;
    struct um_functions_entry *entries =
        realloc(functions->entries, cap * sizeof *functions->entries);
    if (!entries)
        return false;
    functions->entries = entries;
    functions->cap = cap;
    return true;
}

static bool has_text_room(struct um_functions *functions, size_t more)
{
    size_t cap = functions->text_cap ? functions->text_cap : FIRST_TEXT;
    while (cap - functions->text_len < more)
        cap *= 2;
    if (cap == functions->text_cap)
        return true;
    char *text = realloc(functions->text, cap);
    if (!text)
        return false;
    functions->text = text;
    functions->text_cap = cap;
    return true;
}

enum um_status um_functions_add(struct um_functions *functions, struct um_functions_entry entry,
                                const char *name, size_t len_bytes)
{
    size_t len = len_bytes < UM_FUNCTIONS_NAME_BYTES ? len_bytes : UM_FUNCTIONS_NAME_BYTES - 1;
    if (len == 0 || functions->text_len + len + 1 > UM_FUNCTIONS_TEXT_MAX)
        return UM_OK;
    if (!has_room(functions) || !has_text_room(functions, len + 1))
        return UM_ERR_MEMORY;
    entry.name_at = (uint32_t)functions->text_len;
    entry.name = NULL;
    functions->entries[functions->count++] = entry;
    memcpy(functions->text + functions->text_len, name, len);
    functions->text[functions->text_len + len] = '\0';
    functions->text_len += len + 1;
    return UM_OK;
}

static int compare(const void *a, const void *b)
{
    const struct um_functions_entry *left = a, *right = b;
    if (left->rva != right->rva)
        return left->rva < right->rva ? -1 : 1;
    if (left->is_label != right->is_label)
        return left->is_label ? -1 : 1;
    return strcmp(right->name, left->name);
}

void um_functions_sort(struct um_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        functions->entries[i].name = functions->text + functions->entries[i].name_at;
    if (functions->count > 0)
        qsort(functions->entries, functions->count, sizeof *functions->entries, compare);
}

const struct um_functions_entry *um_functions_find(const struct um_functions *functions,
                                                   uint32_t rva)
{
    size_t low = 0, high = functions->count; /* the first behind `rva` is in here */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (functions->entries[middle].rva <= rva)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || rva >= functions->entries[low - 1].end_rva)
        return NULL;
    return &functions->entries[low - 1];
}

void um_functions_free(struct um_functions *functions)
{
    free(functions->entries);
    free(functions->text);
    *functions = (struct um_functions){0};
}
