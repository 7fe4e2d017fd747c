/* The format of recordings: a file made from the specification alone (tests/golden), and what is
 * left of it when it is cut off, damaged or something else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/crc32.h"
#include "monitor/recording/recording.h"
#include "tests/recording_file.h"

#define GOLDEN UM_SOURCE_DIR "/tests/golden/recording_v1.bin"
#define GOLDEN_0_1_0 UM_SOURCE_DIR "/tests/golden/recording_v1_0.1.0.bin" /* as 0.1.0 wrote it */
#define MAX_FRAMES 64
#define MAX_GOLDEN 4096
#define START_NS UINT64_C(5000000000)
#define MS UINT64_C(1000000)

static uint8_t golden[MAX_GOLDEN];
static size_t golden_len;
static char error[UM_RECORDING_ERROR_BYTES];

/* What came out of a file. */
struct got {
    enum um_status opened;
    enum um_status ended;
    size_t count;
    uint64_t offset;
    struct um_wire_frame frames[MAX_FRAMES];
};

static void load(const char *path)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file != NULL);
    golden_len = fread(golden, 1, sizeof golden, file);
    fclose(file);
    cr_assert(golden_len > 500 && golden_len < sizeof golden);
}

static void load_golden(void)
{
    load(GOLDEN);
}

static void load_golden_0_1_0(void)
{
    load(GOLDEN_0_1_0);
}

static struct got read_bytes(const uint8_t *bytes, size_t len)
{
    struct got got = {.count = 0};
    struct um_recording *recording = NULL;

    memset(error, 0, sizeof error);
    got.opened = um_recording_open_memory(bytes, len, "x.rec", &recording, error, sizeof error);
    if (got.opened != UM_OK) {
        cr_expect(strncmp(error, "uimon: x.rec: ", 14) == 0 && !strchr(error, '\n'), "%s", error);
        cr_expect(!recording);
        return got;
    }
    while ((got.ended = um_recording_next(recording, &got.frames[got.count])) == UM_OK)
        cr_assert_lt(++got.count, MAX_FRAMES);
    cr_expect_eq(um_recording_next(recording, &got.frames[got.count]), got.ended, "said again");
    got.offset = um_recording_offset(recording);
    um_recording_close(recording);
    return got;
}

/* Where the golden file's blocks begin, its end included, and how many frames lie before. */
static size_t block_starts[8];
static size_t frames_before[8];
static size_t blocks;

static void find_blocks(void)
{
    static const size_t frames[] = {1, 4, 6}; /* as the file was made */
    size_t at = UM_RECORDING_HEADER_BYTES;

    load_golden();
    for (blocks = 0; at < golden_len; blocks++) {
        block_starts[blocks] = at;
        frames_before[blocks + 1] = frames_before[blocks] + frames[blocks];
        at += 16 + (size_t)(golden[at + 4] | golden[at + 5] << 8);
    }
    block_starts[blocks] = at;
    cr_assert(at == golden_len && blocks == 3);
}

/* The block that a byte belongs to. */
static size_t block_of(size_t at)
{
    size_t block = 0;
    while (block + 1 <= blocks && block_starts[block + 1] <= at)
        block++;
    return block;
}

static struct got expect_golden_frames(const char *toolkit, const char *message_name)
{
    static const uint8_t types[] = {40, 32, 33, 35, 36, 35, 33, 38, 41, 39, 37};
    struct got got = read_bytes(golden, golden_len);

    cr_assert(got.opened == UM_OK && got.ended == UM_ERR_CLOSED);
    cr_assert_eq(got.count, sizeof types);
    for (size_t i = 0; i < sizeof types; i++)
        cr_expect_eq(got.frames[i].type, types[i], "frame %zu", i);
    cr_expect_eq(got.offset, golden_len);
    cr_expect_eq(got.frames[0].as.recording.utc_ms, 1795000000123);
    cr_expect_str_eq(got.frames[0].as.recording.options, "threshold=100\nslow=50\n");
    cr_expect_str_eq(got.frames[1].as.session.title, "Entwürfe");
    cr_expect_str_eq(got.frames[1].as.session.toolkit, toolkit);
    cr_expect_str_eq(got.frames[5].as.episode.message_name, message_name);
    cr_expect_eq(got.frames[6].as.beat.latency_ns, 300 * MS);
    cr_expect_eq(got.frames[6].as.beat.sent_ns, START_NS + 30 * MS);
    cr_expect_str_eq(got.frames[8].as.note.text, "saved");
    cr_expect_eq(got.frames[9].as.totals.state_ns[UM_STATE_FROZEN], 310 * MS);
    return got;
}

Test(recording, reads_the_file_of_the_specification, .init = load_golden)
{
    struct got got = expect_golden_frames("Java", "Queue");
    cr_expect_eq(got.frames[9].as.totals.beats_rested, 3);
}

