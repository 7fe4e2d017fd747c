#include "monitor/dotnet/instruments.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/text.h"

/* The session that all share who give this name, and the limits of .NET's own tools. */
#define SESSION "SHARED"
#define LIMITS "MaxTimeSeries=1000;MaxHistograms=20"

/* Arguments ------------------------------------------------------------------------------------ */

static bool can_be_listed(const char *name)
{
    return name[0] != '\0' && !strpbrk(name, ",;\"=\\");
}

enum um_status um_instruments_arguments(const struct um_eventpipe_provider *providers, size_t count,
                                        double interval_s, const char *client, char *text,
                                        size_t cap_bytes)
{
    const char *comma = "";
    int len = snprintf(text, cap_bytes,
                       "SessionId=" SESSION ";ClientId=%s;RefreshInterval=%.6g;" LIMITS ";Metrics=",
                       client, interval_s);
    for (size_t i = 0; i < count && len > 0 && (size_t)len < cap_bytes; i++) {
        if (!can_be_listed(providers[i].name))
            continue;
        len += snprintf(text + len, cap_bytes - (size_t)len, "%s%s", comma, providers[i].name);
        comma = ",";
    }
    return len > 0 && (size_t)len < cap_bytes ? UM_OK : UM_ERR_TOO_LARGE;
}

/* Fields --------------------------------------------------------------------------------------- */

/* An event's fields by their names; NULL: it has no such field. */
struct fields {
    const struct um_event_kind *kind;
    size_t count;
    struct um_event_kind_value values[UM_EVENT_KIND_FIELDS];
};

static const struct um_event_kind_value *field(const struct fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->count; i++)
        if (strcmp(fields->kind->fields[i].name, name) == 0)
            return &fields->values[i];
    return NULL;
}

static const char *text_of(const struct fields *fields, const char *name)
{
    const struct um_event_kind_value *value = field(fields, name);
    return value ? value->text : "";
}

/* A number as .NET writes it. False: there is none, or it is not finite. */
static bool read_number(const char *text, double *number)
{
    char *end = NULL;
    double read = strtod(text, &end);
    if (end == text || *end != '\0' || !(fabs(read) < INFINITY))
        return false;
    *number = read;
    return true;
}

/* Counters ------------------------------------------------------------------------------------- */

/* Writes "requests.p95[method=GET;code=200]". A comma would part names where people choose
 * counters. False: it is too long, so that several series might be called the same. */
static bool put_name(const struct fields *fields, const char *suffix, char *name, size_t cap_bytes)
{
    const struct um_event_kind_value *instrument = field(fields, "instrumentName");
    const struct um_event_kind_value *tags = field(fields, "tags");
    bool has_tags = tags && tags->text[0] != '\0';
    if (!instrument || instrument->text[0] == '\0' || instrument->cut || (has_tags && tags->cut))
        return false;
    int len = snprintf(name, cap_bytes, "%s%s%s%s%s", instrument->text, suffix, has_tags ? "[" : "",
                       has_tags ? tags->text : "", has_tags ? "]" : "");
    if (len < 0 || (size_t)len >= cap_bytes)
        return false;
    for (char *at = name; *at; at++)
        if (*at == ',')
            *at = ';';
    return true;
}

/* Makes a counter of a number. False: its name is too long. */
static bool make(const struct fields *fields, const char *suffix, bool is_increment, double number,
                 struct um_nettrace_counter *counter)
{
    if (!put_name(fields, suffix, counter->name, sizeof counter->name))
        return false;
    um_text_set(counter->provider, sizeof counter->provider, text_of(fields, "meterName"));
    um_text_set(counter->display, sizeof counter->display, counter->name);
    um_text_set(counter->unit, sizeof counter->unit, text_of(fields, "unit"));
    counter->is_increment = is_increment;
    counter->measured = true;
    counter->value = number;
    return counter->provider[0] != '\0';
}

/* Makes the counters of a histogram. Its quantiles are "0.5=12.5;0.95=30", of a system with another
 * decimal point "0,5=12,5;0,95=30". */
static size_t make_quantiles(const struct fields *fields, struct um_nettrace_counter *counters,
                             enum um_instruments_news *news)
{
    char text[UM_EVENT_KIND_TEXT_BYTES], suffix[32];
    const struct um_event_kind_value *quantiles = field(fields, "quantiles");
    const struct um_event_kind_value *samples = field(fields, "count");
    size_t count = 0;
    double quantile, number;

