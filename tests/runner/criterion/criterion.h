/* What the tests use of Criterion, for Windows, where there is no Criterion: the same names, found
 * in its place. tests/runner/runner_win32.c runs each test in a process of its own.
 */
#ifndef UM_TESTS_RUNNER_CRITERION_H
#define UM_TESTS_RUNNER_CRITERION_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct criterion_test_extra_data {
    int line;
    void (*init)(void);
    void (*fini)(void);
    double timeout; /* s; 0: the runner's */
};

struct criterion_test {
    const char *name;
    const char *category;
    const char *file;
    void (*test)(void); /* NULL: this describes a suite */
    const struct criterion_test_extra_data *data;
    struct criterion_test *next;
};

struct criterion_suite {
    const char *name;
    const struct criterion_test_extra_data *data;
};

/* Of the test that runs; the suite's data is NULL if nothing describes it. */
extern const struct criterion_test *criterion_current_test;
extern const struct criterion_suite *criterion_current_suite;

/* Before main: adds a test or the description of a suite. */
void runner_add(struct criterion_test *test);

/* A check failed; one that is fatal ends the test. */
#ifdef __MINGW32__
__attribute__((format(__MINGW_PRINTF_FORMAT, 5, 6)))
#endif
void runner_failed(bool fatal, const char *file, int line, const char *check, const char *format,
                   ...);

/* A function that runs before main. */
#ifdef _MSC_VER
#pragma section(".CRT$XCU", read)
#define RUNNER_BEFORE_MAIN(name)                                                                   \
    static void name(void);                                                                        \
    __declspec(allocate(".CRT$XCU")) void (*name##_pointer)(void) = name;                          \
    static void name(void)
#else
#define RUNNER_BEFORE_MAIN(name)                                                                   \
    __attribute__((constructor)) static void name(void);                                           \
    static void name(void)
#endif

#define RUNNER_ADD(id, suite_name, test_name, body, ...)                                           \
    RUNNER_BEFORE_MAIN(id##_add)                                                                   \
    {                                                                                              \
        static const struct criterion_test_extra_data own_data = {.line = __LINE__, __VA_ARGS__};  \
        static struct criterion_test own_entry = {.name = test_name,                               \
                                                  .category = suite_name,                          \
                                                  .file = __FILE__,                                \
                                                  .test = body,                                    \
                                                  .data = &own_data};                              \
        runner_add(&own_entry);                                                                    \
    }

#define TestSuite(suite, ...)                                                                      \
    RUNNER_ADD(suite##_suite_, #suite, "", NULL, __VA_ARGS__)                                      \
    extern const char runner_takes_a_semicolon[]

#define Test(suite, test, ...)                                                                     \
    static void suite##_##test##_test_(void);                                                      \
    RUNNER_ADD(suite##_##test##_test_, #suite, #test, suite##_##test##_test_, __VA_ARGS__)         \
    static void suite##_##test##_test_(void)

#define RUNNER_CHECK(fatal, good, text, ...)                                                       \
    ((good) ? (void)0 : runner_failed(fatal, __FILE__, __LINE__, text, "" __VA_ARGS__))

#define cr_assert_fail(...) runner_failed(true, __FILE__, __LINE__, "", "" __VA_ARGS__)
#define cr_log_info(...) (printf("" __VA_ARGS__), (void)putchar('\n'))
#define cr_log_warn(...) cr_log_info(__VA_ARGS__)

#define cr_assert(good, ...) RUNNER_CHECK(true, good, #good, __VA_ARGS__)
#define cr_expect(good, ...) RUNNER_CHECK(false, good, #good, __VA_ARGS__)
#define cr_assert_not(good, ...) RUNNER_CHECK(true, !(good), "!" #good, __VA_ARGS__)
#define cr_expect_not(good, ...) RUNNER_CHECK(false, !(good), "!" #good, __VA_ARGS__)

#define RUNNER_COMPARE(fatal, a, op, b, ...)                                                       \
    RUNNER_CHECK(fatal, (a)op(b), #a " " #op " " #b, __VA_ARGS__)
#define cr_assert_eq(a, b, ...) RUNNER_COMPARE(true, a, ==, b, __VA_ARGS__)
#define cr_expect_eq(a, b, ...) RUNNER_COMPARE(false, a, ==, b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) RUNNER_COMPARE(true, a, !=, b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) RUNNER_COMPARE(false, a, !=, b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...) RUNNER_COMPARE(true, a, <, b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...) RUNNER_COMPARE(false, a, <, b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) RUNNER_COMPARE(true, a, <=, b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) RUNNER_COMPARE(false, a, <=, b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...) RUNNER_COMPARE(true, a, >, b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...) RUNNER_COMPARE(false, a, >, b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) RUNNER_COMPARE(true, a, >=, b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...) RUNNER_COMPARE(false, a, >=, b, __VA_ARGS__)

#define cr_assert_null(a, ...) RUNNER_COMPARE(true, a, ==, NULL, __VA_ARGS__)
#define cr_expect_null(a, ...) RUNNER_COMPARE(false, a, ==, NULL, __VA_ARGS__)
#define cr_assert_not_null(a, ...) RUNNER_COMPARE(true, a, !=, NULL, __VA_ARGS__)
#define cr_expect_not_null(a, ...) RUNNER_COMPARE(false, a, !=, NULL, __VA_ARGS__)

#define RUNNER_TEXTS(fatal, a, op, b, ...)                                                         \
    RUNNER_CHECK(fatal, strcmp(a, b) op 0, #a " " #op " " #b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) RUNNER_TEXTS(true, a, ==, b, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) RUNNER_TEXTS(false, a, ==, b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) RUNNER_TEXTS(true, a, !=, b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) RUNNER_TEXTS(false, a, !=, b, __VA_ARGS__)
#define cr_assert_str_empty(a, ...) RUNNER_CHECK(true, *(a) == 0, #a " is empty", __VA_ARGS__)
#define cr_expect_str_empty(a, ...) RUNNER_CHECK(false, *(a) == 0, #a " is empty", __VA_ARGS__)

#define RUNNER_BYTES(fatal, a, b, len, ...)                                                        \
    RUNNER_CHECK(fatal, memcmp(a, b, len) == 0, #a " == " #b, __VA_ARGS__)
#define cr_assert_arr_eq(a, b, len, ...) RUNNER_BYTES(true, a, b, len, __VA_ARGS__)
#define cr_expect_arr_eq(a, b, len, ...) RUNNER_BYTES(false, a, b, len, __VA_ARGS__)

#define RUNNER_NEAR(fatal, a, b, off, ...)                                                         \
    RUNNER_CHECK(fatal, fabs((double)(a) - (double)(b)) <= (double)(off), #a " == " #b, __VA_ARGS__)
#define cr_assert_float_eq(a, b, off, ...) RUNNER_NEAR(true, a, b, off, __VA_ARGS__)
#define cr_expect_float_eq(a, b, off, ...) RUNNER_NEAR(false, a, b, off, __VA_ARGS__)

#endif
