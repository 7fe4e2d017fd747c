#include "monitor/profile/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/module_list.h"
#include "monitor/profile/profile.h"

#define GUESSES 64 /* frames of a sample of which is known whether they are guesses */

void um_view_init(struct um_view *view, const struct um_samples *samples,
                  struct um_functions *functions)
{
    *view = (struct um_view){
        .samples = samples, .functions = functions, .thread = UM_VIEW_UI, .freeze = UM_VIEW_ALL};
}

static bool is_shown(const struct um_view *view, uint32_t function)
{
    const char *module = um_functions_get(view->functions, function)->module;
    if (view->only && view->only[0] != '\0' && !um_module_list_has(view->only, module))
        return false;
    return !um_module_list_has(view->hide, module);
}

/* Replaces addresses by functions, and removes frames that are not shown. Returns how many frames
 * are left. `top_folded`: the innermost frame was removed. A frame becomes a guess if one that was
 * removed before it is one. */
static size_t fold(const struct um_view *view, struct um_calltree_frame *frames, size_t count,
                   bool *top_folded)
{
    size_t kept = 0;
    bool guessed = false;
    *top_folded = false;
    for (size_t i = 0; i < count; i++) {
        uint32_t function = um_functions_of(view->functions, frames[i].key);
        guessed |= frames[i].guessed;
        if (is_shown(view, function)) {
            frames[kept++] = (struct um_calltree_frame){.key = function, .guessed = guessed};
            guessed = false;
        } else if (kept > 0) {
            frames[kept - 1].folded = true;
        } else {
            *top_folded = true;
        }
    }
    if (kept > 0)
        frames[kept - 1].folded = false; /* it has no shown caller, so there is no call to mark */
    return kept;
}

static bool is_in_span(const struct um_view *view, uint64_t at_ns)
{
    size_t low = 0;
    size_t high = view->span_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (at_ns < view->spans[middle].from_ns)
            high = middle;
        else if (at_ns > view->spans[middle].to_ns)
            low = middle + 1;
        else
            return true;
    }
    return false;
}

bool um_view_has(const struct um_view *view, size_t index)
{
    if (index >= view->samples->count)
        return false;
    const struct um_samples_entry *entry = &view->samples->entries[index];
    bool has_thread =
        view->thread == UM_VIEW_ALL ||
        (view->thread == UM_VIEW_UI ? !entry->is_other : entry->thread == view->thread);
    return has_thread && (view->freeze == UM_VIEW_ALL || entry->freeze == view->freeze) &&
           (!view->spans || is_in_span(view, entry->at_ns));
}

bool um_view_sample(const struct um_view *view, size_t index, struct um_calltree_frame *frames,
                    struct um_calltree_sample *sample)
{
    if (!um_view_has(view, index))
        return false;
    const struct um_samples_entry *entry = &view->samples->entries[index];
    *sample = (struct um_calltree_sample){.frames = frames, .cost = entry->cost};
    size_t count = um_calltree_stack(&view->samples->stacks, entry->node, frames, &sample->cut);
    for (size_t i = 0; i < count; i++)
        frames[i].guessed = i < GUESSES && (entry->guessed >> i & 1);
    sample->frame_count = fold(view, frames, count, &sample->top_folded);
    return true;
}

size_t um_view_addresses(const struct um_view *view, size_t index, uint64_t *keys)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    bool cut;
    if (index >= view->samples->count)
        return 0;
    size_t count =
        um_calltree_stack(&view->samples->stacks, view->samples->entries[index].node, frames, &cut);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is_shown(view, um_functions_of(view->functions, frames[i].key)))
            keys[kept++] = frames[i].key;
    return kept;
}

enum um_status um_view_tree(const struct um_view *view, struct um_calltree *tree)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    enum um_status first = UM_OK;
    for (size_t i = 0; i < view->samples->count; i++) {
        if (!um_view_sample(view, i, frames, &sample))
            continue;
        enum um_status status = um_calltree_add(tree, &sample, NULL);
        first = first == UM_OK ? status : first;
    }
    return first;
}

uint32_t um_view_number(const struct um_view *view)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    for (size_t i = 0; i < view->samples->count; i++)
        um_view_sample(view, i, frames, &sample);
    return view->functions->name_count;
}

struct um_functions_label um_view_thread_label(const struct um_view *view, uint32_t thread)
{
    struct um_functions_label label;
    const char *name = view->profile ? um_profile_thread_name(view->profile, thread) : "";
    snprintf(label.text, sizeof label.text,
             name[0] != '\0' ? "%s (thread %" PRIu32 ")" : "%sthread %" PRIu32, name, thread);
    return label;
}

struct seen {
    size_t sample; /* 1 + the last sample that was counted */
    bool guessed;  /* in that, so far */
    uint32_t freeze;
};

static void count_sample(const struct um_calltree_sample *sample, size_t number, uint32_t freeze,
                         struct um_view_function *costs, struct seen *seen)
{
    for (size_t i = 0; i < sample->frame_count; i++) {
        uint64_t function = sample->frames[i].key;
        bool is_again = seen[function].sample == number;
        bool was_guessed = is_again && seen[function].guessed;
        seen[function].guessed = sample->frames[i].guessed && (!is_again || was_guessed);
        costs[function].guessed += seen[function].guessed ? sample->cost.samples : 0;
        costs[function].guessed -= was_guessed ? sample->cost.samples : 0;
        if (is_again)
            continue;
        bool is_new = freeze != UM_SAMPLES_NO_FREEZE &&
                      (costs[function].freezes == 0 || seen[function].freeze != freeze);
        costs[function].freezes += is_new;
        seen[function].sample = number;
        if (is_new)
            seen[function].freeze = freeze;
        um_calltree_sum(&costs[function].all, &sample->cost);
    }
    if (sample->frame_count > 0 && !sample->top_folded)
        um_calltree_sum(&costs[sample->frames[0].key].top, &sample->cost);
}

enum um_status um_view_functions(const struct um_view *view, struct um_view_function **costs,
                                 size_t *count)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    size_t functions = um_view_number(view);
    struct um_view_function *made = calloc(functions, sizeof *made);
    struct seen *seen = calloc(functions, sizeof *seen);
    for (size_t i = 0; made && seen && i < view->samples->count; i++)
        if (um_view_sample(view, i, frames, &sample))
            count_sample(&sample, i + 1, view->samples->entries[i].freeze, made, seen);
    bool failed = !made || !seen;
    free(seen);
    if (failed) {
        free(made);
        return UM_ERR_MEMORY;
    }
    *costs = made;
    *count = functions;
    return UM_OK;
}
