#include "names/signed_win32.h"

#include <stdlib.h>
#include <wchar.h>

#include <softpub.h>
#include <wincrypt.h>
#include <wintrust.h>

#include "base/wine_win32.h"

/* Both libraries are the system's, and are loaded only where there is something to check. */
typedef LONG(WINAPI *verify_fn)(HWND, GUID *, void *);
typedef CRYPT_PROVIDER_DATA *(WINAPI *provider_fn)(HANDLE);
typedef CRYPT_PROVIDER_SGNR *(WINAPI *signer_fn)(CRYPT_PROVIDER_DATA *, DWORD, BOOL, DWORD);
typedef BOOL(WINAPI *policy_fn)(LPCSTR, PCCERT_CHAIN_CONTEXT, PCERT_CHAIN_POLICY_PARA,
                                PCERT_CHAIN_POLICY_STATUS);

struct functions {
    verify_fn verify;
    provider_fn provider;
    signer_fn signer;
    policy_fn policy;
};

static bool load_functions(struct functions *functions)
{
    static HMODULE trust, crypt; /* they stay loaded */
    trust = LoadLibraryExW(L"wintrust.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    crypt = LoadLibraryExW(L"crypt32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (!trust || !crypt)
        return false;
    functions->verify = (verify_fn)GetProcAddress(trust, "WinVerifyTrust");
    functions->provider = (provider_fn)GetProcAddress(trust, "WTHelperProvDataFromStateData");
    functions->signer = (signer_fn)GetProcAddress(trust, "WTHelperGetProvSignerFromChain");
    functions->policy = (policy_fn)GetProcAddress(crypt, "CertVerifyCertificateChainPolicy");
    return functions->verify && functions->provider && functions->signer && functions->policy;
}

/* Whether the chain of the signer's certificate, which is valid, ends in a root of Microsoft's. */
static bool is_microsofts(const struct functions *functions, HANDLE state)
{
    CERT_CHAIN_POLICY_PARA parameters = {.cbSize = sizeof parameters};
    CERT_CHAIN_POLICY_STATUS status = {.cbSize = sizeof status};
    /* The flag stands for the root of 2011; without it the older ones are looked for. */
    static const DWORD flags[] = {MICROSOFT_ROOT_CERT_CHAIN_POLICY_CHECK_APPLICATION_ROOT_FLAG, 0};
    CRYPT_PROVIDER_DATA *provider = functions->provider(state);
    CRYPT_PROVIDER_SGNR *signer = provider ? functions->signer(provider, 0, FALSE, 0) : NULL;

    for (size_t i = 0; signer && signer->pChainContext && i < ARRAYSIZE(flags); i++) {
        parameters.dwFlags = flags[i];
        if (functions->policy(CERT_CHAIN_POLICY_MICROSOFT_ROOT, signer->pChainContext, &parameters,
                              &status) &&
            status.dwError == 0)
            return true;
    }
    return false;
}

bool um_signed_by_microsoft(const wchar_t *path, HANDLE file)
{
    GUID action = WINTRUST_ACTION_GENERIC_VERIFY_V2;
    WINTRUST_FILE_INFO info = {.cbStruct = sizeof info, .pcwszFilePath = path, .hFile = file};
    WINTRUST_DATA data = {.cbStruct = sizeof data,
                          .dwUIChoice = WTD_UI_NONE,
                          .fdwRevocationChecks = WTD_REVOKE_NONE,
                          .dwUnionChoice = WTD_CHOICE_FILE,
                          .pFile = &info,
                          .dwStateAction = WTD_STATEACTION_VERIFY,
                          .dwProvFlags = WTD_CACHE_ONLY_URL_RETRIEVAL};
    struct functions functions;

    if (um_wine_version())
        return true;
    if (!load_functions(&functions))
        return false;
    bool is_valid = functions.verify(INVALID_HANDLE_VALUE, &action, &data) == 0 &&
                    is_microsofts(&functions, data.hWVTStateData);
    data.dwStateAction = WTD_STATEACTION_CLOSE;
    functions.verify(INVALID_HANDLE_VALUE, &action, &data);
    return is_valid;
}

typedef DWORD(WINAPI *version_bytes_fn)(LPCWSTR, LPDWORD);
typedef BOOL(WINAPI *version_fn)(LPCWSTR, DWORD, DWORD, LPVOID);
typedef BOOL(WINAPI *value_fn)(LPCVOID, LPCWSTR, LPVOID *, PUINT);

/* Whether a version resource gives this as the file's original name, in its first language. */
static bool has_name(value_fn value, const void *resource, const wchar_t *name)
{
    wchar_t block[64];
    WORD *language = NULL; /* two: the language and its code page */
    wchar_t *original = NULL;
    UINT bytes = 0, chars = 0;

    if (!value(resource, L"\\VarFileInfo\\Translation", (void **)&language, &bytes) ||
        bytes < 2 * sizeof *language)
        return false;
    swprintf(block, ARRAYSIZE(block), L"\\StringFileInfo\\%04x%04x\\OriginalFilename", language[0],
             language[1]);
    return value(resource, block, (void **)&original, &chars) && chars > 0 &&
           wcsnlen(original, chars) < chars && _wcsicmp(original, name) == 0;
}

/* version.dll is no known DLL, so the search is restricted to the system's folder. */
bool um_signed_is_called(const wchar_t *path, const wchar_t *name)
{
    HMODULE library = LoadLibraryExW(L"version.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (!library)
        return false;
    version_bytes_fn size = (version_bytes_fn)GetProcAddress(library, "GetFileVersionInfoSizeW");
    version_fn read = (version_fn)GetProcAddress(library, "GetFileVersionInfoW");
    value_fn value = (value_fn)GetProcAddress(library, "VerQueryValueW");
    DWORD bytes = size && read && value ? size(path, NULL) : 0;
    void *resource = bytes > 0 ? malloc(bytes) : NULL;
    bool is_called = resource && read(path, 0, bytes, resource) && has_name(value, resource, name);
    free(resource);
    FreeLibrary(library);
    return is_called;
}
