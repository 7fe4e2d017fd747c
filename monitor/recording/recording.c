#include "base/plain/bytes.h"
#include "monitor/recording/recording.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "base/platform.h"
#include "base/utf8.h"

static const uint8_t magic[8] = {0x89, 'U', 'M', 'R', 0x0d, 0x0a, 0x1a, 0x0a};

struct um_recording {
    FILE *file;            /* NULL: the recording is in memory, or is let go of */
    const uint8_t *memory; /* NULL: it is a file */
    size_t memory_len;
    uint64_t at;       /* how much of the file was read */
    uint64_t block_at; /* where the present block begins */
    uint32_t number;   /* of the next block */
    size_t got;        /* of the next block, with its header, if it is not whole yet */
    enum um_status status;
    size_t used; /* of the payload */
    size_t len;
    struct um_utf8_shown name;
    uint8_t header[UM_RECORDING_BLOCK_HEADER_BYTES];
    uint8_t payload[UM_RECORDING_MAX_PAYLOAD];
};

void um_recording_put_header(uint8_t *buf)
{
    memcpy(buf, magic, sizeof magic);
    um_bytes_put16(buf + 8, UM_RECORDING_VERSION);
    um_bytes_put16(buf + 10, 0);
    um_bytes_put32(buf + 12, um_crc32(0, buf, 12));
}

enum um_status um_recording_add(struct um_recording_block *block, const struct um_wire_frame *frame)
{
    size_t len;
    enum um_status status =
        um_wire_encode(frame, block->bytes + UM_RECORDING_BLOCK_HEADER_BYTES + block->payload_bytes,
                       UM_RECORDING_MAX_PAYLOAD - block->payload_bytes, &len);
    if (status == UM_OK)
        block->payload_bytes += (uint32_t)len;
    return status;
}

enum um_status um_recording_add_bytes(struct um_recording_block *block, const uint8_t *frames,
                                      size_t len_bytes)
{
    if (UM_RECORDING_MAX_PAYLOAD - block->payload_bytes < len_bytes)
        return UM_ERR_TOO_LARGE;
    memcpy(block->bytes + UM_RECORDING_BLOCK_HEADER_BYTES + block->payload_bytes, frames,
           len_bytes);
    block->payload_bytes += (uint32_t)len_bytes;
    return UM_OK;
}

static uint32_t block_crc(const uint8_t *header, const uint8_t *payload, size_t len)
{
    return um_crc32(um_crc32(0, header, 12), payload, len);
}

size_t um_recording_finish(struct um_recording_block *block)
{
    uint8_t *payload = block->bytes + UM_RECORDING_BLOCK_HEADER_BYTES;

    if (block->payload_bytes == 0)
        return 0;
    um_bytes_put32(block->bytes, UM_RECORDING_BLOCK_MAGIC);
    um_bytes_put32(block->bytes + 4, block->payload_bytes);
    um_bytes_put32(block->bytes + 8, block->number);
    um_bytes_put32(block->bytes + 12, block_crc(block->bytes, payload, block->payload_bytes));
    return UM_RECORDING_BLOCK_HEADER_BYTES + block->payload_bytes;
}

void um_recording_begin(struct um_recording_block *block)
{
    memset(block->bytes, 0, UM_RECORDING_BLOCK_HEADER_BYTES + block->payload_bytes);
    block->number++;
    block->payload_bytes = 0;
}

/* Reads `len` bytes; fewer only at the end, or if the disk fails. Returns how many. */
static size_t read_bytes(struct um_recording *recording, uint8_t *bytes, size_t len)
{
    size_t got = 0;
    if (recording->file) {
        got = fread(bytes, 1, len, recording->file);
    } else if (recording->memory) {
        size_t left = recording->memory_len - (size_t)recording->at;
        got = left < len ? left : len;
        if (got > 0)
            memcpy(bytes, recording->memory + recording->at, got);
    }
    recording->at += got;
    return got;
}

/* The status if there were fewer bytes than wanted. */
static enum um_status end_status(const struct um_recording *recording, size_t got)
{
    if (recording->file && ferror(recording->file))
        return UM_ERR_IO;
    return got == 0 ? UM_ERR_CLOSED : UM_ERR_PARTIAL;
}

/* Whether the payload is whole frames and nothing else. If not, nothing of the block is used. */
static bool is_whole(const uint8_t *payload, size_t len)
{
    struct um_wire_frame frame;
    size_t used = 0;
    size_t one;

    while (used < len) {
        if (um_wire_decode(payload + used, len - used, &frame, &one) != UM_OK)
            return false;
        used += one;
    }
    return true;
}

