#include "names/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include <tlhelp32.h>

#include "base/plain/bytes.h"
#include "base/local_file_win32.h"
#include "base/wide_win32.h"
#include "names/methods_win32.h"
#include "names/signed_win32.h"
#include "names/xclrdata_win32.h"

#define MACHINE_X64 0x8664
#define MACHINE_X86 0x014c
#define HEADER_AT 0x3c /* where the offset of an image's PE header is */
#define TIMESTAMP_AT 8 /* in that header */
#define MAGIC_AT 24    /* in that header; the next two depend on it */
#define MAGIC_32 0x10b
#define CLR_AT 248 /* the directory that only managed modules have: RVA and size */
#define CLR_AT_32 232
#define HEADERS_BYTES 256
#define HEADER_MOST 4096 /* the PE header begins before that */
#define PAGE_BYTES 4096
#define PAGES 1024 /* of the process's memory that are kept */

/* The result of a failed read, CORDBG_E_READVIRTUAL_FAILURE: the library gives up, and can be asked
 * again. */
#define READ_FAILED ((HRESULT)0x80131c49)
#define NO_METHOD ((HRESULT)0x80004002) /* E_NOINTERFACE: the address is no managed code */

/* Interfaces ----------------------------------------------------------------------------------- */

static const IID unknown_id = {
    0x00000000, 0x0000, 0x0000, {0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x46}};
static const IID target_id = {
    0x3e11ccee, 0xd08b, 0x43e5, {0xaf, 0x01, 0x32, 0x71, 0x7a, 0x64, 0xda, 0x03}};
static const IID process_id = {
    0x5c552ab6, 0xfc09, 0x4cb3, {0x8e, 0x36, 0x22, 0xfa, 0x03, 0xc7, 0x98, 0xb7}};

/* ICLRDataTarget: what the library needs from its user. */
struct target {
    const struct target_table *table;
};

struct target_table {
    HRESULT(STDMETHODCALLTYPE *query_interface)(struct target *, const IID *, void **);
    ULONG(STDMETHODCALLTYPE *add_ref)(struct target *);
    ULONG(STDMETHODCALLTYPE *release)(struct target *);
    HRESULT(STDMETHODCALLTYPE *get_machine_type)(struct target *, ULONG32 *);
    HRESULT(STDMETHODCALLTYPE *get_pointer_size)(struct target *, ULONG32 *);
    HRESULT(STDMETHODCALLTYPE *get_image_base)(struct target *, const wchar_t *, ULONG64 *);
    HRESULT(STDMETHODCALLTYPE *read_virtual)(struct target *, ULONG64, BYTE *, ULONG32, ULONG32 *);
    HRESULT(STDMETHODCALLTYPE *write_virtual)(struct target *, ULONG64, BYTE *, ULONG32, ULONG32 *);
    HRESULT(STDMETHODCALLTYPE *get_tls_value)(struct target *, ULONG32, ULONG32, ULONG64 *);
    HRESULT(STDMETHODCALLTYPE *set_tls_value)(struct target *, ULONG32, ULONG32, ULONG64);
    HRESULT(STDMETHODCALLTYPE *get_thread_id)(struct target *, ULONG32 *);
    HRESULT(STDMETHODCALLTYPE *get_context)(struct target *, ULONG32, ULONG32, ULONG32, BYTE *);
    HRESULT(STDMETHODCALLTYPE *set_context)(struct target *, ULONG32, ULONG32, BYTE *);
    HRESULT(STDMETHODCALLTYPE *request)(struct target *, ULONG32, ULONG32, BYTE *, ULONG32, BYTE *);
};

typedef HRESULT(STDAPICALLTYPE *create_fn)(const IID *, struct target *, void **);

/* State ---------------------------------------------------------------------------------------- */

/* A kind of runtime, and the library for it. */
struct runtime {
    const wchar_t *dll;
    const wchar_t *dac;
    uint64_t base;                       /* where it lies in the process; 0: the process has none */
    struct um_xclrdata_process *process; /* NULL: there is none, and `why` says why */
    enum um_names_why why;
    HMODULE library; /* stays loaded */
};

static struct {
    HANDLE process; /* NULL: it cannot be read */
    uint32_t pid;
    uint32_t round;
    unsigned reads; /* of the process's memory, that may follow for the present name or place */
    struct runtime runtimes[2];
} state = {.round = UINT32_MAX,
           .runtimes = {{.dll = L"coreclr.dll", .dac = L"mscordaccore.dll"},
                        {.dll = L"clr.dll", .dac = L"mscordacwks.dll"}}};

