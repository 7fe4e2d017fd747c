/* What --dotnet and --provider publish and say, with a runtime that exists in memory alone and
 * sends tests/golden/counters.nettrace, or activities.nettrace (fake_diagnostics.h). */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "monitor/live/dotnet.h"
#include "tests/unit/dotnet/fake_diagnostics.h"
#include "tests/unit/wait_until.h"

#define COUNTERS 23
#define VALUES 69 /* that the stream has */

static struct um_options options;
static struct um_dotnet *dotnet;
static bool runs; /* the target's process */
static char said[1024];
static char detail[1024];
static struct um_marker_frames *markers;
static struct um_wire_frame published[256];
static size_t published_count;
static unsigned reads_before; /* those of the stream before the first frame was published */
static uint64_t now_ns;

static void publish(void *context, const struct um_wire_frame *frame)
{
    (void)context;
    cr_assert_lt(published_count, sizeof published / sizeof published[0]);
    if (published_count == 0)
        reads_before = fake_diagnostics_reads();
    published[published_count++] = *frame;
}

static void say(void *context, const char *line)
{
    (void)context;
    cr_assert_str_empty(said, "%s, and %s", said, line);
    snprintf(said, sizeof said, "%s", line);
}

static void say_detail(void *context, const char *line)
{
    (void)context;
    snprintf(detail, sizeof detail, "%s", line);
}

static bool is_running(void *context)
{
    (void)context;
    return runs;
}

static void setup(void)
{
    options = (struct um_options){.dotnet = true, .interval_s = 1};
    runs = true;
    now_ns = 1000 * UM_CLOCK_NS_PER_S;
    fake_diagnostics_start();
    cr_assert_eq(um_marker_frames_open(publish, NULL, &markers), UM_OK);
}

static void teardown(void)
{
    um_dotnet_close(dotnet);
    um_marker_frames_close(markers);
}

TestSuite(dotnet, .init = setup, .fini = teardown, .timeout = 120, .threads = true);

static void open_dotnet(void)
{
    const struct um_dotnet_host host = {NULL, publish, say, say_detail, is_running, markers};
    dotnet = um_dotnet_open(&options, 7, NULL, &host);
}

/* Waits until the collector has the whole stream, as it does not read for ever after a stop. */
static void wait_read(void)
{
    WAIT_UNTIL(fake_diagnostics_is_read(), "it is not read");
}

/* Turns until a text has been said, or until so many frames were published. */
static void turn_until(const char *text, size_t count)
{
    WAIT_UNTIL((text ? text[0] != '\0' : published_count >= count) ||
                   (um_dotnet_turn(dotnet, now_ns), false),
               "%zu were published", published_count);
}

Test(dotnet, counters_are_published_each_after_its_introduction)
{
    bool introduced[UM_WIRE_COUNTERS] = {false};
    size_t counters = 0;
    open_dotnet();
    turn_until(NULL, COUNTERS + VALUES);
    for (size_t i = 0; i < published_count; i++) {
        const struct um_wire_frame *frame = &published[i];
        if (frame->type == UM_WIRE_COUNTER) {
            introduced[frame->as.counter.number] = true;
            counters++;
        } else {
            cr_assert_eq(frame->type, UM_WIRE_COUNTER_VALUE);
            cr_expect(introduced[frame->as.counter_value.number]);
        }
    }
    cr_expect_eq(counters, COUNTERS);
    cr_expect_str_eq(published[0].as.counter.provider, "System.Runtime");
    cr_expect_str_eq(published[0].as.counter.name, "cpu-usage");
    cr_expect_str_empty(said);
    cr_expect_str_eq(detail, "the program's runtime sends its counters of .NET");
}

Test(dotnet, asks_for_the_runtimes_own_provider_and_those_that_are_named)
{
    options.providers.items[0] = "A,Example-App-Diagnostics:5:3";
    options.providers.items[1] = "System.Runtime:1,A:2";
    options.providers.count = 2;
    options.interval_s = 0.25;
    open_dotnet();
    turn_until(detail, 0);
    cr_expect_str_eq(fake_diagnostics_providers(),
                     "System.Runtime:1:5 A:2:5 Example-App-Diagnostics:5:3 "
                     "System.Threading.Tasks.TplEventSource:80:4 "
                     "System.Diagnostics.Metrics:2:4 ");
    cr_expect_eq(fake_diagnostics_interval_s(), 0.25);
    cr_expect_eq(fake_diagnostics_opened(), 1);
}

Test(dotnet, asks_for_the_ids_of_activities_beside_what_is_wanted_of_their_provider)
{
    options.providers.items[0] = "System.Threading.Tasks.TplEventSource:1";
    options.providers.count = 1;
    open_dotnet();
    turn_until(detail, 0);
    cr_expect_str_eq(fake_diagnostics_providers(),
                     "System.Runtime:0:4 System.Threading.Tasks.TplEventSource:81:5 "
                     "System.Diagnostics.Metrics:2:4 ");
}

