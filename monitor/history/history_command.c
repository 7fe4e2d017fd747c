#include "monitor/options/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/output.h"
#include "base/platform.h"
#include "base/text_file.h"
#include "base/utf8.h"
#include "monitor/compare/results.h"
#include "monitor/history/history.h"
#include "monitor/history/history_changes.h"
#include "monitor/history/history_html.h"
#include "monitor/history/history_json.h"
#include "monitor/history/history_line.h"
#include "monitor/history/history_text.h"

/* How long to wait for another uimon that adds a line, which takes milliseconds. */
#define LOCK_WAIT_MS 10000

/* Prints what is wrong with a file and returns the exit code. */
static int refuse(const char *path, const char *what, enum um_exit_code code)
{
    char line[UM_OPTIONS_ERROR_BYTES];
    snprintf(line, sizeof line, "uimon: %s: %s", um_utf8_show_path(path).text, what);
    return um_output_fail(line, code);
}

/* Whether a name is shown unchanged, so that two names never look the same. */
static bool is_name(const char *name)
{
    char shown[UM_HISTORY_TEXT_BYTES];
    return name[0] != '\0' && um_utf8_columns(name) <= UM_HISTORY_LABEL_COLUMNS &&
           um_utf8_fit(name, UM_HISTORY_LABEL_COLUMNS, shown, sizeof shown) == UM_OK &&
           strcmp(shown, name) == 0;
}

/* Whether the name that an option gives can be used. If not, a line on stderr says so. */
static bool check_name(const char *option, const char *name, const char *what)
{
    char line[UM_OPTIONS_ERROR_BYTES];
    if (!name || is_name(name))
        return true;
    snprintf(line, sizeof line,
             "uimon: %s: it is empty, longer than 40 characters, or has some that cannot be shown; "
             "give %s",
             option, what);
    um_output_fail(line, UM_EXIT_USAGE);
    return false;
}

static const char machine_what[] = "a name for all machines that are alike";

/* Reads the history at a path. False, with a line in `error`, if that cannot be. */
static bool read_file(const char *path, const char *machine, struct um_history *history,
                      char error[UM_OPTIONS_ERROR_BYTES])
{
    char *text;
    size_t len;
    if (um_text_file_load(path, UM_HISTORY_FILE_BYTES, "a history", &text, &len, error,
                          UM_OPTIONS_ERROR_BYTES) != UM_OK)
        return false;
    enum um_status status = um_history_read(text, len, machine, history);
    free(text);
    if (status != UM_OK)
        snprintf(error, UM_OPTIONS_ERROR_BYTES, "uimon: out of memory");
    return status == UM_OK;
}

static const char *scenario_of(const struct um_history_track *track)
{
    return track->scenario[0] ? track->scenario : "the benchmark";
}

/* `history add` -------------------------------------------------------------------------------- */

static int append(const char *path, const char *line)
{
    size_t len = strlen(line) + 2;
    char *text = malloc(len + 1);
    if (!text)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    snprintf(text, len + 1, "\n%s\n", line);
    enum um_status status = um_platform_append(path, text, len, LOCK_WAIT_MS);
    free(text);
    if (status == UM_OK)
        return UM_EXIT_DONE;
    return refuse(path,
                  status == UM_ERR_NOT_FOUND ? "the history cannot be written: its folder does not "
                                               "exist; make it first"
                  : status == UM_ERR_DENIED  ? "the history cannot be written: may you write to it?"
                  : status == UM_ERR_BUSY
                      ? "nothing was added: another program has had the history locked for 10 s; "
                        "end that one, or try again later"
                      : "the line could not be written; is there room?",
                  UM_EXIT_FAILED);
}

/* Says so if the newest line is the first one of its machine and not of its scenario. */
static void note_new_machine(const char *path)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_history history;
    if (!read_file(path, NULL, &history, error))
        return;
    const struct um_history_track *track = history.lines ? &history.tracks[history.latest] : NULL;
    size_t others = track ? track->machine_ordinal - 1 : 0;
    if (others > 0 && track->commit_count == 1)
        fprintf(stderr,
                "uimon: %s: %s was measured on %lu other machine%s, and %s begins a series of its "
                "own; --machine NAME joins them, here and in 'uimon history show'\n",
                um_utf8_show_path(path).text, scenario_of(track), (unsigned long)others,
                others == 1 ? "" : "s", track->machine[0] ? track->machine : "this one");
    um_history_deinit(&history);
}

static int add(const struct um_options *options, const struct um_results *results)
{
    const char *label = options->label ? options->label : results->conditions.started;
    char *line;
    if (!is_name(label))
        return refuse(options->files[1], "it does not say when it was measured; give it a --label",
                      UM_EXIT_FAILED);
    enum um_status status = um_history_line_make(results, label, options->machine, &line);
    if (status == UM_ERR_NOT_FOUND)
        return refuse(options->files[1], "it has no measure", UM_EXIT_FAILED);
    if (status != UM_OK)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    int code = append(options->files[0], line);
    cJSON_free(line);
    if (code == UM_EXIT_DONE && options->verbose)
        fprintf(stderr, "uimon: %s: added %s\n", um_utf8_show_path(options->files[0]).text, label);
    if (code == UM_EXIT_DONE && !options->quiet)
        note_new_machine(options->files[0]);
    return code;
}