#define RUNTIMES (sizeof state.runtimes / sizeof state.runtimes[0])

static const void *at(uint64_t address)
{
    return (const void *)(uintptr_t)address;
}

/* The process's memory ------------------------------------------------------------------------- */

/* Pages that were read since the data was last read anew. The library reads a few bytes at a
 * time, and asks for the same ones again and again. */
static struct {
    uint64_t address[PAGES]; /* 0: none */
    uint8_t bytes[PAGES][PAGE_BYTES];
} pages;

static void forget_memory(void)
{
    memset(pages.address, 0, sizeof pages.address);
}

static bool read_target(uint64_t address, void *bytes, size_t len)
{
    SIZE_T done = 0;
    return ReadProcessMemory(state.process, at(address), bytes, len, &done) && done == len;
}

/* The page at an address. NULL: not all of it can be read. */
static const uint8_t *find_page(uint64_t address)
{
    size_t place = (size_t)(address / PAGE_BYTES) % PAGES;
    if (pages.address[place] == address)
        return pages.bytes[place];
    pages.address[place] = 0;
    if (address == 0 || !read_target(address, pages.bytes[place], PAGE_BYTES))
        return NULL;
    pages.address[place] = address;
    return pages.bytes[place];
}

/* The target for the library ------------------------------------------------------------------- */

static HRESULT STDMETHODCALLTYPE query_interface(struct target *self, const IID *id, void **out)
{
    *out = NULL;
    if (memcmp(id, &unknown_id, sizeof *id) != 0 && memcmp(id, &target_id, sizeof *id) != 0)
        return E_NOINTERFACE;
    *out = self;
    return S_OK;
}

/* The target is static, so references are not counted. */
static ULONG STDMETHODCALLTYPE count_reference(struct target *self)
{
    (void)self;
    return 1;
}

