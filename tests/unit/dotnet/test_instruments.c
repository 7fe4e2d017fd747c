/* Counters of meters, from events as their source says them (MetricsEventSource.cs of
 * dotnet/runtime); no runtime has told them yet. */
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/dotnet/instruments.h"
#include "tests/unit/dotnet/played_runtime.h"

#define SERIES "s:sessionId s:meterName s:meterVersion s:instrumentName s:unit s:tags "
#define RATE SERIES "s:rate s:value"
#define LEVEL SERIES "s:lastValue"
#define HISTOGRAM SERIES "s:quantiles i:count d:sum"
#define CLIENT "uimon-1"

static struct um_nettrace_counter counters[UM_INSTRUMENTS_COUNTERS];
static enum um_instruments_news news;

/* Makes counters of an event with these fields and values. */
static size_t take(const char *name, const char *fields, const char *values)
{
    static struct um_event_kind kind;
    struct played played = {.len = 0};
    kind = (struct um_event_kind){.provider = UM_INSTRUMENTS_PROVIDER, .whole = true};
    strcpy(kind.name, name);
    for (const char *at = fields; at; kind.count++) {
        const char *end = strchr(at, ' ');
        struct um_event_kind_field *field = &kind.fields[kind.count];
        memcpy(field->name, at + 2, end ? (size_t)(end - at) - 2 : strlen(at) - 2);
        field->type = at[0] == 's' ? 18 : at[0] == 'i' ? 9 : 14; /* as in System.TypeCode */
        at = end ? end + 1 : NULL;
    }
    played_values(&played, fields, values);
    const struct um_nettrace_event event = {
        .kind = &kind, .time_ns = 77, .payload = played.bytes, .len_bytes = played.len};
    return um_instruments_take(&event, CLIENT, 0.5, counters, &news);
}

static void expect(size_t place, const char *name, bool is_increment, double value)
{
    const struct um_nettrace_counter *counter = &counters[place];
    cr_expect_str_eq(counter->name, name);
    cr_expect_str_eq(counter->provider, "My.Meter");
    cr_expect_eq(counter->is_increment, is_increment);
    cr_expect_eq(counter->value, value, "%g", counter->value);
    cr_expect(counter->measured && counter->time_ns == 77 && counter->interval_s == 0.5);
    cr_expect_eq(counter->series_ms, 0);
}

Test(instruments, a_counter_is_what_was_added)
{
    cr_assert_eq(
        take("CounterRateValuePublished", RATE, "SHARED|My.Meter|1.0|requests|{request}||12|512"),
        1);
    expect(0, "requests", true, 12);
    cr_expect_str_eq(counters[0].unit, "{request}");
    cr_assert_eq(take("CounterRateValuePublished", RATE,
                      "SHARED|My.Meter||requests||method=GET,code=200|1.5E-05|1"),
                 1);
    expect(0, "requests[method=GET;code=200]", true, 1.5e-05);
    cr_expect_eq(take("CounterRateValuePublished", RATE, "SHARED|My.Meter||requests||||5"), 0,
                 "in its first interval it has none");
    cr_expect_eq(news, UM_INSTRUMENTS_NOTHING);
}

Test(instruments, what_goes_up_and_down_and_what_is_observed_are_levels)
{
    cr_assert_eq(take("UpDownCounterRateValuePublished", RATE, "SHARED|My.Meter||items|||-2|40"),
                 1);
    expect(0, "items", false, 40);
    cr_assert_eq(
        take("UpDownCounterRateValuePublished", SERIES "s:rate", "SHARED|My.Meter||items|||-2"), 1);
    expect(0, "items", true, -2);
    cr_assert_eq(take("GaugeValuePublished", LEVEL, "SHARED|My.Meter||heat|Cel||21.25"), 1);
    expect(0, "heat", false, 21.25);
    cr_expect_eq(take("GaugeValuePublished", LEVEL, "SHARED|My.Meter||heat|Cel||"), 0);
    cr_expect_eq(take("GaugeValuePublished", LEVEL, "SHARED|My.Meter||heat|Cel||NaN"), 0);
    cr_expect_eq(take("GaugeValuePublished", LEVEL, "SHARED|My.Meter||heat|Cel||1 2"), 0);
}

/* The last fields came with .NET 8. */
Test(instruments, a_histogram_is_its_quantiles_and_how_many_values_it_has)
{
    cr_assert_eq(take("HistogramValuePublished", HISTOGRAM,
                      "SHARED|My.Meter||time|s|a=b|0.5=0.25;0.95=1.5;0.99=2|120|40.5"),
                 4);
    expect(0, "time.p50[a=b]", false, 0.25);
    expect(1, "time.p95[a=b]", false, 1.5);
    expect(2, "time.p99[a=b]", false, 2);
    expect(3, "time.count[a=b]", true, 120);
    cr_assert_eq(take("HistogramValuePublished", SERIES "s:quantiles",
                      "SHARED|My.Meter||time|s||0,5=0,25;0,95=1,5;0,99=2"),
                 3);
    expect(1, "time.p95", false, 1.5);
    cr_assert_eq(take("HistogramValuePublished", HISTOGRAM, "SHARED|My.Meter||time|s|||0|0"), 1);
    expect(0, "time.count", true, 0);
}

