#include "monitor/export/export.h"

#include <inttypes.h>

#include "base/plain/clock.h"
#include "base/utf8.h"
#include "ipc/wire.h"

/* Writes a frame. Characters that would end the frame (a semicolon) or the line are replaced, and
 * so are those that could command a terminal. */
static void put_label(const char *text, FILE *out)
{
    for (uint32_t c; (c = um_utf8_next_shown(&text)) != 0;)
        um_utf8_put(out, c == ';' ? ':' : c);
}

static void put_frame(const struct um_export *export, uint64_t frame, bool guessed, FILE *out)
{
    struct um_functions_label label = um_export_label(export, (uint32_t)frame);
    fputs(guessed ? ";" UM_WIRE_GUESS : ";", out);
    put_label(label.text, out);
}

static void put_tree(const struct um_export *export, const struct um_calltree *tree,
                     uint32_t thread, FILE *out)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    bool cut;
    for (uint32_t i = 0; i < tree->count; i++) {
        if (tree->nodes[i].top.samples == 0)
            continue;
        put_label(um_view_thread_label(&export->view, thread).text, out);
        size_t count = um_calltree_stack(tree, i, frames, &cut);
        if (cut)
            put_frame(export, export->cut, false, out);
        while (count-- > 0) {
            if (frames[count].folded)
                put_frame(export, export->hidden, false, out);
            put_frame(export, frames[count].key, frames[count].guessed, out);
        }
        if (tree->nodes[i].top_folded)
            put_frame(export, export->hidden, false, out);
        uint64_t us = (tree->nodes[i].top.wall_ns + UM_CLOCK_NS_PER_US / 2) / UM_CLOCK_NS_PER_US;
        fprintf(out, " %" PRIu64 "\n", us > 0 ? us : 1);
    }
}

/* Writes the samples of one kind. Samples in hidden frames that a function called are another stack
 * than those in the function itself, so each kind has a tree of its own. */
static enum um_status put_kind(const struct um_export *export,
                               const struct um_export_thread *thread, bool top_folded, FILE *out)
{
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    struct um_calltree_sample sample;
    struct um_calltree tree;
    enum um_status status = um_calltree_init(&tree, 0);
    for (size_t i = 0; status == UM_OK && i < thread->count; i++)
        if (um_view_sample(&export->view, export->samples[thread->first + i].index, frames,
                           &sample) &&
            sample.top_folded == top_folded)
            status = um_calltree_add(&tree, &sample, NULL);
    if (status == UM_OK)
        put_tree(export, &tree, thread->id, out);
    um_calltree_deinit(&tree);
    return status;
}

enum um_status um_export_folded(const struct um_view *view, const struct um_export_about *about,
                                FILE *out)
{
    (void)about;
    struct um_export export;
    enum um_status status = um_export_begin(&export, view);
    for (size_t i = 0; status == UM_OK && i < export.thread_count; i++) {
        status = put_kind(&export, &export.threads[i], false, out);
        if (status == UM_OK)
            status = put_kind(&export, &export.threads[i], true, out);
    }
    um_export_end(&export);
    if (status != UM_OK)
        return status;
    return fflush(out) == 0 && !ferror(out) ? UM_OK : UM_ERR_IO;
}