/* Reads on in the next block, of which `before` bytes lie before these, until all `len` of these
 * are there. False at the end of the file. */
static bool has_part(struct um_recording *recording, uint8_t *bytes, size_t before, size_t len)
{
    size_t have = recording->got > before ? recording->got - before : 0;
    if (have < len)
        recording->got += read_bytes(recording, bytes + have, len - have);
    return recording->got >= before + len;
}

static enum um_status load_block(struct um_recording *recording)
{
    const uint8_t *header = recording->header;

    if (recording->got == 0)
        recording->block_at = recording->at;
    if (!has_part(recording, recording->header, 0, sizeof recording->header))
        return end_status(recording, recording->got);
    size_t len = um_bytes_get32(header + 4);
    if (um_bytes_get32(header) != UM_RECORDING_BLOCK_MAGIC || len == 0 ||
        len > UM_RECORDING_MAX_PAYLOAD || um_bytes_get32(header + 8) != recording->number)
        return UM_ERR_FORMAT;
    if (!has_part(recording, recording->payload, sizeof recording->header, len))
        return end_status(recording, recording->got);
    if (um_bytes_get32(header + 12) != block_crc(header, recording->payload, len) ||
        !is_whole(recording->payload, len))
        return UM_ERR_FORMAT;
    recording->number++;
    recording->got = 0;
    recording->used = 0;
    recording->len = len;
    return UM_OK;
}

enum um_status um_recording_next(struct um_recording *recording, struct um_wire_frame *frame)
{
    size_t one;
    do {
        if (recording->status == UM_OK && recording->used == recording->len)
            recording->status = load_block(recording);
        if (recording->status != UM_OK)
            return recording->status;
        recording->status = um_wire_decode(recording->payload + recording->used,
                                           recording->len - recording->used, frame, &one);
        recording->used += one;
    } while (um_wire_reach(frame->type) < UM_WIRE_REACH_RECORDING);
    return UM_OK;
}

uint64_t um_recording_offset(const struct um_recording *recording)
{
    return recording->block_at;
}

void um_recording_problem(const struct um_recording *recording, enum um_status status, char *error,
                          size_t cap_bytes)
{
    const char *what = status == UM_ERR_PARTIAL     ? "is cut off"
                       : status == UM_ERR_IO        ? "cannot be read"
                       : status == UM_ERR_TOO_LARGE ? "has times that cannot be"
                       : status == UM_ERR_MEMORY    ? "is too long for the memory there is"
                                                    : "is damaged";
    if (status == UM_OK || status == UM_ERR_CLOSED) {
        snprintf(error, cap_bytes, "uimon: %s: the recording %s", recording->name.text,
                 status == UM_OK ? "ended before anything was measured"
                                 : "breaks off: uimon was ended by force, or the disk was full; "
                                   "only what was written by then is known");
        return;
    }
    snprintf(error, cap_bytes,
             "uimon: %s: the recording %s at byte %llu; only what lies before it "
             "is known",
             recording->name.text, what, (unsigned long long)recording->block_at);
}

/* Where an error line is written, and the file's name in it. */
struct place {
    const char *name;
    char *error;
    size_t cap;
};

static enum um_status refuse(const struct place *place, enum um_status status, const char *why)
{
    snprintf(place->error, place->cap, "uimon: %s: %s", place->name, why);
    return status;
}

static enum um_status refuse_version(const struct place *place, uint32_t version, uint32_t flags)
{
    snprintf(
        place->error, place->cap,
        "uimon: %s: the recording is of version %lu.%lu and this uimon reads %d.0: use the one "
        "that made it, or a later one",
        place->name, (unsigned long)version, (unsigned long)flags, UM_RECORDING_VERSION);
    return UM_ERR_VERSION;
}

static enum um_status check_header(struct um_recording *recording, const struct place *place)
{
    uint8_t header[UM_RECORDING_HEADER_BYTES];
    size_t got = read_bytes(recording, header, sizeof header);
    size_t compared = got < sizeof magic ? got : sizeof magic;

    if (got < sizeof header && end_status(recording, got) == UM_ERR_IO)
        return refuse(place, UM_ERR_IO, "it cannot be read: is it a folder?");
    if (got == 0)
        return refuse(place, UM_ERR_PARTIAL, "the file is empty: no recording was begun");
    if (memcmp(header, magic, compared) != 0) {
        if (got >= 4 && memcmp(header + 1, magic + 1, 3) == 0)
            return refuse(
                place, UM_ERR_FORMAT,
                "the recording was damaged on its way, as if it were text: copy it again, "
                "as a binary file");
        return refuse(place, UM_ERR_FORMAT, "it is no recording of uimon; --record makes one");
    }
    if (got < sizeof header)
        return refuse(place, UM_ERR_PARTIAL, "the recording is cut off within its first bytes");
    if (um_bytes_get32(header + 12) != um_crc32(0, header, 12))
        return refuse(place, UM_ERR_FORMAT, "the recording's first bytes are damaged");
    if (um_bytes_get16(header + 8) != UM_RECORDING_VERSION || um_bytes_get16(header + 10) != 0)
        return refuse_version(place, um_bytes_get16(header + 8), um_bytes_get16(header + 10));
    return UM_OK;
}

