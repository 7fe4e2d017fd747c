/* How fast `uimon flows` reads a profile of the Firefox Profiler: its tables of stacks and samples,
 * which are most of such a file, and its markers with their data. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/intern.h"
#include "monitor/flows/marker_file.h"
#include "tests/bench/driver.h"
#include "tests/bench/measures.h"

#define THREADS 24u
#define STACKS 1500000u
#define SAMPLES 300000u /* of a thread */
#define MARKERS 12000u
#define STRINGS 50000u
#define ROUNDS 5

static uint64_t random_of(uint64_t number)
{
    return um_intern_mix(UINT64_C(0x5178), number);
}

/* "NAME":[...], numbers below `below`, now and then nothing. */
static void put_numbers(FILE *file, const char *name, uint32_t count, uint32_t below)
{
    fprintf(file, "\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t random = random_of(i ^ (uint64_t)below << 32);
        if (random % 16 == 0)
            fputs(i ? ",null" : "null", file);
        else
            fprintf(file, "%s%" PRIu32, i ? "," : "", (uint32_t)((random >> 8) % below));
    }
    fputs("],", file);
}

static void put_times(FILE *file, const char *name, uint32_t count, double step_ms)
{
    fprintf(file, "\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++)
        fprintf(file, "%s%.6f", i ? "," : "", step_ms * i + (double)(random_of(i) % 1000) / 1e6);
    fputs("],", file);
}

static void put_shared(FILE *file)
{
    fputs("\"shared\":{\"stackTable\":{", file);
    put_numbers(file, "prefix", STACKS, STACKS);
    put_numbers(file, "frame", STACKS, STACKS / 4);
    fprintf(file, "\"length\":%u},\"frameTable\":{", STACKS);
    put_numbers(file, "address", STACKS / 4, UINT32_MAX);
    put_numbers(file, "category", STACKS / 4, 8);
    put_numbers(file, "func", STACKS / 4, STRINGS);
    put_numbers(file, "line", STACKS / 4, 3000);
    fprintf(file, "\"length\":%u},\"stringArray\":[\"Flow\"", STACKS / 4);
    for (uint32_t i = 1; i < STRINGS; i++)
        fprintf(file,
                i < STRINGS / 2 ? ",\"%012" PRIx64 "\""
                                : ",\"mozilla::dom::Function_%" PRIu64
                                  "(nsISupports*, \\\"a\\\")\"",
                i < STRINGS / 2 ? UINT64_C(0x10924c000) + 64 * i : random_of(i));
    fputs("]},", file);
}

static void put_markers(FILE *file, uint32_t thread)
{
    fputs("\"markers\":{", file);
    put_times(file, "startTime", MARKERS, 2.5);
    put_times(file, "endTime", MARKERS, 2.5);
    put_numbers(file, "name", MARKERS, 40);
    put_numbers(file, "category", MARKERS, 8);
    fputs("\"phase\":[", file);
    for (uint32_t i = 0; i < MARKERS; i++)
        fputs(i ? ",1" : "1", file);
    fputs("],\"data\":[", file);
    for (uint32_t i = 0; i < MARKERS; i++) {
        uint64_t random = random_of(i + (uint64_t)MARKERS * thread);
        fprintf(file,
                "%s{\"type\":\"Flow\",\"part\":%u,\"name\":%u,\"cause\":{\"tid\":%u,\"time\":%.3f,"
                "\"stack\":%u}}",
                i ? "," : "", (unsigned)(random % (STRINGS / 2)),
                (unsigned)(random >> 16) % STRINGS, thread, 2.5 * i,
                (unsigned)(random >> 32) % STACKS);
    }
    fprintf(file, "],\"length\":%u}", MARKERS);
}

static void put_thread(FILE *file, uint32_t thread)
{
    fprintf(file,
            "%s{\"name\":\"Thread %u\",\"processName\":\"Web Content\",\"pid\":\"%u\",\"tid\":%u,"
            "\"samples\":{",
            thread ? "," : "", thread, 100 + thread / 4, thread);
    put_numbers(file, "stack", SAMPLES, STACKS);
    put_times(file, "time", SAMPLES, 1.0);
    put_numbers(file, "threadCPUDelta", SAMPLES, 1000000);
    fprintf(file, "\"weightType\":\"samples\",\"weight\":null,\"length\":%u},", SAMPLES);
    put_markers(file, thread);
    fputc('}', file);
}

/* Units: bytes. */
static double make_profile(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        driver_fail("%s cannot be written", path);
    fputs("{\"meta\":{\"preprocessedProfileVersion\":60,\"interval\":1,\"markerSchema\":[{\"name\":"
          "\"Flow\",\"isStackBased\":true,\"fields\":[{\"key\":\"part\",\"format\":\"flow-id\"},"
          "{\"key\":\"name\",\"format\":\"unique-string\"}]}],\"categories\":[{\"name\":\"Other\"}]"
          "},",
          file);
    put_shared(file);
    fputs("\"threads\":[", file);
    for (uint32_t i = 0; i < THREADS; i++)
        put_thread(file, i);
    fputs("]}", file);
    long bytes = ftell(file);
    if (ferror(file) || fclose(file) != 0)
        driver_fail("%s cannot be written", path);
    return (double)bytes;
}

void measure_flows_read(void)
{
    static struct series read_mb_s;
    const char *path = driver_file("flows.json");
    char error[1280];
    double bytes = make_profile(path);
    for (int i = 0; i < ROUNDS; i++) {
        struct um_markers markers = {0};
        clock_t begin = clock(); /* of the processor: others may run beside it */
        if (um_marker_file_read(path, &markers, error, sizeof error) != UM_OK)
            driver_fail("%s", error);
        series_add(&read_mb_s, bytes / 1e6 / ((double)(clock() - begin) / CLOCKS_PER_SEC));
        if (markers.count != (size_t)THREADS * MARKERS)
            driver_fail("%zu markers were read", markers.count);
        um_markers_deinit(&markers);
    }
    struct row row = row_of_series("flows_read", "reading a profile of the Firefox Profiler",
                                   "MB/s", &read_mb_s);
    row_budget(&row, ROW_AT_LEAST, 150, NAN, ">= 150 MB/s");
    row_note(&row, "%.0f MB with %u markers", bytes / 1e6, THREADS * MARKERS);
    driver_row(&row);
    remove(path);
}
