#include "monitor/live/dotnet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/ns.h"
#include "base/provider_spec.h"
#include "monitor/dotnet/collector.h"
#include "monitor/live/dotnet_marker.h"

#define RUNTIME "System.Runtime"
#define RUNTIME_LEVEL 4 /* what counters need */
/* This provider gives activities their ids while somebody listens to it with this keyword, with
 * which it has no events of its own. */
#define ACTIVITIES "System.Threading.Tasks.TplEventSource"
#define ACTIVITIES_KEYWORD 0x80
#define LINE_BYTES 512
/* A session that breaks off is no news if its process is about to end. */
#define END_NS UM_CLOCK_NS_PER_S
#define FINISH_NS (2 * UM_CLOCK_NS_PER_S)

struct um_dotnet {
    struct um_dotnet_host host;
    struct um_collector *collector;
    enum um_collector_state state; /* at the last look */
    uint64_t lost_events;          /* the same */
    unsigned meters;               /* the same: what was said of them */
    uint64_t broken_ns;            /* when the session broke off; 0: it has not, or that was said */
    bool said_full, said_lost, said_lost_events;
};

/* The providers of the command line, and the runtime's own. */
struct wanted {
    struct um_eventpipe_provider list[UM_COLLECTOR_PROVIDERS];
    struct um_provider_spec specs[UM_COLLECTOR_PROVIDERS];
    size_t count;
};

static size_t find_provider(const struct wanted *wanted, const char *name)
{
    size_t place = 0;
    while (place < wanted->count && strcmp(wanted->specs[place].name, name) != 0)
        place++;
    return place;
}

/* False if there are too many. If one is given twice, the last time counts. */
static bool add_provider(struct wanted *wanted, const struct um_provider_spec *spec, bool events)
{
    size_t place = find_provider(wanted, spec->name);
    if (place == UM_COLLECTOR_PROVIDERS)
        return false;
    wanted->specs[place] = *spec;
    wanted->list[place] = (struct um_eventpipe_provider){.name = wanted->specs[place].name,
                                                         .keywords = spec->keywords,
                                                         .level = spec->level,
                                                         .events = events};
    wanted->count += place == wanted->count;
    return true;
}

static bool add_activities(struct wanted *wanted)
{
    const struct um_provider_spec spec = {
        .name = ACTIVITIES, .keywords = ACTIVITIES_KEYWORD, .level = RUNTIME_LEVEL};
    size_t place = find_provider(wanted, spec.name);
    if (place == wanted->count)
        return add_provider(wanted, &spec, false);
    wanted->list[place].keywords |= ACTIVITIES_KEYWORD;
    return true;
}

static bool list_providers(const struct um_options *options, struct wanted *wanted)
{
    struct um_provider_spec spec = {.name = RUNTIME, .level = RUNTIME_LEVEL};
    bool fits = add_provider(wanted, &spec, false);
    for (int i = 0; i < options->providers.count; i++) {
        const char *text = options->providers.items[i];
        while (fits && text && um_provider_spec_next(&text, &spec))
            fits = add_provider(wanted, &spec, true);
    }
    return fits && (options->providers.count == 0 || add_activities(wanted));
}

struct um_dotnet *um_dotnet_open(const struct um_options *options, uint32_t pid,
                                 struct um_reverse *reverse, const struct um_dotnet_host *host)
{
    struct um_dotnet *dotnet = calloc(1, sizeof *dotnet);
    struct wanted *wanted = calloc(1, sizeof *wanted);
    enum um_status status = UM_ERR_MEMORY;
    char line[LINE_BYTES];

    if (dotnet && wanted) {
        dotnet->host = *host;
        status = list_providers(options, wanted)
                     ? um_collector_open(pid, wanted->list, wanted->count, options->interval_s,
                                         reverse, &dotnet->collector)
                     : UM_ERR_TOO_LARGE;
    }
    free(wanted);
    if (status == UM_OK)
        return dotnet;
    snprintf(line, sizeof line, "no counters of .NET: %s",
             status == UM_ERR_TOO_LARGE ? "too many providers; ask for 31 at most"
                                        : um_status_text(status));
    host->say(host->context, line);
    free(dotnet);
    return NULL;
}

static const char *why_refused(enum um_status status)
{
    switch (status) {
    case UM_ERR_NOT_FOUND:
        return "the program has no diagnostics pipe: it is not a program of .NET Core 3.0 or "
               "later, "
               "or its diagnostics are off (COMPlus_EnableDiagnostics=0)";
    case UM_ERR_DENIED:
        return "the program's runtime refuses, or has more rights than this uimon";
    case UM_ERR_TIMEOUT:
        return "the program's runtime does not answer on its diagnostics pipe";
    case UM_ERR_TOO_LARGE:
        return "too many providers; ask for fewer of them";
    default:
        return um_status_text(status);
    }
}

