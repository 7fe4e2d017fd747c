#include "names/symbols_win32.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <dbghelp.h>

#include "base/checksum.h"
#include "base/plain/text.h"
#include "base/local_file_win32.h"
#include "base/wide_win32.h"
#include "names/coff.h"
#include "names/exports.h"
#include "names/image.h"
#include "names/itanium.h"
#include "names/pdbs_win32.h"
#include "names/runtime.h"
#include "names/view_win32.h"

#define MODULES 256 /* loaded at once; then the oldest is unloaded */
#define FIRST_BASE UINT64_C(0x10000000)
#define BASE_STEP UINT64_C(0x10000)
#define LINES 4096 /* of a function, that are looked at */

/* A module of the monitor's, and its file. */
struct module {
    struct um_names_module asked;
    uint8_t why; /* enum um_names_why: FOUND if its file is the right one */
    bool is_managed;
    bool is_read; /* dbghelp has loaded its symbols, and the next member is set */
    bool has_exports_only;
    bool has_read_tables;
    struct um_symbol_table functions; /* from its file's symbol table */
    struct um_symbol_table exports;
    /* Made up, because dbghelp only needs it to distinguish modules. 0: dbghelp did not load it,
     * and only its file's own tables are used. */
    uint64_t base;
    uint32_t image_bytes;
};

/* clang-format off */
/* The functions of dbghelp: X(result, member, name, parameters...). */
#define DBGHELP_FUNCTIONS(X)                                                                       \
    X(DWORD, set_options, "SymSetOptions", DWORD)                                                  \
    X(BOOL, initialize, "SymInitializeW", HANDLE, PCWSTR, BOOL)                                    \
    X(BOOL, set_search_path, "SymSetSearchPathW", HANDLE, PCWSTR)                                  \
    X(DWORD64, load, "SymLoadModuleExW", HANDLE, HANDLE, PCWSTR, PCWSTR, DWORD64, DWORD,           \
      PMODLOAD_DATA, DWORD)                                                                        \
    X(BOOL, unload, "SymUnloadModule64", HANDLE, DWORD64)                                          \
    X(BOOL, module_info, "SymGetModuleInfoW64", HANDLE, DWORD64, PIMAGEHLP_MODULEW64)              \
    X(BOOL, from_address, "SymFromAddrW", HANDLE, DWORD64, PDWORD64, PSYMBOL_INFOW)                \
    X(BOOL, line, "SymGetLineFromAddrW64", HANDLE, DWORD64, PDWORD, PIMAGEHLP_LINEW64)             \
    X(BOOL, next_line, "SymGetLineNextW64", HANDLE, PIMAGEHLP_LINEW64)                             \
    X(DWORD, undecorate, "UnDecorateSymbolName", PCSTR, PSTR, DWORD, DWORD)                        \
    X(BOOL, find_on_path, "SymFindFileInPathW", HANDLE, PCWSTR, PCWSTR, PVOID, DWORD, DWORD,       \
      DWORD, PWSTR, PFINDFILEINPATHCALLBACKW, PVOID)                                               \
    X(DWORD, count_inlined, "SymAddrIncludeInlineTrace", HANDLE, DWORD64)                          \
    X(BOOL, inlined, "SymQueryInlineTrace", HANDLE, DWORD64, DWORD, DWORD64, DWORD64, LPDWORD,     \
      LPDWORD)                                                                                     \
    X(BOOL, inlined_line, "SymGetLineFromInlineContextW", HANDLE, DWORD64, ULONG, DWORD64, PDWORD, \
      PIMAGEHLP_LINEW64)
/* clang-format on */

/* Gives the checksum of a source file, and of which of the system's CHKSUM_TYPE it is. Not in
 * mingw-w64's header, and not in Wine's library. */
typedef BOOL(WINAPI checksum_function)(HANDLE, ULONG64 base, PCWSTR file, DWORD *type, BYTE *digest,
                                       DWORD cap_bytes, DWORD *len_bytes);

struct dbghelp {
#define MEMBER(result, member, name, ...) result(WINAPI *member)(__VA_ARGS__);
    DBGHELP_FUNCTIONS(MEMBER)
#undef MEMBER
    checksum_function *checksum; /* NULL: the system has none */
};

