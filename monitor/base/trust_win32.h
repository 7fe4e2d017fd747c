/* Who can change a file, by its owner and its access list. Not on the hot path. */
#ifndef UM_MONITOR_TRUST_WIN32_H
#define UM_MONITOR_TRUST_WIN32_H

#include <stdbool.h>
#include <windows.h>

/* A descriptor with which only administrators and the system can change something, and users can
 * read it and run it; what is made in such a folder gets it too. As the system writes them.
 * Source: https://learn.microsoft.com/windows/win32/secauthz/ (string format) */
#define UM_TRUST_DESCRIPTOR L"O:BAG:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)"

/* The same, and nobody else can read it either. Where the user owns what is made in the folder,
 * since a policy says so, the last entry takes away what an owner may do otherwise: change this
 * list. */
#define UM_TRUST_SECRET_DESCRIPTOR                                                                 \
    L"O:BAG:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;RC;;;S-1-3-4)"

/* Whether only administrators, the system and Windows' installer can change what has this
 * descriptor: one of them owns it, and its list lets nobody else write, delete, or change the list.
 * False without a list, which lets everybody, and for a list with entries of other kinds. */
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

/* UM_TRUST_DESCRIPTOR, or with `secret` UM_TRUST_SECRET_DESCRIPTOR, for making something.
 * Owner: LocalFree(security->lpSecurityDescriptor). */
bool um_trust_security(SECURITY_ATTRIBUTES *security, bool secret);

#endif
