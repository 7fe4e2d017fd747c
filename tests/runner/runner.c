#include "tests/runner/runner.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "tests/runner/runner_backend.h"

#define LIMIT_S 300.0
#define MAX_NAME 256
#define MAX_TEXT 400 /* of a text that is told */

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SLOWER 10 /* than a plain build */
#else
#define SLOWER 1
#endif

const struct criterion_test *criterion_current_test;
const struct criterion_suite *criterion_current_suite;

static struct criterion_test *tests; /* and descriptions of suites; by file and line */
static bool failed;                  /* the test that runs here */
static char told[3 * MAX_TEXT];      /* both sides of the comparison that failed last */

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

/* Checks --------------------------------------------------------------------------------------- */

void runner_failed(const char *file, int line, const char *check, const char *format, ...)
{
    FILE *report = runner_backend_report();
    va_list args;

    failed = true;
    fprintf(report, "[----] %s:%d: assertion failed: %s%s\n", file, line, check, told);
    if (*format) {
        fputs("[----]   ", report);
        va_start(args, format);
        vfprintf(report, format, args);
        va_end(args);
        fputc('\n', report);
    }
    fflush(report);
    told[0] = 0;
}

void runner_abort(void)
{
    failed = true;
    runner_backend_abort(RUNNER_FAILED);
}

void runner_skip(const char *why)
{
    fprintf(runner_backend_report(), "[SKIP] %s: %s\n", runner_name_of(criterion_current_test),
            why);
    runner_backend_abort(RUNNER_PASSED);
}

struct runner_value runner_signed(long long value)
{
    return (struct runner_value){.kind = RUNNER_SIGNED, .i = value, .real = (double)value};
}

struct runner_value runner_unsigned(unsigned long long value)
{
    return (struct runner_value){.kind = RUNNER_UNSIGNED, .u = value, .real = (double)value};
}

struct runner_value runner_real(double value)
{
    return (struct runner_value){.kind = RUNNER_REAL, .real = value};
}

struct runner_value runner_pointer(const volatile void *value)
{
    return (struct runner_value){.kind = RUNNER_POINTER, .u = (uintptr_t)value};
}

/* -1, 0 or 1, and 2 of what has no order. A negative number is below each unsigned one. */
static int order_of(struct runner_value a, struct runner_value b)
{
    if (a.kind == RUNNER_REAL || b.kind == RUNNER_REAL)
        return a.real < b.real ? -1 : a.real > b.real ? 1 : a.real == b.real ? 0 : 2;
    bool a_below = a.kind == RUNNER_SIGNED && a.i < 0;
    bool b_below = b.kind == RUNNER_SIGNED && b.i < 0;
    if (a_below != b_below)
        return a_below ? -1 : 1;
    if (a_below)
        return (a.i > b.i) - (a.i < b.i);
    unsigned long long left = a.kind == RUNNER_SIGNED ? (unsigned long long)a.i : a.u;
    unsigned long long right = b.kind == RUNNER_SIGNED ? (unsigned long long)b.i : b.u;
    return (left > right) - (left < right);
}

static bool is_so(int order, const char *op)
{
    switch (op[0]) {
    case '=':
        return order == 0;
    case '!':
        return order != 0;
    case '<':
        return order == -1 || (op[1] && order == 0);
    default:
        return order == 1 || (op[1] && order == 0);
    }
}

static void put_value(char text[32], struct runner_value value)
{
    switch (value.kind) {
    case RUNNER_SIGNED:
        snprintf(text, 32, "%lld", value.i);
        break;
    case RUNNER_UNSIGNED:
        snprintf(text, 32, "%llu", value.u);
        break;
    case RUNNER_REAL:
        snprintf(text, 32, "%.12g", value.real);
        break;
    case RUNNER_POINTER:
        snprintf(text, 32, "0x%llx", value.u);
        break;
    }
}

bool runner_holds(struct runner_value a, const char *op, struct runner_value b)
{
    char left[32], right[32];

    if (is_so(order_of(a, b), op))
        return true;
    put_value(left, a);
    put_value(right, b);
    snprintf(told, sizeof told, ": %s and %s", left, right);
    return false;
}

