#include "monitor/export/export.h"

#include <inttypes.h>

#include "base/utc.h"

#define MS_NS 1e6

static void put_start(const struct um_export_about *about, FILE *out)
{
    int64_t utc_ms = about->utc_ms > 0 ? about->utc_ms : 0;
    struct um_utc at = um_utc_at(utc_ms);
    fprintf(out,
            "#[StartTime: %" PRId64 ".%03" PRId64 " (seconds since epoch), %04" PRId64
            "-%02d-%02dT%02d:%02d:%02dZ]\n",
            utc_ms / 1000, utc_ms % 1000, at.year, at.month, at.day, at.hour, at.minute, at.second);
}

enum um_status um_export_hlog(const struct um_view *view, const struct um_export_about *about,
                              FILE *out)
{
    const struct um_latency_log *log = about->latency_log;
    (void)view;
    fputs("#[Logged with uimon]\n#[Histogram log format version 1.3]\n", out);
    put_start(about, out);
    fputs("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
          "\"Interval_Compressed_Histogram\"\n",
          out);
    for (size_t i = 0; log && i < log->count; i++) {
        const struct um_latency_log_entry *entry = &log->entries[i];
        fprintf(out, "Tag=%s,%.3f,%.3f,%.3f,%s\n", um_latencies_name(entry->latency),
                (double)entry->start_ns / 1e9, (double)entry->length_ns / 1e9,
                (double)entry->max_ns / MS_NS, entry->encoded);
    }
    return fflush(out) != 0 || ferror(out) ? UM_ERR_IO : UM_OK;
}
