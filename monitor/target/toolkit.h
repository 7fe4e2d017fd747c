/* Recognizes toolkits with which a program's own code does not run on the thread of its window.
 *
 * A beat shows that the thread of a window takes input. With these toolkits that says little: in
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

/* The name of the toolkit, such as "Java"; NULL: none was recognized. Pure.
 * `class_module` is the file name of the module that registered the class; "" if it is not known.
 * Owner: static text. Thread: any.
 * Source: the names that OpenJDK's AWT (SunAwtFrame, SunAwtDialog), Chromium (window_impl.cc,
 * kBaseClassName) and Gecko (nsWindowDefs.h, kClassNameGeneral and its neighbours) register. */
const char *um_toolkit_of(const char *window_class, const char *class_module);

#endif