Test(dotnet, asks_for_counters_alone_where_no_provider_is_named)
{
    open_dotnet();
    turn_until(detail, 0);
    cr_expect_str_eq(fake_diagnostics_providers(),
                     "System.Runtime:0:4 System.Diagnostics.Metrics:2:4 ");
}

/* The stream has 16 pairs of a Start and its Stop, and 44 other events; no more than seven values
 * fit into a frame, so eight events have two. */
Test(dotnet, events_of_a_named_provider_are_markers_and_the_last_ones_come_at_the_end)
{
    size_t intervals = 0, instants = 0, kinds = 0;
    fake_diagnostics_send_events();
    options.providers.items[0] = "Example-App-Activities";
    options.providers.count = 1;
    open_dotnet();
    turn_until(detail, 0);
    wait_read();
    um_dotnet_finish(dotnet);
    for (size_t i = 0; i < published_count; i++) {
        bool further = i > 0 && published[i - 1].type == UM_WIRE_MARKER &&
                       (published[i - 1].flags & UM_WIRE_MARKER_MORE);
        kinds += published[i].type == UM_WIRE_MARKER_KIND;
        if (published[i].type != UM_WIRE_MARKER || further)
            continue;
        bool interval = published[i].flags & UM_WIRE_MARKER_INTERVAL;
        intervals += interval;
        instants += !interval;
        cr_expect(!(published[i].flags & UM_WIRE_MARKER_OPEN));
    }
    cr_expect_eq(intervals, 16, "%zu", intervals);
    cr_expect_eq(instants, 44, "%zu", instants);
    cr_expect_eq(kinds, 8, "%zu", kinds);
    cr_expect_str_empty(said);
    um_dotnet_finish(NULL);
}

/* A runtime that does not stop is read for a second more. */
Test(dotnet, what_comes_at_the_end_is_published_as_it_comes)
{
    fake_diagnostics_ignore_stop();
    open_dotnet();
    wait_read();
    um_dotnet_finish(dotnet);
    cr_assert_eq(published_count, COUNTERS + VALUES);
    cr_expect_lt(reads_before, fake_diagnostics_reads(), "there was none after %u reads",
                 reads_before);
}

Test(dotnet, too_many_providers_are_refused_with_a_line)
{
    static char names[UM_OPTIONS_MANY][16];
    for (int i = 0; i < UM_OPTIONS_MANY; i++) {
        snprintf(names[i], sizeof names[i], "P%d", i);
        options.providers.items[options.providers.count++] = names[i];
    }
    open_dotnet();
    cr_expect(dotnet == NULL);
    cr_expect_str_eq(said, "no counters of .NET: too many providers; ask for 31 at most");
    cr_expect_eq(fake_diagnostics_opened(), 0);
}

Test(dotnet, says_why_there_are_none)
{
    fake_diagnostics_refuse(UM_ERR_NOT_FOUND);
    open_dotnet();
    turn_until(said, 0);
    cr_expect_str_eq(said, "no counters of .NET: the program has no diagnostics pipe: it is not a "
                           "program of .NET Core 3.0 or later, or its diagnostics are off "
                           "(COMPlus_EnableDiagnostics=0)");
    um_dotnet_turn(dotnet, now_ns); /* once */
}

/* Waits until the session is known to have broken off, as of now_ns. */
static void wait_broken(void)
{
    WAIT_UNTIL(fake_diagnostics_closed(), "it does not break off");
    um_dotnet_turn(dotnet, now_ns);
}

Test(dotnet, says_that_the_session_has_broken_off)
{
    fake_diagnostics_break_after(9000);
    open_dotnet();
    wait_broken();
    cr_expect_str_empty(said, "the target may be about to end");
    now_ns += UM_CLOCK_NS_PER_S;
    um_dotnet_turn(dotnet, now_ns);
    cr_expect_str_eq(said, "no more counters of .NET: its runtime has ended the session");
    now_ns += UM_CLOCK_NS_PER_S;
    um_dotnet_turn(dotnet, now_ns); /* once */
}

Test(dotnet, says_nothing_of_a_session_that_ends_with_its_target)
{
    fake_diagnostics_break_after(9000);
    open_dotnet();
    wait_broken();
    runs = false;
    now_ns += UM_CLOCK_NS_PER_S;
    um_dotnet_turn(dotnet, now_ns);
    cr_expect_str_empty(said);
}

Test(dotnet, stops_the_session_at_its_end)
{
    open_dotnet();
    turn_until(detail, 0);
    um_dotnet_stop(dotnet);
    um_dotnet_close(dotnet);
    dotnet = NULL;
    cr_expect_eq(fake_diagnostics_stopped(), 1);
    cr_expect(fake_diagnostics_closed());
    cr_expect_str_empty(said);
    um_dotnet_stop(NULL);
}
