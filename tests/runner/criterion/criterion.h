/* The tests' own macros. Their names are Criterion's, which tests/runner takes the place of: its
 * runner starts neither on Windows nor under the thread sanitizer. A comparison that fails prints
 * both values. tests/runner/runner.h says how the tests are run.
 */
#ifndef UM_TESTS_RUNNER_CRITERION_H
#define UM_TESTS_RUNNER_CRITERION_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct criterion_test_extra_data {
    int line;
    void (*init)(void);
    void (*fini)(void);
    double timeout; /* s; 0: the runner's */
    bool threads;   /* it may start threads, so it is run under the thread sanitizer as well */
    bool measured;  /* its verdict depends on measured time, so it is run by hand */
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

#ifdef __MINGW32__
#define RUNNER_FORMAT(text, args) __attribute__((format(__MINGW_PRINTF_FORMAT, text, args)))
#elif defined __GNUC__
#define RUNNER_FORMAT(text, args) __attribute__((format(printf, text, args)))
#else
#define RUNNER_FORMAT(text, args)
#endif

/* A check failed. The test goes on. */
RUNNER_FORMAT(4, 5)
void runner_failed(const char *file, int line, const char *check, const char *format, ...);

/* Ends the test, which has failed. */
_Noreturn void runner_abort(void);

/* Ends the test, which shows nothing here. */
_Noreturn void runner_skip(const char *why);

/* One side of a comparison. */
struct runner_value {
    enum { RUNNER_SIGNED, RUNNER_UNSIGNED, RUNNER_REAL, RUNNER_POINTER } kind;
    long long i;          /* signed */
    unsigned long long u; /* unsigned, pointer */
    double real;
};

struct runner_value runner_signed(long long value);
struct runner_value runner_unsigned(unsigned long long value);
struct runner_value runner_real(double value);
struct runner_value runner_pointer(const volatile void *value);

/* Whether `a op b`, where op is one of == != < <= > >=. If not, both are told to what
 * runner_failed writes. */
bool runner_holds(struct runner_value a, const char *op, struct runner_value b);
bool runner_texts_hold(const char *a, const char *op, const char *b);
bool runner_bytes_hold(const void *a, const void *b, size_t len);
bool runner_is_near(double a, double b, double off);

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

#define RUNNER_GO_ON() ((void)0)

/* `end` is what follows a failure. */
#define RUNNER_CHECK(end, good, text, ...)                                                         \
    do {                                                                                           \
        if (!(good)) {                                                                             \
            runner_failed(__FILE__, __LINE__, text, "" __VA_ARGS__);                               \
            end();                                                                                 \
        }                                                                                          \
    } while (0)

#define cr_assert_fail(...) (runner_failed(__FILE__, __LINE__, "", "" __VA_ARGS__), runner_abort())
#define cr_skip_test(why) runner_skip(why)
#define cr_log_info(...) (printf("" __VA_ARGS__), (void)putchar('\n'))
#define cr_log_warn(...) cr_log_info(__VA_ARGS__)

#define cr_assert(good, ...) RUNNER_CHECK(runner_abort, good, #good, __VA_ARGS__)
#define cr_expect(good, ...) RUNNER_CHECK(RUNNER_GO_ON, good, #good, __VA_ARGS__)
#define cr_assert_not(good, ...) RUNNER_CHECK(runner_abort, !(good), "!" #good, __VA_ARGS__)
#define cr_expect_not(good, ...) RUNNER_CHECK(RUNNER_GO_ON, !(good), "!" #good, __VA_ARGS__)

#define RUNNER_VALUE(value)                                                                        \
    _Generic((value), _Bool                                                                        \
             : runner_unsigned, char                                                               \
             : runner_signed, signed char                                                          \
             : runner_signed, short                                                                \
             : runner_signed, int                                                                  \
             : runner_signed, long                                                                 \
             : runner_signed, long long                                                            \
             : runner_signed, unsigned char                                                        \
             : runner_unsigned, unsigned short                                                     \
             : runner_unsigned, unsigned                                                           \
             : runner_unsigned, unsigned long                                                      \
             : runner_unsigned, unsigned long long                                                 \
             : runner_unsigned, float                                                              \
             : runner_real, double                                                                 \
             : runner_real, default                                                                \
             : runner_pointer)(value)

