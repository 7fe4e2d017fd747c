/* How a thread is told from one that somebody has suspended for a moment only, as a runtime does to
 * collect garbage: it stands at each of some looks. Only such a thread is resumed in the place of
 * whoever had suspended it and is gone. Both the hook DLL and the monitor do that.
 */
#ifndef UM_IPC_LOOKS_H
#define UM_IPC_LOOKS_H

#define UM_LOOKS 6          /* at a thread */
#define UM_LOOKS_EACH_MS 50 /* from one look to the next */

#endif
