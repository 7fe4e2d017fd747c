#include "monitor/live/watch_outputs.h"

#include <stdlib.h>
#include <string.h>

#include "ipc/clock.h"
#include "monitor/base/output.h"
#include "monitor/base/platform.h"
#include "monitor/base/utf8.h"
#include "monitor/live/flight_parts.h"

#define END_NS (2 * UM_CLOCK_NS_PER_S)   /* for what is not written at the end */
#define PAGES_NS (5 * UM_CLOCK_NS_PER_S) /* for what is saved of the last freezes */

static enum um_status open_csv(struct um_watch_outputs *outputs, char *error, size_t cap)
{
    const char *path = outputs->options->csv;
    if (!path)
        return UM_OK;
    if (um_output_has_content(path)) {
        enum um_status status =
            um_csv_writer_open_late(path, outputs->options->keep_keys, &outputs->rows);
        if (status != UM_OK)
            snprintf(error, cap, "uimon: --csv: out of memory");
        return status;
    }
    outputs->csv = um_output_open(path, outputs->options->keep_keys);
    if (outputs->csv && um_csv_writer_open(outputs->csv, &outputs->rows) == UM_OK)
        return UM_OK;
    snprintf(error, cap, "uimon: --csv %s: the file cannot be written: is the disk full?", path);
    if (outputs->csv && outputs->csv != stdout)
        fclose(outputs->csv);
    outputs->csv = NULL; /* said already */
    return UM_ERR_IO;
}

static struct um_wire_recording make_header(const struct um_options *options)
{
    struct um_wire_recording header = {.utc_ms = um_clock_utc_ms(), .time_ns = um_clock_now_ns()};
    um_wire_set_text(header.version, sizeof header.version, UM_VERSION);
    um_options_describe(options, header.options, sizeof header.options);
    return header;
}

static enum um_status open_recording(struct um_watch_outputs *outputs, char *error, size_t cap)
{
    struct um_wire_recording header = make_header(outputs->options);
    const char *path = outputs->options->record;
    return path ? um_recorder_open(path, outputs->options->keep_keys, &header, &outputs->recorder,
                                   error, cap)
                : UM_OK;
}

static enum um_status open_flight(struct um_watch_outputs *outputs, char *error, size_t cap)
{
    const struct um_options *options = outputs->options;
    double over_ms = options->dump_over_ms > options->threshold_ms ? options->dump_over_ms
                                                                   : options->threshold_ms;
    struct um_flight_config config = {.dir = options->dump_dir,
                                      .keep_s = (uint32_t)(options->keep_s + 0.999),
                                      .over_ms = (uint32_t)(over_ms + 0.5),
                                      .most = options->dump_most,
                                      .minidump = options->minidump,
                                      .header = make_header(options),
                                      .helper = um_flight_parts(options)};
    return config.dir ? um_flight_open(&config, &outputs->flight, error, cap) : UM_OK;
}

static enum um_status open_prometheus(struct um_watch_outputs *outputs, char *error, size_t cap)
{
    struct um_platform_machine machine;
    const char *path = outputs->options->prometheus;
    if (!path)
        return UM_OK;
    um_platform_machine(&machine);
    enum um_status status = um_prometheus_writer_open(path, machine.name, &outputs->prometheus);
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

enum um_status um_watch_outputs_open(const struct um_options *options,
                                     struct um_watch_outputs *outputs, char *error,
                                     size_t cap_bytes)
{
    memset(outputs, 0, sizeof *outputs);
    outputs->options = options;
    if (!um_output_can_write(options->json, "--json", error, cap_bytes) ||
        !um_output_can_write(options->csv, "--csv", error, cap_bytes) ||
        !um_output_can_write(options->prometheus, "--prometheus", error, cap_bytes))
        return UM_ERR_IO;
    if (options->keep_keys &&
        (!um_output_guard(options->json, "--json", error, cap_bytes) ||
         !um_output_guard_stream(options->csv, "--csv", error, cap_bytes) ||
         !um_output_guard_stream(options->record, "--record", error, cap_bytes)))
        return UM_ERR_IO;
    enum um_status status = open_recording(outputs, error, cap_bytes); /* touches nothing yet */
    status = status == UM_OK ? open_flight(outputs, error, cap_bytes) : status;
    status = status == UM_OK ? open_csv(outputs, error, cap_bytes) : status;
    return status == UM_OK ? open_prometheus(outputs, error, cap_bytes) : status;
}

size_t um_watch_outputs_list(struct um_watch_outputs *outputs, struct um_feed_output *list)
{
    size_t count = 0;
    if (outputs->rows)
        list[count++] = um_csv_writer_output(outputs->rows);
    if (outputs->recorder)
        list[count++] = um_recorder_output(outputs->recorder);
    if (outputs->prometheus)
        list[count++] = um_prometheus_writer_output(outputs->prometheus);
    if (outputs->flight)
        list[count++] = um_flight_output(outputs->flight);
    return count;
}

static bool prometheus_trouble(struct um_watch_outputs *outputs, char *line, size_t cap_bytes)
{
    if (!outputs->prometheus || outputs->prometheus_told ||
        um_prometheus_writer_status(outputs->prometheus) == UM_OK)
        return false;
    snprintf(line, cap_bytes,
             "--prometheus %s: the file cannot be written; it is removed until it can, and "
             "measuring goes on",
             outputs->options->prometheus);
    outputs->prometheus_told = true;
    return true;
}

bool um_watch_outputs_trouble(struct um_watch_outputs *outputs, char *line, size_t cap_bytes)
{
    if (prometheus_trouble(outputs, line, cap_bytes) ||
        (outputs->flight && um_flight_next_line(outputs->flight, line, cap_bytes)))
        return true;
    if (!outputs->recorder || outputs->told || um_recorder_status(outputs->recorder) == UM_OK)
        return false;
    snprintf(line, cap_bytes, "--record %s: recording has stopped: %s; measuring goes on",
             outputs->options->record, um_recorder_reason(outputs->recorder));
    outputs->told = true;
    return true;
}

void um_watch_outputs_saved(struct um_watch_outputs *outputs, struct um_summary *summary)
{
    if (!outputs->flight || um_flight_finish(outputs->flight, PAGES_NS) != UM_OK)
        return;
    size_t count = um_flight_count(outputs->flight);
    outputs->bundles = calloc(count ? count : 1, sizeof *outputs->bundles);
    if (!outputs->bundles)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct um_flight_bundle *bundle = um_flight_bundle(outputs->flight, i);
        outputs->bundles[i] =
            (struct um_summary_bundle){bundle->folder, bundle->start_ns, bundle->whole};
    }
    summary->bundles = outputs->bundles;
    summary->bundle_count = count;
}

