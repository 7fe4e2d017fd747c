/* Runs the Criterion tests under the sanitizers.
 *
 * Criterion's own runner does not start under the thread sanitizer (its arena for child processes
 * collides with the sanitizer's memory layout, Criterion issue 274). Under the address sanitizer it
 * spends more time on starting processes than on tests, because each test is a program that starts
 * anew. So this takes the place of its main() and of the functions that tests call. Each test runs
 * in a fork, one for each processor at a time; a data race, a wrong access or a leak fails it by
 * the sanitizer's exit code. Its closing line reads like Criterion's. `--filter TEXT` runs what has
 * TEXT in its name, `--without SUITE,SUITE` all but those suites. Not supported here: theories, and
 * files matched by standard output.
 */
#include <criterion/criterion.h>
#include <criterion/internal/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_TIMEOUT_S 120
#define JOBS_MAX 16

/* Criterion's macros put pointers to the tests and suites into these sections. */
extern struct criterion_test *__start_cr_tst[];
extern struct criterion_test *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak));
extern struct criterion_suite *__stop_cr_sts[] __attribute__((weak));

static int expectations_failed; /* in the child */

void criterion_internal_test_setup(void)
{
}

void criterion_internal_test_main(void (*body)(void))
{
    body();
}

void criterion_internal_test_teardown(void)
{
}

void criterion_send_assert(struct criterion_assert_stats *stats)
{
    if (!stats->passed) {
        expectations_failed++;
        fprintf(stderr, "%s:%u: %s\n", stats->file, stats->line, stats->message);
    }
}

void criterion_abort_test(void)
{
    exit(1);
}

void criterion_continue_test(void)
{
}

void criterion_skip_test(const char *message, ...)
{
    (void)message;
    exit(0);
}

static struct criterion_test_extra_data *suite_of(const struct criterion_test *test)
{
    for (struct criterion_suite **s = __start_cr_sts; s && s < __stop_cr_sts; s++)
        if (*s && strcmp((*s)->name, test->category) == 0)
            return (*s)->data;
    return NULL;
}

static void run_in_child(const struct criterion_test *test,
                         const struct criterion_test_extra_data *suite, void *param)
{
    double limit_s = test->data->timeout;

    alarm(limit_s >= 1 ? (unsigned)limit_s * 10 : DEFAULT_TIMEOUT_S);
    if (suite && suite->init)
        suite->init();
    if (test->data->init)
        test->data->init();
    if (param)
        ((void (*)(void *))test->test)(param);
    else
        test->test();
    if (test->data->fini)
        test->data->fini();
    if (suite && suite->fini)
        suite->fini();
    exit(expectations_failed ? 1 : 0);
}

/* The tests that run at the moment. */
static struct {
    pid_t child; /* 0: none */
    const struct criterion_test *test;
} running[JOBS_MAX];
static size_t jobs = 1;
static size_t passing;

/* The sanitizer turns a deadly signal into its exit code. */
static int has_passed(const struct criterion_test *test, int status)
{
    return test->data->signal ? WIFSIGNALED(status) || WEXITSTATUS(status) != 0
                              : WIFEXITED(status) && WEXITSTATUS(status) == test->data->exit_code;
}

/* Waits until one of the tests has ended. Returns its place, or JOBS_MAX if none runs. */
static size_t wait_for_one(void)
{
    int status = 0;
    pid_t child = waitpid(-1, &status, 0);

    for (size_t i = 0; child > 0 && i < jobs; i++) {
        if (running[i].child != child)
            continue;
        if (has_passed(running[i].test, status))
            passing++;
        else
            fprintf(stderr, "[FAIL] %s::%s\n", running[i].test->category, running[i].test->name);
        running[i].child = 0;
        return i;
    }
    return JOBS_MAX;
}

static void run(const struct criterion_test *test, void *param)
{
    size_t place = 0;

    while (place < jobs && running[place].child)
        place++;
    if (place == jobs)
        place = wait_for_one();
    fflush(NULL);
    pid_t child = place < JOBS_MAX ? fork() : -1;
    if (child == 0)
        run_in_child(test, suite_of(test), param);
    if (child < 0) {
        perror("fork");
        exit(2);
    }
    running[place].child = child;
    running[place].test = test;
}

/* Whether a test is of one of the suites in a list with commas. Tests are named SUITE/NAME. */
static int is_among(const char *test, const char *suites)
{
    size_t suite = strcspn(test, "/");

    for (; *suites; suites += strspn(suites, ",")) {
        size_t len = strcspn(suites, ",");
        if (len == suite && strncmp(suites, test, len) == 0)
            return 1;
        suites += len;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *filter = argc == 3 && strcmp(argv[1], "--filter") == 0 ? argv[2] : "";
    const char *without = argc == 3 && strcmp(argv[1], "--without") == 0 ? argv[2] : "";
    size_t tested = 0;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    jobs = processors < 1 ? 1 : processors > JOBS_MAX ? JOBS_MAX : (size_t)processors;
    for (struct criterion_test **t = __start_cr_tst; t < __stop_cr_tst; t++) {
        struct criterion_test_params params = {.length = 1};

        if (!*t || (*t)->data->disabled)
            continue;
        const struct criterion_test_extra_data *suite = suite_of(*t);
        if ((suite && suite->disabled) || !strstr((*t)->data->identifier_, filter) ||
            is_among((*t)->data->identifier_, without))
            continue;
        if ((*t)->data->kind_ == CR_TEST_PARAMETERIZED)
            params = (*t)->data->param_();
        for (size_t i = 0; i < params.length; i++) {
            char *param = params.params ? (char *)params.params + i * params.size : NULL;

            tested++;
            run(*t, param);
        }
    }
    while (wait_for_one() != JOBS_MAX)
        continue;
    printf("Tested: %zu | Passing: %zu | Failing: %zu | Crashing: 0\n", tested, passing,
           tested - passing);
    return tested != passing;
}
