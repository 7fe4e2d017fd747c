#include "monitor/stats/summary.h"

#include <inttypes.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/message_names.h"
#include "base/utf8.h"
#include "monitor/stats/summary_parts.h"
#include "monitor/stats/counted_write.h"
#include "monitor/stats/freeze_text.h"
#include "monitor/stats/laid_out_write.h"
#include "monitor/stats/methods_write.h"
#include "monitor/stats/traced_write.h"
#include "monitor/stats/wait_text.h"

#define COLUMNS 80
#define INDENT "             " /* as wide as the text's left column */
#define LONGEST_SHOWN 5
#define BUNDLES_SHOWN 10
#define TEXT_BYTES 1024
#define CUT_SHOWN 10 /* more than one in so many stacks that could not be read is told */

struct small_text {
    char chars[32];
};

/* A number with three digits or so: "0.16", "24.5", "295". */
static struct small_text number_text(double number)
{
    struct small_text text;
    int decimals = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
    (void)snprintf(text.chars, sizeof text.chars, "%.*f", decimals, number);
    return text;
}

static struct small_text latency_text(uint64_t ns)
{
    return number_text((double)ns / 1e6);
}

static double percent_of(uint64_t ns, uint64_t of_ns)
{
    return of_ns == 0 ? 0.0 : (double)ns * 100.0 / (double)of_ns;
}

/* A length of time in the unit that suits it: "300.2 ms", "4.70 s", "12 min 05 s". */
static struct small_text span_text(uint64_t ns)
{
    struct small_text text;
    uint64_t s = (ns + UM_CLOCK_NS_PER_S / 2) / UM_CLOCK_NS_PER_S;
    if (ns < UM_CLOCK_NS_PER_S - 50000) {
        (void)snprintf(text.chars, sizeof text.chars, "%.1f ms", (double)ns / 1e6);
    } else if (ns < 60 * UM_CLOCK_NS_PER_S - 5000000) {
        (void)snprintf(text.chars, sizeof text.chars, "%.2f s", (double)ns / 1e9);
    } else if (s < 3600) {
        (void)snprintf(text.chars, sizeof text.chars, "%" PRIu64 " min %02" PRIu64 " s", s / 60,
                       s % 60);
    } else {
        (void)snprintf(text.chars, sizeof text.chars, "%" PRIu64 " h %02" PRIu64 " min", s / 3600,
                       s / 60 % 60);
    }
    return text;
}

/* A share of the session: "6.0 %", "< 0.1 %". */
static struct small_text share_text(uint64_t ns, uint64_t of_ns)
{
    struct small_text text;
    double percent = percent_of(ns, of_ns);
    if (ns > 0 && percent < 0.05)
        (void)snprintf(text.chars, sizeof text.chars, "< 0.1 %%");
    else if (ns < of_ns && percent >= 99.95)
        (void)snprintf(text.chars, sizeof text.chars, "> 99.9 %%");
    else
        (void)snprintf(text.chars, sizeof text.chars, "%.1f %%", percent);
    return text;
}

/* A moment of the session: "0:01.200", "1:02:03.400", "-0:00.250". */
static struct small_text moment_text(uint64_t time_ns, uint64_t start_ns)
{
    struct small_text text;
    bool before = time_ns < start_ns;
    uint64_t ms = ((before ? start_ns - time_ns : time_ns - start_ns) + 500000) / 1000000;
    uint64_t s = ms / 1000;
    const char *sign = before ? "-" : "";
    if (s < 3600) {
        (void)snprintf(text.chars, sizeof text.chars, "%s%" PRIu64 ":%02" PRIu64 ".%03" PRIu64,
                       sign, s / 60, s % 60, ms % 1000);
    } else {
        (void)snprintf(text.chars, sizeof text.chars,
                       "%s%" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%03" PRIu64, sign, s / 3600,
                       s / 60 % 60, s % 60, ms % 1000);
    }
    return text;
}

