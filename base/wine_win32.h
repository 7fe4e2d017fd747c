/* Whether this is Wine, for the few places where it differs from Windows. A comment at each call
 * says how.
 */
#ifndef UM_BASE_WINE_WIN32_H
#define UM_BASE_WINE_WIN32_H

/* Wine's version, such as "8.0"; NULL on Windows. Owner: the system's. Thread: any. */
const char *um_wine_version(void);

#endif