struct symbols {
    struct dbghelp dbghelp;
    HANDLE process;                  /* any number that identifies this user of dbghelp */
    struct module *modules[MODULES]; /* a ring */
    size_t loaded;                   /* how many there have been */
    struct module *current;          /* NULL: no memory for it */
    bool has_path;                   /* there is a path to look for symbols on */
    uint64_t next_base;
};

/* Modules -------------------------------------------------------------------------------------- */

static enum um_names_why why_not_opened(DWORD error)
{
    return error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION ? UM_NAMES_REFUSED
                                                                            : UM_NAMES_NO_FILE;
}

static enum um_names_why read_head(HANDLE file, struct um_image *image)
{
    static uint8_t head[UM_IMAGE_HEAD_BYTES];
    LARGE_INTEGER file_bytes;
    DWORD head_bytes = 0;

    if (!GetFileSizeEx(file, &file_bytes) || !ReadFile(file, head, sizeof head, &head_bytes, NULL))
        return UM_NAMES_REFUSED;
    return um_image_read(head, head_bytes, (uint64_t)file_bytes.QuadPart, image);
}

static enum um_names_why check_file(const wchar_t *path, const struct um_names_module *asked,
                                    struct um_image *image)
{
    HANDLE file =
        um_local_file_open(path, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return why_not_opened(GetLastError());
    enum um_names_why why = read_head(file, image);
    CloseHandle(file);
    return why == UM_NAMES_FOUND ? um_image_compare(image, asked) : why;
}

static enum um_names_why load(struct symbols *symbols, const wchar_t *path, struct module *module)
{
    struct um_image image;
    enum um_names_why why = check_file(path, &module->asked, &image);

    if (why != UM_NAMES_FOUND)
        return why;
    module->image_bytes = image.image_bytes;
    module->base = symbols->dbghelp.load(symbols->process, NULL, path, NULL, symbols->next_base,
                                         image.image_bytes, NULL, 0);
    symbols->next_base += (image.image_bytes / BASE_STEP + 2) * BASE_STEP;
    return UM_NAMES_FOUND;
}

/* Whether dbghelp has nothing but exports. Makes it load the symbols. */
static bool has_exports_only(struct symbols *symbols, struct module *module)
{
    static IMAGEHLP_MODULEW64 info; /* static, because it is large */
    if (!module->is_read) {
        info.SizeOfStruct = sizeof info;
        module->has_exports_only =
            symbols->dbghelp.module_info(symbols->process, module->base, &info) &&
            info.SymType == SymExport;
        module->is_read = true;
    }
    return module->has_exports_only;
}

static bool is_same(const struct um_names_module *a, const struct um_names_module *b)
{
    return a->timestamp == b->timestamp && a->image_bytes == b->image_bytes && a->base == b->base &&
           strcmp(a->path, b->path) == 0;
}

static bool is_generated(const struct um_names_module *module)
{
    return module->path[0] == '\0' && module->image_bytes == 0;
}

/* Finds the place for one more module, and unloads the module that was there. */
static struct module **make_room(struct symbols *symbols)
{
    struct module **place = &symbols->modules[symbols->loaded++ % MODULES];
    if (*place && (*place)->base != 0)
        symbols->dbghelp.unload(symbols->process, (*place)->base);
    if (*place) {
        um_symbol_table_free(&(*place)->functions);
        um_symbol_table_free(&(*place)->exports);
    }
    free(*place);
    *place = NULL;
    return place;
}

static void use_module(void *context, const struct um_names_module *asked)
{
    struct symbols *symbols = context;

    for (size_t i = 0; i < MODULES; i++)
        if (symbols->modules[i] && is_same(&symbols->modules[i]->asked, asked)) {
            symbols->current = symbols->modules[i];
            return;
        }
    struct module **place = make_room(symbols);
    struct module *module = calloc(1, sizeof *module);
    wchar_t *path = um_wide_from_utf8(asked->path);
    symbols->current = *place = module;
    if (module) {
        module->asked = *asked;
        module->is_managed =
            is_generated(asked) || um_runtime_is_managed(asked->base, asked->timestamp);
        module->why = (uint8_t)(path ? load(symbols, path, module) : UM_NAMES_NO_FILE);
    }
    free(path);
}

/* Names ---------------------------------------------------------------------------------------- */

/* Finds the source line of an instruction, which can belong to an inlined function. (For such an
 * instruction SymGetLineFromAddr answers with some line of the outer function.) */
static bool find_place(struct symbols *symbols, uint64_t address, IMAGEHLP_LINEW64 *line)
{
    const struct dbghelp *dbghelp = &symbols->dbghelp;
    HANDLE process = symbols->process;
    DWORD context = 0, frame = 0, displacement = 0;

    if (dbghelp->count_inlined(process, address) > 0 &&
        dbghelp->inlined(process, address, 0, 0, address, &context, &frame) &&
        dbghelp->inlined_line(process, address, context, 0, &displacement, line))
        return true;
    return dbghelp->line(process, address, &displacement, line);
}

/* The types are 1 for MD5, 2 for SHA-1 and 3 for SHA-256: one more than their numbers here. */
static void find_checksum(struct symbols *symbols, uint64_t base, const wchar_t *file,
                          struct um_names_name *name)
{
    uint8_t digest[UM_CHECKSUM_DIGEST_BYTES];
    DWORD type = 0, len_bytes = 0;

