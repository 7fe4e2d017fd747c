/* How the fuzzers of recordings make a file of any bytes. The first byte says how the rest is used:
 * even, as the file itself; odd, as payloads behind a whole start, with the checksums that a fuzzer
 * cannot guess. Such a payload begins with two bytes for its length. Header-only, so that a fuzzer
 * is one file.
 */
#ifndef UM_TESTS_RECORDING_INPUT_H
#define UM_TESTS_RECORDING_INPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/require.h"
#include "tests/fuzz/steps.h"
#include "tests/recording_file.h"

/* A recording has at most a month of slices, and beats touch each four times (recorded.c). */
#define RECORDING_INPUT_LONG_STEPS (UINT64_C(4) * 30 * 24 * 3600 * 10 * 100)

/* Owner: recording_file_free. */
static inline struct recording_file recording_input(const uint8_t *data, size_t size)
{
    struct recording_file file = {.len = 0};

    if (size > 0 && data[0] % 2 == 0) {
        recording_file_bytes(&file, data + 1, size - 1);
        return file;
    }
    recording_file_begin(&file);
    for (size_t at = 1; at + 2 < size;) {
        size_t len = (size_t)data[at] | (size_t)data[at + 1] << 8;
        len = len < size - at - 2 ? len : size - at - 2;
        recording_file_payload(&file, data + at + 2, len);
        at += 2 + len;
    }
    return file;
}

/* Whether beats were out for more than an hour altogether. Each slice of a beat's time is an
 * entry, and a beat may have been out for a month: that takes a thousand times as long as reading
 * others, and is allowed as many steps. The recording is to be rewound. */
static inline bool recording_input_is_long(struct um_recording *recording)
{
    const uint64_t hour_ns = UINT64_C(3600) * 1000 * 1000 * 1000;
    uint64_t out_ns = 0;
    struct um_wire_frame frame;

    while (out_ns <= hour_ns && um_recording_next(recording, &frame) == UM_OK)
        if (frame.type == UM_WIRE_BEAT)
            out_ns += frame.as.beat.latency_ns < hour_ns ? frame.as.beat.latency_ns : hour_ns + 1;
    if (out_ns > hour_ns)
        steps_allow(RECORDING_INPUT_LONG_STEPS);
    return out_ns > hour_ns;
}

/* A file for what opens one by its name. This one is in memory, and written over each time.
 * Owner: static. */
static inline const char *recording_input_path(const struct recording_file *file)
{
    static int fd = -1;
    static char path[64];

    if (fd < 0)
        fd = memfd_create("recording", 0);
    require(fd >= 0 && ftruncate(fd, 0) == 0);
    require(pwrite(fd, file->bytes, file->len, 0) == (ssize_t)file->len);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

#endif
