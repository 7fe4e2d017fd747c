/* Programs that cannot be watched because of their kind, and why. Pure. Not on the hot path.
 *
 * The frame of a Store app's window belongs to ApplicationFrameHost.exe. Its thread answers even
 * while the app hangs, so measuring it would show a responsive program. The app itself runs in an
 * app container, which does not load uimon's DLL.
 */
#ifndef UM_MONITOR_REFUSAL_H
#define UM_MONITOR_REFUSAL_H

/* Why a program with a main window of this class cannot be watched; "" if the class says nothing.
 * Owner: static text. Thread: any.
 * Source: the classes that the system registers for Store apps (ApplicationFrameWindow,
 * Windows.UI.Core.CoreWindow) and for consoles. */
const char *um_refusal_of_class(const char *window_class);

#endif