    if (symbols->dbghelp.checksum &&
        symbols->dbghelp.checksum(symbols->process, base, file, &type, digest, sizeof digest,
                                  &len_bytes) &&
        len_bytes <= sizeof digest)
        (void)um_checksum_put(type - 1u, digest, len_bytes, name->checksum);
}

static void find_line(struct symbols *symbols, uint64_t base, uint64_t address,
                      struct um_names_name *name)
{
    IMAGEHLP_LINEW64 line = {.SizeOfStruct = sizeof line};

    if (!find_place(symbols, address, &line) || !line.FileName)
        return;
    name->line = line.LineNumber;
    um_wide_to_utf8(line.FileName, name->file, sizeof name->file);
    find_checksum(symbols, base, line.FileName, name);
}

/* Whether an instruction is in this file, and no other function's that was put into its caller. */
static bool is_own_line(struct symbols *symbols, uint64_t address, const char *path,
                        uint32_t *number)
{
    IMAGEHLP_LINEW64 line = {.SizeOfStruct = sizeof line};
    DWORD displacement = 0;
    char file[UM_NAMES_PATH_BYTES];

    if (symbols->dbghelp.count_inlined(symbols->process, address) > 0 ||
        !symbols->dbghelp.line(symbols->process, address, &displacement, &line) || !line.FileName)
        return false;
    um_wide_to_utf8(line.FileName, file, sizeof file);
    *number = line.LineNumber;
    return *number > 0 && strcmp(file, path) == 0;
}

/* Finds from which to which line of its file a function goes: from the line of its first
 * instruction to the last one of any. Those before it are of functions that were put into it, where
 * the system does not know that; such functions mostly stand further up. (Wine's SymGetLineNext has
 * addresses, but only the ends of paths.) */
static void find_extent(struct symbols *symbols, const SYMBOL_INFOW *symbol,
                        struct um_names_name *name)
{
    IMAGEHLP_LINEW64 line = {.SizeOfStruct = sizeof line};
    uint64_t end = symbol->Address + symbol->Size;
    DWORD displacement = 0;
    uint32_t first, last, number;

