#include "names/symbols_win32.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <dbghelp.h>

#include "ipc/local_file_win32.h"
#include "ipc/wire.h"
#include "names/coff.h"
#include "names/exports.h"
#include "names/image.h"
#include "names/itanium.h"
#include "names/runtime.h"

#define MODULES 256 /* so many have their symbols loaded at once; then the oldest is forgotten */
#define FIRST_BASE UINT64_C(0x10000000)
#define BASE_STEP UINT64_C(0x10000)

/* A file that was asked for. Its base is made up: dbghelp only wants to tell modules apart. */
struct module {
    struct um_names_module asked;
    uint8_t why; /* enum um_names_why: its file is the right one if this is FOUND */
    bool is_managed;
    bool is_read; /* its symbols are, and the next member is known */
    bool has_exports_only;
    bool has_read_tables;
    struct um_symbol_table functions; /* by the symbol table of its file */
    struct um_symbol_table exports;
    uint64_t base; /* 0: dbghelp does not load it, and only its file's own tables are asked */
    uint32_t image_bytes;
};

/* The functions of dbghelp. */
typedef DWORD(WINAPI *set_options_fn)(DWORD);
typedef BOOL(WINAPI *initialize_fn)(HANDLE, PCWSTR, BOOL);
typedef BOOL(WINAPI *set_search_path_fn)(HANDLE, PCWSTR);
typedef DWORD64(WINAPI *load_fn)(HANDLE, HANDLE, PCWSTR, PCWSTR, DWORD64, DWORD, PMODLOAD_DATA,
                                 DWORD);
typedef BOOL(WINAPI *unload_fn)(HANDLE, DWORD64);
typedef BOOL(WINAPI *module_info_fn)(HANDLE, DWORD64, PIMAGEHLP_MODULEW64);
typedef BOOL(WINAPI *from_address_fn)(HANDLE, DWORD64, PDWORD64, PSYMBOL_INFOW);
typedef BOOL(WINAPI *line_fn)(HANDLE, DWORD64, PDWORD, PIMAGEHLP_LINEW64);
typedef DWORD(WINAPI *undecorate_fn)(PCSTR, PSTR, DWORD, DWORD);
typedef DWORD(WINAPI *count_inlined_fn)(HANDLE, DWORD64);
typedef BOOL(WINAPI *inlined_fn)(HANDLE, DWORD64, DWORD, DWORD64, DWORD64, LPDWORD, LPDWORD);
typedef BOOL(WINAPI *inlined_line_fn)(HANDLE, DWORD64, ULONG, DWORD64, PDWORD, PIMAGEHLP_LINEW64);

struct dbghelp {
    set_options_fn set_options;
    initialize_fn initialize;
    set_search_path_fn set_search_path;
    load_fn load;
    unload_fn unload;
    module_info_fn module_info;
    from_address_fn from_address;
    line_fn line;
    undecorate_fn undecorate;
    count_inlined_fn count_inlined;
    inlined_fn inlined;
    inlined_line_fn inlined_line;
};

struct symbols {
    struct dbghelp dbghelp;
    HANDLE process; /* any number that no other caller of dbghelp in this process uses */
    struct module *modules[MODULES]; /* a ring */
    size_t loaded;                   /* how many there have been */
    struct module *current;          /* NULL: no memory for it */
    uint64_t next_base;
};

/* Text ----------------------------------------------------------------------------------------- */

/* Owner: free. NULL: out of memory, or not UTF-8. */
static wchar_t *to_wide(const char *text)
{
    int chars = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = chars > 0 ? malloc((size_t)chars * sizeof *wide) : NULL;
    if (wide)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, chars);
    return wide;
}

/* A text that does not fit is cut by the receiver, at the end of a character. */
static void from_wide(const wchar_t *wide, char *text, size_t cap_bytes)
{
    char whole[3 * UM_NAMES_NAME_BYTES + 1];
    size_t chars = wcsnlen(wide, UM_NAMES_NAME_BYTES);
    int len =
        WideCharToMultiByte(CP_UTF8, 0, wide, (int)chars, whole, sizeof whole - 1, NULL, NULL);
    whole[len > 0 ? len : 0] = '\0';
    um_wire_set_text(text, cap_bytes, whole);
}

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

/* Others may go on using the file as they like. Owner: CloseHandle. */
static HANDLE open_file(const wchar_t *path)
{
    return um_local_file_open(path, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL);
}

