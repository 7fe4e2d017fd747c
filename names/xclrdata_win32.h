/* The interfaces of .NET's library for debuggers, as far as they are used. Only for the backend
 * of runtime.h. Results are below 0 for failures, and S_FALSE at the end of a list.
 *
 * Source: clrdata.idl and xclrdata.idl of dotnet/runtime (src/coreclr/inc). No SDK has the
 * second one. A runtime that changes an interface gives it another id.
 */
#ifndef UM_NAMES_XCLRDATA_WIN32_H
#define UM_NAMES_XCLRDATA_WIN32_H

#include <stdint.h>
#include <wchar.h>
#include <windows.h>

#define UM_XCLRDATA_METHOD(name, ...) HRESULT(STDMETHODCALLTYPE *name)(__VA_ARGS__)

/* The first three functions of any table. */
#define UM_XCLRDATA_UNKNOWN(type)                                                                  \
    UM_XCLRDATA_METHOD(query_interface, struct type *, const IID *, void **);                      \
    ULONG(STDMETHODCALLTYPE *add_ref)(struct type *);                                              \
    ULONG(STDMETHODCALLTYPE *release)(struct type *)

struct um_xclrdata_method;
struct um_xclrdata_module;

/* IXCLRDataProcess. */
struct um_xclrdata_process {
    const struct um_xclrdata_process_table *table;
};

struct um_xclrdata_process_table {
    UM_XCLRDATA_UNKNOWN(um_xclrdata_process);
    UM_XCLRDATA_METHOD(flush, struct um_xclrdata_process *);
    void (*not_used[11])(void);
    UM_XCLRDATA_METHOD(get_runtime_name, struct um_xclrdata_process *, ULONG64 address,
                       ULONG32 flags, ULONG32 cap, ULONG32 *len, wchar_t *name,
                       ULONG64 *displacement);
    void (*not_used_either[11])(void);
    UM_XCLRDATA_METHOD(begin_methods, struct um_xclrdata_process *, ULONG64 address, void *domain,
                       ULONG64 *list);
    UM_XCLRDATA_METHOD(next_method, struct um_xclrdata_process *, ULONG64 *list,
                       struct um_xclrdata_method **);
    UM_XCLRDATA_METHOD(end_methods, struct um_xclrdata_process *, ULONG64 list);
};

/* CLRDATA_IL_ADDRESS_MAP: the instructions of an IL offset. */
struct um_xclrdata_map {
    ULONG32 il_offset;
    ULONG64 begin;
    ULONG64 end;
    ULONG32 type;
};

_Static_assert(sizeof(struct um_xclrdata_map) == 32, "as the library writes it");

/* CLRDATA_ADDRESS_RANGE. */
struct um_xclrdata_range {
    ULONG64 begin;
    ULONG64 end;
};

/* IXCLRDataMethodInstance: a method as it was compiled once. */
struct um_xclrdata_method {
    const struct um_xclrdata_method_table *table;
};

struct um_xclrdata_method_table {
    UM_XCLRDATA_UNKNOWN(um_xclrdata_method);
    void (*not_used[2])(void);
    UM_XCLRDATA_METHOD(get_token, struct um_xclrdata_method *, ULONG32 *token,
                       struct um_xclrdata_module **);
    void (*not_used_either[8])(void);
    UM_XCLRDATA_METHOD(get_map, struct um_xclrdata_method *, ULONG32 cap, ULONG32 *needed,
                       struct um_xclrdata_map *);
    UM_XCLRDATA_METHOD(begin_ranges, struct um_xclrdata_method *, ULONG64 *list);
    UM_XCLRDATA_METHOD(next_range, struct um_xclrdata_method *, ULONG64 *list,
                       struct um_xclrdata_range *);
    UM_XCLRDATA_METHOD(end_ranges, struct um_xclrdata_method *, ULONG64 list);
};

/* Kinds of extents (CLRDataModuleExtentType): the assembly's own file, as it lies in memory; 1 is
 * the native image that NGen has made of it. */
#define UM_XCLRDATA_FILE 0

/* CLRDATA_MODULE_EXTENT. */
struct um_xclrdata_extent {
    ULONG64 base;
    ULONG32 len_bytes;
    ULONG32 type;
};

/* IXCLRDataModule. */
struct um_xclrdata_module {
    const struct um_xclrdata_module_table *table;
};

struct um_xclrdata_module_table {
    UM_XCLRDATA_UNKNOWN(um_xclrdata_module);
    void (*not_used[26])(void);
    UM_XCLRDATA_METHOD(get_name, struct um_xclrdata_module *, ULONG32 cap, ULONG32 *len,
                       wchar_t *name);
    UM_XCLRDATA_METHOD(get_file_name, struct um_xclrdata_module *, ULONG32 cap, ULONG32 *len,
                       wchar_t *path);
    void (*not_used_either[2])(void);
    UM_XCLRDATA_METHOD(begin_extents, struct um_xclrdata_module *, ULONG64 *list);
    UM_XCLRDATA_METHOD(next_extent, struct um_xclrdata_module *, ULONG64 *list,
                       struct um_xclrdata_extent *);
    UM_XCLRDATA_METHOD(end_extents, struct um_xclrdata_module *, ULONG64 list);
};

#endif
