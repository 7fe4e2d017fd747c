#include "monitor/flows/unpack.h"

#include <string.h>

#define GZIP (16 + MAX_WBITS) /* inflateInit2: with gzip's header and checksum */
#define MAGIC 0x1f            /* a packed file begins so */
#define MAGIC_2 0x8b

static bool fill(struct um_unpack *unpack)
{
    unpack->stream.next_in = unpack->in;
    unpack->stream.avail_in = (uInt)fread(unpack->in, 1, sizeof unpack->in, unpack->file);
    return !ferror(unpack->file);
}

enum um_status um_unpack_init(struct um_unpack *unpack, FILE *file, uint64_t most_bytes)
{
    unpack->file = file;
    unpack->left_bytes = most_bytes;
    unpack->is_over = unpack->is_next = unpack->has_rest = false;
    unpack->stream = (z_stream){0};
    (void)fill(unpack); /* um_unpack_read looks at the file again */
    unpack->is_packed =
        unpack->stream.avail_in > 2 && unpack->in[0] == MAGIC && unpack->in[1] == MAGIC_2;
    if (unpack->is_packed && inflateInit2(&unpack->stream, GZIP) != Z_OK)
        return UM_ERR_MEMORY;
    return UM_OK;
}

/* Copies what is not packed: first what was read already to see that. */
static enum um_status copy(struct um_unpack *unpack, unsigned char *bytes, size_t cap, size_t *len)
{
    z_stream *stream = &unpack->stream;
    if (stream->avail_in == 0) {
        *len = fread(bytes, 1, cap, unpack->file);
        return ferror(unpack->file) ? UM_ERR_IO : UM_OK;
    }
    *len = stream->avail_in < cap ? stream->avail_in : cap;
    memcpy(bytes, stream->next_in, *len);
    stream->next_in += *len;
    stream->avail_in -= (uInt)*len;
    return UM_OK;
}

/* Begins the next one of several packed files, which are one. Where none follows, *has_next is
 * false. The archives of tape drives have zero bytes at their end. */
static enum um_status begin_next(struct um_unpack *unpack, bool *has_next)
{
    z_stream *stream = &unpack->stream;
    *has_next = false;
    if (unpack->has_rest)
        return UM_OK;
    do {
        if (stream->avail_in == 0 && !fill(unpack))
            return UM_ERR_IO;
        while (stream->avail_in > 0 && *stream->next_in == 0)
            stream->next_in++, stream->avail_in--;
    } while (stream->avail_in == 0 && !feof(unpack->file));
    if (stream->avail_in == 0)
        return UM_OK;
    *has_next =
        *stream->next_in == MAGIC && (stream->avail_in == 1 || stream->next_in[1] == MAGIC_2);
    unpack->has_rest = !*has_next;
    unpack->is_next |= *has_next;
    return *has_next && inflateReset(stream) != Z_OK ? UM_ERR_FORMAT : UM_OK;
}

/* Whether what looked like the next packed file is none: nothing has come out of it yet. */
static bool is_no_next(struct um_unpack *unpack)
{
    bool is_none = unpack->is_next && unpack->stream.total_out == 0;
    unpack->has_rest |= is_none;
    unpack->is_over |= is_none;
    return is_none;
}

static enum um_status inflate_some(struct um_unpack *unpack, unsigned char *bytes, size_t cap,
                                   size_t *len)
{
    z_stream *stream = &unpack->stream;
    stream->next_out = bytes;
    stream->avail_out = (uInt)cap;
    *len = 0;
    while (stream->avail_out == cap) {
        if (unpack->is_over) {
            bool has_next;
            enum um_status status = begin_next(unpack, &has_next);
            if (status != UM_OK || !has_next)
                return status;
        }
        if (stream->avail_in == 0 && !fill(unpack))
            return UM_ERR_IO;
        if (stream->avail_in == 0)
            return is_no_next(unpack) ? UM_OK : UM_ERR_PARTIAL;
        int result = inflate(stream, Z_NO_FLUSH);
        if (result == Z_MEM_ERROR)
            return UM_ERR_MEMORY;
        if (result != Z_OK && result != Z_STREAM_END)
            return is_no_next(unpack) ? UM_OK : UM_ERR_FORMAT;
        unpack->is_over = result == Z_STREAM_END;
    }
    *len = cap - stream->avail_out;
    return UM_OK;
}

enum um_status um_unpack_read(struct um_unpack *unpack, unsigned char *bytes, size_t cap_bytes,
                              size_t *len_bytes)
{
    if (ferror(unpack->file))
        return UM_ERR_IO;
    enum um_status status = unpack->is_packed ? inflate_some(unpack, bytes, cap_bytes, len_bytes)
                                              : copy(unpack, bytes, cap_bytes, len_bytes);
    if (status == UM_OK && *len_bytes > unpack->left_bytes)
        return UM_ERR_TOO_LARGE;
    if (status == UM_OK)
        unpack->left_bytes -= *len_bytes;
    return status;
}

void um_unpack_deinit(struct um_unpack *unpack)
{
    if (unpack->is_packed)
        inflateEnd(&unpack->stream);
}
