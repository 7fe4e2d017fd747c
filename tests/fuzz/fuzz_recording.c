/* Any bytes as a recording: it is refused with one line, or read as far as it is whole, and what is
 * made of it keeps to the promises of recorded.h.
 *
 * The first byte says how the rest is used: even, as the file itself; odd, as payloads behind a
 * whole start, with the checksums that a fuzzer cannot guess. Such a payload begins with two bytes
 * for its length. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/utf8.h"
#include "monitor/playback/recorded.h"
#include "tests/recording_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_line(const char *line)
{
    require(strncmp(line, "uimon: ", 7) == 0 && !strpbrk(line, "\r\n\x1b"));
}

static void check_recorded(const struct um_recorded *recorded, size_t size)
{
    uint64_t start_ns = recorded->session.start_ns;
    require(recorded->whole == (recorded->status == UM_OK));
    require(recorded->slice_count <= UM_RECORDED_MAX_SLICES);
    require(recorded->note_count <= UM_RECORDED_MAX_NOTES);
    require(start_ns <= INT64_MAX);
    require(recorded->end_ns <= start_ns + UINT64_C(30) * 24 * 3600 * 1000000000);
    require(recorded->offset <= size);
    for (uint32_t i = 0; i < recorded->episode_count; i++)
        require(recorded->episodes[i].state < UM_STATE_COUNT);
}

static void read_recording(const uint8_t *bytes, size_t size)
{
    static struct um_recorded recorded;
    struct um_recording *recording = NULL;
    char error[UM_RECORDING_ERROR_BYTES] = "";

    if (um_recording_open_memory(bytes, size, "x", &recording, error, sizeof error) != UM_OK) {
        check_line(error);
        return;
    }
    enum um_status status = um_recorded_read(recording, &recorded);
    check_recorded(&recorded, size);
    if (recorded.whole && status == UM_OK)
        require(recorded.problem[0] == '\0');
    else
        check_line(recorded.problem);
    um_recorded_deinit(&recorded);
    um_recording_close(recording);
}

static void read_payloads(const uint8_t *data, size_t size)
{
    struct recording_file file = {.len = 0};

    recording_file_begin(&file);
    while (size > 2) {
        size_t len = (size_t)data[0] | (size_t)data[1] << 8;
        len = len < size - 2 ? len : size - 2;
        recording_file_payload(&file, data + 2, len);
        data += 2 + len;
        size -= 2 + len;
    }
    read_recording(file.bytes, file.len);
    recording_file_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] % 2 == 0)
        read_recording(data + 1, size - 1);
    else
        read_payloads(data + 1, size - 1);
    return 0;
}
