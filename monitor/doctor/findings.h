/* What `uimon doctor` finds: a list of findings, printed as a table or as JSON. Not on the hot
 * path.
 */
#ifndef UM_MONITOR_FINDINGS_H
#define UM_MONITOR_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"

#define UM_FINDINGS_MAX 40

enum um_finding_verdict {
    UM_FINDING_OK = 0,
    UM_FINDING_OTHERWISE = 1, /* it works in another way, which the text names */
    UM_FINDING_FAILS = 2,     /* it does not work; the advice says what to do */
    UM_FINDING_UNKNOWN = 3    /* the text says why it is not known */
};

/* Owner: `id`, `about` and `group` are static texts. */
struct um_finding {
    const char *id;    /* for scripts: "zero-beats" */
    const char *group; /* a heading above this one; NULL: that of the one before */
    const char *about; /* "beats, movement by zero" */
    enum um_finding_verdict verdict;
    char text[320];   /* what was found */
    char advice[320]; /* what to do; empty: nothing */
    bool counted;     /* the next three are measured */
    uint64_t sent;
    uint64_t target;
    uint64_t control;
    uint64_t p50_ns; /* 0: not measured */
};

/* Zero it before the first use. */
struct um_findings {
    size_t count;
    struct um_finding list[UM_FINDINGS_MAX];
};

/* Adds a finding, whose texts the caller fills in. In a full list it takes the last one's place.
 * Owner: the list. */
struct um_finding *um_findings_add(struct um_findings *findings, const char *id, const char *about,
                                   enum um_finding_verdict verdict);

/* Whether the list has no UM_FINDING_FAILS. */
bool um_findings_good(const struct um_findings *findings);

/* What the findings are about. Texts may be empty. Owner: the caller's. */
struct um_findings_header {
    const char *machine;
    const char *system;
    uint32_t cpus;
    const char *target; /* "devenv.exe (pid 1234)"; NULL: no program was named */
};

/* Prints the table, in 80 columns.
 * Errors: UM_ERR_IO the stream has failed. */
enum um_status um_findings_print(FILE *out, const struct um_findings *findings,
                                 const struct um_findings_header *header);

/* Makes the JSON text, without a newline at its end. Owner: cJSON_free(*out).
 * Errors: UM_ERR_MEMORY. */
enum um_status um_findings_json(const struct um_findings *findings,
                                const struct um_findings_header *header, char **out);

#endif