    if (name->line == 0 || symbol->Size == 0 ||
        !is_own_line(symbols, symbol->Address, name->file, &first) ||
        !symbols->dbghelp.line(symbols->process, symbol->Address, &displacement, &line))
        return;
    last = first;
    for (int i = 0; i < LINES && line.Address < end; i++) {
        if (is_own_line(symbols, line.Address, name->file, &number) && number > last)
            last = number;
        if (!symbols->dbghelp.next_line(symbols->process, &line))
            break;
    }
    name->first_line = first;
    name->last_line = last;
}

/* Reads the symbol table and the exports from a module's file, and closes it again, so that the
 * next build can replace it. */
static void read_tables(struct module *module)
{
    wchar_t *path = um_wide_from_utf8(module->asked.path);
    struct um_view view = {NULL, 0};

    if (path && um_view_open(path, &view)) {
        um_coff_read(view.bytes, view.len_bytes, &module->functions);
        um_exports_read(view.bytes, view.len_bytes, &module->exports);
    }
    um_view_close(&view);
    free(path);
    module->has_read_tables = true;
}

/* Sets a name as the file has it, made readable: dbghelp does that for Visual C++'s names. */
static void set_raw_name(struct symbols *symbols, const char *raw, struct um_names_name *name)
{
    char plain[UM_NAMES_NAME_BYTES];
    bool is_plain =
        raw[0] == '?' ? symbols->dbghelp.undecorate(raw, plain, sizeof plain, UNDNAME_NAME_ONLY) > 0
                      : um_itanium_plain(raw, plain, sizeof plain);
    um_text_set(name->name, sizeof name->name, is_plain ? plain : raw);
}

/* The function in the symbol table, or else the export, before an address. */
static void find_in_tables(struct symbols *symbols, struct module *module, uint32_t rva,
                           struct um_names_name *name)
{
    if (!module->has_read_tables)
        read_tables(module);
    const struct um_symbol_table_entry *entry = um_symbol_table_find(&module->functions, rva);
    if (!entry)
        entry = um_symbol_table_find(&module->exports, rva);
    if (!entry) {
        name->why = module->base != 0 ? UM_NAMES_NO_SYMBOLS : UM_NAMES_FAILED;
        return;
    }
    name->kind = entry->is_whole ? UM_NAMES_DEBUG : UM_NAMES_EXPORT;
    name->displacement = rva - entry->rva;
    set_raw_name(symbols, entry->name, name);
}

/* Asks dbghelp. Where dbghelp knows only exports, or nothing, the file's own tables are used:
 * Windows' dbghelp reads no symbol tables and no DWARF. Wine's reads DWARF up to version 4, and
 * finds an export by its first byte only. */
static void find_name(struct symbols *symbols, struct module *module, uint32_t rva,
                      struct um_names_name *name)
{
    static union {
        SYMBOL_INFOW info;
        uint8_t bytes[sizeof(SYMBOL_INFOW) + UM_NAMES_NAME_BYTES * sizeof(wchar_t)];
    } symbol;
    DWORD64 displacement = 0;

    memset(&symbol.info, 0, sizeof symbol.info);
    symbol.info.SizeOfStruct = sizeof symbol.info;
    symbol.info.MaxNameLen = UM_NAMES_NAME_BYTES;
    if (module->base == 0 ||
        !symbols->dbghelp.from_address(symbols->process, module->base + rva, &displacement,
                                       &symbol.info) ||
        symbol.info.Address < module->base || (symbol.info.Flags & SYMFLAG_EXPORT) ||
        has_exports_only(symbols, module)) {
        find_in_tables(symbols, module, rva, name);
        return;
    }
    name->kind = UM_NAMES_DEBUG;
    name->displacement = (uint32_t)displacement;
    um_wide_to_utf8(symbol.info.Name, name->name, sizeof name->name);
    find_line(symbols, module->base, module->base + rva, name);
    find_extent(symbols, &symbol.info, name);
}

/* Finds a name by the module's file. */
static void find_in_file(struct symbols *symbols, struct module *module, uint32_t rva,
                         struct um_names_name *name)
{
    if (!module || module->why != UM_NAMES_FOUND)
        name->why = module ? module->why : UM_NAMES_FAILED;
    else if (rva >= module->image_bytes)
        name->why = UM_NAMES_OUTSIDE;
    else
        find_name(symbols, module, rva, name);
}

/* What dbghelp's callback needs. */
struct wanted {
    um_pdbs_is_it *is_it;
    void *context;
};

/* Whether dbghelp should go on. */
static BOOL CALLBACK is_other(PCWSTR path, PVOID context)
{
    const struct wanted *wanted = context;
    return !wanted->is_it(wanted->context, path);
}

/* Servers have a portable PDB under its GUID, and under this number where a Windows PDB has its
 * age. Source: "SSQP Key Conventions" (dotnet/symstore). */
#define PORTABLE_AGE 0xffffffffu

static void find_on_path(void *context, const wchar_t *name, const uint8_t *id,
                         um_pdbs_is_it *is_it, void *is_it_context)
{
    struct symbols *symbols = context;
    struct wanted wanted = {is_it, is_it_context};
    wchar_t found[MAX_PATH + 1];
    GUID guid;

    memcpy(&guid, id, sizeof guid);
    if (symbols->has_path)
        symbols->dbghelp.find_on_path(symbols->process, NULL, name, &guid, PORTABLE_AGE, 0,
                                      SSRVOPT_GUIDPTR, found, is_other, &wanted);
}

/* Finds a method, and its line. */
static void find_method(struct symbols *symbols, uint64_t address, uint32_t round,
                        struct um_names_name *name)
{
    static struct um_runtime_place place; /* static, because it is large */
    const struct um_pdbs_search search = {symbols, find_on_path};

