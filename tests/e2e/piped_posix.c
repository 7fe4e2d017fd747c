#include "tests/e2e/piped.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <criterion/criterion.h>

static void become(const struct piped *piped, int input, const char **argv)
{
    const int flags = O_CREAT | O_TRUNC | O_WRONLY;

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing outlives its test */
    setpgid(0, 0);
    dup2(input, STDIN_FILENO);
    dup2(open(piped->program.out, flags, 0600), STDOUT_FILENO);
    dup2(open(piped->program.err, flags, 0600), STDERR_FILENO);
    execvp("wine", (char *const *)(uintptr_t)argv);
    _exit(127);
}

void start_piped(struct piped *piped, const char *first, const char *path, const char *const *args)
{
    static unsigned count;
    const char *argv[MAX_ARGS + 3] = {"wine", path};
    char name[64];
    int ends[2];

    for (size_t i = 0; args[i] && i < MAX_ARGS; i++)
        argv[i + 2] = args[i];
    count++;
    snprintf(name, sizeof name, "piped%u.out", count);
    snprintf(piped->program.out, PATH_BYTES, "%s", test_file(name));
    snprintf(name, sizeof name, "piped%u.err", count);
    snprintf(piped->program.err, PATH_BYTES, "%s", test_file(name));
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    piped->input = ends[1];
    write_piped(piped, first);
    piped->program.process = fork();
    if (piped->program.process == 0)
        become(piped, ends[0], argv);
    cr_assert_gt(piped->program.process, 0);
    close(ends[0]);
}

void write_piped(const struct piped *piped, const char *text)
{
    cr_assert_eq(write((int)piped->input, text, strlen(text)), (ssize_t)strlen(text));
}

void close_piped(struct piped *piped)
{
    close((int)piped->input);
}
