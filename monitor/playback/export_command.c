#include "monitor/options/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "monitor/base/exit_code.h"
#include "monitor/base/message_names.h"
#include "monitor/base/output.h"
#include "monitor/base/platform.h"
#include "monitor/base/utf8.h"
#include "monitor/playback/profiled.h"
#include "monitor/playback/recorded.h"
#include "monitor/profile/export.h"

/* Everything that the formats tell. */
struct telling {
    struct um_profiled profiled;
    struct um_export_about about;
    struct um_export_freeze *freezes;
    char (*suspects)[256];
};

static void name_suspect(const struct um_stats_freeze *freeze, char *text, size_t cap)
{
    char message[UM_MESSAGE_NAMES_BYTES] = "";
    text[0] = '\0';
    if (!freeze->has_message)
        return;
    um_message_names_get(freeze->message, freeze->message_name, message, sizeof message);
    snprintf(text, cap, "%s%s%s", message, freeze->window_class[0] ? " @ " : "",
             freeze->window_class);
}

static void tell_freeze(const struct um_recorded *recorded, const struct um_stats_freeze *freeze,
                        char *suspect, size_t cap, struct um_export_freeze *told)
{
    uint64_t start_ns = recorded->session.start_ns;
    name_suspect(freeze, suspect, cap);
    *told = (struct um_export_freeze){.id = freeze->id,
                                      .start_ns = (int64_t)(freeze->start_ns - start_ns),
                                      .duration_ns = freeze->duration_ns,
                                      .state = um_wire_state_name(freeze->state),
                                      .suspect = suspect};
}

/* Prepares what is to be told. False without memory; end_telling is due also then. */
static bool begin_telling(const struct um_options *options, const struct um_recorded *recorded,
                          struct telling *telling)
{
    const struct um_stats_freezes *freezes = um_stats_freezes(recorded->stats);
    *telling = (struct telling){.about = {.program = recorded->session.name,
                                          .pid = recorded->session.pid,
                                          .thread = recorded->session.tid,
                                          .start_ns = recorded->session.start_ns,
                                          .utc_ms = recorded->session.utc_ms,
                                          .duration_ns = recorded->summary.duration_ns}};
    telling->freezes = calloc(freezes->len + 1, sizeof *telling->freezes);
    telling->suspects = calloc(freezes->len + 1, sizeof *telling->suspects);
    if (!telling->freezes || !telling->suspects ||
        um_profiled_init(&telling->profiled, recorded, options) != UM_OK)
        return false;
    for (size_t i = 0; i < freezes->len; i++)
        tell_freeze(recorded, &freezes->list[i], telling->suspects[i], sizeof telling->suspects[i],
                    &telling->freezes[i]);
    telling->profiled.view.thread = UM_VIEW_ALL;
    telling->about.freezes = telling->freezes;
    telling->about.freeze_count = freezes->len;
    if (options->freeze > 0)
        telling->profiled.view.freeze = freezes->list[options->freeze - 1].id;
    return true;
}

static void end_telling(struct telling *telling)
{
    um_profiled_deinit(&telling->profiled);
    free(telling->freezes);
    free(telling->suspects);
}

static enum um_status write_format(enum um_options_format format, const struct telling *telling,
                                   FILE *out)
{
    const struct um_view *view = &telling->profiled.view;
    switch (format) {
    case UM_OPTIONS_FORMAT_FOLDED:
        return um_export_folded(view, out);
    case UM_OPTIONS_FORMAT_FIREFOX:
        return um_export_firefox(view, &telling->about, out);
    case UM_OPTIONS_FORMAT_PERFETTO:
        return um_export_perfetto(view, &telling->about, out);
    default:
        return um_export_speedscope(view, out);
    }
}

/* Writes the file, or says on stderr why it could not. */
static bool write_file(const struct um_options *options, const struct telling *telling)
{
    const char *path = options->output ? options->output : "-";
    struct um_output output;
    FILE *file = um_output_begin(&output, path, "--output", false);
    if (file && options->format == UM_OPTIONS_FORMAT_PERFETTO)
        um_platform_write_bytes(file);
    enum um_status status = file ? write_format(options->format, telling, file) : UM_ERR_IO;
    if (status != UM_ERR_TOO_LARGE && status != UM_ERR_MEMORY)
        return um_output_end(&output, status == UM_OK);
    um_output_drop(&output);
    fprintf(stderr, status == UM_ERR_MEMORY
                        ? "uimon: out of memory\n"
                        : "uimon: there are too many different stacks for one file: export one "
                          "freeze, with --freeze, or hide modules, with --hide\n");
    return false;
}

/* Whether there is something to export; otherwise says why there is not. */
static int check(const struct um_options *options, const struct um_recorded *recorded)
{
    const struct um_stats_freezes *freezes = um_stats_freezes(recorded->stats);
    size_t samples = um_profile_samples(recorded->profile)->count;
    if (options->freeze > freezes->len) {
        fprintf(stderr, "uimon: --freeze %" PRIu32 ": the recording has %zu freezes; ",
                options->freeze, freezes->len);
        fputs(freezes->len > 0 ? "take one of them, by its place in the JSON of report\n"
                               : "leave --freeze out\n",
              stderr);
        return UM_EXIT_USAGE;
    }
    if (samples > 0)
        return UM_EXIT_DONE;
    fprintf(stderr,
            "uimon: %s: no stacks are in it: nothing was away for long enough, or it was recorded "
            "with --sample off or by an older uimon\n",
            um_utf8_show_path(options->files[0]).text);
    return UM_EXIT_FAILED;
}

static int export(const struct um_options *options, struct um_recording *recording)
{
    struct um_recorded *recorded = calloc(1, sizeof *recorded);
    struct telling telling;
    if (!recorded) {
        fprintf(stderr, "uimon: out of memory\n");
        return UM_EXIT_FAILED;
    }
    bool whole = um_recorded_read(recording, recorded) == UM_OK;
    int code = whole ? check(options, recorded) : UM_EXIT_FAILED;
    if (code == UM_EXIT_DONE) {
        whole = begin_telling(options, recorded, &telling);
        if (!whole)
            fprintf(stderr, "uimon: out of memory\n");
        whole = whole && write_file(options, &telling);
        end_telling(&telling);
    }
    if (recorded->problem[0] != '\0') {
        um_output_error(recorded->problem);
        whole = false;
    }
    um_recorded_deinit(recorded);
    free(recorded);
    return code == UM_EXIT_DONE && !whole ? UM_EXIT_FAILED : code;
}

int um_export_command_run(struct um_options *options)
{
    const char *path = options->files[0];
    char error[UM_RECORDING_ERROR_BYTES];
    struct um_recording *recording;

    um_platform_end_on_interrupt();
    if (options->output && !um_output_is_stdout(options->output) &&
        um_platform_same_file(options->output, path)) {
        fprintf(stderr,
                "uimon: %s: the export would overwrite the recording; give it another file\n",
                um_utf8_show_path(path).text);
        return UM_EXIT_USAGE;
    }
    if (um_recording_open(path, &recording, error, sizeof error) != UM_OK) {
        um_output_error(error);
        return UM_EXIT_FAILED;
    }
    int code = export(options, recording);
    um_recording_close(recording);
    return code;
}