Test(recording, reads_the_file_of_0_1_0, .init = load_golden_0_1_0)
{
    struct got got = expect_golden_frames("", "");
    cr_expect_eq(got.frames[9].as.totals.beats_rested, 0);
}

Test(recording, writes_the_file_of_the_specification, .init = find_blocks)
{
    struct got got = read_bytes(golden, golden_len);
    struct recording_file file = {.len = 0};
    uint8_t header[UM_RECORDING_HEADER_BYTES];

    um_recording_put_header(header);
    recording_file_bytes(&file, header, sizeof header);
    for (size_t i = 0; i < got.count; i++) {
        recording_file_put(&file, &got.frames[i]);
        if (i + 1 == frames_before[1] || i + 1 == frames_before[2])
            recording_file_cut(&file);
    }
    recording_file_cut(&file);
    cr_assert_eq(file.len, golden_len);
    cr_expect_eq(memcmp(file.bytes, golden, golden_len), 0);
    recording_file_free(&file);
}

Test(recording, cut_off_anywhere_it_is_read_as_far_as_it_is_whole, .init = find_blocks)
{
    for (size_t len = 0; len < golden_len; len++) {
        struct got got = read_bytes(golden, len);
        size_t block = len < UM_RECORDING_HEADER_BYTES ? 0 : block_of(len);
        if (block == 0) {
            cr_expect_eq(got.opened, UM_ERR_PARTIAL, "%zu bytes", len);
            continue;
        }
        bool between = len == block_starts[block];
        cr_expect(got.opened == UM_OK && got.count == frames_before[block], "%zu bytes", len);
        cr_expect_eq(got.ended, (between ? UM_ERR_CLOSED : UM_ERR_PARTIAL), "%zu bytes", len);
        cr_expect_eq(got.offset, block_starts[block], "%zu bytes", len);
    }
}

/* A disk that loses power has written some of its sectors and not others: in their place is what
 * was there before, or zeros, or the file is shorter. It is read as far as no such sector is in
 * it. */
#define SECTOR 512
#define LONG_BLOCKS 60
#define BEATS_A_BLOCK 37

static struct recording_file written; /* RECORDING, and blocks of beats that count from 0 */
static size_t written_starts[LONG_BLOCKS + 1];

static void write_beats(void)
{
    struct um_wire_frame beat = {.type = UM_WIRE_BEAT};

    recording_file_begin(&written);
    for (size_t block = 0; block < LONG_BLOCKS; block++) {
        written_starts[block] = written.len;
        for (int i = 0; i < BEATS_A_BLOCK; i++, beat.as.beat.seq++)
            recording_file_put(&written, &beat);
        recording_file_cut(&written);
    }
    written_starts[LONG_BLOCKS] = written.len;
}

static void free_beats(void)
{
    recording_file_free(&written);
}

/* The beats of all blocks before the first byte that is not as it was written, and no others. */
static void expect_beats_before_damage(const uint8_t *bytes, size_t len)
{
    struct um_recording *recording = NULL;
    struct um_wire_frame frame;
    size_t same = 0, whole = 0;
    uint32_t count = 0;

    while (same < len && bytes[same] == written.bytes[same])
        same++;
    while (whole < LONG_BLOCKS && written_starts[whole + 1] <= same)
        whole++;
    enum um_status status =
        um_recording_open_memory(bytes, len, "x.rec", &recording, error, sizeof error);
    cr_expect_eq((status == UM_OK), (same >= written_starts[0]), "the first %zu bytes", same);
    if (status != UM_OK)
        return;
    while (um_recording_next(recording, &frame) == UM_OK)
        if (frame.type == UM_WIRE_BEAT)
            cr_assert_eq(frame.as.beat.seq, count++);
    um_recording_close(recording);
    cr_expect_eq(count, whole * BEATS_A_BLOCK, "the first %zu bytes: %u beats", same, count);
}

Test(recording, power_cut_leaves_what_lies_before_the_first_sector_that_is_missing,
     .init = write_beats, .fini = free_beats)
{
    uint8_t *bytes = malloc(written.len);

    srand(5);
    for (size_t at = 0; at < written.len; at += SECTOR) {
        size_t end = at + SECTOR < written.len ? at + SECTOR : written.len;
        expect_beats_before_damage(written.bytes, at); /* shorter */
        for (int fill = 0; fill < 3; fill++) {
            memcpy(bytes, written.bytes, written.len);
            for (size_t i = at; i < written.len; i++)
                bytes[i] = fill == 0 ? 0 : fill == 1 ? 0xff : (uint8_t)(rand() >> 7);
            expect_beats_before_damage(bytes, written.len);
            /* Only this sector is missing, and those behind it were written. */
            memcpy(bytes + end, written.bytes + end, written.len - end);
            expect_beats_before_damage(bytes, written.len);
        }
    }
    free(bytes);
}

