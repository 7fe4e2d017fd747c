/* The toolkits that do a program's own work apart from the thread that owns its window.
 *
 * A beat shows that the thread of a window takes input. With these toolkits that says little: in
 * Java (AWT, Swing, JetBrains IDEs) the program's code runs on the event dispatch thread, and in
 * Chromium (Electron, CEF) and Mozilla programs the content lives in other processes. So a window
 * that answers beats is not called responsive there.
 *
 * It is the main window that counts: its class, and the module that registered this class. Modules
 * that are only loaded prove nothing. Eclipse loads a JVM, and a program with an embedded browser
 * loads libcef.dll, but both run their own code on the thread of their window. Not on the hot path.
 */
#ifndef UM_MONITOR_TOOLKIT_H
#define UM_MONITOR_TOOLKIT_H

#include <stdint.h>

#define UM_TOOLKIT_CLASS_MODULE_BYTES 128

/* The name of the toolkit, such as "Java"; NULL: none of those above was recognised. Pure.
 * `class_module` is the file name of the module that registered the class; "" if it is not known.
 * Owner: static text. Thread: any.
 * Source: the names that OpenJDK's AWT (SunAwtFrame, SunAwtDialog), Chromium (window_impl.cc,
 * kBaseClassName) and Gecko (nsWindowDefs.h, kClassNameGeneral and its neighbours) register. */
const char *um_toolkit_of(const char *window_class, const char *class_module);

/* The file name of the module that registered the class of a window; "" if the system does not
 * tell. Reads what the system has stored about the process, and asks nothing of the process.
 * Units: `buf` has UM_TOOLKIT_CLASS_MODULE_BYTES. */
void um_toolkit_class_module(uint64_t hwnd, uint32_t pid, char *buf);

#endif
