#include "names/pdbs_win32.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/local_file_win32.h"
#include "base/wide_win32.h"
#include "names/assembly.h"
#include "names/image.h"
#include "names/lines.h"
#include "names/view_win32.h"

#define ASSEMBLIES 256 /* known at once; then the oldest is dropped */

/* An assembly, and its PDB. */
struct pdb {
    struct um_names_module assembly;
    uint8_t id[UM_PPDB_ID_BYTES];
    enum um_names_pdb why; /* why there are no bytes; GOOD: there are, or nobody knows */
    uint8_t *bytes;
    size_t len_bytes;
};

static struct {
    struct pdb *list[ASSEMBLIES]; /* a ring */
    size_t count;                 /* how many there have been */
    size_t dropped;               /* how many of them are gone */
    uint64_t bytes;               /* of all */
} pdbs;

/* Files ---------------------------------------------------------------------------------------- */

static void keep_reason(struct pdb *pdb, enum um_names_pdb why)
{
    if (pdb->why == UM_NAMES_PDB_GOOD)
        pdb->why = why;
}

/* Copies the bytes of a PDB that has been checked. */
static bool take(struct pdb *pdb, const uint8_t *bytes, size_t len_bytes)
{
    pdb->bytes = malloc(len_bytes);
    if (!pdb->bytes) {
        keep_reason(pdb, UM_NAMES_PDB_DAMAGED);
        return false;
    }
    memcpy(pdb->bytes, bytes, len_bytes);
    pdb->len_bytes = len_bytes;
    pdb->why = UM_NAMES_PDB_GOOD;
    return true;
}

/* Takes the file if it is the PDB. */
static bool take_file(void *context, const wchar_t *path)
{
    struct pdb *pdb = context;
    struct um_view view = {NULL, 0};
    bool is_taken = false;

    if (!um_view_open(path, &view))
        return false;
    enum um_names_pdb why = um_lines_check(view.bytes, view.len_bytes, pdb->id);
    if (why == UM_NAMES_PDB_GOOD)
        is_taken = take(pdb, view.bytes, view.len_bytes);
    else
        keep_reason(pdb, why);
    um_view_close(&view);
    return is_taken;
}

/* Unpacks the PDB in the assembly. */
static bool take_embedded(struct pdb *pdb, const struct um_assembly *assembly)
{
    if (!assembly->embedded)
        return false;
    uint8_t *bytes =
        assembly->unpacked_bytes > 0 && assembly->unpacked_bytes <= UM_ASSEMBLY_MAX_EMBEDDED
            ? malloc(assembly->unpacked_bytes)
            : NULL;
    enum um_names_pdb why = UM_NAMES_PDB_DAMAGED;
    enum um_status status = bytes ? um_assembly_unpack(assembly, bytes) : UM_ERR_MEMORY;
    if (status == UM_OK)
        why = um_lines_check(bytes, assembly->unpacked_bytes, pdb->id);
    if (status == UM_ERR_UNSUPPORTED) { /* there may be another one beside */
        free(bytes);
        return false;
    }
    if (why != UM_NAMES_PDB_GOOD) {
        keep_reason(pdb, why);
        free(bytes);
        return false;
    }
    pdb->bytes = bytes;
    pdb->len_bytes = assembly->unpacked_bytes;
    pdb->why = UM_NAMES_PDB_GOOD;
    return true;
}

/* The name of a file without its folder. The compiler may have run on another system. */
static const wchar_t *name_of(const wchar_t *path)
{
    const wchar_t *name = path;
    for (; *path; path++)
        if (*path == L'\\' || *path == L'/' || *path == L':')
            name = path + 1;
    return name;
}

static bool take_beside(struct pdb *pdb, const wchar_t *assembly, const wchar_t *name)
{
    wchar_t path[UM_LOCAL_FILE_CHARS];
    size_t folder = (size_t)(name_of(assembly) - assembly);
    if (folder + wcslen(name) >= UM_LOCAL_FILE_CHARS)
        return false;
    memcpy(path, assembly, folder * sizeof *path);
    wcscpy(path + folder, name);
    return take_file(pdb, path);
}

