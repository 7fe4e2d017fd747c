/* What was written to a stream or a file. Header-only, for tests. */
#ifndef UM_TESTS_WRITTEN_H
#define UM_TESTS_WRITTEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#define WRITTEN_KEPT 4 /* so many of the last texts stay */

/* A stream to write to. Owner: written_read. */
static inline FILE *written_open(void)
{
    FILE *file = tmpfile();
    cr_assert(file);
    return file;
}

/* All of it, with a NUL behind it; closes the stream. `len` may be NULL. Owner: static. */
static inline char *written_read(FILE *file, size_t *len)
{
    static char *texts[WRITTEN_KEPT];
    static size_t next;
    char **text = &texts[next++ % WRITTEN_KEPT];
    fseek(file, 0, SEEK_END);
    size_t bytes = (size_t)ftell(file);
    rewind(file);
    *text = realloc(*text, bytes + 1);
    cr_assert_not_null(*text);
    cr_assert_eq(fread(*text, 1, bytes, file), bytes);
    (*text)[bytes] = '\0';
    fclose(file);
    if (len)
        *len = bytes;
    return *text;
}

/* A whole file. Owner: static, as written_read's. */
static inline char *written_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    return written_read(file, len);
}

/* Makes a file that has this text. */
static inline void written_put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

#endif
