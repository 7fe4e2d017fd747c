#include "names/lines.h"

#include <string.h>

#define TOKEN_METHOD 0x06u /* its highest byte; the rest is the row */
#define ROW_BITS 24

enum um_names_pdb um_lines_check(const uint8_t *pdb, size_t len_bytes, const uint8_t *id)
{
    struct um_ppdb opened;
    enum um_status status = um_ppdb_open(pdb, len_bytes, &opened);
    if (status != UM_OK)
        return status == UM_ERR_UNSUPPORTED ? UM_NAMES_PDB_WINDOWS : UM_NAMES_PDB_DAMAGED;
    return memcmp(opened.id, id, UM_PPDB_ID_BYTES) == 0 ? UM_NAMES_PDB_GOOD : UM_NAMES_PDB_OTHER;
}

/* Whether an instruction of the method is known to be of an IL offset. */
static bool knows(const struct um_runtime_place *place, uint32_t il_offset)
{
    size_t low = 0, high = place->known_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (place->known[middle] < il_offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < place->known_count && place->known[low] == il_offset;
}

static bool is_nearest(const struct um_runtime_place *place, const struct um_ppdb_found *found)
{
    if (!found->is_own)
        return true;
    return !place->is_known && found->next_offset != UINT32_MAX &&
           !knows(place, found->next_offset);
}

/* Sets from which to which line of a document the points of a method go. */
static void find_extent(const struct um_ppdb *ppdb, uint32_t row, uint32_t document,
                        struct um_names_name *name)
{
    struct um_ppdb_points points;
    struct um_ppdb_point point;
    uint32_t first = UINT32_MAX, last = 0;

    if (um_ppdb_points(ppdb, row, &points) != UM_OK)
        return;
    while (um_ppdb_next(&points, &point) == UM_OK) {
        if (point.is_hidden || point.document != document)
            continue;
        first = point.line < first ? point.line : first;
        last = point.end_line > last ? point.end_line : last;
    }
    if (first > last)
        return;
    name->first_line = first;
    name->last_line = last;
}

void um_lines_find(const uint8_t *pdb, size_t len_bytes, const struct um_runtime_place *place,
                   struct um_names_name *name)
{
    struct um_ppdb opened;
    struct um_ppdb_found found;
    uint32_t row = place->token & ((1u << ROW_BITS) - 1);

    if (place->token >> ROW_BITS != TOKEN_METHOD ||
        um_ppdb_open(pdb, len_bytes, &opened) != UM_OK ||
        um_ppdb_find(&opened, row, place->il_offset, &found) != UM_OK ||
        um_ppdb_document(&opened, found.point.document, name->file, sizeof name->file) != UM_OK)
        return;
    (void)um_ppdb_checksum(&opened, found.point.document, name->checksum);
    name->line = found.point.line;
    name->is_nearest = is_nearest(place, &found);
    find_extent(&opened, row, found.point.document, name);
}
