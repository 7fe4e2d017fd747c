#include "tests/e2e/piped.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness_win32.h"

void start_piped(struct piped *piped, const char *first, const char *path, const char *const *args)
{
    static unsigned count;
    char name[64];
    HANDLE ends[2];

    count++;
    snprintf(name, sizeof name, "piped%u.out", count);
    snprintf(piped->program.out, PATH_BYTES, "%s", test_file(name));
    snprintf(name, sizeof name, "piped%u.err", count);
    snprintf(piped->program.err, PATH_BYTES, "%s", test_file(name));
    cr_assert(CreatePipe(&ends[0], &ends[1], NULL, 65536));
    SetHandleInformation(ends[0], HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    piped->input = (intptr_t)ends[1];
    write_piped(piped, first);
    cr_assert(harness_win32_start(&piped->program, path, args, ends[0]));
    CloseHandle(ends[0]);
}

void write_piped(const struct piped *piped, const char *text)
{
    DWORD written;
    cr_assert(WriteFile((HANDLE)piped->input, text, (DWORD)strlen(text), &written, NULL) &&
              written == strlen(text));
}

void close_piped(struct piped *piped)
{
    CloseHandle((HANDLE)piped->input);
}
