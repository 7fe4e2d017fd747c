#include "monitor/live/watch_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/output.h"
#include "base/platform.h"
#include "base/utf8.h"
#include "monitor/live/flight_parts.h"

#define END_NS (2 * UM_CLOCK_NS_PER_S)   /* the longest wait for each output at the end */
#define MOST_SAVED 10                    /* long freezes of a session */
#define PAGES_NS (5 * UM_CLOCK_NS_PER_S) /* the longest wait for the pages of the last freezes */

static enum um_status open_csv(struct um_watch_files *files, char *error, size_t cap)
{
    const char *path = files->options->csv;
    if (!path)
        return UM_OK;
    enum um_status status = um_csv_writer_open(path, files->options->keep_keys, &files->rows);
    if (status == UM_ERR_MEMORY)
        snprintf(error, cap, "uimon: --csv: out of memory");
    else if (status != UM_OK)
        snprintf(error, cap, "uimon: --csv %s: the file cannot be written: is the disk full?",
                 path);
    return status;
}

static struct um_wire_recording make_header(const struct um_options *options)
{
    struct um_wire_recording header = {.utc_ms = um_clock_utc_ms(), .time_ns = um_clock_now_ns()};
    um_text_set(header.version, sizeof header.version, UM_VERSION);
    um_options_describe(options, header.options, sizeof header.options);
    return header;
}

static enum um_status open_recording(struct um_watch_files *files, char *error, size_t cap)
{
    struct um_wire_recording header = make_header(files->options);
    const char *path = files->options->record;
    return path ? um_recorder_open(path, files->options->keep_keys, &header, &files->recorder,
                                   error, cap)
                : UM_OK;
}

static enum um_status open_flight(struct um_watch_files *files, char *error, size_t cap)
{
    const struct um_options *options = files->options;
    double over_ms = options->dump_over_ms > options->threshold_ms ? options->dump_over_ms
                                                                   : options->threshold_ms;
    struct um_flight_config config = {.dir = options->dump_dir,
                                      .keep_s = (uint32_t)(options->keep_s + 0.999),
                                      .over_ms = (uint32_t)(over_ms + 0.5),
                                      .most = MOST_SAVED,
                                      .minidump = options->minidump,
                                      .header = make_header(options),
                                      .helper = um_flight_parts(options)};
    return config.dir ? um_flight_open(&config, &files->flight, error, cap) : UM_OK;
}

static enum um_status open_prometheus(struct um_watch_files *files, char *error, size_t cap)
{
    struct um_platform_machine machine;
    const char *path = files->options->prometheus;
    if (!path)
        return UM_OK;
    um_platform_machine(&machine);
    enum um_status status = um_prometheus_writer_open(path, machine.name, &files->prometheus);
    if (status != UM_OK)
        snprintf(error, cap, "uimon: --prometheus %s: %s", path,
                 status == UM_ERR_MEMORY ? "out of memory"
                 : status == UM_ERR_BUSY
                     ? "another uimon writes this file; give each program a file of its own"
                 : status == UM_ERR_EXISTS
                     ? "beside it, uimon would make a file of this name with .lock behind it, and "
                       "there is one that is not uimon's: choose another name"
                     : "the file of before cannot be replaced; is it open?");
    return status;
}

enum um_status um_watch_files_open(const struct um_options *options, struct um_watch_files *files,
                                   char *error, size_t cap_bytes)
{
    memset(files, 0, sizeof *files);
    files->options = options;
    if (!um_output_can_write(options->json, "--json", error, cap_bytes) ||
        !um_output_can_write(options->csv, "--csv", error, cap_bytes) ||
        !um_output_can_write(options->prometheus, "--prometheus", error, cap_bytes))
        return UM_ERR_IO;
    if (options->keep_keys &&
        (!um_output_guard(options->json, "--json", error, cap_bytes) ||
         !um_output_guard_stream(options->csv, "--csv", error, cap_bytes) ||
         !um_output_guard_stream(options->record, "--record", error, cap_bytes)))
        return UM_ERR_IO;
    enum um_status status = open_recording(files, error, cap_bytes); /* touches nothing yet */
    status = status == UM_OK ? open_flight(files, error, cap_bytes) : status;
    status = status == UM_OK ? open_csv(files, error, cap_bytes) : status;
    return status == UM_OK ? open_prometheus(files, error, cap_bytes) : status;
}

size_t um_watch_files_outputs(struct um_watch_files *files, struct um_feed_output *list)
{
    size_t count = 0;
    if (files->rows)
        list[count++] = um_csv_writer_output(files->rows);
    if (files->recorder)
        list[count++] = um_recorder_output(files->recorder);
    if (files->prometheus)
        list[count++] = um_prometheus_writer_output(files->prometheus);
    if (files->flight)
        list[count++] = um_flight_output(files->flight);
    return count;
}

static bool prometheus_trouble(struct um_watch_files *files, char *line, size_t cap_bytes)
{
    if (!files->prometheus || files->prometheus_said ||
        um_prometheus_writer_status(files->prometheus) == UM_OK)
        return false;
    snprintf(line, cap_bytes,
             "--prometheus %s: the file cannot be written; it is removed until it can, and "
             "measuring goes on",
             files->options->prometheus);
    files->prometheus_said = true;
    return true;
}