/* Writes a line, cut to `columns`. */
static void write_fitted(FILE *file, const char *text, size_t columns)
{
    char fitted[TEXT_BYTES];
    (void)um_utf8_fit(text, columns, fitted, sizeof fitted);
    (void)fprintf(file, "%s\n", fitted);
}

static void write_target(FILE *file, const struct um_summary *summary)
{
    char line[TEXT_BYTES];
    size_t len = 0;
    const char *name = summary->name && summary->name[0] != '\0' ? summary->name : "target";
    len += (size_t)snprintf(line, sizeof line, "%.256s", name);
    if (summary->pid != 0)
        len += (size_t)snprintf(line + len, sizeof line - len, " (pid %" PRIu32 ")", summary->pid);
    if (summary->title && summary->title[0] != '\0')
        (void)snprintf(line + len, sizeof line - len, "  %.512s", summary->title);
    write_fitted(file, line, COLUMNS);
}

/* Whether a part of the session is worth a line. */
static bool is_much(const struct um_summary *summary, uint64_t ns)
{
    return ns > 0 && ns >= summary->totals.duration_ns / 1000;
}

/* For how long uimon paused, and how to change that. */
static void write_pause(FILE *file, const struct um_summary *summary)
{
    uint64_t paused_ns = summary->totals.state_ns[UM_STATE_IDLE];
    bool behind =
        summary->beats.background_us == UM_WIRE_PACE_NEVER; /* both reasons are possible */
    if (is_much(summary, paused_ns))
        (void)fprintf(file,
                      behind ? "For %s of that time uimon paused, because another program was in\n"
                               "front (--background pause), or there was no input (--idle-pause).\n"
                             : "For %s of that time uimon paused, because there was no input;\n"
                               "--idle-pause never keeps it from pausing.\n",
                      span_text(paused_ns).chars);
}

static void write_unknown(FILE *file, const struct um_summary *summary)
{
    const uint64_t *state_ns = summary->totals.state_ns;
    uint64_t unknown_ns =
        state_ns[UM_STATE_SUSPENDED] + state_ns[UM_STATE_BLIND] + state_ns[UM_STATE_UNKNOWN];
    if (is_much(summary, unknown_ns))
        (void)fprintf(file, "%s of that time could not be measured.\n",
                      span_text(unknown_ns).chars);
}

/* Whether the target froze, and how much of the time could not be measured. */
static void write_verdict(FILE *file, const struct um_summary *summary)
{
    const struct um_stats_freezes *freezes = um_summary_freezes(summary);
    struct small_text watched = span_text(summary->totals.duration_ns);

    if (freezes->count > 1) {
        (void)fprintf(file, "%" PRIu32 " freezes in %s: %s in all, the longest %s.", freezes->count,
                      watched.chars, span_text(freezes->total_ns).chars,
                      span_text(freezes->longest_ns).chars);
    } else if (freezes->count == 1) {
        (void)fprintf(file, "1 freeze in %s: %s.", watched.chars,
                      span_text(freezes->longest_ns).chars);
    } else if (um_summary_latency_count(summary) == 0) {
        (void)fprintf(file, "Nothing was measured in %s.\n", watched.chars);
        write_pause(file, summary);
        return;
    } else {
        (void)fprintf(file, "No freeze of %s ms or more in %s.",
                      latency_text(freezes->threshold_ns).chars, watched.chars);
    }
    (void)fputc('\n', file);
    write_pause(file, summary);
    write_unknown(file, summary);
}

/* Says that the numbers are not about the whole program. */
static void write_stage(FILE *file, const struct um_summary *summary)
{
    char line[TEXT_BYTES];
    if (!um_summary_is_window_only(summary))
        return;
    (void)snprintf(line, sizeof line,
                   "Beats measure the window's thread; a %.64s program's own code runs elsewhere.",
                   summary->toolkit);
    write_fitted(file, line, COLUMNS);
}

