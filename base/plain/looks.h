/* How a thread that stays suspended is distinguished from one that is suspended for a moment only,
 * as a runtime does to collect garbage: it is suspended at each of UM_LOOKS looks. If whoever
 * suspended it is gone, the hook DLL or the monitor then resumes it.
 */
#ifndef UM_BASE_LOOKS_H
#define UM_BASE_LOOKS_H

#define UM_LOOKS 6
#define UM_LOOKS_EACH_MS 50 /* from one look to the next */

#endif
