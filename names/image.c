#include "names/image.h"

#include <stdbool.h>
#include <string.h>

#include "base/plain/bytes.h"

/* Offsets in the headers. */
#define DOS_BYTES 64
#define PE_AT 60 /* where the offset of the PE header is */
#define PE_BYTES 24
#define SECTIONS_AT 6
#define TIMESTAMP_AT 8
#define OPTIONAL_LEN_AT 20
#define IMAGE_BYTES_AT 56 /* in the optional header */
#define OPTIONAL_MIN 60
#define SECTION_BYTES 40
#define RAW_BYTES_AT 16
#define RAW_AT 20

/* Why headers do not end within the head: the file is cut off, or they are no real headers. */
static enum um_names_why too_short(size_t head_bytes, uint64_t file_bytes)
{
    return head_bytes < file_bytes ? UM_NAMES_NO_MODULE : UM_NAMES_CUT_OFF;
}

/* Whether the contents of all sections lie within the file. */
static bool is_whole(const uint8_t *section, size_t count, uint64_t file_bytes)
{
    for (; count > 0; count--, section += SECTION_BYTES) {
        uint64_t raw_bytes = um_bytes_get32(section + RAW_BYTES_AT);
        if (raw_bytes > 0 && um_bytes_get32(section + RAW_AT) + raw_bytes > file_bytes)
            return false;
    }
    return true;
}

enum um_names_why um_image_read(const uint8_t *head, size_t head_bytes, uint64_t file_bytes,
                                struct um_image *image)
{
    if (head_bytes < 2 || memcmp(head, "MZ", 2) != 0)
        return UM_NAMES_NO_MODULE;
    if (head_bytes < DOS_BYTES)
        return too_short(head_bytes, file_bytes);
    uint64_t pe = um_bytes_get32(head + PE_AT);
    if (pe + PE_BYTES > head_bytes)
        return too_short(head_bytes, file_bytes);
    if (memcmp(head + pe, "PE\0\0", 4) != 0)
        return UM_NAMES_NO_MODULE;
    size_t count = um_bytes_get16(head + pe + SECTIONS_AT);
    size_t optional_len = um_bytes_get16(head + pe + OPTIONAL_LEN_AT);
    if (optional_len < OPTIONAL_MIN)
        return UM_NAMES_NO_MODULE;
    uint64_t sections = pe + PE_BYTES + optional_len;
    if (sections + count * SECTION_BYTES > head_bytes)
        return too_short(head_bytes, file_bytes);
    if (!is_whole(head + sections, count, file_bytes))
        return UM_NAMES_CUT_OFF;
    image->timestamp = um_bytes_get32(head + pe + TIMESTAMP_AT);
    image->image_bytes = um_bytes_get32(head + pe + PE_BYTES + IMAGE_BYTES_AT);
    return UM_NAMES_FOUND;
}

enum um_names_why um_image_compare(const struct um_image *image,
                                   const struct um_names_module *module)
{
    bool fits = (module->timestamp == 0 || module->timestamp == image->timestamp) &&
                (module->image_bytes == 0 || module->image_bytes == image->image_bytes);
    return fits ? UM_NAMES_FOUND : UM_NAMES_OTHER_BUILD;
}