/* "p50 0.30   p90 0.60   max 295 ms" */
static void write_percentiles(FILE *file, const struct um_histogram *histogram,
                              const double percentiles[4])
{
    uint64_t max_ns = um_histogram_max(histogram);
    bool in_s = max_ns >= 100 * UM_CLOCK_NS_PER_S;
    uint64_t unit = in_s ? 1000 : 1;
    for (size_t i = 0; i < 4; i++)
        (void)fprintf(file, "p%g %s   ", percentiles[i],
                      latency_text(um_summary_value_at(histogram, percentiles[i]) / unit).chars);
    (void)fprintf(file, "max %s %s\n", latency_text(max_ns / unit).chars, in_s ? "s" : "ms");
}

/* What was left out at rest, and what may be unseen for it; rounded up, because it is a promise. */
static void write_rest(FILE *file, const struct um_summary *summary)
{
    uint64_t told_ns =
        summary->freezes ? um_stats_told_at_rest_ns(&summary->beats, summary->freezes->threshold_ns,
                                                    summary->period_us * UM_CLOCK_NS_PER_US)
                         : 0;
    if (summary->beats.rest_us > summary->period_us)
        (void)fprintf(file,
                      INDENT "%" PRIu64 " more left out at rest, where one is sent every %.4g ms\n",
                      summary->totals.beats_rested, (double)summary->beats.rest_us / 1e3);
    if (told_ns)
        (void)fprintf(file,
                      INDENT "there, a freeze under %" PRIu64
                             " ms may be unseen if no message began it\n",
                      told_ns / UM_CLOCK_NS_PER_MS + (told_ns % UM_CLOCK_NS_PER_MS != 0));
}

static void write_latency(FILE *file, const struct um_summary *summary)
{
    (void)fputs("  Latency    ", file);
    if (um_summary_latency_count(summary) > 0) {
        write_percentiles(file, summary->latency, (const double[]){50, 90, 99, 99.9});
        (void)fputs(INDENT, file);
    }
    (void)fprintf(file, "%" PRIu64 " beats, %" PRIu64 " lost", summary->totals.beats_sent,
                  summary->totals.beats_lost);
    if (summary->probe) {
        (void)fprintf(file, "; %.16s probe, %s%severy %.4g ms", summary->probe,
                      summary->beat ? summary->beat : "", summary->beat ? " beats, " : "",
                      (double)summary->period_us / 1e3);
    }
    (void)fputc('\n', file);
    write_rest(file, summary);
    if (summary->totals.dropped > 0)
        (void)fprintf(file, INDENT "%" PRIu64 " records were lost on the way\n",
                      summary->totals.dropped);
}

/* Message and window class, cut to the rest of a line on which `used` columns are taken. */
static void write_suspect(FILE *file, const struct um_stats_freeze *freeze, size_t used)
{
    char message[UM_MESSAGE_NAMES_BYTES] = "";
    char suspect[TEXT_BYTES] = "";
    if (freeze->has_message) {
        um_message_names_get(freeze->message, freeze->message_name, message, sizeof message);
        (void)snprintf(suspect, sizeof suspect, "%s%s%s%s", message,
                       freeze->window_class[0] != '\0' ? " @ " : "", freeze->window_class,
                       freeze->open ? " (until the end)" : "");
    } else {
        (void)snprintf(suspect, sizeof suspect, "no suspect%s",
                       freeze->open ? " (until the end)" : "");
    }
    write_fitted(file, suspect, used < COLUMNS ? COLUMNS - used : 1);
}

/* Whether the thread ran, by its own time, and in whose code. That it waited is said only where the
 * wait is known: on a busy machine a thread that does not run may have work to do. The system
 * counts processor time in ticks, so it may exceed the sampled time a little. */
