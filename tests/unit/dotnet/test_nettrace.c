/* A stream of .NET Core 3.1, captured under Wine with tests/win/nettrace_win32.c from
 * tests/dotnet/counters.cs, which has two providers; `./run test dotnet` captures another one. The
 * truth is what a listener inside the program was told: counters_nettrace.tsv. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/dotnet/nettrace.h"

#define MAX_COUNTERS 256
#define LINE_BYTES 512
#define STREAM UM_SOURCE_DIR "/tests/golden/counters.nettrace"
#define TRUTH UM_SOURCE_DIR "/tests/golden/counters_nettrace.tsv"

enum column {
    PROVIDER,
    NAME,
    DISPLAY,
    TYPE,
    MEAN,
    INCREMENT,
    COUNT,
    MIN,
    MAX,
    DEVIATION,
    INTERVAL,
    SERIES,
    UNIT,
    COLUMNS
};

static struct um_nettrace_counter counters[MAX_COUNTERS];
static size_t counter_count;
static uint8_t stream[65536];
static size_t stream_len;
static struct um_nettrace *nettrace;

static void take_counter(void *context, const struct um_nettrace_counter *counter)
{
    (void)context;
    if (counter_count < MAX_COUNTERS)
        counters[counter_count++] = *counter;
}

static void open_decoder(void)
{
    const struct um_nettrace_taker taker = {.counter = take_counter};
    counter_count = 0;
    cr_assert_eq(um_nettrace_open(&taker, &nettrace), UM_OK);
}

static void setup(void)
{
    FILE *file = fopen(STREAM, "rb");
    cr_assert(file != NULL);
    stream_len = fread(stream, 1, sizeof stream, file);
    fclose(file);
    open_decoder();
}

static void teardown(void)
{
    um_nettrace_close(nettrace);
}

TestSuite(nettrace, .init = setup, .fini = teardown);

static void reopen(void)
{
    um_nettrace_close(nettrace);
    open_decoder();
}

/* Hands a stream over in pieces of a size, up to the first error. */
static enum um_status decode(const uint8_t *bytes, size_t len, size_t piece)
{
    enum um_status status = UM_OK;
    for (size_t at = 0; at < len && status == UM_OK; at += piece)
        status = um_nettrace_bytes(nettrace, bytes + at, len - at < piece ? len - at : piece);
    return status;
}

/* Splits a line at its tabs. */
static void split(char *line, char **columns)
{
    line[strcspn(line, "\n")] = '\0';
    for (int i = 0; i < COLUMNS; i++) {
        cr_assert(line != NULL);
        columns[i] = line;
        line = strchr(line, '\t');
        if (line)
            *line++ = '\0';
    }
}

/* The first difference between a counter and a line of the truth; NULL: there is none. */
static const char *differs(const struct um_nettrace_counter *counter, char *const *truth)
{
    bool is_increment = strcmp(truth[TYPE], "Sum") == 0;
    char series[32];
    snprintf(series, sizeof series, "Interval=%u", counter->series_ms);
    if (strcmp(counter->provider, truth[PROVIDER]) != 0)
        return "provider";
    if (strcmp(counter->name, truth[NAME]) != 0)
        return "name";
    if (strcmp(counter->display, truth[DISPLAY]) != 0)
        return "display name";
    if (strcmp(counter->unit, truth[UNIT]) != 0)
        return "unit";
    if (strcmp(series, truth[SERIES]) != 0)
        return "series";
    if (!counter->measured || counter->is_increment != is_increment)
        return "type";
    if ((float)counter->interval_s != strtof(truth[INTERVAL], NULL))
        return "interval";
    if (is_increment)
        return counter->value == strtod(truth[INCREMENT], NULL) ? NULL : "increment";
    bool same = counter->value == strtod(truth[MEAN], NULL) &&
                counter->count == strtoul(truth[COUNT], NULL, 10) &&
                counter->min == strtod(truth[MIN], NULL) &&
                counter->max == strtod(truth[MAX], NULL) &&
                counter->deviation == strtod(truth[DEVIATION], NULL);
    return same ? NULL : "mean or spread";
}

/* From the first counter on that the stream has, it has all that the listener was told. */
Test(nettrace, counters_are_those_that_a_listener_in_the_program_was_told)
{
    char line[LINE_BYTES];
    char *truth[COLUMNS];
    size_t next = 0;
    cr_assert_eq(decode(stream, stream_len, stream_len), UM_OK);
    cr_expect_eq(decode((const uint8_t *)"after", 5, 5), UM_OK, "the end is left out");
    cr_assert_gt(counter_count, 60, "%zu", counter_count);

    FILE *file = fopen(TRUTH, "r");
    cr_assert(file != NULL);
    while (next < counter_count && fgets(line, sizeof line, file)) {
        split(line, truth);
        const char *what = differs(&counters[next], truth);
        cr_assert(!what || next == 0, "%s of %s, which is number %zu", what, truth[NAME], next);
        next += !what;
    }
    fclose(file);
    cr_expect_eq(next, counter_count, "%zu of %zu", next, counter_count);
}

