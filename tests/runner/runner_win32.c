#include "tests/runner/runner_backend.h"

#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

#include "tests/runner/runner.h"

#define MAX_NAME 256

static struct runner_outcome ended;

unsigned runner_backend_jobs(void)
{
    return 1;
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

/* Starts this program again for the one test. It has a console of its own without a window, so that
 * what interrupts a program of the test is for that one. */
static bool run_apart(const struct criterion_test *test, double limit_s, DWORD *code)
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
    swprintf(line, sizeof line / sizeof line[0], L"\"%ls\" --run %hs", path, runner_name_of(test));
    if (!job || !CreateProcessW(path, line, NULL, NULL, TRUE, CREATE_SUSPENDED | CREATE_NO_WINDOW,
                                NULL, NULL, &how, &process)) {
        printf("cannot start %ls: error %lu\n", line, GetLastError());
        return false;
    }
    AssignProcessToJobObject(job, process.hProcess);
    ResumeThread(process.hThread);
    bool over = WaitForSingleObject(process.hProcess, (DWORD)(limit_s * 1000)) == 0;
    if (!over)
        printf("it did not end within %.0f s\n", limit_s);
    TerminateJobObject(job, RUNNER_FAILED);
    bool known = over && GetExitCodeProcess(process.hProcess, code);
    CloseHandle(process.hThread);
    CloseHandle(process.hProcess);
    CloseHandle(job);
    return known;
}

void runner_backend_start(const struct criterion_test *test, double limit_s)
{
    ULONGLONG begin = GetTickCount64();
    DWORD code = RUNNER_FAILED;
    bool known = run_apart(test, limit_s, &code);

    ended = (struct runner_outcome){.test = test, .passed = known && code == RUNNER_PASSED};
    ended.took_s = (double)(GetTickCount64() - begin) / 1000;
    if (known && code > RUNNER_FAILED)
        snprintf(ended.why_not, sizeof ended.why_not, "crashed with 0x%lx", code);
}

void runner_backend_wait(struct runner_outcome *outcome)
{
    *outcome = ended;
}

void runner_backend_try(void (*body)(void))
{
    body();
}

void runner_backend_abort(int code)
{
    fflush(stdout);
    _exit(code);
}

FILE *runner_backend_report(void)
{
    return stdout;
}

const char *runner_backend_left_out(const char *name)
{
    bool wine = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;

    for (const struct runner_left_out *out = runner_left_out; out->test; out++)
        if (strncmp(name, out->test, strlen(out->test)) == 0 && (wine || !out->wine_only))
            return out->why;
    return NULL;
}

bool runner_backend_has_threads(void)
{
    return false;
}
