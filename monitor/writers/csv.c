#include "monitor/writers/csv.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/csv_text.h"
#include "base/message_names.h"

static const char header[] =
    "Uimon,ProcessName,ProcessID,Kind,TimeInSeconds,MsLatency,Sequence,"
    "State,MsDuration,MsStartUncertainty,Message,WindowClass,InputKind,"
    "MsInputDelay,MsProcessing,MsPresentation,MsTotal,InFreeze,VirtualKey\n";

#define NO_INPUT ",NA,NA,NA,NA,NA,NA,NA\n"

struct um_csv {
    FILE *file;
    bool failed;
    uint32_t pid;
    uint64_t start_ns;
    uint64_t flushed_ns; /* session time of the last flush */
    char name[128];
};

static enum um_status check(struct um_csv *csv)
{
    csv->failed = csv->failed || ferror(csv->file) != 0;
    return csv->failed ? UM_ERR_IO : UM_OK;
}

static void flush(struct um_csv *csv)
{
    csv->failed = fflush(csv->file) != 0 || ferror(csv->file) != 0 || csv->failed;
}

enum um_status um_csv_open(FILE *file, struct um_csv **out)
{
    struct um_csv *csv = calloc(1, sizeof *csv);
    if (!csv)
        return UM_ERR_MEMORY;
    csv->file = file;
    if (fputs(header, file) < 0 || fflush(file) != 0) {
        free(csv);
        return UM_ERR_IO;
    }
    *out = csv;
    return UM_OK;
}

/* Writes a text of any content; NA if there is none. */
static void put_text(struct um_csv *csv, const char *text)
{
    um_csv_text_put(csv->file, text[0] ? text : "NA");
}

/* Writes ns as ms with three decimals. It prints integers, so that no locale changes the point. */
static void put_ms(struct um_csv *csv, uint64_t ns)
{
    uint64_t us = ns / 1000 + (ns % 1000 + 500) / 1000;
    (void)fprintf(csv->file, "%" PRIu64 ".%03" PRIu64, us / 1000, us % 1000);
}

/* Writes the columns up to TimeInSeconds. */
static void put_identity(struct um_csv *csv, const char *kind, uint64_t time_ns)
{
    bool before = time_ns < csv->start_ns; /* as of a beat sent before the session's start */
    uint64_t ns = before ? csv->start_ns - time_ns : time_ns - csv->start_ns;
    uint64_t us = ns / 1000 + (ns % 1000 + 500) / 1000;
    (void)fputs(UM_VERSION ",", csv->file);
    put_text(csv, csv->name);
    if (csv->pid != 0)
        (void)fprintf(csv->file, ",%" PRIu32, csv->pid);
    else
        (void)fputs(",NA", csv->file);
    (void)fprintf(csv->file, ",%s,%s%" PRIu64 ".%06" PRIu64 ",", kind, before && us > 0 ? "-" : "",
                  us / 1000000, us % 1000000);
}

static void put_beat(struct um_csv *csv, const struct um_wire_beat *beat)
{
    put_identity(csv, "beat", beat->sent_ns);
    put_ms(csv, beat->latency_ns);
    (void)fprintf(csv->file, ",%" PRIu32 ",NA,NA,NA,NA,NA" NO_INPUT, beat->seq);

    uint64_t seen_ns = beat->sent_ns + beat->latency_ns;
    if (seen_ns >= csv->flushed_ns + UM_CLOCK_NS_PER_S) {
        csv->flushed_ns = seen_ns;
        flush(csv);
    }
}

static void put_freeze(struct um_csv *csv, const struct um_wire_episode *episode, unsigned flags)
{
    bool has_message = (flags & UM_WIRE_EPISODE_HAS_MESSAGE) != 0;
    char message[UM_MESSAGE_NAMES_BYTES] = "";
    if (has_message)
        um_message_names_get(episode->message, episode->message_name, message, sizeof message);
    put_identity(csv, "freeze", episode->start_ns);
    (void)fprintf(csv->file, "NA,NA,%s,", um_wire_state_name((enum um_state)episode->state));
    put_ms(csv, um_wire_episode_length_ns(episode));
    (void)fputc(',', csv->file);
    put_ms(csv, episode->uncertainty_ns);
    (void)fputc(',', csv->file);
    put_text(csv, message);
    (void)fputc(',', csv->file);
    put_text(csv, has_message ? episode->window_class : "");
    (void)fputs(NO_INPUT, csv->file);
    flush(csv);
}

static void put_input(struct um_csv *csv, const struct um_wire_interaction *input)
{
    static const enum um_wire_part parts[] = {UM_WIRE_PART_INPUT_DELAY, UM_WIRE_PART_PROCESSING,
                                              UM_WIRE_PART_PRESENTATION, UM_WIRE_PART_TOTAL};
    put_identity(csv, "input", input->arrival_ns ? input->arrival_ns : input->dequeued_ns);
    (void)fprintf(csv->file, "NA,NA,NA,NA,NA,NA,NA,%s", um_wire_interaction_name(input->kind));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        uint64_t length_ns;
        (void)fputc(',', csv->file);
        if (um_wire_interaction_part_ns(input, parts[i], &length_ns))
            put_ms(csv, length_ns);
        else
            (void)fputs("NA", csv->file);
    }
    (void)fprintf(csv->file, ",%d,", input->freeze != 0);
    if (input->key != 0)
        (void)fprintf(csv->file, "%" PRIu32 "\n", input->key);
    else
        (void)fputs("NA\n", csv->file);
}

static bool is_freeze(const struct um_wire_frame *frame)
{
    return um_wire_state_is_freeze(frame->as.episode.state) &&
           (frame->flags & UM_WIRE_EPISODE_END) != 0 && (frame->flags & UM_WIRE_EPISODE_VOID) == 0;
}

enum um_status um_csv_frame(struct um_csv *csv, const struct um_wire_frame *frame)
{
    if (csv->failed)
        return UM_ERR_IO;
    if (frame->type == UM_WIRE_SESSION) {
        csv->pid = frame->as.session.pid;
        csv->start_ns = frame->as.session.start_ns;
        um_text_set(csv->name, sizeof csv->name, frame->as.session.name);
    } else if (frame->type == UM_WIRE_BEAT && (frame->flags & UM_WIRE_BEAT_AT_LEAST) == 0) {
        put_beat(csv, &frame->as.beat);
    } else if (frame->type == UM_WIRE_EPISODE && is_freeze(frame)) {
        put_freeze(csv, &frame->as.episode, frame->flags);
    } else if (frame->type == UM_WIRE_INTERACTION &&
               frame->as.interaction.kind < UM_INTERACTION_COUNT) {
        put_input(csv, &frame->as.interaction);
    }
    return check(csv);
}

enum um_status um_csv_close(struct um_csv *csv)
{
    if (!csv)
        return UM_OK;
    flush(csv);
    enum um_status status = check(csv);
    free(csv);
    return status;
}
