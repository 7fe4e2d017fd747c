#include "tests/unit/report/stacked.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "ipc/names.h"
#include "monitor/profile/samples.h"

#define MS UM_CLOCK_NS_PER_MS
#define START_NS (UINT64_C(5000) * UM_CLOCK_NS_PER_S)
#define THREAD 11

static const int32_t module_of[STACKED_FUNCTIONS] = {0, 1, 0, 2, 0};

/* Nodes are numbered as they are put; parents are functions of the stacks above. */
enum node { NODE_MAIN = UM_WIRE_FIRST_NODE, NODE_SEND, NODE_PROC, NODE_PARSE, NODE_DRAW, NODE_CUT };

void stacked_init(struct stacked *stacked)
{
    static const char *const names[] = {"main", "SendMessageW", "proc", "parse_solution", "draw"};
    static const char *const files[] = {"C:\\src\\app.c", "", "C:\\src\\app.c", "C:\\src\\plug.c",
                                        "C:\\src\\app.c"};
    static const char *const modules[] = {"C:\\work\\app.exe", "C:\\Windows\\System32\\USER32.dll",
                                          "C:\\work\\plug.dll"};
    memset(stacked, 0, sizeof *stacked);
    memcpy(stacked->names, names, sizeof names);
    memcpy(stacked->files, files, sizeof files);
    memcpy(stacked->modules, modules, sizeof modules);
}

static void put_session(struct stacked *stacked)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    struct um_wire_session *as = &frame.as.session;
    as->start_ns = START_NS;
    as->utc_ms = 1795000000000;
    as->pid = 42;
    as->tid = THREAD;
    as->period_us = 10000;
    as->threshold_us = 100000;
    as->slow_us = 50000;
    as->bits = 64;
    as->probe = UM_PROBE_RAW;
    strcpy(as->name, "app.exe");
    recording_file_put(&stacked->file, &frame);
}

static uint64_t key_of(enum stacked_function function)
{
    return um_samples_key(module_of[function], 0x1000 * ((uint64_t)function + 1) + 0x10);
}

static void put_modules(struct stacked *stacked)
{
    for (uint32_t i = 0; i < 3; i++) {
        struct um_wire_frame frame = {.type = UM_WIRE_MODULE, .as.module = {.number = i}};
        um_text_set(frame.as.module.path, sizeof frame.as.module.path, stacked->modules[i]);
        recording_file_put(&stacked->file, &frame);
    }
}

static void put_nodes(struct stacked *stacked)
{
    struct um_wire_frame frame = {.type = UM_WIRE_NODES};
    frame.as.nodes = (struct um_wire_nodes){.first = UM_WIRE_FIRST_NODE,
                                            .count = 6,
                                            .list = {{0, key_of(STACKED_MAIN)},
                                                     {NODE_MAIN, key_of(STACKED_SEND)},
                                                     {NODE_SEND, key_of(STACKED_PROC)},
                                                     {NODE_PROC, key_of(STACKED_PARSE)},
                                                     {NODE_MAIN, key_of(STACKED_DRAW)},
                                                     {1, key_of(STACKED_DRAW)}}};
    recording_file_put(&stacked->file, &frame);
}

static void put_names(struct stacked *stacked)
{
    for (int i = 0; i < STACKED_FUNCTIONS; i++) {
        struct um_wire_frame frame = {.type = UM_WIRE_NAME};
        frame.as.name =
            (struct um_wire_name){.key = key_of((enum stacked_function)i),
                                  .displacement = 0x10,
                                  .line = stacked->files[i][0] ? 10 * (unsigned)i + 3 : 0,
                                  .kind = UM_NAMES_DEBUG};
        um_text_set(frame.as.name.name, sizeof frame.as.name.name, stacked->names[i]);
        um_text_set(frame.as.name.file, sizeof frame.as.name.file, stacked->files[i]);
        if (stacked->checksums[i])
            um_text_set(frame.as.name.checksum, sizeof frame.as.name.checksum,
                        stacked->checksums[i]);
        if (stacked->is_nearest[i])
            strcpy(frame.as.name.line_mark, UM_WIRE_NEAREST);
        if (i == STACKED_PARSE)
            strcpy(frame.as.name.extent, "30-48");
        recording_file_put(&stacked->file, &frame);
    }
}

