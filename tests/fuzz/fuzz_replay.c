/* Any bytes as a recording that is replayed: played, skipped and searched through, past its end and
 * back. What is published must be what an overlay can take, and never of the future.
 *
 * An input is SCRIPT_BYTES of commands, and then the recording as recording_input.h has it. Each
 * command's lowest two bits say what it does, and the others where to: up to beyond the end. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/replay/replay.h"
#include "overlay/model.h"
#include "tests/fuzz/recording_input.h"
#include "tests/fuzz/require.h"

#define SCRIPT_BYTES 12
#define PLACES 60 /* 64 can be named, so that some lie behind the end */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct check {
    struct um_model model;
    bool begun; /* a SESSION has come */
    bool anew;  /* the last SESSION began the feed anew */
    bool ended;
    uint64_t sessions;
};

static void take(void *context, struct um_feed_item *item)
{
    struct check *check = context;
    const struct um_wire_frame *frame = item->frame;
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len = 0;

    require(um_wire_encode(frame, bytes, sizeof bytes, &len) == UM_OK);
    require(!check->ended);
    if (frame->type == UM_WIRE_SESSION) {
        require(frame->as.session.hwnd == 0);
        check->anew = frame->flags & UM_WIRE_SESSION_ANEW;
        check->begun = true;
        check->sessions++;
    }
    check->ended = frame->type == UM_WIRE_END;
    require(check->begun || check->ended); /* it may be ended before it has played anything */
    um_model_frame(&check->model, frame, UINT64_C(1000000000000));
}

static uint64_t place(const struct um_replay_info *info, uint8_t command)
{
    return (uint64_t)((double)info->length_ns * (command >> 2) / PLACES);
}

/* Behind the end there is nothing, and nothing to come. */
static bool is_played(const struct um_replay *replay, uint64_t position_ns)
{
    uint64_t length_ns = um_replay_info(replay)->length_ns;
    return um_replay_next(replay) > (position_ns < length_ns ? position_ns : length_ns);
}

static void act(struct um_replay *replay, struct check *check, uint8_t command)
{
    uint64_t position_ns = place(um_replay_info(replay), command);
    struct um_wire_status status;
    uint8_t flags;
    char caption[8] = {(char)('a' + (command >> 2) % 26)};

    switch (command & 3) {
    case 0:
        um_replay_play(replay, position_ns);
        require(is_played(replay, position_ns));
        break;
    case 1:
        um_replay_seek(replay, position_ns);
        require((check->anew || !check->begun) && is_played(replay, position_ns));
        break;
    case 2:
        position_ns = um_replay_next(replay);
        if (position_ns != UM_PLAYER_NEVER)
            um_replay_play(replay, position_ns);
        break;
    default:
        um_replay_set_caption(replay, caption);
        break;
    }
    if (um_replay_status(replay, &status, &flags))
        require(status.state < UM_STATE_COUNT || status.state == UM_WIRE_UNKNOWN);
    um_replay_window_only(replay);
}

static void replay_file(const char *path, const uint8_t *script)
{
    static struct check check;
    struct um_feed_output output = {&check, take, NULL};
    struct um_replay *replay = NULL;
    char error[UM_RECORDING_ERROR_BYTES] = "";

    memset(&check, 0, sizeof check);
    um_model_init(&check.model);
    if (um_replay_open(path, &output, &replay, error, sizeof error) != UM_OK) {
        require(strncmp(error, "uimon: ", 7) == 0);
        return;
    }
    const struct um_replay_info *info = um_replay_info(replay);
    require(info->length_ns <= UINT64_C(30) * 24 * 3600 * 1000000000);
    for (size_t i = 0; i < info->freeze_count; i++)
        require(info->freezes[i].start_ns <= info->freezes[i].end_ns &&
                info->freezes[i].end_ns <= info->length_ns);
    for (size_t i = 0; i < SCRIPT_BYTES; i++)
        act(replay, &check, script[i]);
    um_replay_end(replay);
    require(check.ended);
    um_replay_close(replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < SCRIPT_BYTES)
        return 0;
    struct recording_file file = recording_input(data + SCRIPT_BYTES, size - SCRIPT_BYTES);
    replay_file(recording_input_path(&file), data);
    recording_file_free(&file);
    return 0;
}
