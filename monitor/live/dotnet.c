#include "monitor/live/dotnet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "monitor/base/ns.h"
#include "monitor/base/provider_spec.h"
#include "monitor/dotnet/collector.h"

#define RUNTIME "System.Runtime"
#define LINE_BYTES 512
/* A session that breaks off is no news if its process is about to end. */
#define END_NS UM_CLOCK_NS_PER_S

struct um_dotnet {
    struct um_dotnet_host host;
    struct um_collector *collector;
    enum um_collector_state state; /* at the last look */
    uint64_t broken_ns;            /* since when the session is; 0: it is not, or that was said */
    bool said_full, said_lost;
};

/* The providers of the command line, and the runtime's own unless it is among them. */
struct wanted {
    struct um_eventpipe_provider list[UM_COLLECTOR_PROVIDERS];
    struct um_provider_spec specs[UM_COLLECTOR_PROVIDERS];
    size_t count;
};

/* False if there are too many. One that is given twice is asked for as it was given last. */
static bool add_provider(struct wanted *wanted, const struct um_provider_spec *spec)
{
    size_t place = 0;
    while (place < wanted->count && strcmp(wanted->specs[place].name, spec->name) != 0)
        place++;
    if (place == UM_COLLECTOR_PROVIDERS)
        return false;
    wanted->specs[place] = *spec;
    wanted->list[place] = (struct um_eventpipe_provider){
        .name = wanted->specs[place].name, .keywords = spec->keywords, .level = spec->level};
    wanted->count += place == wanted->count;
    return true;
}

static bool list_providers(const struct um_options *options, struct wanted *wanted)
{
    struct um_provider_spec spec = {.name = RUNTIME, .level = UM_PROVIDER_SPEC_LEVEL};
    bool fits = add_provider(wanted, &spec);
    for (int i = 0; i < options->providers.count; i++) {
        const char *text = options->providers.items[i];
        while (fits && text && um_provider_spec_next(&text, &spec))
            fits = add_provider(wanted, &spec);
    }
    return fits;
}

struct um_dotnet *um_dotnet_open(const struct um_options *options, uint32_t pid,
                                 const struct um_dotnet_host *host)
{
    struct um_dotnet *dotnet = calloc(1, sizeof *dotnet);
    struct wanted *wanted = calloc(1, sizeof *wanted);
    enum um_status status = UM_ERR_MEMORY;
    char line[LINE_BYTES];

    if (dotnet && wanted) {
        dotnet->host = *host;
        status = list_providers(options, wanted)
                     ? um_collector_open(pid, wanted->list, wanted->count, options->interval_s,
                                         &dotnet->collector)
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
    dotnet->said_full = dotnet->said_full || view.full;
    dotnet->said_lost = dotnet->said_lost || view.lost;
}

void um_dotnet_turn(struct um_dotnet *dotnet, uint64_t now_ns)
{
    struct um_wire_frame frames[UM_COLLECTOR_FRAMES];
    size_t count;

    while ((count = um_collector_next(dotnet->collector, now_ns, frames)) > 0)
        for (size_t i = 0; i < count; i++)
            dotnet->host.publish(dotnet->host.context, &frames[i]);
    look(dotnet, now_ns);
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
