/* Facts from a process's token. Not for the hook DLL, which has no advapi32. Not on the hot
 * path.
 */
#ifndef UM_BASE_TOKEN_WIN32_H
#define UM_BASE_TOKEN_WIN32_H

#include <stdbool.h>
#include <windows.h>

/* A SID in storage of its own. */
struct um_token_sid {
    _Alignas(SID) BYTE bytes[SECURITY_MAX_SID_SIZE];
};

/* Who runs this process. False, with the last error, if the system does not say. */
bool um_token_user(struct um_token_sid *user);

/* Whether an owner is the user who runs this process, or the default owner of what the process
 * makes: in an administrator's process, the group of administrators. */
bool um_token_is_own(PSID owner);

/* The integrity level of a process: an RID such as 0x2000 (medium), or -1, with the last error, if
 * it is not known. */
long um_token_level(HANDLE process);

/* Whether a process is confined to an app container, as those of Store apps are. False if that is
 * not known. */
bool um_token_is_app_container(HANDLE process);

/* Whether this process has a higher level than the ordinary programs of the user. */
bool um_token_is_elevated(void);

/* Whether it has a higher level because it runs as administrator. Assistive technology, for
 * example, has one for another reason. */
bool um_token_is_administrator(void);

#endif