static bool csv_trouble(struct um_watch_files *files, char *line, size_t cap_bytes)
{
    const char *path = files->options->csv;
    bool is_stdout = um_output_is_stdout(path);
    if (!files->rows || files->rows_said || um_csv_writer_status(files->rows) == UM_OK)
        return false;
    files->is_over = is_stdout;
    if (files->options->quiet)
        return false; /* the line comes at the end, as an error */
    snprintf(line, cap_bytes, "--csv %s: the CSV could not be written to its end: %s", path,
             is_stdout ? "its reader has left, or there is no room"
                       : "is the disk full? Measuring goes on");
    files->rows_said = true;
    return true;
}

bool um_watch_files_trouble(struct um_watch_files *files, char *line, size_t cap_bytes)
{
    if (csv_trouble(files, line, cap_bytes) || prometheus_trouble(files, line, cap_bytes) ||
        (files->flight && um_flight_next_line(files->flight, line, cap_bytes)))
        return true;
    if (!files->recorder || files->record_said || um_recorder_status(files->recorder) == UM_OK)
        return false;
    snprintf(line, cap_bytes, "--record %s: recording has stopped: %s; measuring goes on",
             files->options->record, um_recorder_reason(files->recorder));
    files->record_said = true;
    return true;
}

void um_watch_files_saved(struct um_watch_files *files, struct um_summary *summary)
{
    if (!files->flight || um_flight_finish(files->flight, PAGES_NS) != UM_OK)
        return;
    size_t count = um_flight_count(files->flight);
    files->bundles = calloc(count ? count : 1, sizeof *files->bundles);
    if (!files->bundles)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct um_flight_bundle *bundle = um_flight_bundle(files->flight, i);
        files->bundles[i] = (struct um_summary_bundle){
            .folder = bundle->folder,
            .start_ns = bundle->start_ns,
            .whole = bundle->whole,
            .has_minidump = bundle->parts[UM_FLIGHT_MINIDUMP],
            .has_minidump_after = bundle->parts[UM_FLIGHT_MINIDUMP_AFTER]};
    }
    summary->bundles = files->bundles;
    summary->bundle_count = count;
}

/* Waits here if um_watch_files_saved was not called, because nothing was measured. */
static bool close_flight(struct um_watch_files *files, bool *stuck)
{
    char why[UM_FLIGHT_WHY_BYTES];
    bool whole = !files->flight || um_flight_finish(files->flight, END_NS) == UM_OK;
    if (whole && files->flight) {
        size_t failures = um_flight_failures(files->flight, why);
        if (failures > 0)
            fprintf(stderr,
                    "uimon: --dump-dir %s: %zu of the long freezes could not be saved, or not "
                    "whole: %s\n",
                    um_utf8_show_path(files->options->dump_dir).text, failures, why);
        um_flight_close(files->flight);
        whole = failures == 0;
    } else if (!whole) {
        fprintf(stderr, "uimon: --dump-dir %s: the disk takes nothing\n", files->options->dump_dir);
        *stuck = true;
    }
    free(files->bundles);
    files->bundles = NULL;
    return whole;
}

static bool close_csv(struct um_watch_files *files, bool *stuck)
{
    const char *path = files->options->csv;
    const char *why = um_output_is_stdout(path) ? "its reader has left, or there is no room"
                                                : "is the disk full?";
    enum um_status status = um_csv_writer_close(files->rows, END_NS);

    if (status == UM_ERR_TIMEOUT) {
        *stuck = true; /* its thread goes on writing until the process ends */
        why = "nobody takes its rows; read them, or name a file";
    }
    if (status != UM_OK && (!files->rows_said || status == UM_ERR_TIMEOUT))
        fprintf(stderr, "uimon: --csv %s: the CSV could not be written to its end: %s\n", path,
                why);
    if (status != UM_OK && um_output_is_stdout(path))
        um_output_stdout_said();
    return status == UM_OK;
}

static bool close_recording(struct um_watch_files *files, bool *stuck)
{
    if (!files->recorder)
        return true;
    const char *why = um_recorder_reason(files->recorder);
    enum um_status status = um_recorder_close(files->recorder, END_NS);

    if (status == UM_ERR_TIMEOUT) {
        *stuck = true;
        why = "the disk takes nothing";
    }
    if (status != UM_OK)
        fprintf(stderr, "uimon: --record %s: the recording is not whole: %s\n",
                files->options->record, why[0] ? why : "the last of it could not be written");
    return status == UM_OK;
}

static bool close_prometheus(struct um_watch_files *files, bool *stuck)
{
    enum um_status status = um_prometheus_writer_close(files->prometheus, END_NS);
    if (status == UM_ERR_TIMEOUT)
        *stuck = true;
    if (status != UM_OK)
        fprintf(stderr, "uimon: --prometheus %s: the file could not be written: %s\n",
                files->options->prometheus,
                status == UM_ERR_TIMEOUT ? "the disk takes nothing" : "is there room?");
    return status == UM_OK;
}

bool um_watch_files_close(struct um_watch_files *files, bool *stuck)
{
    bool rows = close_csv(files, stuck);
    bool page = close_prometheus(files, stuck);
    bool saved = close_flight(files, stuck);
    return close_recording(files, stuck) && rows && page && saved;
}
