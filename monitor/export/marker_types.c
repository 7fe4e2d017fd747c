#include "monitor/export/marker_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

struct wanted {
    const struct um_marker_types *types;
    const struct um_marker *marker;
};

static bool is_type(const void *context, uint32_t type)
{
    const struct wanted *wanted = context;
    const struct um_markers *markers = wanted->types->markers;
    const struct um_marker *one = wanted->marker,
                           *other = &markers->list[wanted->types->list[type]];
    if (one->name != other->name || one->stack_based != other->stack_based ||
        one->field_count != other->field_count)
        return false;
    const struct um_marker_field *fields = markers->fields + one->first_field;
    const struct um_marker_field *others = markers->fields + other->first_field;
    const uint8_t *kinds = wanted->types->kinds;
    for (uint32_t i = 0; i < one->field_count; i++)
        if (fields[i].name != others[i].name ||
            kinds[one->first_field + i] != kinds[other->first_field + i])
            return false;
    return true;
}

static uint64_t hash_of(const struct um_marker_types *types, const struct um_marker *marker)
{
    uint64_t hash = um_intern_mix(marker->stack_based, marker->name);
    for (uint32_t i = 0; i < marker->field_count; i++) {
        uint32_t field = marker->first_field + i;
        hash = um_intern_mix(hash, types->markers->fields[field].name |
                                       (uint64_t)types->kinds[field] << 32);
    }
    return hash;
}

static bool find_types(struct um_marker_types *types)
{
    struct um_intern table = {0};
    bool ok = true;
    for (uint32_t i = 0; i < types->markers->count && ok; i++) {
        const struct um_marker *marker = &types->markers->list[i];
        struct wanted wanted = {types, marker};
        uint64_t hash = hash_of(types, marker);
        uint32_t found = um_intern_find(&table, hash, is_type, &wanted);
        if (found == UM_INTERN_NONE && (ok = um_intern_reserve(&table, 1))) {
            found = types->count++;
            types->list[found] = i;
            um_intern_add(&table, hash, found);
        }
        types->of_marker[i] = found;
    }
    um_intern_deinit(&table);
    return ok;
}

static void find_categories(struct um_marker_types *types)
{
    memset(types->category_of, 0xff, types->markers->texts.count * sizeof *types->category_of);
    for (size_t i = 0; i < types->markers->count; i++) {
        uint32_t text = types->markers->list[i].category;
        if (types->category_of[text] != UM_MARKERS_NONE)
            continue;
        types->category_of[text] = types->category_count;
        types->categories[types->category_count++] = text;
    }
}

enum um_status um_marker_types_init(struct um_marker_types *types, const struct um_markers *markers,
                                    const uint8_t *kinds)
{
    *types = (struct um_marker_types){.markers = markers, .kinds = kinds};
    types->list = malloc((markers->count + 1) * sizeof *types->list);
    types->of_marker = malloc((markers->count + 1) * sizeof *types->of_marker);
    types->categories = malloc((markers->texts.count + 1) * sizeof *types->categories);
    types->category_of = malloc((markers->texts.count + 1) * sizeof *types->category_of);
    if (!types->list || !types->of_marker || !types->categories || !types->category_of ||
        !find_types(types))
        return UM_ERR_MEMORY;
    find_categories(types);
    return UM_OK;
}

void um_marker_types_deinit(struct um_marker_types *types)
{
    free(types->list);
    free(types->of_marker);
    free(types->categories);
    free(types->category_of);
    *types = (struct um_marker_types){0};
}

const char *um_marker_types_name(const struct um_marker_types *types, uint32_t type, char *text)
{
    const struct um_markers *markers = types->markers;
    snprintf(text, UM_MARKER_TYPES_BYTES, "%.1000s #%" PRIu32,
             um_markers_get_text(markers, markers->list[types->list[type]].name), type + 1);
    return text;
}

const char *um_marker_types_key(const struct um_markers *markers, uint32_t marker, uint32_t field,
                                char *text)
{
    const struct um_marker_field *fields = markers->fields + markers->list[marker].first_field;
    const char *name = um_markers_get_text(markers, fields[field].name);
    bool is_taken = strcmp(name, "type") == 0 || strcmp(name, "cause") == 0;
    for (uint32_t i = 0; i < field && !is_taken; i++)
        is_taken = fields[i].name == fields[field].name;
    snprintf(text, UM_MARKER_TYPES_BYTES, is_taken ? "%.1000s (%" PRIu32 ")" : "%.1000s", name,
             field + 1);
    return text;
}