int um_history_command_add(struct um_options *options)
{
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_results results = {0};
    int code;

    um_platform_end_on_interrupt();
    if (!check_name("--label", options->label, "a commit or a date") ||
        !check_name("--machine", options->machine, machine_what))
        return UM_EXIT_USAGE;
    if (um_platform_same_file(options->files[0], options->files[1]) ||
        !um_history_begins(options->files[0]))
        return refuse(options->files[0],
                      "this is no history of uimon, so nothing was added; the history comes first, "
                      "then the results",
                      UM_EXIT_USAGE);
    if (um_results_read_file(&results, false, options->files[1], error, sizeof error) == UM_OK)
        code = add(options, &results);
    else
        code = um_output_fail(error, UM_EXIT_FAILED);
    um_results_deinit(&results);
    return code;
}

/* `history show` ------------------------------------------------------------------------------- */

/* Prints how many lines and values were left out. */
static void note_left_out(const char *path, const struct um_history *history)
{
    struct um_utf8_shown shown = um_utf8_show_path(path);
    if (history->damaged > 0)
        fprintf(stderr,
                "uimon: %s: %lu line%s cannot be read and %s left out, the first is line %lu\n",
                shown.text, history->damaged, history->damaged == 1 ? "" : "s",
                history->damaged == 1 ? "is" : "are", history->damaged_at);
    if (history->newer > 0)
        fprintf(stderr,
                "uimon: %s: %lu line%s of a newer uimon left out; show it with that version\n",
                shown.text, history->newer, history->newer == 1 ? " is" : "s are");
    if (history->older > 0)
        fprintf(stderr, "uimon: %s: only the newest %d lines are read; %lu older ones are not\n",
                shown.text, UM_HISTORY_LINES, history->older);
    if (history->replaced > 0)
        fprintf(stderr,
                "uimon: %s: %lu line%s left out, because a later one of another machine has the "
                "same label\n",
                shown.text, history->replaced, history->replaced == 1 ? " is" : "s are");
    if (history->full > 0)
        fprintf(stderr,
                "uimon: %s: %lu values are left out, because there are more than %d series; keep "
                "a history for each scenario\n",
                shown.text, history->full, UM_HISTORY_SERIES);
    fflush(stderr);
}

/* Says so if a scenario was measured on several machines. */
static void note_machines(const char *path, const struct um_history *history)
{
    const struct um_history_track *most = history->tracks;
    for (size_t i = 0; i < history->track_count; i++)
        if (history->tracks[i].machine_ordinal > most->machine_ordinal)
            most = &history->tracks[i];
    if (most && most->machine_ordinal > 1)
        fprintf(stderr,
                "uimon: %s: %s was measured on %lu machines, and each has a series of its own; "
                "--machine NAME joins them\n",
                um_utf8_show_path(path).text, scenario_of(most),
                (unsigned long)most->machine_ordinal);
    fflush(stderr);
}

/* Writes one of the files asked for: the JSON of `make`, or the page if that is NULL. False, with a
 * line on stderr, if it could not be written. */
static bool write_file(const char *option, const char *path, const struct um_history *history,
                       enum um_status (*make)(const struct um_history *, char **))
{
    struct um_output output;
    char *text = NULL;
    if (!path)
        return true;
    FILE *file = um_output_begin(&output, path, option, false);
    bool written = false;
    if (file && make)
        written = make(history, &text) == UM_OK && um_output_json(file, text);
    else if (file)
        written = um_history_html_write(file, history) == UM_OK;
    cJSON_free(text);
    return um_output_end(&output, written);
}

static int write_all(const struct um_options *options, struct um_history *history)
{
    if (um_history_changes_find(history) != UM_OK)
        return um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
    bool whole = write_file("--json", options->json, history, um_history_json_make);
    whole = write_file("--html", options->html, history, NULL) && whole;
    whole = write_file("--github-benchmark", options->github_benchmark, history,
                       um_history_json_github) &&
            whole;
    if (!options->quiet) {
        /* If a result goes to standard output, the text goes to standard error. */
        bool taken = um_output_is_stdout(options->json) || um_output_is_stdout(options->html) ||
                     um_output_is_stdout(options->github_benchmark);
        FILE *out = taken ? stderr : stdout;
        whole = um_output_printed(out, um_history_text_write(out, history) == UM_OK) && whole;
    }
    return whole ? UM_EXIT_DONE : UM_EXIT_FAILED;
}

static bool is_same(const char *path, const char *history)
{
    return path && !um_output_is_stdout(path) && um_platform_same_file(path, history);
}

int um_history_command_show(struct um_options *options)
{
    const char *path = options->files[0];
    char error[UM_OPTIONS_ERROR_BYTES];
    struct um_history history;

    um_platform_end_on_interrupt();
    if (!check_name("--machine", options->machine, machine_what))
        return UM_EXIT_USAGE;
    if (is_same(options->json, path) || is_same(options->html, path) ||
        is_same(options->github_benchmark, path))
        return refuse(path, "the result would overwrite the history; give it another file",
                      UM_EXIT_USAGE);
    if (!read_file(path, options->machine, &history, error))
        return um_output_fail(error, UM_EXIT_FAILED);
    note_left_out(path, &history);
    if (!options->quiet)
        note_machines(path, &history);
    int code = history.lines > 0
                   ? write_all(options, &history)
                   : refuse(path,
                            "there is nothing in it that can be shown; add results with 'uimon "
                            "history add'",
                            UM_EXIT_FAILED);
    um_history_deinit(&history);
    return code;
}