bool runner_texts_hold(const char *a, const char *op, const char *b)
{
    size_t same = 0;

    if (a && b && is_so(strcmp(a, b) != 0, op))
        return true;
    while (a && b && a[same] && a[same] == b[same])
        same++;
    size_t from = same < MAX_TEXT / 2 ? 0 : same - MAX_TEXT / 2; /* what differs is told */
    snprintf(told, sizeof told, ": %s\"%.*s\" and \"%.*s\"", from ? "at its difference " : "",
             MAX_TEXT, a ? a + from : "(null)", MAX_TEXT, b ? b + from : "(null)");
    return false;
}

bool runner_bytes_hold(const void *a, const void *b, size_t len)
{
    const unsigned char *left = a, *right = b;

    for (size_t i = 0; i < len; i++) {
        if (left[i] == right[i])
            continue;
        snprintf(told, sizeof told, ": byte %zu of %zu is 0x%02x and 0x%02x", i, len, left[i],
                 right[i]);
        return false;
    }
    return true;
}

bool runner_is_near(double a, double b, double off)
{
    if (fabs(a - b) <= off)
        return true;
    snprintf(told, sizeof told, ": %.12g and %.12g, which may differ by %g", a, b, off);
    return false;
}

/* Running -------------------------------------------------------------------------------------- */

static const struct criterion_test_extra_data *suite_of(const struct criterion_test *test)
{
    for (const struct criterion_test *suite = tests; suite; suite = suite->next)
        if (!suite->test && strcmp(suite->category, test->category) == 0)
            return suite->data;
    return NULL;
}

const char *runner_name_of(const struct criterion_test *test)
{
    static char name[MAX_NAME];
    snprintf(name, sizeof name, "%s/%s", test->category, test->name);
    return name;
}

static bool may_have_threads(const struct criterion_test *test)
{
    const struct criterion_test_extra_data *suite = suite_of(test);
    return test->data->threads || (suite && suite->threads);
}

static void begin_and_test(void)
{
    const struct criterion_test_extra_data *suite = criterion_current_suite->data;

    if (suite && suite->init)
        suite->init();
    if (criterion_current_test->data->init)
        criterion_current_test->data->init();
    criterion_current_test->test();
}

static void end(void)
{
    const struct criterion_test_extra_data *suite = criterion_current_suite->data;

    if (criterion_current_test->data->fini)
        criterion_current_test->data->fini();
    if (suite && suite->fini)
        suite->fini();
}

int runner_run(const struct criterion_test *test)
{
    static struct criterion_suite suite;

    suite = (struct criterion_suite){test->category, suite_of(test)};
    criterion_current_test = test;
    criterion_current_suite = &suite;
    runner_backend_try(begin_and_test);
    runner_backend_try(end);
    if (runner_backend_has_threads() && !may_have_threads(test))
        runner_failed(test->file, test->data->line, "no thread",
                      "it starts a thread, so its suite needs `.threads = true`");
    return failed ? RUNNER_FAILED : RUNNER_PASSED;
}

static double limit_s(const struct criterion_test *test)
{
    const struct criterion_test_extra_data *suite = suite_of(test);
    double limit = test->data->timeout > 0       ? test->data->timeout
                   : suite && suite->timeout > 0 ? suite->timeout
                                                 : LIMIT_S;
    return limit * SLOWER;
}

/* What is asked for on the command line. */
static struct {
    const char *word;
    const char *suites;  /* NULL: all */
    const char *without; /* NULL: none */
    bool threads;
    bool measured, unmeasured;
    unsigned jobs;
} wanted = {.word = ""};

/* Whether a text is what a pattern says, in which a `*` stands for anything. */
static bool fits(const char *pattern, const char *text)
{
    for (; *pattern && *pattern != '*'; pattern++, text++)
        if (*pattern != *text)
            return false;
    if (!*pattern)
        return !*text;
    for (;; text++) {
        if (fits(pattern + 1, text))
            return true;
        if (!*text)
            return false;
    }
}