static const char *why_broken(enum um_status status)
{
    return status == UM_ERR_CLOSED ? "its runtime has ended the session" : um_status_text(status);
}

static void say(struct um_dotnet *dotnet, const char *what, const char *why)
{
    char line[LINE_BYTES];
    snprintf(line, sizeof line, "%s: %s", what, why);
    dotnet->host.say(dotnet->host.context, line);
}

/* Says what is new of the meters: each once. */
static void say_meters(struct um_dotnet *dotnet, unsigned news)
{
    if (news & UM_INSTRUMENTS_OTHERS)
        say(dotnet, "no counters of System.Diagnostics.Metrics",
            "another tool has asked the program for them with another interval or in another way");
    if (news & UM_INSTRUMENTS_LIMIT)
        say(dotnet,
            "the program's meters have more than 1,000 series or 20 histograms, or tags too long",
            "some of their values are left out");
    if (news & UM_INSTRUMENTS_FAILED)
        say(dotnet, "the program's runtime could not collect all values of its meters",
            "some may be missing");
}

/* Says what has changed since the last look. */
static void look(struct um_dotnet *dotnet, uint64_t now_ns)
{
    struct um_collector_view view = um_collector_look(dotnet->collector);
    bool news = view.state != dotnet->state;

    dotnet->state = view.state;
    if (news && view.state == UM_COLLECTOR_REFUSED)
        say(dotnet, "no counters of .NET", why_refused(view.status));
    if (news && view.state == UM_COLLECTOR_RUNS)
        dotnet->host.say_detail(dotnet->host.context,
                                "the program's runtime sends its counters of .NET");
    if (news && view.state == UM_COLLECTOR_BROKEN)
        dotnet->broken_ns = now_ns;
    if (dotnet->broken_ns && um_ns_elapsed(dotnet->broken_ns, now_ns) >= END_NS) {
        dotnet->broken_ns = 0;
        if (dotnet->host.is_running(dotnet->host.context))
            say(dotnet, "no more counters of .NET", why_broken(view.status));
    }
    if (view.full && !dotnet->said_full)
        say(dotnet, "the program has more than 256 counters of its own", "the rest is left out");
    if (view.lost && !dotnet->said_lost)
        say(dotnet, "counters of .NET come faster than uimon takes them", "some values are lost");
    if (view.lost_events > dotnet->lost_events)
        um_marker_frames_lost(dotnet->host.markers, UM_MARKER_SOURCE_DOTNET,
                              view.lost_events - dotnet->lost_events, 0);
    if (view.lost_events && !dotnet->said_lost_events)
        say(dotnet, "the program has more than 5,000 events of .NET a second",
            "further ones are left out, and counted");
    say_meters(dotnet, view.meters & ~dotnet->meters);
    dotnet->meters = view.meters;
    dotnet->lost_events = view.lost_events;
    dotnet->said_lost_events = dotnet->said_lost_events || view.lost_events > 0;
    dotnet->said_full = dotnet->said_full || view.full;
    dotnet->said_lost = dotnet->said_lost || view.lost;
}

void um_dotnet_settle(struct um_dotnet *dotnet)
{
    um_collector_settle(dotnet->collector);
}

void um_dotnet_turn(struct um_dotnet *dotnet, uint64_t now_ns)
{
    struct um_wire_frame frames[UM_COLLECTOR_FRAMES];
    size_t count;

    struct um_event_pair pair;

    while ((count = um_collector_next(dotnet->collector, now_ns, frames)) > 0)
        for (size_t i = 0; i < count; i++)
            dotnet->host.publish(dotnet->host.context, &frames[i]);
    while (um_collector_next_pair(dotnet->collector, &pair)) {
        um_dotnet_marker_take(dotnet->host.markers, &pair, now_ns);
        um_event_pairs_release(&pair);
    }
    look(dotnet, now_ns);
}

void um_dotnet_finish(struct um_dotnet *dotnet)
{
    if (!dotnet)
        return;
    um_collector_stop(dotnet->collector);
    uint64_t end_ns = um_clock_now_ns() + FINISH_NS;
    while (um_collector_look(dotnet->collector).state <= UM_COLLECTOR_RUNS &&
           um_clock_now_ns() < end_ns) {
        um_dotnet_turn(dotnet, um_clock_now_ns()); /* so that there is room for what comes */
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
    }
    um_dotnet_turn(dotnet, um_clock_now_ns());
}

void um_dotnet_stop(struct um_dotnet *dotnet)
{
    if (dotnet)
        um_collector_stop(dotnet->collector);
}

void um_dotnet_close(struct um_dotnet *dotnet)
{
    if (!dotnet)
        return;
    um_collector_close(dotnet->collector);
    free(dotnet);
}
