#include "tests/runner/runner.h"

#include <stdarg.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

#include <criterion/criterion.h>

#define LIMIT_S 300.0
#define TEST_FAILED 1
#define MAX_NAME 256

const struct criterion_test *criterion_current_test;
const struct criterion_suite *criterion_current_suite;

static struct criterion_test *tests; /* and descriptions of suites; by file and line */
static bool failed;

static bool is_before(const struct criterion_test *a, const struct criterion_test *b)
{
    int order = strcmp(a->file, b->file);
    return order < 0 || (order == 0 && a->data->line < b->data->line);
}

void runner_add(struct criterion_test *test)
{
    struct criterion_test **place = &tests;
    while (*place && is_before(*place, test))
        place = &(*place)->next;
    test->next = *place;
    *place = test;
}

void runner_failed(bool fatal, const char *file, int line, const char *check, const char *format,
                   ...)
{
    va_list args;

    failed = true;
    printf("%s:%d: assertion failed: %s\n", file, line, check);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("%s", *format ? "\n" : "");
    fflush(stdout);
    if (fatal)
        _exit(TEST_FAILED);
}

static const struct criterion_test_extra_data *suite_of(const struct criterion_test *test)
{
    for (const struct criterion_test *suite = tests; suite; suite = suite->next)
        if (!suite->test && strcmp(suite->category, test->category) == 0)
            return suite->data;
    return NULL;
}

static const char *name_of(const struct criterion_test *test)
{
    static char name[MAX_NAME];
    snprintf(name, sizeof name, "%s/%s", test->category, test->name);
    return name;
}

/* In the process of the test. */
static int run_here(const char *name)
{
    for (const struct criterion_test *test = tests; test; test = test->next) {
        const struct criterion_test_extra_data *data = suite_of(test);
        const struct criterion_suite suite = {test->category, data};
        if (!test->test || strcmp(name_of(test), name) != 0)
            continue;
        criterion_current_test = test;
        criterion_current_suite = &suite;
        if (data && data->init)
            data->init();
        if (test->data->init)
            test->data->init();
        test->test();
        if (test->data->fini)
            test->data->fini();
        if (data && data->fini)
            data->fini();
        return failed ? TEST_FAILED : EXIT_SUCCESS;
    }
    return 2;
}

static HANDLE make_job(void)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags =
                                                       JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
    HANDLE job = CreateJobObjectW(NULL, NULL);

    if (job)
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

static double limit_s(const struct criterion_test *test)
{
    const struct criterion_test_extra_data *suite = suite_of(test);
    if (test->data->timeout > 0)
        return test->data->timeout;
    return suite && suite->timeout > 0 ? suite->timeout : LIMIT_S;
}

/* Starts this program again for the one test. It has a console of its own without a window, so that
 * what interrupts a program of the test is for that one. */
static bool run_apart(const struct criterion_test *test, DWORD *code)
{
    wchar_t path[MAX_PATH];
    wchar_t line[MAX_PATH + MAX_NAME + 16];
    STARTUPINFOW how = {.cb = sizeof how,
                        .dwFlags = STARTF_USESTDHANDLES,
                        .hStdInput = GetStdHandle(STD_INPUT_HANDLE),
                        .hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE),
                        .hStdError = GetStdHandle(STD_ERROR_HANDLE)};
    PROCESS_INFORMATION process;
    HANDLE job = make_job();

    GetModuleFileNameW(NULL, path, MAX_PATH);
    swprintf(line, sizeof line / sizeof line[0], L"\"%ls\" --run %hs", path, name_of(test));
    if (!job || !CreateProcessW(path, line, NULL, NULL, TRUE, CREATE_SUSPENDED | CREATE_NO_WINDOW,
                                NULL, NULL, &how, &process)) {
        printf("cannot start %ls: error %lu\n", line, GetLastError());
        return false;
    }
    AssignProcessToJobObject(job, process.hProcess);
    ResumeThread(process.hThread);
    bool ended = WaitForSingleObject(process.hProcess, (DWORD)(limit_s(test) * 1000)) == 0;
    if (!ended)
        printf("it did not end within %.0f s\n", limit_s(test));
    TerminateJobObject(job, TEST_FAILED);
    bool known = ended && GetExitCodeProcess(process.hProcess, code);
    CloseHandle(process.hThread);
    CloseHandle(process.hProcess);
    CloseHandle(job);
    return known;
}

static const char *left_out(const struct criterion_test *test)
{
    bool wine = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;

    for (const struct runner_left_out *out = runner_left_out; out->test; out++)
        if (strncmp(name_of(test), out->test, strlen(out->test)) == 0 && (wine || !out->wine_only))
            return out->why;
    return NULL;
}

static void list(void)
{
    for (const struct criterion_test *test = tests; test; test = test->next)
        if (test->test)
            printf("%s%s%s\n", name_of(test), left_out(test) ? "  left out: " : "",
                   left_out(test) ? left_out(test) : "");
}

static int run_all(const char *word)
{
    unsigned passing = 0, failing = 0, crashing = 0, out = 0;

    for (const struct criterion_test *test = tests; test; test = test->next) {
        DWORD code = TEST_FAILED;
        if (!test->test || !strstr(name_of(test), word))
            continue;
        if (left_out(test)) {
            out++;
            continue;
        }
        ULONGLONG begin = GetTickCount64();
        bool known = run_apart(test, &code);
        bool good = known && code == EXIT_SUCCESS;
        bool crashed = known && code > 2;
        passing += good;
        crashing += crashed;
        failing += !good && !crashed;
        printf("[%s] %s::%s: (%.2fs)", good ? "PASS" : "FAIL", test->category, test->name,
               (double)(GetTickCount64() - begin) / 1000);
        printf(crashed ? " crashed with 0x%lx\n" : "\n", code);
        fflush(stdout);
    }
    printf("[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: %u\n",
           passing + failing + crashing, passing, failing, crashing);
    if (out)
        printf("%u left out: --list says why\n", out);
    printf("%u passed, %u failed\n", passing, failing + crashing);
    return passing > 0 && failing + crashing == 0 ? EXIT_SUCCESS : TEST_FAILED;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--run") == 0)
        return run_here(argv[2]);
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list();
        return EXIT_SUCCESS;
    }
    return run_all(argc > 1 ? argv[1] : "");
}