    um_text_set(text, sizeof text, quantiles && !quantiles->cut ? quantiles->text : "");
    for (char *at = text; *at; at++)
        if (*at == ',')
            *at = '.';
    for (char *at = text; *at && count < UM_INSTRUMENTS_COUNTERS - 1;) {
        char *next = at + strcspn(at, ";"), *equals = strchr(at, '=');
        bool more = *next != '\0';
        *next = '\0';
        if (!equals || equals > next)
            break;
        *equals = '\0';
        if (read_number(at, &quantile) && quantile > 0 && quantile < 1 &&
            read_number(equals + 1, &number)) {
            snprintf(suffix, sizeof suffix, ".p%.6g", quantile * 100);
            if (make(fields, suffix, false, number, &counters[count]))
                count++;
            else
                *news = UM_INSTRUMENTS_LIMIT;
        }
        at = more ? next + 1 : next;
    }
    if (samples && samples->number >= 0 && *news == UM_INSTRUMENTS_NOTHING &&
        make(fields, ".count", true, samples->number, &counters[count]))
        count++;
    return count;
}

/* Makes the counter of a field, if that has a number: in an interval in which nothing was told, it
 * is empty. */
static size_t make_one(const struct fields *fields, const char *name, bool is_increment,
                       struct um_nettrace_counter *counters, enum um_instruments_news *news)
{
    double number;
    if (!read_number(text_of(fields, name), &number))
        return 0;
    if (make(fields, "", is_increment, number, counters))
        return 1;
    *news = UM_INSTRUMENTS_LIMIT;
    return 0;
}

/* Events --------------------------------------------------------------------------------------- */

static size_t make_counters(const struct fields *fields, struct um_nettrace_counter *counters,
                            enum um_instruments_news *news)
{
    const char *name = fields->kind->name;
    if (strcmp(name, "CounterRateValuePublished") == 0)
        return make_one(fields, "rate", true, counters, news);
    if (strcmp(name, "GaugeValuePublished") == 0)
        return make_one(fields, "lastValue", false, counters, news);
    if (strcmp(name, "HistogramValuePublished") == 0)
        return make_quantiles(fields, counters, news);
    if (strcmp(name, "UpDownCounterRateValuePublished") != 0)
        return 0;
    /* .NET 7 has only what it has gone up or down by. */
    return field(fields, "value") ? make_one(fields, "value", false, counters, news)
                                  : make_one(fields, "rate", true, counters, news);
}

static enum um_instruments_news news_of(const struct fields *fields, const char *client,
                                        bool is_ours)
{
    const char *name = fields->kind->name;
    if (strcmp(name, "MultipleSessionsNotSupportedError") == 0)
        return strcmp(text_of(fields, "runningSessionId"), SESSION) == 0 ? UM_INSTRUMENTS_NOTHING
                                                                         : UM_INSTRUMENTS_OTHERS;
    if (strcmp(name, "MultipleSessionsConfiguredIncorrectlyError") == 0)
        return strcmp(text_of(fields, "clientId"), client) == 0 ? UM_INSTRUMENTS_OTHERS
                                                                : UM_INSTRUMENTS_NOTHING;
    if (!is_ours)
        return UM_INSTRUMENTS_NOTHING;
    if (strcmp(name, "TimeSeriesLimitReached") == 0 || strcmp(name, "HistogramLimitReached") == 0)
        return UM_INSTRUMENTS_LIMIT;
    return strcmp(name, "Error") == 0 || strcmp(name, "ObservableInstrumentCallbackError") == 0
               ? UM_INSTRUMENTS_FAILED
               : UM_INSTRUMENTS_NOTHING;
}

size_t um_instruments_take(const struct um_nettrace_event *event, const char *client,
                           double interval_s,
                           struct um_nettrace_counter counters[UM_INSTRUMENTS_COUNTERS],
                           enum um_instruments_news *news)
{
    struct fields fields = {.kind = event->kind};
    struct um_cursor payload = {.at = event->payload, .end = event->payload + event->len_bytes};

    fields.count = um_event_kind_values(event->kind, &payload, false, fields.values);
    bool is_ours = strcmp(text_of(&fields, "sessionId"), SESSION) == 0;
    *news = news_of(&fields, client, is_ours);
    if (!is_ours || *news != UM_INSTRUMENTS_NOTHING)
        return 0;
    memset(counters, 0, UM_INSTRUMENTS_COUNTERS * sizeof *counters);
    size_t count = make_counters(&fields, counters, news);
    for (size_t i = 0; i < count; i++) {
        counters[i].time_ns = event->time_ns;
        counters[i].interval_s = interval_s;
    }
    return count;
}