/* Whether a suite is in a list with commas. */
static bool is_among(const char *suite, const char *list)
{
    for (; *list; list += strspn(list, ",")) {
        size_t len = strcspn(list, ",");
        if (len == strlen(suite) && strncmp(suite, list, len) == 0)
            return true;
        list += len;
    }
    return false;
}

static bool is_wanted(const struct criterion_test *test)
{
    const char *name = runner_name_of(test);

    return test->test &&
           (strchr(wanted.word, '*') ? fits(wanted.word, name) : !!strstr(name, wanted.word)) &&
           (!wanted.suites || is_among(test->category, wanted.suites)) &&
           (!wanted.without || !is_among(test->category, wanted.without)) &&
           (!wanted.threads || may_have_threads(test)) &&
           !(test->data->measured ? wanted.unmeasured : wanted.measured);
}

static void list(void)
{
    for (const struct criterion_test *test = tests; test; test = test->next) {
        if (!is_wanted(test))
            continue;
        const char *why = runner_backend_left_out(runner_name_of(test));
        printf("%s%s%s\n", runner_name_of(test), why ? "  left out: " : "", why ? why : "");
    }
}

static unsigned passing, failing, crashing, out;

static void finish_one(void)
{
    struct runner_outcome ended;

    runner_backend_wait(&ended);
    bool crashed = !ended.passed && ended.why_not[0];
    passing += ended.passed;
    crashing += crashed;
    failing += !ended.passed && !crashed;
    printf("[%s] %s::%s: (%.2fs)%s%s\n", ended.passed ? "PASS" : "FAIL", ended.test->category,
           ended.test->name, ended.took_s, crashed ? " " : "", crashed ? ended.why_not : "");
    fflush(stdout);
}

static int run_all(void)
{
    unsigned jobs = wanted.jobs ? wanted.jobs : runner_backend_jobs();
    unsigned running = 0;

    for (const struct criterion_test *test = tests; test; test = test->next) {
        if (!is_wanted(test))
            continue;
        if (runner_backend_left_out(runner_name_of(test))) {
            out++;
            continue;
        }
        if (running == jobs) {
            finish_one();
            running--;
        }
        runner_backend_start(test, limit_s(test));
        running++;
    }
    for (; running > 0; running--)
        finish_one();
    printf("[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: %u\n",
           passing + failing + crashing, passing, failing, crashing);
    if (out)
        printf("%u left out: --list says why\n", out);
    printf("%u passed, %u failed\n", passing, failing + crashing);
    bool some = passing > 0 || wanted.threads; /* of few suites, a filter may leave none */
    return some && failing + crashing == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_here(const char *name)
{
    for (const struct criterion_test *test = tests; test; test = test->next)
        if (test->test && strcmp(runner_name_of(test), name) == 0)
            return runner_run(test);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    bool lists = false;

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--run") == 0)
            return run_here(value);
        if (strcmp(argv[i], "--list") == 0) {
            lists = true;
        } else if (strcmp(argv[i], "--threads") == 0) {
            wanted.threads = true;
        } else if (strcmp(argv[i], "--measured") == 0) {
            wanted.measured = true;
        } else if (strcmp(argv[i], "--unmeasured") == 0) {
            wanted.unmeasured = true;
        } else if (argv[i][0] != '-') {
            wanted.word = argv[i];
        } else {
            if (strcmp(argv[i], "--filter") == 0) {
                wanted.word = value;
            } else if (strcmp(argv[i], "--suites") == 0) {
                wanted.suites = value;
            } else if (strcmp(argv[i], "--without") == 0) {
                wanted.without = value;
            } else if (strcmp(argv[i], "--jobs") == 0) {
                wanted.jobs = (unsigned)strtoul(value, NULL, 10);
            } else {
                fprintf(stderr, "no option %s: see tests/runner/runner.h\n", argv[i]);
                return 2;
            }
            i++;
        }
    }
    if (!lists)
        return run_all();
    list();
    return EXIT_SUCCESS;
}
