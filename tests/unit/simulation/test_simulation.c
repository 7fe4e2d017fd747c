/* Whole sessions in virtual time, judged to the nanosecond. */
#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "tests/unit/simulation/oracle.h"

static struct oracle_verdict judge(const struct script *script)
{
    struct model_trace *trace = model_run(script);
    struct oracle_verdict verdict = oracle_judge(script, trace);
    free(trace);
    return verdict;
}

static const char *sought;

/* Whether the oracle still complains about the same. */
static bool fails(const struct script *script)
{
    const char *about = judge(script).about;
    return about == sought;
}

static void check(const struct script *script, uint64_t number)
{
    struct oracle_verdict verdict = judge(script);
    if (!verdict.about)
        return;
    sought = verdict.about;
    struct script small = script_shrink(*script, fails);
    printf("session %llu, %s: %s\n", (unsigned long long)number, verdict.about, verdict.complaint);
    verdict = judge(&small);
    printf("the shortest script (%s):\n", verdict.complaint);
    script_print(&small);
}

Test(simulation, random_sessions)
{
    const char *first = getenv("UM_SIM_FIRST");
    const char *count = getenv("UM_SIM_COUNT");
    uint64_t from = first ? strtoull(first, NULL, 10) : 1;
    uint64_t to = from + (count ? strtoull(count, NULL, 10) : 2000);
    for (uint64_t i = from; i < to; i++) {
        struct script script = script_random(i);
        check(&script, i);
    }
}

static void show(const struct script *script)
{
    struct model_trace *t = model_run(script);
    double o = MODEL_START_NS;
    for (size_t i = 0; i < t->beat_count; i++)
        printf("beat %zu: %.4f deliv %.4f taken %.4f rested %.4f %d %d\n", i + 1,
               (t->beats[i].sent_ns - o) / 1e6, (t->beats[i].delivered_ns - o) / 1e6,
               (t->beats[i].taken_ns - o) / 1e6, (t->beats[i].rested_ns - o) / 1e6,
               t->beats[i].rested, t->beats[i].left_out);
    for (size_t i = 0; i < t->busy_count; i++)
        if (!t->busy[i].ours)
            printf("busy %.4f..%.4f %x\n", (t->busy[i].begin_ns - o) / 1e6,
                   (t->busy[i].end_ns - o) / 1e6, t->busy[i].message);
    for (size_t i = 0; i < t->key_count; i++)
        printf("key %.4f %.4f %.4f %.4f\n", (t->keys[i].arrival_ns - o) / 1e6,
               (t->keys[i].dequeued_ns - o) / 1e6, (t->keys[i].handled_ns - o) / 1e6,
               (t->keys[i].painted_ns - o) / 1e6);
    for (size_t i = 0; i < t->said_count; i++) {
        const struct um_wire_frame *f = &t->said[i].frame;
        if (f->type == UM_WIRE_EPISODE)
            printf("%.4f episode %d flags %x %.4f..%.4f unc %.4f msg %x slept %.4f\n",
                   (t->said[i].now_ns - o) / 1e6, f->as.episode.state, f->flags,
                   (f->as.episode.start_ns - o) / 1e6, (f->as.episode.end_ns - o) / 1e6,
                   f->as.episode.uncertainty_ns / 1e6, f->as.episode.message,
                   f->as.episode.slept_ns / 1e6);
        if (f->type == UM_WIRE_INTERACTION)
            printf("%.4f key %.4f %.4f %.4f %.4f freeze %u\n", (t->said[i].now_ns - o) / 1e6,
                   (f->as.interaction.arrival_ns - o) / 1e6,
                   (f->as.interaction.dequeued_ns - o) / 1e6,
                   (f->as.interaction.handled_ns - o) / 1e6,
                   (f->as.interaction.painted_ns - o) / 1e6, f->as.interaction.freeze);
    }
    struct oracle_verdict v = oracle_judge(script, t);
    printf("%s: %s\n", v.about ? v.about : "fine", v.complaint);
    free(t);
}

Test(simulation, shows)
{
#include "/tmp/script.inc"
    show(&script);
}