static void look(struct pdb *pdb, const wchar_t *path, const struct um_assembly *assembly,
                 const struct um_pdbs_search *search)
{
    wchar_t *pdb_path = um_wide_from_utf8(assembly->pdb_path);
    const wchar_t *name = pdb_path ? name_of(pdb_path) : L"";
    if (!take_embedded(pdb, assembly) && name[0] != L'\0' && !take_beside(pdb, path, name))
        search->find(search->context, name, pdb->id, take_file, pdb);
    free(pdb_path);
}

/* Finds the PDB of an assembly whose file is that of the module in memory. */
static void open_pdb(struct pdb *pdb, const wchar_t *path, const struct um_pdbs_search *search)
{
    struct um_view view = {NULL, 0};
    struct um_assembly assembly;
    struct um_image image;

    if (!um_view_open(path, &view))
        return;
    size_t head_bytes = view.len_bytes < UM_IMAGE_HEAD_BYTES ? view.len_bytes : UM_IMAGE_HEAD_BYTES;
    enum um_names_why why = um_image_read(view.bytes, head_bytes, view.len_bytes, &image);
    if (why == UM_NAMES_FOUND)
        why = um_image_compare(&image, &pdb->assembly);
    if (why == UM_NAMES_OTHER_BUILD)
        pdb->why = UM_NAMES_PDB_OTHER;
    if (why == UM_NAMES_FOUND) {
        bool is_named = um_assembly_read(view.bytes, view.len_bytes, &assembly) == UM_OK;
        if (is_named) {
            memcpy(pdb->id, assembly.id, sizeof pdb->id);
            look(pdb, path, &assembly, search);
        }
        if (!pdb->bytes && !(is_named && assembly.embedded)) /* one inside was not unpacked */
            keep_reason(pdb, is_named ? UM_NAMES_PDB_MISSING : UM_NAMES_PDB_NONE);
    }
    um_view_close(&view);
}

/* The list ------------------------------------------------------------------------------------- */

static void drop_oldest(void)
{
    struct pdb **place = &pdbs.list[pdbs.dropped++ % ASSEMBLIES];
    pdbs.bytes -= (*place)->len_bytes;
    free((*place)->bytes);
    free(*place);
    *place = NULL;
}

static bool is_same(const struct um_names_module *a, const struct um_names_module *b)
{
    return a->timestamp == b->timestamp && a->image_bytes == b->image_bytes &&
           strcmp(a->path, b->path) == 0;
}

/* Owner: the list. NULL without memory. */
static const struct pdb *find_pdb(const struct um_names_module *assembly,
                                  const struct um_pdbs_search *search)
{
    for (size_t i = pdbs.dropped; i < pdbs.count; i++)
        if (is_same(&pdbs.list[i % ASSEMBLIES]->assembly, assembly))
            return pdbs.list[i % ASSEMBLIES];
    struct pdb *pdb = calloc(1, sizeof *pdb);
    wchar_t *path = um_wide_from_utf8(assembly->path);
    if (!pdb || !path) {
        free(pdb);
        free(path);
        return NULL;
    }
    pdb->assembly = *assembly;
    open_pdb(pdb, path, search);
    free(path);
    while (pdbs.count - pdbs.dropped == ASSEMBLIES ||
           (pdbs.count > pdbs.dropped && pdbs.bytes + pdb->len_bytes > UM_PPDB_MAX_BYTES))
        drop_oldest();
    pdbs.bytes += pdb->len_bytes;
    pdbs.list[pdbs.count++ % ASSEMBLIES] = pdb;
    return pdb;
}

void um_pdbs_find(const struct um_runtime_place *place, const struct um_pdbs_search *search,
                  struct um_names_name *name)
{
    const struct pdb *pdb = find_pdb(&place->assembly, search);
    if (!pdb)
        return;
    if (pdb->bytes)
        um_lines_find(pdb->bytes, pdb->len_bytes, place, name);
    name->pdb = (uint8_t)pdb->why;
}
