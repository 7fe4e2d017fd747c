/* Recognizes toolkits by the classes of their windows: those with which a program's own code does
 * not run on the thread of its window, and those that draw the parts of a window themselves.
 *
 * A beat shows that the thread of a window takes input. With the former that says little: in
 * Java (AWT, Swing, JetBrains IDEs) the program's code runs on the event dispatch thread, and in
 * Chromium (Electron, CEF) and Mozilla programs the content lives in other processes. So a window
 * that answers beats is not called responsive there.
 *
 * The class of the main window decides, and the module that registered it. Loaded modules prove
 * nothing: Eclipse loads a JVM, and a program with an embedded browser loads libcef.dll, but both
 * run their own code on the thread of their window. Not on the hot path.
 */
#ifndef UM_MONITOR_TOOLKIT_H
#define UM_MONITOR_TOOLKIT_H

#include <stdbool.h>

/* The name of the toolkit, such as "Java"; NULL: none was recognized. Pure.
 * `class_module` is the file name of the module that registered the class; "" if it is not known.
 * Owner: static text. Thread: any.
 * Source: the names that OpenJDK's AWT (SunAwtFrame, SunAwtDialog), Chromium (window_impl.cc,
 * kBaseClassName) and Gecko (nsWindowDefs.h, kClassNameGeneral and its neighbours) register. */
const char *um_toolkit_of(const char *window_class, const char *class_module);

/* Whether windows of this class draw all their parts themselves, so that none of these is a window.
 * Besides the toolkits above, WPF and Qt do that, on the thread of the window. Pure. Thread: any.
 * Source: WPF's HwndWrapper.cs ("HwndWrapper[{0};{1};{2}]"), and Qt's qwindowscontext.cpp
 * (classNamePrefix, registerWindowClass): "Qt", its version in digits, what build it is, "QWindow",
 * and what the window is. */
bool um_toolkit_draws_parts(const char *window_class);

#endif