Test(instruments, quantiles_that_are_none_are_left_out)
{
    static const char *const texts[] = {"0.5", "0.5=", "=1",   "0.5=x",  "2=1",
                                        "0=1", ";;",   "-1=1", "0.5=inf"};
    char values[128];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        snprintf(values, sizeof values, "SHARED|My.Meter||time|s||%s", texts[i]);
        cr_expect_eq(take("HistogramValuePublished", SERIES "s:quantiles", values), 0, "%s",
                     texts[i]);
    }
    cr_expect_eq(take("HistogramValuePublished", SERIES "s:quantiles",
                      "SHARED|My.Meter||time|s||0.1=1;0.2=2;0.3=3;0.4=4;0.5=5"),
                 UM_INSTRUMENTS_COUNTERS - 1);
}

Test(instruments, values_of_another_session_are_not_taken)
{
    cr_expect_eq(take("GaugeValuePublished", LEVEL, "other|My.Meter||heat|Cel||21"), 0);
    cr_expect_eq(take("GaugeValuePublished", "s:meterName", "My.Meter"), 0);
    cr_expect_eq(take("TimeSeriesLimitReached", "s:sessionId", "other"), 0);
    cr_expect_eq(news, UM_INSTRUMENTS_NOTHING);
    cr_expect_eq(take("BeginInstrumentReporting", "s:sessionId s:meterName", "SHARED|My.Meter"), 0);
}

/* Two series must not become one because their names are cut. */
Test(instruments, a_series_whose_name_is_too_long_is_left_out_and_told)
{
    char tags[200], values[400];
    memset(tags, 'x', sizeof tags - 1);
    for (size_t len = 110; len < sizeof tags; len += 33) {
        tags[len] = '\0';
        snprintf(values, sizeof values, "SHARED|My.Meter||a-name-of-some-length|Cel|%s|21", tags);
        cr_expect_eq(take("GaugeValuePublished", LEVEL, values), 0, "%zu", len);
        cr_expect_eq(news, UM_INSTRUMENTS_LIMIT, "%zu", len);
        tags[len] = 'x';
    }
    snprintf(values, sizeof values, "SHARED|My.Meter||heat|Cel||21");
    cr_expect_eq(take("GaugeValuePublished", LEVEL, values), 1);
}

Test(instruments, what_is_wrong_is_told)
{
    static const struct {
        const char *name, *fields, *values;
        enum um_instruments_news news;
    } rows[] = {
        {"TimeSeriesLimitReached", "s:sessionId", "SHARED", UM_INSTRUMENTS_LIMIT},
        {"HistogramLimitReached", "s:sessionId", "SHARED", UM_INSTRUMENTS_LIMIT},
        {"Error", "s:sessionId s:errorMessage", "SHARED|what", UM_INSTRUMENTS_FAILED},
        {"ObservableInstrumentCallbackError", "s:sessionId s:errorMessage", "SHARED|what",
         UM_INSTRUMENTS_FAILED},
        {"MultipleSessionsNotSupportedError", "s:runningSessionId", "another",
         UM_INSTRUMENTS_OTHERS},
        {"MultipleSessionsNotSupportedError", "s:runningSessionId", "SHARED",
         UM_INSTRUMENTS_NOTHING},
        {"MultipleSessionsConfiguredIncorrectlyError", "s:clientId s:expectedMaxHistograms",
         CLIENT "|20", UM_INSTRUMENTS_OTHERS},
        {"MultipleSessionsConfiguredIncorrectlyError", "s:clientId s:expectedMaxHistograms",
         "another|20", UM_INSTRUMENTS_NOTHING},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_expect_eq(take(rows[i].name, rows[i].fields, rows[i].values), 0);
        cr_expect_eq(news, rows[i].news, "%s", rows[i].name);
    }
}

Test(instruments, are_asked_for_by_the_names_of_the_providers)
{
    static const struct um_eventpipe_provider providers[] = {
        {.name = "System.Runtime"}, {.name = "bad;name"}, {.name = "My.Meter"}, {.name = "a=b"}};
    char text[UM_INSTRUMENTS_ARGUMENTS_BYTES];
    cr_assert_eq(um_instruments_arguments(providers, 4, 0.5, CLIENT, text, sizeof text), UM_OK);
    cr_expect_str_eq(text, "SessionId=SHARED;ClientId=uimon-1;RefreshInterval=0.5;"
                           "MaxTimeSeries=1000;MaxHistograms=20;Metrics=System.Runtime,My.Meter");
    for (size_t cap = 1; cap <= strlen(text); cap++) {
        char cut[UM_INSTRUMENTS_ARGUMENTS_BYTES];
        cr_expect_eq(um_instruments_arguments(providers, 4, 0.5, CLIENT, cut, cap),
                     UM_ERR_TOO_LARGE);
    }
}