    memset(&place, 0, sizeof place);
    um_runtime_find(address, round, name, &place);
    um_text_set(name->assembly, sizeof name->assembly, place.assembly.path);
    name->assembly_timestamp = place.assembly.timestamp;
    name->assembly_bytes = place.assembly.image_bytes;
    if (place.token != 0 && place.is_in_file)
        um_pdbs_find(&place, &search, name);
}

/* Of a managed module, the runtime knows the methods, and the file knows the rest. */
static void find(void *context, const struct um_names_address *address, struct um_names_name *name)
{
    struct symbols *symbols = context;
    struct module *module = symbols->current;
    uint8_t why = UM_NAMES_FOUND;

    if (module && module->is_managed) {
        find_method(symbols, module->asked.base + address->rva, address->round, name);
        why = name->why;
        if (name->kind != UM_NAMES_NOWHERE || is_generated(&module->asked))
            return;
    }
    find_in_file(symbols, module, address->rva, name);
    if (why != UM_NAMES_FOUND && name->kind == UM_NAMES_NOWHERE)
        name->why = why;
}

static void use_process(void *context, uint32_t pid)
{
    (void)context;
    um_runtime_process(pid);
}

/* Opening -------------------------------------------------------------------------------------- */

static void search(void *context, const char *path)
{
    struct symbols *symbols = context;
    wchar_t *wide = um_wide_from_utf8(path);
    symbols->has_path =
        wide && wide[0] != L'\0' && symbols->dbghelp.set_search_path(symbols->process, wide);
    free(wide);
}

static uintptr_t function(HMODULE library, const char *name, bool *complete)
{
    uintptr_t address = (uintptr_t)GetProcAddress(library, name);
    *complete = *complete && address != 0;
    return address;
}

static bool load_functions(struct dbghelp *dbghelp)
{
    HMODULE library = LoadLibraryExW(L"dbghelp.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    bool complete = true;

    if (!library)
        return false;
#define LOAD(result, member, name, ...)                                                            \
    dbghelp->member = (result(WINAPI *)(__VA_ARGS__))function(library, name, &complete);
    DBGHELP_FUNCTIONS(LOAD)
#undef LOAD
    dbghelp->checksum = (checksum_function *)GetProcAddress(library, "SymGetSourceFileChecksumW");
    return complete;
}

enum um_status um_symbols_open(struct um_serve_symbols *ops)
{
    static struct symbols symbols;

    symbols.process = &symbols;
    symbols.next_base = FIRST_BASE;
    if (!load_functions(&symbols.dbghelp))
        return UM_ERR_UNSUPPORTED;
    symbols.dbghelp.set_options(SYMOPT_UNDNAME | SYMOPT_DEFERRED_LOADS | SYMOPT_LOAD_LINES |
                                SYMOPT_EXACT_SYMBOLS | SYMOPT_NO_PROMPTS |
                                SYMOPT_FAIL_CRITICAL_ERRORS);
    /* With NULL for a search path dbghelp would look into the current folder. */
    if (!symbols.dbghelp.initialize(symbols.process, L"", FALSE))
        return UM_ERR_UNSUPPORTED;
    *ops = (struct um_serve_symbols){&symbols, search, use_module, find, use_process};
    return UM_OK;
}