static HRESULT STDMETHODCALLTYPE get_machine_type(struct target *self, ULONG32 *type)
{
    (void)self;
    *type = sizeof(void *) == 8 ? MACHINE_X64 : MACHINE_X86;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE get_pointer_size(struct target *self, ULONG32 *bytes)
{
    (void)self;
    *bytes = sizeof(void *);
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE get_image_base(struct target *self, const wchar_t *name,
                                                ULONG64 *base)
{
    (void)self;
    for (size_t i = 0; i < RUNTIMES; i++)
        if (state.runtimes[i].base != 0 && _wcsicmp(name, state.runtimes[i].dll) == 0) {
            *base = state.runtimes[i].base;
            return S_OK;
        }
    return E_FAIL;
}

static HRESULT STDMETHODCALLTYPE read_virtual(struct target *self, ULONG64 address, BYTE *bytes,
                                              ULONG32 len, ULONG32 *done)
{
    SIZE_T some = 0;
    (void)self;
    if (state.reads == 0)
        return READ_FAILED;
    state.reads--;
    const uint8_t *page = find_page(address / PAGE_BYTES * PAGE_BYTES);
    if (page && len <= PAGE_BYTES - address % PAGE_BYTES) {
        memcpy(bytes, page + address % PAGE_BYTES, len);
        *done = len;
        return S_OK;
    }
    if (!ReadProcessMemory(state.process, at(address), bytes, len, &some) || some == 0)
        return READ_FAILED;
    *done = (ULONG32)some;
    return S_OK;
}

/* Writing memory, and all that concerns threads, is not supported. In code for x86 a function
 * removes its own parameters, so each has its own. */
static HRESULT STDMETHODCALLTYPE write_virtual(struct target *self, ULONG64 address, BYTE *bytes,
                                               ULONG32 len, ULONG32 *done)
{
    (void)self, (void)address, (void)bytes, (void)len, (void)done;
    return E_NOTIMPL;
}

static HRESULT STDMETHODCALLTYPE get_tls_value(struct target *self, ULONG32 thread, ULONG32 index,
                                               ULONG64 *value)
{
    (void)self, (void)thread, (void)index, (void)value;
    return E_NOTIMPL;
}

static HRESULT STDMETHODCALLTYPE set_tls_value(struct target *self, ULONG32 thread, ULONG32 index,
                                               ULONG64 value)
{
    (void)self, (void)thread, (void)index, (void)value;
    return E_NOTIMPL;
}

static HRESULT STDMETHODCALLTYPE get_thread_id(struct target *self, ULONG32 *thread)
{
    (void)self, (void)thread;
    return E_NOTIMPL;
}

static HRESULT STDMETHODCALLTYPE get_context(struct target *self, ULONG32 thread, ULONG32 flags,
                                             ULONG32 len, BYTE *bytes)
{
    (void)self, (void)thread, (void)flags, (void)len, (void)bytes;
    return E_NOTIMPL;
}

static HRESULT STDMETHODCALLTYPE set_context(struct target *self, ULONG32 thread, ULONG32 len,
                                             BYTE *bytes)
{
    (void)self, (void)thread, (void)len, (void)bytes;
    return E_NOTIMPL;
}

static HRESULT STDMETHODCALLTYPE request(struct target *self, ULONG32 code, ULONG32 in_len,
                                         BYTE *in, ULONG32 out_len, BYTE *out)
{
    (void)self, (void)code, (void)in_len, (void)in, (void)out_len, (void)out;
    return E_NOTIMPL;
}

static const struct target_table target_table = {
    query_interface, count_reference, count_reference, get_machine_type, get_pointer_size,
    get_image_base,  read_virtual,    write_virtual,   get_tls_value,    set_tls_value,
    get_thread_id,   get_context,     set_context,     request,
};

static struct target target = {&target_table};

/* Opening -------------------------------------------------------------------------------------- */

/* The path of a file beside a runtime's DLL. False: it is too long. */
static bool beside(const wchar_t *dll_path, const wchar_t *name, wchar_t *path, size_t cap)
{
    const wchar_t *slash = wcsrchr(dll_path, L'\\');
    size_t folder = slash ? (size_t)(slash + 1 - dll_path) : 0;
    if (folder == 0 || folder + wcslen(name) >= cap)
        return false;
    memcpy(path, dll_path, folder * sizeof *path);
    wcscpy(path + folder, name);
    return true;
}

/* Loads the library, if Microsoft signed it and it is the expected one: a renamed file would be
 * another library of Microsoft's. The file stays open from the check to the loading, so that nobody
 * can exchange it. DLLs that it needs are loaded from the system's folder only, because the
 * program's user can put anything into the library's own folder. */
static enum um_names_why load(const wchar_t *path, const wchar_t *name, HMODULE *library,
                              create_fn *create)
{
    static wchar_t real[UM_LOCAL_FILE_CHARS];
    HANDLE file = um_local_file_open(path, FILE_SHARE_READ, real);
    if (file == INVALID_HANDLE_VALUE)
        return UM_NAMES_NO_DAC;
    enum um_names_why why = UM_NAMES_UNTRUSTED_DAC;
    if (um_signed_by_microsoft(real, file) && um_signed_is_called(real, name)) {
        *library = LoadLibraryExW(real, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
        *create = *library ? (create_fn)GetProcAddress(*library, "CLRDataCreateInstance") : NULL;
        why = *create ? UM_NAMES_FOUND : UM_NAMES_OTHER_DAC;
    }
    CloseHandle(file);
    return why;
}

static void open_runtime(struct runtime *runtime, HMODULE module)
{
    static wchar_t dll_path[UM_LOCAL_FILE_CHARS], path[UM_LOCAL_FILE_CHARS];
    create_fn create = NULL;
    void *made = NULL;

    runtime->base = (uint64_t)(uintptr_t)module;
    bool known = um_local_file_mapped(state.process, module, dll_path, UM_LOCAL_FILE_CHARS) &&
                 beside(dll_path, runtime->dac, path, UM_LOCAL_FILE_CHARS);
    runtime->why = known ? load(path, runtime->dac, &runtime->library, &create) : UM_NAMES_NO_DAC;
    if (runtime->why != UM_NAMES_FOUND)
        return;
    state.reads = UM_RUNTIME_READS;
    if (create(&process_id, &target, &made) >= 0 && made)
        runtime->process = made;
    else
        runtime->why = UM_NAMES_OTHER_DAC;
}

/* Opens the runtimes that were loaded since the last look. If the system refuses the list of
 * modules, as while the program loads one, the next round tries again. */
static void look(void)
{
    MODULEENTRY32W entry = {.dwSize = sizeof entry};
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPMODULE, state.pid);

    if (all == INVALID_HANDLE_VALUE)
        return;
    for (BOOL more = Module32FirstW(all, &entry); more; more = Module32NextW(all, &entry))
        for (size_t j = 0; j < RUNTIMES; j++)
            if (state.runtimes[j].base == 0 && _wcsicmp(entry.szModule, state.runtimes[j].dll) == 0)
                open_runtime(&state.runtimes[j], entry.hModule);
    CloseHandle(all);
}

/* Whether a process has as many bits as this one: only then the runtime's library is for both. */
static bool has_same_bits(HANDLE process)
{
    BOOL is_narrow = FALSE;
    BOOL am_narrow = FALSE;
    return IsWow64Process(process, &is_narrow) && IsWow64Process(GetCurrentProcess(), &am_narrow) &&
           !is_narrow == !am_narrow;
}

void um_runtime_process(uint32_t pid)
{
    if (pid == state.pid)
        return;
    for (size_t i = 0; i < RUNTIMES; i++) {
        struct runtime *runtime = &state.runtimes[i];
        if (runtime->process)
            runtime->process->table->release(runtime->process);
        runtime->process = NULL;
        runtime->base = 0;
    }
    if (state.process)
        CloseHandle(state.process);
    state.pid = pid;
    state.round = UINT32_MAX;
    state.process =
        pid ? OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, pid) : NULL;
    if (state.process && !has_same_bits(state.process)) {
        CloseHandle(state.process);
        state.process = NULL;
    }
}

/* Modules -------------------------------------------------------------------------------------- */

bool um_runtime_is_managed(uint64_t base, uint32_t timestamp)
{
    uint8_t bytes[HEADERS_BYTES];
    if (!state.process || base == 0 || !read_target(base + HEADER_AT, bytes, 4))
        return false;
    uint32_t header = um_bytes_get32(bytes);
    return header < HEADER_MOST && read_target(base + header, bytes, sizeof bytes) &&
           um_bytes_get32(bytes + TIMESTAMP_AT) == timestamp &&
           um_bytes_get32(bytes +
                          (um_bytes_get16(bytes + MAGIC_AT) == MAGIC_32 ? CLR_AT_32 : CLR_AT)) != 0;
}

/* Names ---------------------------------------------------------------------------------------- */

static bool ask(struct runtime *runtime, uint64_t address, struct um_names_name *name)
{
    static wchar_t wide[UM_NAMES_NAME_BYTES];
    ULONG64 displacement = 0;
    ULONG32 len = 0;

    state.reads = UM_RUNTIME_READS;
    memset(wide, 0, sizeof wide);
    HRESULT result = runtime->process->table->get_runtime_name(
        runtime->process, address, 0, UM_NAMES_NAME_BYTES - 1, &len, wide, &displacement);
    wide[UM_NAMES_NAME_BYTES - 1] = 0;
    if (result < 0 || wide[0] == 0) {
        bool ran_away = state.reads == 0 && result != NO_METHOD;
        name->why = ran_away ? UM_NAMES_RAN_AWAY : UM_NAMES_NO_METHOD;
        return false;
    }
    um_wide_to_utf8(wide, name->name, sizeof name->name);
    name->kind = UM_NAMES_MANAGED;
    name->why = UM_NAMES_FOUND;
    name->displacement = displacement < UINT32_MAX ? (uint32_t)displacement : UINT32_MAX;
    return true;
}

static void begin_round(uint32_t round)
{
    state.round = round;
    forget_memory();
    um_methods_forget();
    look();
    for (size_t i = 0; i < RUNTIMES; i++)
        if (state.runtimes[i].process)
            state.runtimes[i].process->table->flush(state.runtimes[i].process);
}

void um_runtime_find(uint64_t address, uint32_t round, struct um_names_name *name,
                     struct um_runtime_place *place)
{
    if (!state.process) {
        name->why = state.pid ? UM_NAMES_UNREADABLE : UM_NAMES_NO_RUNTIME;
        return;
    }
    if (round != state.round)
        begin_round(round);
    name->why = UM_NAMES_NO_RUNTIME;
    for (size_t i = 0; i < RUNTIMES; i++) {
        struct runtime *runtime = &state.runtimes[i];
        if (runtime->process && ask(runtime, address, name)) {
            state.reads = UM_RUNTIME_PLACE_READS;
            (void)um_methods_find(runtime->process, read_target, address, place);
            return;
        }
        if (runtime->base != 0 && !runtime->process)
            name->why = (uint8_t)runtime->why;
    }
}