Test(recording, no_flipped_bit_goes_unnoticed, .init = find_blocks)
{
    for (size_t bit = 0; bit < golden_len * 8; bit++) {
        golden[bit / 8] ^= (uint8_t)(1 << bit % 8);
        struct got got = read_bytes(golden, golden_len);
        golden[bit / 8] ^= (uint8_t)(1 << bit % 8);
        size_t block = bit / 8 < UM_RECORDING_HEADER_BYTES ? 0 : block_of(bit / 8);
        if (block == 0) {
            cr_expect(got.opened == UM_ERR_FORMAT || got.opened == UM_ERR_PARTIAL, "bit %zu", bit);
            continue;
        }
        cr_expect(got.opened == UM_OK && got.count == frames_before[block], "bit %zu", bit);
        /* A length that has grown looks like a block that is cut off. */
        cr_expect(got.ended == UM_ERR_FORMAT || got.ended == UM_ERR_PARTIAL, "bit %zu", bit);
    }
}

Test(recording, random_bytes_are_refused_with_one_line)
{
    uint8_t bytes[2048];
    srand(3);
    for (int round = 0; round < 2000; round++) {
        size_t len = 1 + (size_t)rand() % sizeof bytes;
        for (size_t i = 0; i < len; i++)
            bytes[i] = (uint8_t)(rand() >> 7);
        bytes[0] = bytes[0] == 0x89 ? 0 : bytes[0];
        struct got got = read_bytes(bytes, len);
        cr_expect_eq(got.opened, UM_ERR_FORMAT);
        cr_expect(strstr(error, "it is no recording of uimon") != NULL, "%s", error);
    }
}

Test(recording, random_bytes_behind_a_whole_start_end_it, .init = find_blocks)
{
    srand(4);
    for (int round = 0; round < 2000; round++) {
        size_t block = 1 + (size_t)rand() % (blocks - 1);
        uint8_t bytes[2 * MAX_GOLDEN];
        size_t len = block_starts[block] + 1 + (size_t)rand() % 1000;
        memcpy(bytes, golden, block_starts[block]);
        for (size_t i = block_starts[block]; i < len; i++)
            bytes[i] = (uint8_t)(rand() >> 7);
        struct got got = read_bytes(bytes, len);
        cr_expect(got.opened == UM_OK && got.count == frames_before[block]);
        cr_expect(got.ended == UM_ERR_FORMAT || got.ended == UM_ERR_PARTIAL);
    }
}

/* A header with the right checksum. */
static void put_version(uint8_t *bytes, uint8_t version, uint8_t flags)
{
    um_recording_put_header(bytes);
    bytes[8] = version;
    bytes[10] = flags;
    uint32_t crc = um_crc32(0, bytes, 12);
    for (int i = 0; i < 4; i++)
        bytes[12 + i] = (uint8_t)(crc >> 8 * i);
}

Test(recording, another_version_is_told_by_its_number, .init = load_golden)
{
    put_version(golden, 2, 0);
    cr_expect_eq(read_bytes(golden, golden_len).opened, UM_ERR_VERSION);
    cr_expect(strstr(error, "of version 2.0 and this uimon reads 1.0") != NULL, "%s", error);
    put_version(golden, 1, 1);
    cr_expect_eq(read_bytes(golden, golden_len).opened, UM_ERR_VERSION, "flags are refused");
}

Test(recording, damage_by_text_mode_is_told, .init = load_golden)
{
    memmove(golden + 4, golden + 5, golden_len - 5); /* CR LF has become LF */
    cr_expect_eq(read_bytes(golden, golden_len - 1).opened, UM_ERR_FORMAT);
    cr_expect(strstr(error, "as if it were text") != NULL, "%s", error);
}

