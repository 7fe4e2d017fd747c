#include "clr/metadata_win32.h"

/* Numbers of functions in their interfaces. Source: corprof.idl and cor.h of the .NET runtime. */
#define RELEASE 2
#define INFO_GET_FUNCTION_INFO 15
#define INFO_GET_TOKEN_AND_METADATA 19
#define INFO_GET_MODULE_INFO 20
#define IMPORT_GET_TYPE_DEF_PROPS 12
#define IMPORT_GET_METHOD_PROPS 30
#define IMPORT_GET_NESTED_CLASS_PROPS 62

#define NAME_UNITS 256
#define NESTED_MOST 8

static const IID iid_metadata_import = {
    0x7dac8207, 0xd3ae, 0x4c75, {0x9b, 0x67, 0x92, 0x80, 0x1a, 0x49, 0x7d, 0x44}};

typedef HRESULT STDMETHODCALLTYPE get_function_info(struct um_clr_object *, uintptr_t, uintptr_t *,
                                                    uintptr_t *, ULONG *);
typedef HRESULT STDMETHODCALLTYPE get_module_info(struct um_clr_object *, uintptr_t, const BYTE **,
                                                  ULONG, ULONG *, WCHAR *, uintptr_t *);
typedef HRESULT STDMETHODCALLTYPE get_token(struct um_clr_object *, uintptr_t, const IID *,
                                            struct um_clr_object **, ULONG *);
typedef HRESULT STDMETHODCALLTYPE get_type_def(struct um_clr_object *, ULONG, WCHAR *, ULONG,
                                               ULONG *, DWORD *, ULONG *);
typedef HRESULT STDMETHODCALLTYPE get_method(struct um_clr_object *, ULONG, ULONG *, WCHAR *, ULONG,
                                             ULONG *, DWORD *, const BYTE **, ULONG *, ULONG *,
                                             DWORD *);
typedef HRESULT STDMETHODCALLTYPE get_nested(struct um_clr_object *, ULONG, ULONG *);
typedef ULONG STDMETHODCALLTYPE release(struct um_clr_object *);

#define CALL(object, type, slot) ((type *)(object)->functions[slot])

/* UTF-16 as UTF-8, behind `used` bytes; what does not fit is left out. Returns the new length. */
static size_t append(char *text, size_t cap_bytes, size_t used, const WCHAR *wide)
{
    char part[NAME_UNITS * 4];
    int len = WideCharToMultiByte(CP_UTF8, 0, wide, -1, part, sizeof part, NULL, NULL);
    for (int i = 0; i + 1 < len && used + 1 < cap_bytes; i++)
        text[used++] = part[i];
    /* A character that was cut in two goes. */
    while (used + 1 == cap_bytes && used > 0 && (text[used - 1] & 0x80) != 0)
        used--;
    text[used] = '\0';
    return used;
}

static void set_module(struct um_clr_object *info, uintptr_t function,
                       struct um_clr_method_names *names)
{
    WCHAR path[UM_WIRE_MODULE_PATH_BYTES / 3];
    uintptr_t type, module, assembly;
    const BYTE *base;
    ULONG token, len, file = 0;
    if (FAILED(CALL(info, get_function_info, INFO_GET_FUNCTION_INFO)(info, function, &type, &module,
                                                                     &token)) ||
        FAILED(CALL(info, get_module_info, INFO_GET_MODULE_INFO)(
            info, module, &base, sizeof path / sizeof path[0], &len, path, &assembly)))
        return;
    path[sizeof path / sizeof path[0] - 1] = 0;
    for (ULONG i = 0; path[i]; i++)
        if (path[i] == '\\' || path[i] == '/')
            file = i + 1;
    WideCharToMultiByte(CP_UTF8, 0, path, -1, names->path, sizeof names->path, NULL, NULL);
    (void)append(names->module, sizeof names->module, 0, path + file);
}

/* "Namespace.Outer+Inner". */
static size_t put_type(struct um_clr_object *import, ULONG type, char *text, size_t cap_bytes)
{
    WCHAR name[NAME_UNITS];
    ULONG types[NESTED_MOST], count = 0, len, base;
    size_t used = 0;
    DWORD flags;
    for (types[count++] = type;
         count < NESTED_MOST && SUCCEEDED(CALL(import, get_nested, IMPORT_GET_NESTED_CLASS_PROPS)(
                                    import, types[count - 1], &types[count]));)
        count++;
    while (count-- > 0) {
        if (FAILED(CALL(import, get_type_def, IMPORT_GET_TYPE_DEF_PROPS)(
                import, types[count], name, NAME_UNITS, &len, &flags, &base)))
            return used;
        name[NAME_UNITS - 1] = 0;
        used = append(text, cap_bytes, used, used ? L"+" : L"");
        used = append(text, cap_bytes, used, name);
    }
    return used;
}

void um_metadata_method(struct um_clr_object *info, uintptr_t function,
                        struct um_clr_method_names *names)
{
    WCHAR name[NAME_UNITS];
    struct um_clr_object *import = NULL;
    ULONG token, type = 0, len, signature_bytes, rva;
    DWORD attributes, flags;
    const BYTE *signature;

    names->path[0] = names->module[0] = names->name[0] = '\0';
    set_module(info, function, names);
    if (FAILED(CALL(info, get_token, INFO_GET_TOKEN_AND_METADATA)(
            info, function, &iid_metadata_import, &import, &token)) ||
        !import)
        return;
    if (SUCCEEDED(CALL(import, get_method, IMPORT_GET_METHOD_PROPS)(
            import, token, &type, name, NAME_UNITS, &len, &attributes, &signature, &signature_bytes,
            &rva, &flags))) {
        name[NAME_UNITS - 1] = 0;
        size_t used = put_type(import, type, names->name, sizeof names->name);
        used = append(names->name, sizeof names->name, used, used ? L"." : L"");
        (void)append(names->name, sizeof names->name, used, name);
    }
    CALL(import, release, RELEASE)(import);
}
