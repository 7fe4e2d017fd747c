/* Programs that cannot be watched because of what they are, and why. Pure. Not on the hot path.
 *
 * The window of a Store app is not what it seems: its frame belongs to ApplicationFrameHost.exe,
 * whose thread answers also while the app hangs. So a measurement of it would be green for no
 * reason. The app itself runs in an app container, which loads no DLL of ours.
 */
#ifndef UM_MONITOR_REFUSAL_H
#define UM_MONITOR_REFUSAL_H

#include <stdbool.h>

/* Why a program with a main window of this class cannot be watched; "" if the class says nothing.
 * Owner: static text. Thread: any.
 * Source: the classes that the system registers for Store apps (ApplicationFrameWindow,
 * Windows.UI.Core.CoreWindow) and for consoles. */
const char *um_refusal_of_class(const char *window_class);

/* Why a process cannot be watched that runs in an app container; "" if it does not.
 * Owner: static text. Thread: any. */
const char *um_refusal_of_container(bool in_container);

#endif
