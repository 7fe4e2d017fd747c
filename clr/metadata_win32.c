#include "clr/metadata_win32.h"

#include "base/plain/text.h"

/* Numbers of functions in their interfaces. Source: corprof.idl and cor.h of the .NET runtime. */
#define RELEASE 2
#define INFO_GET_FUNCTION_INFO 15
#define INFO_GET_TOKEN_AND_METADATA 19
#define INFO_GET_MODULE_INFO 20
#define IMPORT_GET_TYPE_DEF_PROPS 12
#define IMPORT_GET_METHOD_PROPS 30
#define IMPORT_GET_NESTED_CLASS_PROPS 62

#define NAME_UNITS 1024 /* a name has no more: MAX_CLASS_NAME of the .NET runtime's corhdr.h */
#define PART_UNITS 128
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

/* A text that is put together in a field. */
struct building {
    char *text;
    size_t cap_bytes;
    size_t len_bytes; /* of the whole text, of which the field has as much as fits */
    uint32_t hash;    /* of the same */
};

static struct building build(char *text, size_t cap_bytes)
{
    text[0] = '\0';
    return (struct building){text, cap_bytes, 0, UM_TEXT_HASH};
}

/* Appends UTF-16 as UTF-8, in parts: nothing here may take a page of the target's stack at once. */
static void append(struct building *building, const WCHAR *wide)
{
    char part[PART_UNITS * 3];
    while (*wide) {
        int units = 0;
        while (units < PART_UNITS && wide[units])
            units++;
        if (units == PART_UNITS && IS_HIGH_SURROGATE(wide[units - 1]))
            units--;
        int bytes = WideCharToMultiByte(CP_UTF8, 0, wide, units, part, sizeof part, NULL, NULL);
        size_t len = bytes > 0 ? (size_t)bytes : 0;
        for (size_t i = 0; i < len && building->len_bytes + i + 1 < building->cap_bytes; i++) {
            building->text[building->len_bytes + i] = part[i];
            building->text[building->len_bytes + i + 1] = '\0';
        }
        building->hash = um_text_hash(building->hash, part, len);
        building->len_bytes += len;
        wide += units;
    }
}

static void finish(const struct building *building)
{
    if (building->len_bytes >= building->cap_bytes)
        um_text_mark_cut(building->text, building->cap_bytes, building->hash);
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
    struct building file_name = build(names->module, sizeof names->module);
    append(&file_name, path + file);
    finish(&file_name);
}

/* "Namespace.Outer+Inner". `name` is for names of NAME_UNITS. */
static void put_type(struct um_clr_object *import, ULONG type, WCHAR *name,
                     struct building *building)
{
    ULONG types[NESTED_MOST], count = 0, len, base;
    DWORD flags;
    for (types[count++] = type;
         count < NESTED_MOST && SUCCEEDED(CALL(import, get_nested, IMPORT_GET_NESTED_CLASS_PROPS)(
                                    import, types[count - 1], &types[count]));)
        count++;
    while (count-- > 0) {
        if (FAILED(CALL(import, get_type_def, IMPORT_GET_TYPE_DEF_PROPS)(
                import, types[count], name, NAME_UNITS, &len, &flags, &base)))
            return;
        name[NAME_UNITS - 1] = 0;
        append(building, building->len_bytes ? L"+" : L"");
        append(building, name);
    }
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
    names->type_bytes = 0;
    set_module(info, function, names);
    if (FAILED(CALL(info, get_token, INFO_GET_TOKEN_AND_METADATA)(
            info, function, &iid_metadata_import, &import, &token)) ||
        !import)
        return;
    if (SUCCEEDED(CALL(import, get_method, IMPORT_GET_METHOD_PROPS)(
            import, token, &type, name, NAME_UNITS, &len, &attributes, &signature, &signature_bytes,
            &rva, &flags))) {
        struct building whole = build(names->name, sizeof names->name);
        put_type(import, type, name, &whole);
        names->type_bytes = whole.len_bytes;
        append(&whole, whole.len_bytes ? L"." : L"");
        if (SUCCEEDED(CALL(import, get_method, IMPORT_GET_METHOD_PROPS)(
                import, token, &type, name, NAME_UNITS, &len, &attributes, &signature,
                &signature_bytes, &rva, &flags))) {
            name[NAME_UNITS - 1] = 0;
            append(&whole, name);
        }
        finish(&whole);
        if (whole.len_bytes >= sizeof names->name)
            names->type_bytes = 0; /* the mark of the cut may lie in it */
    }
    CALL(import, release, RELEASE)(import);
}
