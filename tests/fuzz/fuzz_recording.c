/* Any bytes as a recording: it is refused with one line, or read as far as it is whole, and what is
 * made of it keeps to the promises of recorded.h. The bytes are used as recording_input.h says. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "monitor/recorded/recorded.h"
#include "tests/fuzz/one_of.h"
#include "tests/fuzz/recording_input.h"
#include "tests/fuzz/require.h"

#define ONE_OF 4       /* is read from a file as well */
#define ONE_OF_LONG 64 /* is read at all */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    if (recording_input_is_long(recording) && !one_of(ONE_OF_LONG, bytes, size)) {
        um_recording_close(recording);
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

/* The same from a file gives as many frames. */
static void check_file(const struct recording_file *file)
{
    struct um_recording *both[2] = {NULL, NULL};
    char error[UM_RECORDING_ERROR_BYTES];
    struct um_wire_frame frame;

    enum um_status status =
        um_recording_open(recording_input_path(file), &both[0], error, sizeof error);
    require(um_recording_open_memory(file->bytes, file->len, "x", &both[1], error, sizeof error) ==
            status);
    while (status == UM_OK) {
        status = um_recording_next(both[0], &frame);
        require(um_recording_next(both[1], &frame) == status);
        require(um_recording_offset(both[0]) == um_recording_offset(both[1]));
    }
    um_recording_close(both[0]);
    um_recording_close(both[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recording_file file = recording_input(data, size);

    read_recording(file.bytes, file.len);
    if (size % ONE_OF == 0)
        check_file(&file);
    recording_file_free(&file);
    return 0;
}
