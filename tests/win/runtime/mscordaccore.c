/* In place of the library by which .NET's debuggers read a process: it knows the functions that
 * target_works_win32 generates. They are 32 bytes long each and lie from the begin of a region of
 * 64 KiB on, and struct runtime_methods in that region says what they are. One of them makes the
 * library do what it must not do: read without end, or end its process. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "names/xclrdata_win32.h"
#include "tests/win/runtime/methods.h"

#define READ_FAILED ((HRESULT)0x80131c49)
#define OTHER_VERSION ((HRESULT)0x80131c4f)
#define READS_MOST 1000000

static const IID process_id = {
    0x5c552ab6, 0xfc09, 0x4cb3, {0x8e, 0x36, 0x22, 0xfa, 0x03, 0xc7, 0x98, 0xb7}};
static const IID target_id = {
    0x3e11ccee, 0xd08b, 0x43e5, {0xaf, 0x01, 0x32, 0x71, 0x7a, 0x64, 0xda, 0x03}};

/* ICLRDataTarget, as far as it is used here. */
struct target {
    const struct {
        HRESULT(STDMETHODCALLTYPE *query_interface)(struct target *, const IID *, void **);
        ULONG(STDMETHODCALLTYPE *add_ref)(struct target *);
        ULONG(STDMETHODCALLTYPE *release)(struct target *);
        HRESULT(STDMETHODCALLTYPE *machine)(struct target *, ULONG32 *);
        HRESULT(STDMETHODCALLTYPE *pointer_bytes)(struct target *, ULONG32 *);
        HRESULT(STDMETHODCALLTYPE *image_base)(struct target *, const wchar_t *, ULONG64 *);
        HRESULT(STDMETHODCALLTYPE *read)(struct target *, ULONG64, BYTE *, ULONG32, ULONG32 *);
    } * table;
};

static struct target *target;
static int has_flushed;

static HRESULT STDMETHODCALLTYPE query_interface(struct um_xclrdata_process *self, const IID *id,
                                                 void **out)
{
    (void)self, (void)id;
    *out = NULL;
    return E_NOINTERFACE;
}

static ULONG STDMETHODCALLTYPE count_reference(struct um_xclrdata_process *self)
{
    (void)self;
    return 1;
}

static HRESULT STDMETHODCALLTYPE flush(struct um_xclrdata_process *self)
{
    (void)self;
    has_flushed = 1;
    return S_OK;
}

static HRESULT read_without_end(ULONG64 region)
{
    BYTE byte;
    ULONG32 done;
    for (unsigned i = 0; i < READS_MOST; i++) {
        HRESULT result = target->table->read(target, region, &byte, 1, &done);
        if (result < 0)
            return result;
    }
    return S_OK;
}

static BOOL read_methods(ULONG64 region, struct runtime_methods *methods)
{
    ULONG32 done = 0;
    return target->table->read(target, region + RUNTIME_METHODS_AT, (BYTE *)methods,
                               sizeof *methods, &done) >= 0 &&
           done == sizeof *methods &&
           memcmp(methods->magic, RUNTIME_MAGIC, sizeof methods->magic) == 0;
}

static HRESULT STDMETHODCALLTYPE get_runtime_name(struct um_xclrdata_process *self, ULONG64 address,
                                                  ULONG32 flags, ULONG32 cap, ULONG32 *len,
                                                  wchar_t *name, ULONG64 *displacement)
{
    ULONG64 region = address & ~(ULONG64)0xffff;
    struct runtime_methods methods;
    (void)self;
    if (!has_flushed || flags != 0)
        return E_FAIL;
    if (!read_methods(region, &methods))
        return E_NOINTERFACE;
    uint32_t number = (uint32_t)(address - region) / RUNTIME_FUNCTION_BYTES;
    if (number == methods.odd_one && methods.what == RUNTIME_READS)
        return read_without_end(region);
    if (number == methods.odd_one && methods.what == RUNTIME_ENDS)
        TerminateProcess(GetCurrentProcess(), 3);
    if (number == methods.odd_one && methods.what == RUNTIME_HANGS)
        Sleep(INFINITE);
    *len = (ULONG32)_snwprintf(name, cap, L"Stub.Type.Method%u(Int32)", number) + 1;
    *displacement = (address - region) % RUNTIME_FUNCTION_BYTES;
    return S_OK;
}