/* Where um_watch_outputs_saved was not called, nothing was measured. */
static bool close_flight(struct um_watch_outputs *outputs, bool *stuck)
{
    char why[UM_FLIGHT_WHY_BYTES];
    bool whole = !outputs->flight || um_flight_finish(outputs->flight, END_NS) == UM_OK;
    if (whole && outputs->flight) {
        size_t failures = um_flight_failures(outputs->flight, why);
        if (failures > 0)
            fprintf(stderr,
                    "uimon: --dump-dir %s: %zu of the long freezes could not be saved, or not "
                    "whole: %s\n",
                    um_utf8_show_path(outputs->options->dump_dir).text, failures, why);
        um_flight_close(outputs->flight);
        whole = failures == 0;
    } else if (!whole) {
        fprintf(stderr, "uimon: --dump-dir %s: the disk takes nothing\n",
                outputs->options->dump_dir);
        *stuck = true;
    }
    free(outputs->bundles);
    outputs->bundles = NULL;
    return whole;
}

static bool close_csv(struct um_watch_outputs *outputs, bool *stuck)
{
    const char *path = outputs->options->csv;
    const char *why = um_output_is_stdout(path) ? "its reader has left" : "is the disk full?";
    enum um_status status = um_csv_writer_close(outputs->rows, END_NS);

    if (status == UM_ERR_TIMEOUT) {
        *stuck = true; /* its thread goes on writing until the process ends */
        why = "nobody takes its rows; read them, or name a file";
    } else if (outputs->csv && outputs->csv != stdout && fclose(outputs->csv) != 0) {
        status = UM_ERR_IO;
    }
    if (status != UM_OK)
        fprintf(stderr, "uimon: --csv %s: the CSV could not be written to its end: %s\n", path,
                why);
    return status == UM_OK;
}

static bool close_recording(struct um_watch_outputs *outputs, bool *stuck)
{
    if (!outputs->recorder)
        return true;
    const char *why = um_recorder_reason(outputs->recorder);
    enum um_status status = um_recorder_close(outputs->recorder, END_NS);

    if (status == UM_ERR_TIMEOUT) {
        *stuck = true;
        why = "the disk takes nothing";
    }
    if (status != UM_OK)
        fprintf(stderr, "uimon: --record %s: the recording is not whole: %s\n",
                outputs->options->record, why[0] ? why : "the last of it could not be written");
    return status == UM_OK;
}

static bool close_prometheus(struct um_watch_outputs *outputs, bool *stuck)
{
    enum um_status status = um_prometheus_writer_close(outputs->prometheus, END_NS);
    if (status == UM_ERR_TIMEOUT)
        *stuck = true;
    if (status != UM_OK)
        fprintf(stderr, "uimon: --prometheus %s: the file could not be written: %s\n",
                outputs->options->prometheus,
                status == UM_ERR_TIMEOUT ? "the disk takes nothing" : "is there room?");
    return status == UM_OK;
}

bool um_watch_outputs_close(struct um_watch_outputs *outputs, bool *stuck)
{
    bool rows = close_csv(outputs, stuck);
    bool page = close_prometheus(outputs, stuck);
    bool saved = close_flight(outputs, stuck);
    return close_recording(outputs, stuck) && rows && page && saved;
}