static void write_work(FILE *file, const struct um_wire_stack *stack, bool has_wait)
{
    char text[TEXT_BYTES] = INDENT "  ";
    size_t len = strlen(text);
    double ran_us = (double)stack->user_us + (double)stack->kernel_us;
    double ran = stack->sampled_us > 0 ? ran_us / stack->sampled_us : 0;
    bool has_cpu = stack->known & UM_WIRE_STACK_CPU;
    bool waits = has_wait || um_wait_text_is_wait(stack->call);

    ran = ran > 1 ? 1 : ran;
    if (has_cpu)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s %.0f %%",
                                ran >= 0.5 ? "running"
                                : waits    ? "waiting"
                                           : "not running",
                                (ran >= 0.5 ? ran : 1 - ran) * 100);
    if (has_cpu && stack->call[0] != '\0')
        len += (size_t)snprintf(text + len, sizeof text - len, " in %s", stack->call);
    if (stack->known & UM_WIRE_STACK_MINE)
        (void)snprintf(text + len, sizeof text - len, "%s%s", has_cpu ? "; " : "", stack->whose);
    if (stack->known & (UM_WIRE_STACK_CPU | UM_WIRE_STACK_MINE))
        write_fitted(file, text, COLUMNS);
}

/* What is not known of the samples: guesses, and stacks that were not read where they are many. */
static void write_not_known(FILE *file, const struct um_wire_stack *stack)
{
    char text[TEXT_BYTES];
    (void)snprintf(text, sizeof text, INDENT "  callers guessed in %s of %" PRIu32 " samples",
                   stack->guessed, stack->samples);
    if (stack->guessed[0] != '\0')
        write_fitted(file, text, COLUMNS);
    (void)snprintf(text, sizeof text,
                   INDENT "  %" PRIu32 " of %" PRIu32
                          " stacks could not be read to their end%s%s%s",
                   um_wire_stack_cut(stack), stack->samples, stack->stopped[0] != '\0' ? " (" : "",
                   stack->stopped, stack->stopped[0] != '\0' ? ")" : "");
    if ((uint64_t)um_wire_stack_cut(stack) * CUT_SHOWN > stack->samples)
        write_fitted(file, text, COLUMNS);
}

static void write_wait(FILE *file, const struct um_wire_wait *wait)
{
    char text[TEXT_BYTES] = INDENT "  ";
    um_wait_text(wait, text + strlen(text), UM_WAIT_TEXT_BYTES);
    write_fitted(file, text, COLUMNS);
}

/* The stack, the innermost frame first, cut at the end of the line. */
static void write_stack(FILE *file, const struct um_wire_stack *stack, bool has_wait)
{
    char line[TEXT_BYTES + sizeof INDENT];
    (void)snprintf(line, sizeof line, INDENT "  %s", um_freeze_text_stack(stack).chars);
    write_fitted(file, line, COLUMNS);
    write_work(file, stack, has_wait);
    write_not_known(file, stack);
}

static void write_freeze(FILE *file, const struct um_stats_freeze *freeze, uint64_t start_ns)
{
    char uncertain[40] = "";
    if (freeze->uncertainty_ns >= 2 * UM_CLOCK_NS_PER_MS) {
        (void)snprintf(uncertain, sizeof uncertain, " +-%s ms",
                       latency_text(freeze->uncertainty_ns / 2).chars);
    }
    char line[128];
    int len = snprintf(line, sizeof line, INDENT "%-9s  %10s%s  %-7s  ",
                       moment_text(freeze->start_ns, start_ns).chars,
                       span_text(freeze->duration_ns).chars, uncertain,
                       um_wire_state_name(freeze->state));
    (void)fputs(line, file);
    write_suspect(file, freeze, (size_t)len);
}

/* The message that explains the freeze best, below the suspect. */
static void write_costliest(FILE *file, const struct um_stats_costliest *costliest)
{
    const char *how = um_stats_costliest_how(costliest);
    char message[UM_MESSAGE_NAMES_BYTES];
    char text[TEXT_BYTES];
    um_message_names_get(costliest->message, costliest->message_name, message, sizeof message);
    (void)snprintf(text, sizeof text, INDENT "  %s of it in %s%s%s%s%s",
                   span_text(costliest->length_ns).chars, message,
                   costliest->window_class[0] != '\0' ? " @ " : "", costliest->window_class,
                   how ? ", " : "", how ? how : "");
    write_fitted(file, text, COLUMNS);
}