/* Where a method comes from -------------------------------------------------------------------- */

static struct {
    ULONG64 function; /* which one the list is about */
    char assembly[sizeof((struct runtime_methods *)0)->assembly];
} asked;

static void not_used(void)
{
}

static HRESULT STDMETHODCALLTYPE query_module(struct um_xclrdata_module *self, const IID *id,
                                              void **out)
{
    (void)self, (void)id;
    *out = NULL;
    return E_NOINTERFACE;
}

static ULONG STDMETHODCALLTYPE count_module(struct um_xclrdata_module *self)
{
    (void)self;
    return 1;
}

static HRESULT STDMETHODCALLTYPE get_name(struct um_xclrdata_module *self, ULONG32 cap,
                                          ULONG32 *len, wchar_t *name)
{
    (void)self;
    *len = (ULONG32)_snwprintf(name, cap, L"%hs", asked.assembly) + 1;
    return S_OK;
}

/* An assembly without a folder was loaded from bytes in memory: it has only a name. */
static HRESULT STDMETHODCALLTYPE get_file_name(struct um_xclrdata_module *self, ULONG32 cap,
                                               ULONG32 *len, wchar_t *path)
{
    return strchr(asked.assembly, '\\') ? get_name(self, cap, len, path) : E_FAIL;
}

/* The module has no place in memory. */
static HRESULT STDMETHODCALLTYPE begin_extents(struct um_xclrdata_module *self, ULONG64 *list)
{
    (void)self, (void)list;
    return S_FALSE;
}

#define NOT_USED_9                                                                                 \
    not_used, not_used, not_used, not_used, not_used, not_used, not_used, not_used, not_used

static const struct um_xclrdata_module_table module_table = {
    .query_interface = query_module,
    .add_ref = count_module,
    .release = count_module,
    .not_used = {NOT_USED_9, NOT_USED_9, not_used, not_used, not_used, not_used, not_used, not_used,
                 not_used, not_used},
    .get_name = get_name,
    .get_file_name = get_file_name,
    .not_used_either = {not_used, not_used},
    .begin_extents = begin_extents,
};

static struct um_xclrdata_module module = {&module_table};

static HRESULT STDMETHODCALLTYPE query_method(struct um_xclrdata_method *self, const IID *id,
                                              void **out)
{
    (void)self, (void)id;
    *out = NULL;
    return E_NOINTERFACE;
}

static ULONG STDMETHODCALLTYPE count_method(struct um_xclrdata_method *self)
{
    (void)self;
    return 1;
}

/* Each function was compiled twice. The first time is over: that code is somewhere else. */
static const struct um_xclrdata_method_table method_table;
static struct um_xclrdata_method old = {&method_table}, current = {&method_table};

