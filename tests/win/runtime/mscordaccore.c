/* In place of the library by which .NET's debuggers read a process: it knows the functions that
 * target_works_win32 generates. They are 32 bytes long each and lie from the begin of a region of
 * 64 KiB on, and RUNTIME_MARK in that region says what they are. One of them makes the library do
 * what it must not do: read without end, or end its process. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "tests/win/runtime/mark.h"

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

/* IXCLRDataProcess. */
struct process {
    const struct process_table *table;
};

struct process_table {
    HRESULT(STDMETHODCALLTYPE *query_interface)(struct process *, const IID *, void **);
    ULONG(STDMETHODCALLTYPE *add_ref)(struct process *);
    ULONG(STDMETHODCALLTYPE *release)(struct process *);
    HRESULT(STDMETHODCALLTYPE *flush)(struct process *);
    HRESULT(STDMETHODCALLTYPE *not_used[11])(void);
    HRESULT(STDMETHODCALLTYPE *get_runtime_name)
    (struct process *, ULONG64, ULONG32, ULONG32, ULONG32 *, wchar_t *, ULONG64 *);
};

static struct target *target;
static int has_flushed;

static HRESULT STDMETHODCALLTYPE query_interface(struct process *self, const IID *id, void **out)
{
    (void)self, (void)id;
    *out = NULL;
    return E_NOINTERFACE;
}

static ULONG STDMETHODCALLTYPE count_reference(struct process *self)
{
    (void)self;
    return 1;
}

static HRESULT STDMETHODCALLTYPE flush(struct process *self)
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

static HRESULT STDMETHODCALLTYPE get_runtime_name(struct process *self, ULONG64 address,
                                                  ULONG32 flags, ULONG32 cap, ULONG32 *len,
                                                  wchar_t *name, ULONG64 *displacement)
{
    ULONG64 region = address & ~(ULONG64)0xffff;
    struct runtime_mark mark;
    ULONG32 done = 0;
    (void)self;
    if (!has_flushed || flags != 0)
        return E_FAIL;
    if (target->table->read(target, region + RUNTIME_MARK_AT, (BYTE *)&mark, sizeof mark, &done) <
            0 ||
        done != sizeof mark || memcmp(mark.magic, RUNTIME_MAGIC, sizeof mark.magic) != 0)
        return E_NOINTERFACE;
    uint32_t number = (uint32_t)(address - region) / RUNTIME_FUNCTION_BYTES;
    if (number == mark.odd_one && mark.what == RUNTIME_READS)
        return read_without_end(region);
    if (number == mark.odd_one && mark.what == RUNTIME_ENDS)
        TerminateProcess(GetCurrentProcess(), 3);
    if (number == mark.odd_one && mark.what == RUNTIME_HANGS)
        Sleep(INFINITE);
    *len = (ULONG32)_snwprintf(name, cap, L"Stub.Type.Method%u(Int32)", number) + 1;
    *displacement = (address - region) % RUNTIME_FUNCTION_BYTES;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE not_used(void)
{
    return E_NOTIMPL;
}

static const struct process_table table = {
    query_interface,
    count_reference,
    count_reference,
    flush,
    {not_used, not_used, not_used, not_used, not_used, not_used, not_used, not_used, not_used,
     not_used, not_used},
    get_runtime_name,
};

static struct process process = {&table};

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