static void write_freezes(FILE *file, const struct um_summary *summary)
{
    const struct um_stats_freezes *freezes = um_summary_freezes(summary);
    if (freezes->count == 0)
        return;
    (void)fprintf(file,
                  "  Freezes    %" PRIu32 " over 100 ms, %" PRIu32 " over 250 ms, %" PRIu32
                  " over 1 s\n",
                  freezes->over_100, freezes->over_250, freezes->over_1000);
    (void)fprintf(file, INDENT "%s\n", um_freeze_text_felt(freezes).chars);
    size_t at = freezes->len;
    uint32_t shown = 0;
    while (shown < LONGEST_SHOWN && shown < freezes->len) {
        at = um_stats_next_longest(freezes, at);
        write_freeze(file, &freezes->list[at], summary->start_ns);
        if (um_stats_costliest_says_more(&freezes->list[at]))
            write_costliest(file, &freezes->list[at].costliest);
        if (um_stats_is_felt(&freezes->list[at]))
            (void)fprintf(file, INDENT "  %s waited\n",
                          um_freeze_text_inputs(&freezes->list[at]).chars);
        const struct um_wire_stack *stack =
            um_stats_stack_of(summary->stacks, freezes->list[at].id);
        const struct um_wire_wait *wait = um_stats_wait_of(summary->stacks, freezes->list[at].id);
        if (stack)
            write_stack(file, stack, wait != NULL);
        if (wait)
            write_wait(file, wait);
        shown++;
    }
    if (freezes->count > shown)
        (void)fprintf(file, INDENT "and %" PRIu32 " more\n", freezes->count - shown);
}

/* What uimon's own beats made the program do, which is in no number of the freezes. */
static void write_own_beats(FILE *file, const struct um_summary *summary)
{
    const struct um_stats_beats *beats = &summary->beats;
    if (summary->totals.own_beats_ns < UM_CLOCK_NS_PER_MS)
        return;
    (void)fprintf(file, "  Own beats  caused by uimon's beats: %s ms",
                  latency_text(summary->totals.own_beats_ns).chars);
    if (beats->own_freezes > 0)
        (void)fprintf(file, ", with %" PRIu32 " wait%s as long as a freeze (the longest %s ms)",
                      beats->own_freezes, beats->own_freezes == 1 ? "" : "s",
                      latency_text(beats->own_longest_ns).chars);
    (void)fputc('\n', file);
    if (beats->spared_us > 0)
        (void)fprintf(
            file, INDENT "so beats came up to %.0f ms apart, and freezes are known less exactly\n",
            (double)beats->spared_us / 1e3);
}

/* The freezes of the list that have ended without a stack: how many, and how long together. */
static uint32_t count_without_stack(const struct um_stats_freezes *freezes, uint64_t *length_ns)
{
    uint32_t count = 0;
    *length_ns = 0;
    for (size_t i = 0; i < freezes->len; i++) {
        const struct um_stats_freeze *freeze = &freezes->list[i];
        if (freeze->has_stack || freeze->open)
            continue;
        *length_ns += freeze->duration_ns;
        count++;
    }
    return count;
}

/* Freezes without a stack where samples would have cost more than they may, and what to do. It is
 * left out where they are less than a tenth of the time in freezes, and where there are other
 * reasons: samples were held back for less than half of their time, or a recording breaks off. */
static void write_withheld(FILE *file, const struct um_summary *summary)
{
    const struct um_stats_freezes *freezes = um_summary_freezes(summary);
    uint64_t length_ns;
    uint32_t count = count_without_stack(freezes, &length_ns);
    if (summary->breaks_off || count == 0 || length_ns < freezes->total_ns / 10 ||
        summary->stacks->sampling.withheld_ns < length_ns / 2)
        return;
    (void)fprintf(
        file,
        INDENT "%" PRIu32 " of %" PRIu32 " freezes have no stack, %s of %s: samples\n" INDENT
               "had taken their share of the program's time (--sample-cost)\n",
        count, freezes->count, span_text(length_ns).chars, span_text(freezes->total_ns).chars);
}

