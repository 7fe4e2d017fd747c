#include "monitor/options/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/exit_code.h"
#include "base/ns.h"
#include "base/output.h"
#include "base/platform.h"
#include "base/utf8.h"
#include "monitor/export/chosen_markers.h"
#include "monitor/export/export.h"
#include "monitor/flows/recorded_markers.h"
#include "monitor/options/exports.h"
#include "monitor/profile/unseen.h"
#include "monitor/recorded/profiled.h"
#include "monitor/recorded/recorded.h"

#define ROW(word, binary, stacks, markers, counters)                                               \
    {binary, stacks, markers, counters, um_export_##word},

static const struct {
    bool binary;
    bool stacks;
    bool markers;
    bool counters;
    um_export_write *write;
} formats[] = {UM_OPTIONS_EXPORTS(ROW, ROW)};

/* Everything that the formats write. */
struct contents {
    struct um_recorded recorded;
    struct um_profiled profiled;
    struct um_export_about about;
    struct um_recorded_markers *recorded_markers; /* NULL: the format has none */
    struct um_markers markers;
    struct um_flows flows;
    bool *chosen;
    struct um_recorded_counters counters;
    struct um_latency_log latency_log;
};

static bool has_latencies(int format)
{
    return !formats[format].stacks && !formats[format].markers && !formats[format].counters;
}

static void take_marker(void *context, const struct um_recorded *recorded,
                        const struct um_wire_frame *frame)
{
    (void)recorded;
    um_recorded_markers_take(context, frame);
}

/* Makes the markers, and chooses those of the freeze that is wanted, if one is. False, with a line
 * on stderr, without memory. Owner: contents_end, also then. */
static bool make_markers(const struct um_options *options, struct contents *contents)
{
    bool whole = um_recorded_markers_make(contents->recorded_markers, UM_MARKERS_MOST,
                                          &contents->markers) == UM_OK &&
                 um_markers_finish(&contents->markers) == UM_OK &&
                 um_flows_init(&contents->flows, &contents->markers) == UM_OK;
    if (whole && options->freeze > 0) {
        const struct um_stats_freeze *freeze =
            &um_stats_freezes(contents->recorded.stats)->list[options->freeze - 1];
        int64_t start_ns = (int64_t)(freeze->start_ns - contents->recorded.session.start_ns);
        contents->chosen = um_chosen_markers(&contents->markers, &contents->flows, start_ns,
                                             start_ns + (int64_t)freeze->duration_ns);
        whole = contents->chosen != NULL;
    }
    if (!whole)
        fprintf(stderr, "uimon: out of memory\n");
    return whole;
}

/* Collects the contents. False, with a line on stderr, without memory. Owner: contents_end, also
 * then. */
static bool read_stacks(const struct um_options *options, struct contents *contents)
{
    const struct um_recorded *recorded = &contents->recorded;
    if (um_profiled_init(&contents->profiled, recorded, options) != UM_OK) {
        fprintf(stderr, "uimon: out of memory\n");
        return false;
    }
    contents->profiled.view.thread = UM_VIEW_ALL;
    if (options->freeze > 0)
        contents->profiled.view.freeze =
            um_stats_freezes(recorded->stats)->list[options->freeze - 1].id;
    struct um_view whole = contents->profiled.view;
    whole.freeze = UM_VIEW_ALL;
    if (options->only && whole.samples->count > 0)
        um_unseen_write(&whole, options->only, "uimon: --only: ", stderr);
    return true;
}

/* Makes what the format has besides stacks and markers of what was read. False, with a line on
 * stderr, without memory. */
static bool make_others(const struct um_options *options, struct contents *contents)
{
    struct um_recorded_counters *counters = &contents->counters;
    const struct um_recorded *recorded = &contents->recorded;
    bool whole = true;
    if (formats[options->format].counters)
        whole = um_recorded_counters_make(counters, recorded) == UM_OK;
    else if (formats[options->format].write == um_export_hlog)
        whole = um_latency_log_end(&contents->latency_log, recorded) == UM_OK;
    if (options->freeze > 0) {
        const struct um_stats_freeze *freeze =
            &um_stats_freezes(recorded->stats)->list[options->freeze - 1];
        uint64_t from_ns = um_ns_elapsed(recorded->session.start_ns, freeze->start_ns);
        um_recorded_counters_keep(counters, from_ns, from_ns + freeze->duration_ns);
    }
    if (!whole)
        fprintf(stderr, "uimon: out of memory\n");
    else if (formats[options->format].counters && recorded->curves.cut)
        fprintf(stderr,
                "uimon: some values of counters are left out, because there are too many\n");
    return whole;
}

static void describe(const struct um_options *options, struct contents *contents)
{
    const struct um_recorded *recorded = &contents->recorded;
    contents->about = (struct um_export_about){.program = recorded->session.name,
                                               .pid = recorded->session.pid,
                                               .thread = recorded->session.tid,
                                               .start_ns = recorded->session.start_ns,
                                               .utc_ms = recorded->session.utc_ms,
                                               .duration_ns = recorded->summary.totals.duration_ns,
                                               .markers = &contents->markers,
                                               .flows = &contents->flows,
                                               .chosen = contents->chosen,
                                               .counters = &contents->counters,
                                               .stats = recorded->stats,
                                               .latency_log = &contents->latency_log,
                                               .latency = (size_t)options->latency};
}

static void contents_end(struct contents *contents)
{
    um_profiled_deinit(&contents->profiled);
    um_flows_deinit(&contents->flows);
    um_markers_deinit(&contents->markers);
    um_recorded_markers_close(contents->recorded_markers);
    free(contents->chosen);
    um_recorded_counters_deinit(&contents->counters);
    um_latency_log_deinit(&contents->latency_log);
    um_recorded_deinit(&contents->recorded);
}

/* Writes the file. False, with a line on stderr, if it cannot. */
static bool write_file(const struct um_options *options, const struct contents *contents)
{
    const char *path = options->output ? options->output : "-";
    struct um_output output;
    FILE *file;
    if (!um_output_begin_guarded(&output, path, "--output", contents->recorded.has_keys, &file))
        return false;
    if (file && formats[options->format].binary)
        um_platform_write_bytes(file);
    enum um_status status = UM_ERR_IO;
    if (file)
        status = formats[options->format].write(&contents->profiled.view, &contents->about, file);
    if (status != UM_ERR_TOO_LARGE && status != UM_ERR_MEMORY)
        return um_output_end(&output, status == UM_OK);
    um_output_drop(&output);
    fprintf(stderr, status == UM_ERR_MEMORY
                        ? "uimon: out of memory\n"
                        : "uimon: there are too many different stacks for one file: export one "
                          "freeze, with --freeze, or hide modules, with --hide\n");
    return false;
}

/* Checks that there is such a freeze, and otherwise prints which there are. */
static bool has_freeze(const struct um_options *options, const struct um_recorded *recorded)
{
    const struct um_stats_freezes *freezes = um_stats_freezes(recorded->stats);
    if (options->freeze <= freezes->len)
        return true;
    fprintf(stderr, "uimon: --freeze %" PRIu32 ": the recording has %zu freezes; ", options->freeze,
            freezes->len);
    fputs(freezes->len > 0 ? "take one of them, by its place in the JSON of report\n"
                           : "leave --freeze out\n",
          stderr);
    return false;
}

/* Checks that there are latencies for the format, and otherwise says so. */
static bool has_latency(const struct um_options *options, const struct contents *contents)
{
    bool is_one = formats[options->format].write == um_export_hgrm;
    size_t wanted = (size_t)options->latency;
    for (size_t i = 0; i < UM_LATENCIES_COUNT; i++)
        if ((!is_one || i == wanted) && um_latencies_get(contents->recorded.stats, i))
            return true;
    fprintf(stderr, "uimon: %s: there are no values of %s in it\n",
            um_utf8_show_path(options->files[0]).text,
            is_one ? um_latencies_name(wanted) : "any latency");
    return false;
}

/* Checks that there is something to write, and otherwise prints why not. */
static bool has_contents(const struct um_options *options, const struct contents *contents)
{
    bool stacks = formats[options->format].stacks, markers = formats[options->format].markers;
    if (has_latencies(options->format))
        return has_latency(options, contents);
    if ((stacks && um_profile_samples(contents->recorded.profile)->count > 0) ||
        (markers && contents->markers.count > 0))
        return true;
    fprintf(stderr, "uimon: %s: %s\n", um_utf8_show_path(options->files[0]).text,
            markers ? "there is nothing in it that the format has a place for"
                    : "no stacks are in it: nothing was away for long enough, or it was recorded "
                      "with --sample off or by an older uimon");
    return false;
}

/* Makes what the format has and writes it. False, with a line on stderr, if it cannot. */
static bool convert(const struct um_options *options, struct contents *contents)
{
    if ((formats[options->format].markers && !make_markers(options, contents)) ||
        !make_others(options, contents) || !has_contents(options, contents) ||
        !read_stacks(options, contents))
        return false;
    describe(options, contents);
    return write_file(options, contents);
}

/* Reads the recording, once, with what the format has besides. False, with a line on stderr or in
 * `problem`, if it cannot. */
static bool read_recording(const struct um_options *options, struct contents *contents)
{
    struct um_recorded *recorded = &contents->recorded;
    if (formats[options->format].write == um_export_hlog) {
        recorded->take = um_latency_log_take;
        recorded->take_context = &contents->latency_log;
    }
    if (formats[options->format].markers) {
        if (um_recorded_markers_open(&contents->recorded_markers) != UM_OK) {
            um_output_error("uimon: out of memory");
            return false;
        }
        recorded->take = take_marker;
        recorded->take_context = contents->recorded_markers;
    }
    return um_recorded_read_file(options->files[0], recorded) == UM_OK;
}

static int export(const struct um_options *options)
{
    struct contents *contents = calloc(1, sizeof *contents);
    int code = UM_EXIT_FAILED;
    if (!contents)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    struct um_recorded *recorded = &contents->recorded;
    if (read_recording(options, contents)) {
        if (!has_freeze(options, recorded))
            code = UM_EXIT_USAGE;
        else if (convert(options, contents))
            code = UM_EXIT_DONE;
    }
    if (recorded->problem[0] != '\0') {
        um_output_error(recorded->problem);
        code = code == UM_EXIT_DONE ? UM_EXIT_FAILED : code;
    }
    contents_end(contents);
    free(contents);
    return code;
}

int um_export_command_run(struct um_options *options)
{
    const char *path = options->files[0];

    um_platform_end_on_interrupt();
    if (options->output && !um_output_is_stdout(options->output) &&
        um_platform_same_file(options->output, path)) {
        fprintf(stderr,
                "uimon: %s: the export would overwrite the recording; give it another file\n",
                um_utf8_show_path(path).text);
        return UM_EXIT_USAGE;
    }
    if (options->freeze > 0 && has_latencies(options->format)) {
        fprintf(stderr,
                "uimon: --freeze: latencies are those of the whole session; leave it out\n");
        return UM_EXIT_USAGE;
    }
    return export(options);
}