Test(recording, what_cannot_be_opened_is_told_by_name)
{
    static const struct {
        const char *path;
        enum um_status status;
        const char *why;
    } cases[] = {
        {"/no/such/file.rec", UM_ERR_NOT_FOUND, "uimon: /no/such/file.rec: there is no such file"},
        {UM_SOURCE_DIR "/tests", UM_ERR_IO, "is it a folder?"},
        {"/dev/null", UM_ERR_PARTIAL, "the file is empty"},
        {GOLDEN, UM_OK, ""},
        {UM_SOURCE_DIR "/README.md", UM_ERR_FORMAT, "it is no recording of uimon"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct um_recording *recording = NULL;
        error[0] = 0;
        cr_expect_eq(um_recording_open(cases[i].path, &recording, error, sizeof error),
                     cases[i].status, "%s", cases[i].path);
        cr_expect(strstr(error, cases[i].why) != NULL, "%s", error);
        um_recording_close(recording);
    }
    um_recording_close(NULL);
}

Test(recording, skips_types_that_it_does_not_know)
{
    static const uint8_t payload[] = {3, 0, 200, 255, 1, 2, 3,    /* of a later version */
                                      4, 0, 17,  0,   1, 0, 0, 0, /* of the hook pipe */
                                      9, 0, 37,  0,   5, 0, 0, 0, 0, 0, 0, 0, 0};
    struct recording_file file = {.len = 0};

    recording_file_begin(&file);
    recording_file_payload(&file, payload, sizeof payload);
    struct got got = read_bytes(file.bytes, file.len);
    cr_expect(got.ended == UM_ERR_CLOSED && got.count == 2);
    cr_expect(got.frames[1].type == UM_WIRE_END && got.frames[1].as.end.time_ns == 5);
    recording_file_free(&file);
}

Test(recording, block_with_a_spoilt_frame_is_not_used_at_all)
{
    static const uint8_t good[] = {9, 0, 37, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0};
    uint8_t payload[sizeof good * 2];
    memcpy(payload, good, sizeof good);
    memcpy(payload + sizeof good, good, sizeof good);

    for (size_t cut = 1; cut <= sizeof good; cut++) {
        struct recording_file file = {.len = 0};
        recording_file_begin(&file);
        recording_file_payload(&file, payload, sizeof payload - cut);
        struct got got = read_bytes(file.bytes, file.len);
        bool whole = cut == sizeof good;
        cr_expect_eq(got.ended, (whole ? UM_ERR_CLOSED : UM_ERR_FORMAT), "%zu", cut);
        cr_expect_eq(got.count, (whole ? 2 : 1), "%zu", cut);
        recording_file_free(&file);
    }
}

Test(recording, blocks_out_of_their_order_are_damage, .init = find_blocks)
{
    uint8_t bytes[2 * MAX_GOLDEN];
    size_t skipped = block_starts[2] - block_starts[1];

    memcpy(bytes, golden, block_starts[1]);
    memcpy(bytes + block_starts[1], golden + block_starts[2], golden_len - block_starts[2]);
    struct got got = read_bytes(bytes, golden_len - skipped);
    cr_expect(got.ended == UM_ERR_FORMAT && got.count == 1, "one is missing");

    memcpy(bytes, golden, block_starts[2]);
    memcpy(bytes + block_starts[2], golden + block_starts[1], skipped);
    got = read_bytes(bytes, block_starts[2] + skipped);
    cr_expect(got.ended == UM_ERR_FORMAT && got.count == 5, "one is there twice");
}

Test(recording, first_frame_must_say_what_it_is_of)
{
    struct um_wire_frame end = {.type = UM_WIRE_END};
    struct recording_file file = {.len = 0};
    uint8_t header[UM_RECORDING_HEADER_BYTES];

    um_recording_put_header(header);
    recording_file_bytes(&file, header, sizeof header);
    recording_file_put(&file, &end);
    recording_file_cut(&file);
    cr_expect_eq(read_bytes(file.bytes, file.len).opened, UM_ERR_FORMAT);
    recording_file_free(&file);
}

Test(recording, block_takes_frames_up_to_its_limit)
{
    static struct um_recording_block block;
    struct um_wire_frame beat = {.type = UM_WIRE_BEAT};
    uint32_t count = 0;

    cr_expect_eq(um_recording_finish(&block), 0, "an empty one is not written");
    while (um_recording_add(&block, &beat) == UM_OK)
        count++;
    cr_expect_eq(count, UM_RECORDING_MAX_PAYLOAD / 24);
    cr_expect_eq(um_recording_finish(&block), 16 + count * 24);
    beat.type = 250;
    um_recording_begin(&block);
    cr_expect(um_recording_add(&block, &beat) == UM_ERR_ARG && block.payload_bytes == 0);
}

Test(recording, rewound_it_begins_again)
{
    struct um_recording *recording = NULL;
    struct um_wire_frame frame;

    cr_assert_eq(um_recording_open(GOLDEN, &recording, error, sizeof error), UM_OK);
    for (int round = 0; round < 3; round++) {
        size_t count = 0;
        while (um_recording_next(recording, &frame) == UM_OK)
            cr_expect(count++ != 0 || frame.type == UM_WIRE_RECORDING);
        cr_expect_eq(count, 11);
        cr_assert_eq(um_recording_rewind(recording), UM_OK);
        cr_expect_eq(um_recording_next(recording, &frame), UM_OK, "and in the middle");
        cr_assert_eq(um_recording_rewind(recording), UM_OK);
    }
    um_recording_close(recording);
}
