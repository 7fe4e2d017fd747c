/* What the environment of a traced program says: to the .NET runtime, that it is to load the
 * profiler, and to the profiler, what it is to trace. monitor/live/trace_env.h makes these
 * variables, and profiler_win32.c reads them. Portable.
 */
#ifndef UM_CLR_ENVIRONMENT_H
#define UM_CLR_ENVIRONMENT_H

#define UM_CLR_FILE64 "uimon-clr64.dll"
#define UM_CLR_FILE32 "uimon-clr32.dll"
#define UM_CLR_GUID "{1DD45F25-19A6-4E3A-A43C-75B277F1C7F0}"

/* The path of the program for which they were made. The profiler takes itself back in any other
 * one, which has inherited them. */
#define UM_CLR_PROGRAM "UIMON_CLR_PROGRAM"

#define UM_CLR_DEPTH "UIMON_CLR_DEPTH"
#define UM_CLR_COUNTS "counts"
#define UM_CLR_TIMES "times"

/* A list of module_list.h: only methods of these modules, namespaces, types or names are traced.
 * Empty or not set: all. */
#define UM_CLR_ONLY "UIMON_CLR_ONLY"
#define UM_CLR_ONLY_BYTES 4096

#endif