#define RUNNER_COMPARE(end, a, op, b, ...)                                                         \
    RUNNER_CHECK(end, runner_holds(RUNNER_VALUE(a), #op, RUNNER_VALUE(b)), #a " " #op " " #b,      \
                 __VA_ARGS__)
#define cr_assert_eq(a, b, ...) RUNNER_COMPARE(runner_abort, a, ==, b, __VA_ARGS__)
#define cr_expect_eq(a, b, ...) RUNNER_COMPARE(RUNNER_GO_ON, a, ==, b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) RUNNER_COMPARE(runner_abort, a, !=, b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) RUNNER_COMPARE(RUNNER_GO_ON, a, !=, b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...) RUNNER_COMPARE(runner_abort, a, <, b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...) RUNNER_COMPARE(RUNNER_GO_ON, a, <, b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) RUNNER_COMPARE(runner_abort, a, <=, b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) RUNNER_COMPARE(RUNNER_GO_ON, a, <=, b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...) RUNNER_COMPARE(runner_abort, a, >, b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...) RUNNER_COMPARE(RUNNER_GO_ON, a, >, b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) RUNNER_COMPARE(runner_abort, a, >=, b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...) RUNNER_COMPARE(RUNNER_GO_ON, a, >=, b, __VA_ARGS__)

#define cr_assert_null(a, ...) RUNNER_CHECK(runner_abort, !(a), "!" #a, __VA_ARGS__)
#define cr_expect_null(a, ...) RUNNER_CHECK(RUNNER_GO_ON, !(a), "!" #a, __VA_ARGS__)
#define cr_assert_not_null(a, ...) RUNNER_CHECK(runner_abort, a, #a, __VA_ARGS__)
#define cr_expect_not_null(a, ...) RUNNER_CHECK(RUNNER_GO_ON, a, #a, __VA_ARGS__)

#define RUNNER_TEXTS(end, a, op, b, ...)                                                           \
    RUNNER_CHECK(end, runner_texts_hold(a, #op, b), #a " " #op " " #b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) RUNNER_TEXTS(runner_abort, a, ==, b, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) RUNNER_TEXTS(RUNNER_GO_ON, a, ==, b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) RUNNER_TEXTS(runner_abort, a, !=, b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) RUNNER_TEXTS(RUNNER_GO_ON, a, !=, b, __VA_ARGS__)
#define cr_assert_str_empty(a, ...) RUNNER_TEXTS(runner_abort, a, ==, "", __VA_ARGS__)
#define cr_expect_str_empty(a, ...) RUNNER_TEXTS(RUNNER_GO_ON, a, ==, "", __VA_ARGS__)

#define RUNNER_BYTES(end, a, b, len, ...)                                                          \
    RUNNER_CHECK(end, runner_bytes_hold(a, b, len), #a " == " #b, __VA_ARGS__)
#define cr_assert_arr_eq(a, b, len, ...) RUNNER_BYTES(runner_abort, a, b, len, __VA_ARGS__)
#define cr_expect_arr_eq(a, b, len, ...) RUNNER_BYTES(RUNNER_GO_ON, a, b, len, __VA_ARGS__)

#define RUNNER_NEAR(end, a, b, off, ...)                                                           \
    RUNNER_CHECK(end, runner_is_near((double)(a), (double)(b), (double)(off)), #a " is near " #b,  \
                 __VA_ARGS__)
#define cr_assert_float_eq(a, b, off, ...) RUNNER_NEAR(runner_abort, a, b, off, __VA_ARGS__)
#define cr_expect_float_eq(a, b, off, ...) RUNNER_NEAR(RUNNER_GO_ON, a, b, off, __VA_ARGS__)

#endif
