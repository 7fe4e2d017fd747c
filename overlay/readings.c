#include "overlay/readings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct um_readings_pair lag(const char *name, bool measured, uint64_t lag_ns)
{
    struct um_readings_pair pair = {.name = name, .number = "–", .measured = measured};

    if (measured) {
        um_text_lag(lag_ns, pair.number);
        pair.lag_ns = lag_ns;
    }
    return pair;
}

static struct um_readings_pair count(bool measured, uint64_t number)
{
    struct um_readings_pair pair = {.name = "", .number = "–", .measured = measured};

    if (measured)
        snprintf(pair.number, sizeof pair.number, "%" PRIu64, number);
    return pair;
}

/* Marks the row of a hang or starvation that lasts or has just ended, and adds its peak, unless the
 * row's own number is the peak while it lasts. */
static void raise_alarm(const struct um_model_alarm *alarm, struct um_readings_row *reading)
{
    struct um_readings_pair peak = lag("peak", true, alarm->peak_ns);

    peak.lag_ns = 0;
    reading->alarm = alarm->on;
    if (alarm->on && !(alarm->lasts && strcmp(peak.number, reading->main.number) == 0))
        reading->more = peak;
}

static void make_lag(const struct um_model_view *view, struct um_readings_row *reading)
{
    reading->main = lag("", view->has_lag, view->lag_ns);
    if (view->lag_is_past) {
        reading->label = "last freeze"; /* its length, which the alarm would only say again */
        reading->alarm = view->hang.on;
    } else {
        raise_alarm(&view->hang, reading);
    }
}

static void make_latency(const struct um_model_view *view, struct um_readings_row *reading)
{
    reading->main = lag("p99", view->has_latency, view->status.p99_ns);
    reading->more = lag("p50", view->has_latency, view->status.p50_ns);
}

static void make_hangs(const struct um_model_view *view, struct um_readings_row *reading)
{
    reading->main = count(view->link != UM_MODEL_WAITING, view->status.freezes);
    raise_alarm(&view->hang, reading);
}

static void make_typing(const struct um_model_view *view, struct um_readings_row *reading)
{
    if (view->has_typing && !view->typing_painted)
        reading->label = "keys, handled";
    reading->main = lag("p99", view->has_typing, view->status.typing_p99_ns);
    reading->more = lag("p50", view->has_typing, view->status.typing_p50_ns);
}

static void make_click(const struct um_model_view *view, struct um_readings_row *reading)
{
    if (view->has_click && !view->click_painted)
        reading->label = "click, handled";
    reading->main = lag("", view->has_click, view->status.click_ns);
}

static void make_threadpool(const struct um_model_view *view, struct um_readings_row *reading)
{
    reading->main = lag("", view->has_pool, view->pool_ns);
    reading->main.lag_ns = 0; /* no colour: the thresholds are for the UI thread */
    raise_alarm(&view->starvation, reading);
}

static struct um_readings_pair rate(bool measured, double number)
{
    struct um_readings_pair pair = {.name = "", .number = "–", .measured = measured};

    if (measured)
        snprintf(pair.number, sizeof pair.number, number < 99.95 ? "%.1f" : "%.0f", number);
    return pair;
}

static void make_frame_rate(const struct um_model_view *view, struct um_readings_row *reading)
{
    reading->main = rate(view->has_frame_rate, view->frame_rate);
}

static void make_message_rate(const struct um_model_view *view, struct um_readings_row *reading)
{
    reading->main = rate(view->has_message_rate, view->message_rate);
}

static void make_beats_lost(const struct um_model_view *view, struct um_readings_row *reading)
{
    reading->main = count(view->has_beats_lost, view->beats_lost);
}

static void make_cost(const struct um_model_view *view, struct um_readings_row *reading)
{
    reading->main = count(view->has_cost, 0);
    if (view->has_cost)
        snprintf(reading->main.number, sizeof reading->main.number, "%.1f %%",
                 view->cost_permille / 10.0);
}

static const struct {
    const char *label;
    void (*make)(const struct um_model_view *view, struct um_readings_row *reading);
} rows[UM_OVERLAY_ROWS_COUNT] = {
    [UM_OVERLAY_ROWS_LAG] = {"lag", make_lag},
    [UM_OVERLAY_ROWS_LATENCY] = {"input", make_latency},
    [UM_OVERLAY_ROWS_HANGS] = {"hangs", make_hangs},
    [UM_OVERLAY_ROWS_TYPING] = {"typing", make_typing},
    [UM_OVERLAY_ROWS_CLICK] = {"last click", make_click},
    [UM_OVERLAY_ROWS_THREADPOOL] = {"thread pool", make_threadpool},
    [UM_OVERLAY_ROWS_FRAME_RATE] = {"frames/s", make_frame_rate},
    [UM_OVERLAY_ROWS_MESSAGE_RATE] = {"messages/s", make_message_rate},
    [UM_OVERLAY_ROWS_BEATS_LOST] = {"beats lost", make_beats_lost},
    [UM_OVERLAY_ROWS_COST] = {"CPU of uimon", make_cost},
};

static void make_counter(const struct um_model_counter *counter, struct um_readings_row *reading)
{
    reading->label = counter->label;
    reading->main = count(false, 0);
    reading->main.measured = counter->number[0] != '\0';
    if (reading->main.measured)
        memcpy(reading->main.number, counter->number, sizeof reading->main.number);
}

void um_readings_make(const struct um_model_view *view, enum um_overlay_row row,
                      struct um_readings_row *reading)
{
    memset(reading, 0, sizeof *reading);
    reading->more.name = "";
    if (row >= UM_OVERLAY_ROWS_COUNT) {
        make_counter(&view->counters[row - UM_OVERLAY_ROWS_COUNT], reading);
        return;
    }
    reading->label = rows[row].label;
    rows[row].make(view, reading);
}
