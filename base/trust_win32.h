/* Who can change a file, by its owner and its access list. Not on the hot path. */
#ifndef UM_BASE_TRUST_WIN32_H
#define UM_BASE_TRUST_WIN32_H

#include <stdbool.h>
#include <windows.h>

/* A descriptor with which only administrators and the system can change something, and users can
 * read it and run it. Files and folders in such a folder inherit it.
 * Source: https://learn.microsoft.com/windows/win32/secauthz/ (string format) */
#define UM_TRUST_DESCRIPTOR L"O:BAG:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)"

/* The same, and nobody else can read it either. A policy can make the user the owner of what is
 * made in the folder. The last entry takes away an owner's right to change this list. */
#define UM_TRUST_SECRET_DESCRIPTOR                                                                 \
    L"O:BAG:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;RC;;;S-1-3-4)"

/* For um_trust_user_security: nobody but the user can open the file. */
#define UM_TRUST_USER_DESCRIPTOR L"D:P(A;;FA;;;"

/* Whether only administrators, the system and Windows' installer can change what has this
 * descriptor: one of them owns it, and its list lets nobody else write, delete, or change the list.
 * False without a list, which lets everybody do so, and for a list with entries of other kinds. */
bool um_trust_descriptor(PSECURITY_DESCRIPTOR descriptor);

/* The same of an open file or folder. Its handle needs READ_CONTROL. */
bool um_trust_file(HANDLE file);

/* Opens a folder, or a link in its place, and nobody can rename it as long as it is open. NULL if
 * there is none. Owner: CloseHandle. */
HANDLE um_trust_open_folder(const wchar_t *path);

/* Whether it is a folder and no link. */
bool um_trust_is_folder(HANDLE folder);

/* Whether it is a folder and no link, and only administrators can change it. */
bool um_trust_folder(HANDLE folder);

/* UM_TRUST_DESCRIPTOR for making something, or with `secret` UM_TRUST_SECRET_DESCRIPTOR.
 * Owner: LocalFree(security->lpSecurityDescriptor). */
bool um_trust_security(SECURITY_ATTRIBUTES *security, bool secret);

/* A descriptor for making something. `list` is its text up to the user's SID, with which its last
 * entry ends. Owner: LocalFree(security->lpSecurityDescriptor). */
bool um_trust_user_security(SECURITY_ATTRIBUTES *security, const wchar_t *list);

#endif