static enum um_status check_start(struct um_recording *recording, const struct place *place)
{
    struct um_wire_frame frame;
    enum um_status status = check_header(recording, place);
    if (status != UM_OK)
        return status;
    status = um_recording_next(recording, &frame);
    if (status == UM_ERR_CLOSED || status == UM_ERR_PARTIAL)
        return refuse(place, UM_ERR_PARTIAL,
                      "the recording is cut off before there is anything to read");
    if (status != UM_OK)
        return refuse(place, status,
                      status == UM_ERR_IO
                          ? "the recording cannot be read"
                          : "the recording is damaged before there is anything to read");
    if (frame.type != UM_WIRE_RECORDING)
        return refuse(place, UM_ERR_FORMAT, "the recording does not say what it is of");
    recording->used = 0;
    return UM_OK;
}

static enum um_status open_source(FILE *file, const uint8_t *bytes, size_t len_bytes,
                                  const struct place *place, struct um_recording **out)
{
    struct um_recording *recording = calloc(1, sizeof *recording);
    if (!recording) {
        if (file)
            fclose(file);
        return refuse(place, UM_ERR_MEMORY, "out of memory");
    }
    recording->file = file;
    recording->memory = bytes;
    recording->memory_len = len_bytes;
    recording->name = um_utf8_show_path(place->name);
    enum um_status status = check_start(recording, place);
    if (status != UM_OK) {
        um_recording_close(recording);
        return status;
    }
    *out = recording;
    return UM_OK;
}

enum um_status um_recording_open(const char *path, struct um_recording **out, char *error,
                                 size_t cap_bytes)
{
    struct um_utf8_shown name = um_utf8_show_path(path);
    struct place place = {name.text, error, cap_bytes};
    FILE *file = fopen(path, "rb");
    if (!file)
        return errno == ENOENT
                   ? refuse(&place, UM_ERR_NOT_FOUND, "there is no such file")
                   : refuse(&place, UM_ERR_IO,
                            "the file cannot be opened: is it a folder, or may you not read it?");
    return open_source(file, NULL, 0, &place, out);
}

enum um_status um_recording_open_memory(const uint8_t *bytes, size_t len_bytes, const char *name,
                                        struct um_recording **out, char *error, size_t cap_bytes)
{
    struct um_utf8_shown shown = um_utf8_show_path(name);
    struct place place = {shown.text, error, cap_bytes};
    return open_source(NULL, bytes, len_bytes, &place, out);
}

enum um_status um_recording_rewind(struct um_recording *recording)
{
    bool can_go_back =
        recording->memory ||
        (recording->file && um_platform_seek(recording->file, UM_RECORDING_HEADER_BYTES));
    if (!can_go_back)
        return UM_ERR_IO;
    recording->at = UM_RECORDING_HEADER_BYTES;
    recording->block_at = recording->at;
    recording->number = 0;
    recording->got = 0;
    recording->status = UM_OK;
    recording->used = recording->len = 0;
    return UM_OK;
}

void um_recording_let_go(struct um_recording *recording)
{
    if (recording->file)
        fclose(recording->file);
    recording->file = NULL;
}

enum um_status um_recording_go_on(struct um_recording *recording, const char *path)
{
    uint64_t bytes = 0;

    if (recording->status != UM_ERR_CLOSED && recording->status != UM_ERR_PARTIAL)
        return recording->status;
    um_recording_let_go(recording);
    recording->file = fopen(path, "rb");
    if (!recording->file)
        return errno == ENOENT ? UM_ERR_NOT_FOUND : UM_ERR_IO;
    /* With a buffer, the C library would begin to read at a multiple of its size, before `at`. */
    setvbuf(recording->file, NULL, _IONBF, 0);
    if (!um_platform_file_bytes(path, &bytes) || !um_platform_seek(recording->file, recording->at))
        return UM_ERR_IO;
    if (bytes < recording->at)
        return UM_ERR_FORMAT;
    recording->status = UM_OK;
    return UM_OK;
}

void um_recording_close(struct um_recording *recording)
{
    if (!recording)
        return;
    if (recording->file)
        fclose(recording->file);
    free(recording);
}
