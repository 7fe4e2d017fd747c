/* Whether what was written is as in a golden file. Header-only, for the native tests.
 *
 * UIMON_GOLDEN=write writes the golden files anew; read them before committing.
 */
#ifndef UM_TESTS_WRITTEN_GOLDEN_H
#define UM_TESTS_WRITTEN_GOLDEN_H

#include "tests/written.h"

#define WRITTEN_GOLDEN UM_SOURCE_DIR "/tests/golden/"

/* A file of tests/golden. Owner: static, as written_read's. */
static inline char *written_golden(const char *name, size_t *len)
{
    char path[512];
    snprintf(path, sizeof path, WRITTEN_GOLDEN "%s", name);
    return written_file(path, len);
}

static inline void written_check(const char *name, const char *made, size_t len)
{
    const char *mode = getenv("UIMON_GOLDEN");
    size_t golden_len;
    if (mode && strcmp(mode, "write") == 0) {
        char path[512];
        snprintf(path, sizeof path, WRITTEN_GOLDEN "%s", name);
        FILE *file = fopen(path, "wb");
        cr_assert(file && fwrite(made, 1, len, file) == len && fclose(file) == 0, "%s", path);
    }
    const char *golden = written_golden(name, &golden_len);
    cr_expect(len == golden_len && memcmp(made, golden, len) == 0, "%s differs: %s\nand not\n%s",
              name, made, golden);
}

#endif
