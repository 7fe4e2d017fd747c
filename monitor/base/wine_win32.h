/* Whether this is Wine, for the few places where it cannot do what Windows documents. Each says at
 * the call what the difference is.
 */
#ifndef UM_MONITOR_WINE_WIN32_H
#define UM_MONITOR_WINE_WIN32_H

/* Wine's version, such as "8.0"; NULL on Windows. Owner: the system's. Thread: any. */
const char *um_wine_version(void);

#endif
