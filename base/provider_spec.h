/* A provider of .NET's counters as the options have it: NAME, NAME:KEYWORDS or NAME:KEYWORDS:LEVEL,
 * several of them with commas between. Keywords are hexadecimal, as in .NET's own tools. Pure; a
 * reader starts at um_provider_spec_next.
 */
#ifndef UM_BASE_PROVIDER_SPEC_H
#define UM_BASE_PROVIDER_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#define UM_PROVIDER_SPEC_NAME_BYTES 128
#define UM_PROVIDER_SPEC_KEYWORDS UINT64_MAX /* all: where none are given, or 0 */
#define UM_PROVIDER_SPEC_LEVEL 5             /* verbose: where none is given */

struct um_provider_spec {
    char name[UM_PROVIDER_SPEC_NAME_BYTES]; /* letters, digits and marks of ASCII */
    uint64_t keywords;                      /* not 0 */
    uint32_t level;                         /* 0 to 5 */
};

/* Reads the provider at *text and moves *text to the one after its comma; to NULL after the last.
 * False, with `spec` and *text in any state, if there is none such. */
bool um_provider_spec_next(const char **text, struct um_provider_spec *spec);

/* Whether all of a text is providers. */
bool um_provider_spec_valid(const char *text);

#endif