/* How the freezes were sampled, and what that has cost the target. */
static void write_sampling(FILE *file, const struct um_summary *summary)
{
    const struct um_wire_sampling *sampling = summary->stacks ? &summary->stacks->sampling : NULL;
    if (!sampling || sampling->samples == 0)
        return;
    (void)fprintf(file, "  Sampling   %" PRIu32 " stacks", sampling->samples);
    if (sampling->interval_ns)
        (void)fprintf(file, ", one each %s ms", latency_text(sampling->interval_ns).chars);
    (void)fprintf(file, "\n" INDENT "suspended p50 %s   max %s ms, %" PRIu32 " over 2 ms\n",
                  latency_text(sampling->p50_ns).chars, latency_text(sampling->max_ns).chars,
                  sampling->over_2ms);
    write_withheld(file, summary);
}

/* Median and 98th percentile of each part that was observed, on as many lines as they need. */
static void write_parts(FILE *file, const struct um_stats_kind *kind, bool painted)
{
    static const char *const names[] = {[UM_WIRE_PART_INPUT_DELAY] = "input delay",
                                        [UM_WIRE_PART_PROCESSING] = "processing",
                                        [UM_WIRE_PART_PRESENTATION] = "presentation"};
    size_t count = painted ? UM_WIRE_PART_PRESENTATION + 1 : UM_WIRE_PART_PROCESSING + 1;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const struct um_histogram *part = &kind->parts[i];
        char text[TEXT_BYTES];
        if (um_histogram_count(part) == 0)
            continue;
        size_t len = (size_t)snprintf(text, sizeof text, "%s %s/%s", names[i],
                                      latency_text(um_summary_value_at(part, 50.0)).chars,
                                      latency_text(um_summary_value_at(part, 98.0)).chars);
        bool fits = strlen(INDENT) + used + strlen(", ") + len <= COLUMNS;
        const char *before = used == 0 ? "  p50/p98    " : fits ? ", " : ",\n" INDENT;
        (void)fprintf(file, "%s%s", before, text);
        used = used == 0 || !fits ? len : used + strlen(", ") + len;
    }
    if (used > 0)
        (void)fputc('\n', file);
}

/* The time from arrival to painted, or to handled: see um_wire_waited_part. */
static void write_total(FILE *file, const struct um_histogram *total, bool painted)
{
    if (um_histogram_count(total) == 0) {
        (void)fputs("; when they arrived is not known\n", file);
        return;
    }
    (void)fprintf(file, ", from arrival to %s\n" INDENT, painted ? "painted" : "handled");
    write_percentiles(file, total, (const double[]){50, 75, 90, 98});
}

static void write_kind(FILE *file, const struct um_stats_kind *kind, const char *left,
                       const char *one, const char *many)
{
    (void)fprintf(file, "%s%" PRIu64 " %s", left, kind->count, kind->count == 1 ? one : many);
    if (kind->in_freezes > 0)
        (void)fprintf(file, ", %" PRIu64 " in freezes", kind->in_freezes);
    if (!kind->parts) {
        (void)fputc('\n', file);
        return;
    }
    enum um_wire_part part =
        um_wire_waited_part(um_histogram_count(&kind->parts[UM_WIRE_PART_TOTAL]),
                            um_histogram_count(&kind->parts[UM_WIRE_PART_TO_HANDLED]));
    bool painted = part == UM_WIRE_PART_TOTAL;
    write_total(file, &kind->parts[part], painted);
    write_parts(file, kind, painted);
}

