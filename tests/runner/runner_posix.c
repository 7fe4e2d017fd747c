#include "tests/runner/runner_backend.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <criterion/redirect.h>

#define JOBS_MAX 16

/* The address sanitizer's; NULL in a build without it. */
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);
__attribute__((weak)) void __lsan_do_leak_check(void);

/* The tests that run at the moment. */
static struct {
    pid_t child; /* 0: none */
    const struct criterion_test *test;
    double begin_s;
} running[JOBS_MAX];

static FILE *report;
static atomic_bool has_threads;
static jmp_buf tried;
static _Thread_local bool is_trying; /* this thread may jump */

unsigned runner_backend_jobs(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : processors > JOBS_MAX ? JOBS_MAX : (unsigned)processors;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static size_t allocated_bytes(void)
{
    return __lsan_do_leak_check ? __sanitizer_get_current_allocated_bytes() : 0;
}

/* Ends the process of a test. Its leak check reads all of the program's data, which takes longer
 * than most tests; so there is none where the test has freed as many bytes as it has allocated. */
static void end_child(size_t bytes_before, int code)
{
    fflush(NULL);
    if (bytes_before && allocated_bytes() == bytes_before)
        _exit(code);
    exit(code);
}

void runner_backend_start(const struct criterion_test *test, double limit_s)
{
    size_t place = 0;

    while (place + 1 < JOBS_MAX && running[place].child)
        place++;
    fflush(NULL);
    running[place].test = test;
    running[place].begin_s = now_s();
    running[place].child = fork();
    if (running[place].child < 0) {
        perror("fork");
        exit(2);
    }
    if (running[place].child > 0)
        return;
    report = fdopen(dup(STDOUT_FILENO), "w");
    alarm((unsigned)limit_s);
    size_t bytes = allocated_bytes();
    end_child(bytes, runner_run(test));
}

void runner_backend_wait(struct runner_outcome *outcome)
{
    int status;
    pid_t child = waitpid(-1, &status, 0);
    size_t place = 0;

    if (child < 0) {
        perror("waitpid");
        exit(2);
    }
    while (place < JOBS_MAX && running[place].child != child)
        place++;
    if (place == JOBS_MAX) { /* none of ours, which a test may leave to us */
        runner_backend_wait(outcome);
        return;
    }
    running[place].child = 0;
    *outcome = (struct runner_outcome){.test = running[place].test,
                                       .took_s = now_s() - running[place].begin_s,
                                       .passed = WIFEXITED(status) &&
                                                 WEXITSTATUS(status) == RUNNER_PASSED};
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(outcome->why_not, sizeof outcome->why_not, "did not end in time");
    else if (WIFSIGNALED(status))
        snprintf(outcome->why_not, sizeof outcome->why_not, "crashed: %s",
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) > RUNNER_FAILED)
        snprintf(outcome->why_not, sizeof outcome->why_not, "ended with code %d",
                 WEXITSTATUS(status));
}

void runner_backend_try(void (*body)(void))
{
    is_trying = true;
    if (setjmp(tried) == 0)
        body();
    is_trying = false;
}

void runner_backend_abort(int code)
{
    if (is_trying)
        longjmp(tried, 1);
    fflush(report);
    _exit(code);
}

FILE *runner_backend_report(void)
{
    return report;
}

const char *runner_backend_left_out(const char *name)
{
    (void)name;
    return NULL;
}

/* The linker puts this in the place of what our code calls. */
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*body)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*body)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*body)(void *),
                          void *arg)
{
    atomic_store(&has_threads, true);
    return __real_pthread_create(thread, how, body, arg);
}

bool runner_backend_has_threads(void)
{
    return atomic_load(&has_threads);
}

/* A stream goes to a file that has no name. Returns another handle on what the file holds. */
static FILE *redirect(FILE *stream)
{
    char path[] = "/tmp/uimon-stream-XXXXXX";
    int written = mkstemp(path);
    FILE *read = fopen(path, "rb");

    cr_assert(written >= 0 && read);
    unlink(path);
    fflush(stream);
    dup2(written, fileno(stream));
    close(written);
    return read;
}

static FILE *redirected;

void cr_redirect_stdout(void)
{
    fclose(redirect(stdout));
}

void cr_redirect_stderr(void)
{
    redirected = redirect(stderr);
}

FILE *cr_get_redirected_stderr(void)
{
    fflush(stderr);
    return redirected;
}

const char *runner_stderr_text(void)
{
    static char text[1 << 16];

    text[fread(text, 1, sizeof text - 1, cr_get_redirected_stderr())] = '\0';
    return text;
}