static HRESULT STDMETHODCALLTYPE get_token(struct um_xclrdata_method *self, ULONG32 *token,
                                           struct um_xclrdata_module **out)
{
    (void)self;
    *token = RUNTIME_TOKEN;
    *out = &module;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE get_map(struct um_xclrdata_method *self, ULONG32 cap,
                                         ULONG32 *needed, struct um_xclrdata_map *map)
{
    ULONG32 number = (ULONG32)(asked.function & 0xffff) / RUNTIME_FUNCTION_BYTES;
    static const ULONG32 points[] = RUNTIME_POINTS;
    ULONG32 il_offset = self == &current ? number * RUNTIME_IL_BYTES : 0;
    ULONG32 count = RUNTIME_IS_OPTIMIZED(number) ? 0 : sizeof points / sizeof points[0];
    ULONG64 end = asked.function + RUNTIME_FUNCTION_BYTES;
    *needed = 2 + count;
    if (cap < 2 + count)
        return S_OK;
    map[0] = (struct um_xclrdata_map){il_offset, asked.function, asked.function + 8, 0};
    map[1] = (struct um_xclrdata_map){0xffffffff, asked.function + 8, end, 0};
    for (ULONG32 i = 0; i < count; i++)
        map[2 + i] = (struct um_xclrdata_map){points[i], end - 1, end, 0};
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE begin_ranges(struct um_xclrdata_method *self, ULONG64 *list)
{
    (void)self;
    *list = 0;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE next_range(struct um_xclrdata_method *self, ULONG64 *list,
                                            struct um_xclrdata_range *range)
{
    ULONG64 begin = self == &current ? asked.function : 0x10000;
    if ((*list)++ > 0)
        return S_FALSE;
    *range = (struct um_xclrdata_range){begin, begin + RUNTIME_FUNCTION_BYTES};
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE end_ranges(struct um_xclrdata_method *self, ULONG64 list)
{
    (void)self, (void)list;
    return S_OK;
}

static const struct um_xclrdata_method_table method_table = {
    .query_interface = query_method,
    .add_ref = count_method,
    .release = count_method,
    .not_used = {not_used, not_used},
    .get_token = get_token,
    .not_used_either = {not_used, not_used, not_used, not_used, not_used, not_used, not_used,
                        not_used},
    .get_map = get_map,
    .begin_ranges = begin_ranges,
    .next_range = next_range,
    .end_ranges = end_ranges,
};

static HRESULT STDMETHODCALLTYPE begin_methods(struct um_xclrdata_process *self, ULONG64 address,
                                               void *domain, ULONG64 *list)
{
    struct runtime_methods methods;
    (void)self;
    if (domain || !read_methods(address & ~(ULONG64)0xffff, &methods) || !methods.assembly[0])
        return E_FAIL;
    asked.function = address / RUNTIME_FUNCTION_BYTES * RUNTIME_FUNCTION_BYTES;
    memcpy(asked.assembly, methods.assembly, sizeof asked.assembly);
    *list = 0;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE next_method(struct um_xclrdata_process *self, ULONG64 *list,
                                             struct um_xclrdata_method **method)
{
    (void)self;
    *method = *list == 0 ? &old : &current;
    return (*list)++ < 2 ? S_OK : S_FALSE;
}

static HRESULT STDMETHODCALLTYPE end_methods(struct um_xclrdata_process *self, ULONG64 list)
{
    (void)self, (void)list;
    return S_OK;
}

static const struct um_xclrdata_process_table table = {
    .query_interface = query_interface,
    .add_ref = count_reference,
    .release = count_reference,
    .flush = flush,
    .not_used = {NOT_USED_9, not_used, not_used},
    .get_runtime_name = get_runtime_name,
    .not_used_either = {NOT_USED_9, not_used, not_used},
    .begin_methods = begin_methods,
    .next_method = next_method,
    .end_methods = end_methods,
};

static struct um_xclrdata_process process = {&table};

__declspec(dllexport) HRESULT WINAPI
    CLRDataCreateInstance(const IID *id, struct target *unknown, void **out);

/* As careful as the real one: it looks for the runtime that it belongs to. */
HRESULT WINAPI CLRDataCreateInstance(const IID *id, struct target *unknown, void **out)
{
    ULONG32 machine = 0, pointer_bytes = 0, done = 0;
    ULONG64 base = 0;
    BYTE head[2] = {0};
    void *found = NULL;
    if (memcmp(id, &process_id, sizeof *id) != 0)
        return E_NOINTERFACE;
    if (unknown->table->query_interface(unknown, &target_id, &found) < 0)
        return E_INVALIDARG;
    target = found;
    if (target->table->machine(target, &machine) < 0 || machine != 0x8664 ||
        target->table->pointer_bytes(target, &pointer_bytes) < 0 || pointer_bytes != 8 ||
        target->table->image_base(target, L"coreclr.dll", &base) < 0)
        return E_FAIL;
    if (target->table->read(target, base, head, sizeof head, &done) < 0)
        return READ_FAILED;
    if (memcmp(head, "MZ", sizeof head) != 0)
        return OTHER_VERSION;
    *out = &process;
    return S_OK;
}