static enum um_names_why check_file(const wchar_t *path, const struct um_names_module *asked,
                                    struct um_image *image)
{
    HANDLE file = open_file(path);
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

/* Whether there is nothing but exports, as far as dbghelp tells; loads the symbols. */
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

/* The place for one more module, empty. */
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
    wchar_t *path = to_wide(asked->path);
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

/* The line of the instruction itself, which can be one of a function that was inlined. (For that
 * instruction the plain question after a line is answered with some line of the outer function.) */
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

static void find_line(struct symbols *symbols, uint64_t address, struct um_names_name *name)
{
    IMAGEHLP_LINEW64 line = {.SizeOfStruct = sizeof line};

    if (!find_place(symbols, address, &line) || !line.FileName)
        return;
    name->line = line.LineNumber;
    from_wide(line.FileName, name->file, sizeof name->file);
}

/* Reads the symbol table and the exports from a module's file, which is not kept open: whoever
 * builds the module wants to replace it. */
static void read_tables(struct module *module)
{
    wchar_t *path = to_wide(module->asked.path);
    HANDLE file = path ? open_file(path) : INVALID_HANDLE_VALUE;
    HANDLE mapping = NULL;
    LARGE_INTEGER bytes = {0};
    const void *view = NULL;

    if (file != INVALID_HANDLE_VALUE && GetFileSizeEx(file, &bytes))
        mapping = CreateFileMappingW(file, NULL, PAGE_READONLY, 0, 0, NULL);
    if (mapping)
        view = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, (SIZE_T)bytes.QuadPart);
    if (view) {
        um_coff_read(view, (size_t)bytes.QuadPart, &module->functions);
        um_exports_read(view, (size_t)bytes.QuadPart, &module->exports);
        UnmapViewOfFile(view);
    }
    if (mapping)
        CloseHandle(mapping);
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    free(path);
    module->has_read_tables = true;
}

/* A name as the file has it. Those of C++ become readable: Visual C++'s by dbghelp, others here. */
static void set_raw_name(struct symbols *symbols, const char *raw, struct um_names_name *name)
{
    char plain[UM_NAMES_NAME_BYTES];
    bool is_plain =
        raw[0] == '?' ? symbols->dbghelp.undecorate(raw, plain, sizeof plain, UNDNAME_NAME_ONLY) > 0
                      : um_itanium_plain(raw, plain, sizeof plain);
    um_wire_set_text(name->name, sizeof name->name, is_plain ? plain : raw);
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

/* Asks dbghelp; where that knows the exports alone, or nothing, the file's own tables are read
 * here: Windows' knows no symbol tables and no DWARF, Wine's knows DWARF up to version 4, and of an
 * export only the first byte. */
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
    from_wide(symbol.info.Name, name->name, sizeof name->name);
    find_line(symbols, module->base + rva, name);
}

/* By what is known of the module's file. */
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

/* Methods of managed code are asked for first: what else is in such a module, its file knows. */
static void find(void *context, const struct um_names_address *address, struct um_names_name *name)
{
    struct symbols *symbols = context;
    struct module *module = symbols->current;
    uint8_t why = UM_NAMES_FOUND;

    if (module && module->is_managed) {
        um_runtime_find(module->asked.base + address->rva, address->round, name);
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
    wchar_t *wide = to_wide(path);
    if (wide)
        symbols->dbghelp.set_search_path(symbols->process, wide);
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
    dbghelp->set_options = (set_options_fn)function(library, "SymSetOptions", &complete);
    dbghelp->initialize = (initialize_fn)function(library, "SymInitializeW", &complete);
    dbghelp->set_search_path =
        (set_search_path_fn)function(library, "SymSetSearchPathW", &complete);
    dbghelp->load = (load_fn)function(library, "SymLoadModuleExW", &complete);
    dbghelp->unload = (unload_fn)function(library, "SymUnloadModule64", &complete);
    dbghelp->module_info = (module_info_fn)function(library, "SymGetModuleInfoW64", &complete);
    dbghelp->from_address = (from_address_fn)function(library, "SymFromAddrW", &complete);
    dbghelp->line = (line_fn)function(library, "SymGetLineFromAddrW64", &complete);
    dbghelp->undecorate = (undecorate_fn)function(library, "UnDecorateSymbolName", &complete);
    dbghelp->count_inlined =
        (count_inlined_fn)function(library, "SymAddrIncludeInlineTrace", &complete);
    dbghelp->inlined = (inlined_fn)function(library, "SymQueryInlineTrace", &complete);
    dbghelp->inlined_line =
        (inlined_line_fn)function(library, "SymGetLineFromInlineContextW", &complete);
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
    /* An empty path, because without one dbghelp looks into the current folder. */
    if (!symbols.dbghelp.initialize(symbols.process, L"", FALSE))
        return UM_ERR_UNSUPPORTED;
    *ops = (struct um_serve_symbols){&symbols, search, use_module, find, use_process};
    return UM_OK;
}
