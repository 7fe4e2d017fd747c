#include "monitor/recording/recording_file.h"

#include <errno.h>
#include <stdatomic.h>

#include "base/file.h"
#include "base/platform.h"

enum trouble { NONE, DISK_FULL, FILE_LIMIT, FOLDER, OTHER };

static void note_trouble(struct um_recording_file *file)
{
    enum trouble trouble = errno == ENOSPC                              ? DISK_FULL
                           : errno == EFBIG                             ? FILE_LIMIT
                           : errno == EPERM && um_platform_is_guarded() ? FOLDER
                                                                        : OTHER;
    if (um_recording_file_ok(file))
        atomic_store(&file->trouble, trouble);
}

/* Writes bytes, and with `flush` passes them to the system at once. Nothing is written after a
 * failure, because a reader could not read a block behind a gap. */
static void write_bytes(struct um_recording_file *file, const uint8_t *bytes, size_t len,
                        bool flush)
{
    if (!file->file || !um_recording_file_ok(file))
        return;
    errno = 0;
    if (fwrite(bytes, 1, len, file->file) != len || (flush && fflush(file->file) != 0))
        note_trouble(file);
}

void um_recording_file_open(struct um_recording_file *file, const char *path, bool secret,
                            const struct um_wire_frame *header)
{
    uint8_t bytes[UM_RECORDING_HEADER_BYTES];

    errno = 0;
    file->file = secret ? um_file_open_secret(path) : um_file_open_guarded(path);
    if (!file->file) {
        note_trouble(file);
        return;
    }
    um_recording_put_header(bytes);
    write_bytes(file, bytes, sizeof bytes, false);
    (void)um_recording_add(&file->block, header); /* the block is empty */
    um_recording_file_flush(file);
}

bool um_recording_file_begun(const struct um_recording_file *file)
{
    return file->file || !um_recording_file_ok(file);
}

void um_recording_file_add(struct um_recording_file *file, const uint8_t *frames, size_t len_bytes)
{
    if (um_recording_add_bytes(&file->block, frames, len_bytes) == UM_OK)
        return;
    um_recording_file_flush(file);
    (void)um_recording_add_bytes(&file->block, frames, len_bytes); /* now it is empty */
}

void um_recording_file_flush(struct um_recording_file *file)
{
    size_t len = um_recording_finish(&file->block);
    if (len == 0)
        return;
    write_bytes(file, file->block.bytes, len, true);
    um_recording_begin(&file->block);
}

void um_recording_file_close(struct um_recording_file *file)
{
    um_recording_file_flush(file);
    errno = 0;
    if (file->file && fclose(file->file) != 0)
        note_trouble(file);
    file->file = NULL;
}

bool um_recording_file_ok(const struct um_recording_file *file)
{
    return atomic_load(&file->trouble) == NONE;
}

const char *um_recording_file_reason(const struct um_recording_file *file)
{
    switch (atomic_load(&file->trouble)) {
    case NONE:
        return "";
    case DISK_FULL:
        return "the disk is full";
    case FILE_LIMIT:
        return "the file may not grow any further";
    case FOLDER:
        return "ordinary programs can change its folder, so an administrator's uimon saves nothing "
               "there";
    default:
        return "the system refuses to write to it";
    }
}