/* Of the first samples `guessed` have their third frame, from the innermost one, as a guess. */
static void put_samples(struct stacked *stacked, uint64_t from_ms, unsigned count, uint32_t node,
                        uint32_t user_us, unsigned guessed)
{
    static uint32_t absence;
    absence++;
    for (unsigned i = 0; i < count; i++) {
        struct um_wire_frame frame = {.type = UM_WIRE_SAMPLE};
        frame.as.sample = (struct um_wire_sample){.time_ns = START_NS + (from_ms + 10 * i) * MS,
                                                  .thread = THREAD,
                                                  .node = node,
                                                  .wall_us = i > 0 ? 10000 : 0,
                                                  .user_us = i > 0 ? user_us : 0,
                                                  .absence = absence,
                                                  .guessed = i < guessed ? 1 << 2 : 0};
        recording_file_put(&stacked->file, &frame);
    }
}

static void put_freeze(struct stacked *stacked, uint32_t id, uint64_t from_ms, uint64_t length_ms)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = UM_WIRE_EPISODE_END};
    frame.as.episode = (struct um_wire_episode){.start_ns = START_NS + from_ms * MS,
                                                .end_ns = START_NS + (from_ms + length_ms) * MS,
                                                .peak_ns = length_ms * MS,
                                                .id = id,
                                                .state = UM_STATE_FROZEN};
    recording_file_put(&stacked->file, &frame);
}

static void put_end(struct stacked *stacked)
{
    struct um_wire_frame totals = {.type = UM_WIRE_TOTALS};
    totals.as.totals.time_ns = START_NS + 3000 * MS;
    totals.as.totals.duration_ns = 3000 * MS;
    totals.as.totals.state_ns[UM_STATE_RESPONSIVE] = 2400 * MS;
    totals.as.totals.state_ns[UM_STATE_FROZEN] = 600 * MS;
    recording_file_put(&stacked->file, &totals);
    struct um_wire_frame end = {.type = UM_WIRE_END};
    end.as.end.time_ns = START_NS + 3000 * MS;
    recording_file_put(&stacked->file, &end);
    recording_file_cut(&stacked->file);
}

void stacked_read_into(struct stacked *stacked, struct um_recorded *recorded)
{
    struct um_recording *recording;
    char error[UM_RECORDING_ERROR_BYTES];
    cr_assert_eq(um_recording_open_memory(stacked->file.bytes, stacked->file.len, "stacks",
                                          &recording, error, sizeof error),
                 UM_OK, "%s", error);
    cr_assert_eq(um_recorded_read(recording, recorded), UM_OK, "%s", recorded->problem);
    um_recording_close(recording);
}

void stacked_read(struct stacked *stacked)
{
    recording_file_begin(&stacked->file);
    put_session(stacked);
    put_modules(stacked);
    put_nodes(stacked);
    put_samples(stacked, 1050, 10, NODE_PARSE, 0, stacked->guessed);
    put_freeze(stacked, 3, 1000, 200);
    put_samples(stacked, 2050, 16, NODE_DRAW, 5000, 0);
    put_samples(stacked, 2220, 4, NODE_CUT, 0, 0);
    put_freeze(stacked, 7, 2000, 400);
    put_names(stacked);
    for (size_t i = 0; i < stacked->more_count; i++)
        recording_file_put(&stacked->file, &stacked->more[i]);
    put_end(stacked);
    stacked_read_into(stacked, &stacked->recorded);
}

void stacked_deinit(struct stacked *stacked)
{
    um_recorded_deinit(&stacked->recorded);
    recording_file_free(&stacked->file);
}
