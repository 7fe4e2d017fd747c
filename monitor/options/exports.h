/* What `uimon export --format` can write: a row for each, FIRST for the default and NEXT for the
 * others. Row k is value k of `format` in struct um_options.
 *
 * To add one: a row here; um_export_WORD, declared in monitor/export/export.h, in a file of its
 * own there; a golden file in tests/unit/export/test_export.c; and a line in docs/recordings.md.
 */
#ifndef UM_MONITOR_OPTIONS_EXPORTS_H
#define UM_MONITOR_OPTIONS_EXPORTS_H

/* The word; whether the bytes are binary, as the ends of lines of others are the system's; and
 * whether there are stacks in it, markers, and counters. A format without these has latencies. */
#define UM_OPTIONS_EXPORTS(FIRST, NEXT)                                                            \
    FIRST(speedscope, false, true, false, false)                                                   \
    NEXT(folded, false, true, false, false)                                                        \
    NEXT(firefox, false, true, true, true)                                                         \
    NEXT(perfetto, true, true, true, true)                                                         \
    NEXT(chrome, false, false, true, true)                                                         \
    NEXT(csv, false, false, true, false)                                                           \
    NEXT(hlog, false, false, false, false)                                                         \
    NEXT(hgrm, false, false, false, false)

/* "speedscope|folded|...", as the table of options has it. */
#define UM_OPTIONS_EXPORT_FIRST_WORD(word, binary, stacks, markers, counters) #word
#define UM_OPTIONS_EXPORT_NEXT_WORD(word, binary, stacks, markers, counters) "|" #word
#define UM_OPTIONS_EXPORT_WORDS                                                                    \
    UM_OPTIONS_EXPORTS(UM_OPTIONS_EXPORT_FIRST_WORD, UM_OPTIONS_EXPORT_NEXT_WORD)

/* The latencies of a session, in the same way. Row k is value k of `latency` in struct um_options.
 * What follows the first: the kind of interaction, and from its arrival to which end. */
#define UM_OPTIONS_LATENCIES(FIRST, NEXT)                                                          \
    FIRST("beats")                                                                                 \
    NEXT("keys", KEY, TOTAL)                                                                       \
    NEXT("keys-handled", KEY, TO_HANDLED)                                                          \
    NEXT("clicks", CLICK, TOTAL)                                                                   \
    NEXT("clicks-handled", CLICK, TO_HANDLED)                                                      \
    NEXT("wheel", WHEEL, TOTAL)                                                                    \
    NEXT("wheel-handled", WHEEL, TO_HANDLED)

#define UM_OPTIONS_LATENCY_FIRST_WORD(word) word
#define UM_OPTIONS_LATENCY_NEXT_WORD(word, kind, part) "|" word
#define UM_OPTIONS_LATENCY_WORDS                                                                   \
    UM_OPTIONS_LATENCIES(UM_OPTIONS_LATENCY_FIRST_WORD, UM_OPTIONS_LATENCY_NEXT_WORD)

#endif
