#include "monitor/export/causes.h"

#include <stdlib.h>
#include <string.h>

static const struct um_samples_entry *entry_of(const struct um_causes *causes, size_t sample)
{
    const struct um_export *export = causes->export;
    return &export->view.samples->entries[export->samples[sample].index];
}

static uint32_t node_of(const struct um_causes *causes, size_t sample)
{
    return causes->export->nodes[causes->export->samples[sample].index];
}

/* Adds up what the samples of a freeze weigh in a node and in whatever it called, for each node;
 * or takes that back. Returns what all of them weigh. */
static uint64_t weigh_samples(const struct um_causes *causes, size_t first, size_t until,
                              uint64_t *weights, bool back)
{
    uint64_t sum = 0;
    for (size_t i = first; i < until; i++) {
        uint64_t wall_ns = entry_of(causes, i)->cost.wall_ns;
        sum += wall_ns;
        for (uint32_t node = node_of(causes, i); node != UM_CALLTREE_NONE;
             node = causes->export->tree.nodes[node].parent)
            weights[node] += back ? 0 - wall_ns : wall_ns;
    }
    return sum;
}

/* The innermost node with at least half of the weight of a freeze's samples: a node has no more of
 * it than its parent, and lies behind it. */
static uint32_t find_cause(const struct um_causes *causes, size_t first, size_t until,
                           const uint64_t *weights, uint64_t sum)
{
    uint32_t best = UM_CALLTREE_ROOT;
    for (size_t i = first; i < until; i++) {
        uint32_t node = node_of(causes, i);
        while (node != UM_CALLTREE_ROOT && 2 * weights[node] < sum)
            node = causes->export->tree.nodes[node].parent;
        if (weights[node] < weights[best] || (weights[node] == weights[best] && node > best))
            best = node;
    }
    return best;
}

/* Adds the causes of a thread: the samples of a freeze follow each other. */
static void add_thread(struct um_causes *causes, const struct um_export_thread *thread,
                       uint64_t *weights)
{
    size_t first = thread->first, end = thread->first + thread->count;
    while (first < end) {
        const struct um_samples_entry *entry = entry_of(causes, first);
        size_t until = first + 1;
        while (until < end && entry_of(causes, until)->freeze == entry->freeze)
            until++;
        if (entry->freeze != UM_SAMPLES_NO_FREEZE) {
            uint64_t sum = weigh_samples(causes, first, until, weights, false);
            uint32_t node = find_cause(causes, first, until, weights, sum);
            weigh_samples(causes, first, until, weights, true); /* back to 0 */
            causes->is_one[node] = true;
            causes->list[causes->count++] = (struct um_cause){entry->at_ns, node};
        }
        first = until;
    }
}

enum um_status um_causes_init(struct um_causes *causes, const struct um_export *export)
{
    size_t nodes = export->tree.count;
    uint64_t *weights = calloc(nodes, sizeof *weights);
    *causes = (struct um_causes){.export = export};
    causes->list = malloc((export->sample_count + 1) * sizeof *causes->list);
    causes->first = malloc((export->thread_count + 1) * sizeof *causes->first);
    causes->is_one = calloc(nodes, sizeof *causes->is_one);
    bool ok = weights && causes->list && causes->first && causes->is_one;
    for (size_t i = 0; i < export->thread_count && ok; i++) {
        causes->first[i] = causes->count;
        add_thread(causes, &export->threads[i], weights);
    }
    if (ok)
        causes->first[export->thread_count] = causes->count;
    free(weights);
    return ok ? UM_OK : UM_ERR_MEMORY;
}

const struct um_cause *um_causes_of(const struct um_causes *causes,
                                    const struct um_export_about *about, uint32_t number)
{
    const struct um_markers *markers = about->markers;
    const struct um_marker *marker = &markers->list[number];
    const struct um_marker_thread *marked = &markers->threads[marker->thread];
    const struct um_export_thread *thread =
        marked->pid == about->pid ? um_export_thread(causes->export, um_export_tid(marked)) : NULL;
    if (!thread || !marker->interval || marker->end_ns < 0 ||
        strcmp(um_markers_get_text(markers, marker->category), "freeze") != 0)
        return NULL;
    uint64_t start_ns = marker->start_ns > 0 ? (uint64_t)marker->start_ns : 0;
    size_t low = causes->first[thread - causes->export->threads];
    size_t until = causes->first[thread - causes->export->threads + 1], high = until;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (causes->list[middle].at_ns < start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_in = low < until && causes->list[low].at_ns <= (uint64_t)marker->end_ns;
    return is_in && causes->list[low].node != UM_CALLTREE_ROOT ? &causes->list[low] : NULL;
}

void um_causes_deinit(struct um_causes *causes)
{
    free(causes->list);
    free(causes->first);
    free(causes->is_one);
    *causes = (struct um_causes){0};
}