Test(nettrace, times_lie_an_interval_apart)
{
    const struct um_nettrace_counter *last = NULL;
    size_t compared = 0;
    cr_assert_eq(decode(stream, stream_len, stream_len), UM_OK);
    for (size_t i = 0; i < counter_count; i++) {
        if (strcmp(counters[i].name, "frame-rate") != 0)
            continue;
        if (last) {
            double apart_s = (double)(counters[i].time_ns - last->time_ns) / 1e9;
            cr_expect_lt(fabs(apart_s - counters[i].interval_s), 0.05, "%.3f s", apart_s);
            compared++;
        }
        last = &counters[i];
    }
    cr_expect_geq(compared, 2);
}

Test(nettrace, pieces_of_any_length_give_the_same)
{
    static struct um_nettrace_counter whole[MAX_COUNTERS];
    cr_assert_eq(decode(stream, stream_len, stream_len), UM_OK);
    size_t count = counter_count;
    memcpy(whole, counters, sizeof whole);
    for (size_t piece = 1; piece < 300; piece = piece * 3 + 1) {
        reopen();
        cr_assert_eq(decode(stream, stream_len, piece), UM_OK);
        cr_assert_eq(counter_count, count);
        cr_expect_eq(memcmp(whole, counters, count * sizeof whole[0]), 0);
    }
}

Test(nettrace, stream_that_breaks_off_gives_what_had_come)
{
    for (size_t len = 0; len < stream_len; len += 37) {
        reopen();
        cr_assert_eq(decode(stream, len, len + 1), UM_OK);
    }
    cr_expect_gt(counter_count, 0);
}

/* Whatever a byte is changed to, what is told stays within bounds, and texts end. */
Test(nettrace, damaged_stream_is_told_or_survived, .timeout = 120)
{
    size_t told = 0;
    for (size_t at = 0; at < stream_len; at += 3) {
        uint8_t right = stream[at];
        stream[at] = (uint8_t)(right + 1 + at % 255);
        reopen();
        enum um_status status = decode(stream, stream_len, stream_len);
        told += status != UM_OK;
        cr_expect_eq(um_nettrace_bytes(nettrace, stream, 1), status);
        for (size_t i = 0; i < counter_count; i++) {
            cr_expect(memchr(counters[i].name, 0, sizeof counters[i].name) != NULL);
            cr_expect_lt(fabs(counters[i].value), INFINITY);
        }
        stream[at] = right;
    }
    cr_expect_gt(told, stream_len / 100, "%zu", told);
}

Test(nettrace, other_streams_are_refused)
{
    cr_expect_eq(decode((const uint8_t *)"Nettracer", 9, 9), UM_ERR_FORMAT);
    reopen();
    cr_expect_eq(decode((const uint8_t *)"DOTNET_IPC_V1", 14, 1), UM_ERR_FORMAT);
}

/* The place after a text in the stream. */
static uint8_t *after(const char *text)
{
    size_t len = strlen(text);
    for (size_t at = 0; at + len < stream_len; at++)
        if (memcmp(stream + at, text, len) == 0)
            return stream + at + len;
    cr_assert_fail("the stream has no %s", text);
    return NULL;
}

Test(nettrace, block_that_is_too_large_is_refused_before_it_has_come)
{
    uint8_t *length = after("MetadataBlock\x06");
    memcpy(length, "\x01\x00\x40\x00", 4);
    cr_expect_eq(decode(stream, (size_t)(length - stream) + 8, 64), UM_ERR_TOO_LARGE);
}

Test(nettrace, later_versions_are_refused)
{
    uint8_t *version = after("!FastSerialization.1\x05\x05\x01") + 4;
    cr_assert_eq(version[0], 4);
    version[0] = 5;
    cr_expect_eq(decode(stream, stream_len, stream_len), UM_ERR_VERSION);
}

Test(nettrace, events_that_are_not_compressed_are_refused)
{
    uint8_t *block = after("MetadataBlock\x06") + 4;
    while (block[0] != 20 || block[1] != 0) /* padding, and the header's length */
        block++;
    cr_assert_eq(block[2], 1);
    block[2] = 0;
    cr_expect_eq(decode(stream, stream_len, stream_len), UM_ERR_UNSUPPORTED);
}

/* The same stream, with another count of values: the program wrote none in that interval. */
Test(nettrace, mean_of_no_values_was_not_measured)
{
    uint8_t forty[12] = {40};
    double min = 1;
    size_t changed = 0;
    memcpy(forty + 4, &min, sizeof min);
    for (size_t at = 0; at + sizeof forty < stream_len; at++)
        if (memcmp(stream + at, forty, sizeof forty) == 0) {
            stream[at] = 0;
            changed++;
        }
    cr_assert_gt(changed, 0);
    cr_assert_eq(decode(stream, stream_len, stream_len), UM_OK);
    for (size_t i = 0; i < counter_count; i++) {
        bool of_none = strcmp(counters[i].name, "threadpool-queue-delay-ms") == 0;
        cr_expect_neq(counters[i].measured, of_none, "%s", counters[i].name);
        cr_expect(!of_none || (counters[i].value == 0 && counters[i].max == 0));
    }
}
