/* uimon.h: markers and flows of your own program, for uimon.
 *
 * Copy this file into your program and include it, in C or C++, in as many files as you like. There
 * is nothing to link and nothing to start: uimon finds the program's markers when it watches it.
 *
 *     #include "uimon.h"
 *
 *     struct uimon_field fields[] = {uimon_flow("task", task_id), uimon_text("file", path)};
 *     uint64_t loading = uimon_begin("Load", "I/O", fields, 2);
 *     ...
 *     uimon_end(loading, NULL, 0);
 *
 * Names and texts are UTF-8, and are copied before a call returns. Names have up to 63 bytes, texts
 * 127, and a call takes 8 fields; what is longer is cut, and the recording says how many were.
 *
 * Cost: while nobody watches, a call is one load and one branch. While uimon does, it reads the
 * counter once and copies what it is given into a ring of fixed size, without a lock and without
 * memory of the heap. If more comes than is taken out, the oldest are lost, and the recording says
 * how many. Thread: any, at any time.
 *
 * An interval that begins and ends on one thread, and that lies wholly within those around it, is
 * on that thread's stack, as calls are; so are instants. The flows that an interval begins with
 * count from its begin, those that it ends with from its end.
 *
 * The file defines one variable, uimon_table_1, which is exported from the program or DLL. (With
 * GCC for Windows a DLL that exports something explicitly no longer exports everything else by
 * itself: give such a DLL -Wl,--export-all-symbols, or mark what it exports.) On other systems than
 * Windows it defines none, and all calls do nothing.
 *
 * Other languages call the same functions in uimon-markers64.dll or uimon-markers32.dll.
 */
#ifndef UIMON_H
#define UIMON_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define UIMON_INLINE static inline
#else
#define UIMON_INLINE static __inline
#endif

#ifdef _MSC_VER
#define UIMON_CALL __cdecl
#elif defined(_WIN32) && defined(__i386__)
#define UIMON_CALL __attribute__((cdecl))
#else
#define UIMON_CALL
#endif

enum uimon_kind {
    UIMON_TEXT = 0,
    UIMON_NUMBER = 1,
    UIMON_FLOW = 2,    /* the marker is part of the flow with that id */
    UIMON_FLOW_END = 3 /* the same, and the flow ends with it */
};

/* A field of a marker. It lies in memory alike in programs of 64 and of 32 bits but for the size of
 * pointers: 40 or 32 bytes. */
struct uimon_field {
    uint64_t id;      /* of a flow: unique in the program until the flow ends, as an address is */
    double number;    /* UIMON_NUMBER */
    const char *name; /* of the field */
    const char *text; /* UIMON_TEXT */
    uint32_t kind;    /* enum uimon_kind */
    uint32_t unused;  /* 0 */
};

/* What uimon puts into the program while it watches. Later versions add functions at its end. */
struct uimon_table {
    uint32_t version; /* 1 */
    uint32_t bytes;   /* of this struct */
    void(UIMON_CALL *marker)(const char *name, const char *category,
                             const struct uimon_field *fields, uint32_t count);
    uint64_t(UIMON_CALL *begin)(const char *name, const char *category,
                                const struct uimon_field *fields, uint32_t count);
    void(UIMON_CALL *end)(uint64_t interval, const struct uimon_field *fields, uint32_t count);
};

UIMON_INLINE struct uimon_field uimon_text(const char *name, const char *text)
{
    struct uimon_field field = {0, 0, 0, 0, UIMON_TEXT, 0};
    field.name = name;
    field.text = text;
    return field;
}

UIMON_INLINE struct uimon_field uimon_number(const char *name, double number)
{
    struct uimon_field field = {0, 0, 0, 0, UIMON_NUMBER, 0};
    field.name = name;
    field.number = number;
    return field;
}

UIMON_INLINE struct uimon_field uimon_flow(const char *name, uint64_t id)
{
    struct uimon_field field = {0, 0, 0, 0, UIMON_FLOW, 0};
    field.name = name;
    field.id = id;
    return field;
}

UIMON_INLINE struct uimon_field uimon_flow_end(const char *name, uint64_t id)
{
    struct uimon_field field = {0, 0, 0, 0, UIMON_FLOW_END, 0};
    field.name = name;
    field.id = id;
    return field;
}

#ifndef UIMON_TYPES_ONLY /* uimon itself has no markers */

/* NULL while nobody watches. The table stays callable after that. */
#ifdef _WIN32
__declspec(dllexport) __declspec(selectany) const struct uimon_table *volatile uimon_table_1 = 0;
#else
#define uimon_table_1 ((const struct uimon_table *)0)
#endif

/* Whether somebody watches, for fields that are dear to make. */
UIMON_INLINE int uimon_is_watched(void)
{
    return uimon_table_1 != 0;
}

/* A marker at this instant. `category` may be NULL, and so may `fields` if `count` is 0. */
UIMON_INLINE void uimon_marker(const char *name, const char *category,
                               const struct uimon_field *fields, uint32_t count)
{
    const struct uimon_table *table = uimon_table_1;
    if (table)
        table->marker(name, category, fields, count);
}

/* An interval begins. Returns its number for uimon_end; 0 if nobody watches. */
UIMON_INLINE uint64_t uimon_begin(const char *name, const char *category,
                                  const struct uimon_field *fields, uint32_t count)
{
    const struct uimon_table *table = uimon_table_1;
    return table ? table->begin(name, category, fields, count) : 0;
}

/* The interval ends, on whichever thread, and has these fields, too. */
UIMON_INLINE void uimon_end(uint64_t interval, const struct uimon_field *fields, uint32_t count)
{
    const struct uimon_table *table = uimon_table_1;
    if (table)
        table->end(interval, fields, count);
}

#endif

#ifdef __cplusplus
}
#endif

#endif