static void write_interactions(FILE *file, const struct um_summary *summary)
{
    static const struct {
        const char *left;
        const char *one;
        const char *many;
    } words[UM_INTERACTION_COUNT] = {
        [UM_INTERACTION_KEY] = {"  Typing     ", "key", "keys"},
        [UM_INTERACTION_CLICK] = {"  Clicks     ", "click", "clicks"},
        [UM_INTERACTION_WHEEL] = {"  Wheel      ", "step", "steps"},
    };
    for (size_t i = 0; i < UM_INTERACTION_COUNT && summary->interactions; i++) {
        const struct um_stats_kind *kind = &summary->interactions->kinds[i];
        if (kind->count > 0)
            write_kind(file, kind, words[i].left, words[i].one, words[i].many);
    }
}

static void write_states(FILE *file, const struct um_summary *summary)
{
    const char *left = "  Time       ";
    bool window_only = um_summary_is_window_only(summary);
    for (size_t i = 0; i < UM_STATE_COUNT; i++) {
        uint64_t ns = summary->totals.state_ns[um_summary_reading_order[i]];
        if (ns > 0) {
            (void)fprintf(file, "%s%-*s  %8s  %12s\n", left, window_only ? 13 : 10,
                          um_wire_state_words(um_summary_reading_order[i], window_only),
                          share_text(ns, summary->totals.duration_ns).chars, span_text(ns).chars);
            left = INDENT;
        }
    }
    if (summary->totals.state_ns[UM_STATE_BLIND] == 0)
        return;
    if (summary->beats.were_shielded)
        (void)fputs(INDENT "blind while a program of a higher integrity level was in front\n",
                    file);
    for (unsigned held = 0; held < UM_PROBE_HELD_COUNT; held++) {
        const struct um_wire_held_words *words = um_wire_held_words((uint8_t)held);
        if (words && summary->beats.were_held[held])
            (void)fprintf(file, INDENT "blind %s\n", words->summary);
    }
}

static void write_cost(FILE *file, const struct um_summary *summary)
{
    const char *before = "  Own CPU    ";
    for (size_t i = 0; i < UM_SUMMARY_CPUS; i++) {
        if (summary->cpu_ns[i]) {
            (void)fprintf(
                file, "%s%s %s %%", before, um_summary_cpu_names[i],
                number_text(percent_of(summary->cpu_ns[i], summary->totals.duration_ns)).chars);
            before = ", ";
        }
    }
    bool any = before[0] == ',';
    if (summary->hook_call_ns) {
        (void)fprintf(file, "%s%" PRIu64 " ns for each hooked message", any ? "\n" INDENT : before,
                      summary->hook_call_ns);
        any = true;
    }
    if (any)
        (void)fputc('\n', file);
}

/* The folders of saved freezes. They are not cut, so that they can be copied. */
static void write_bundles(FILE *file, const struct um_summary *summary)
{
    for (size_t i = 0; i < summary->bundle_count && i < BUNDLES_SHOWN; i++) {
        (void)fprintf(file, "%s%s\n", i == 0 ? "  Saved      " : INDENT,
                      um_utf8_show_path(summary->bundles[i].folder).text);
        if (summary->bundles[i].has_minidump_after)
            (void)fputs(INDENT "  its minidump shows the program after the freeze\n", file);
    }
    if (summary->bundle_count > BUNDLES_SHOWN)
        (void)fprintf(file, INDENT "and %zu more beside them\n",
                      summary->bundle_count - BUNDLES_SHOWN);
}

enum um_status um_summary_text_write(FILE *file, const struct um_summary *summary)
{
    write_target(file, summary);
    write_verdict(file, summary);
    write_stage(file, summary);
    (void)fputc('\n', file);
    write_latency(file, summary);
    write_freezes(file, summary);
    write_own_beats(file, summary);
    write_sampling(file, summary);
    write_bundles(file, summary);
    write_interactions(file, summary);
    um_traced_write_text(file, summary->traced);
    enum um_status status = um_methods_write_text(file, summary->methods);
    um_laid_out_write_text(file, summary->laid_out);
    um_counted_write_text(file, summary->counted);
    write_states(file, summary);
    write_cost(file, summary);
    return fflush(file) != 0 || ferror(file) ? UM_ERR_IO : status;
}
