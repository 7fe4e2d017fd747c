/* How the fuzzers of recordings make a file of any bytes. The first byte says how the rest is used:
 * even, as the file itself; odd, as payloads behind a whole start, with the checksums that a fuzzer
 * cannot guess. Such a payload begins with two bytes for its length. Header-only, so that a fuzzer
 * is one file.
 */
#ifndef UM_TESTS_RECORDING_INPUT_H
#define UM_TESTS_RECORDING_INPUT_H

#include "tests/recording_file.h"

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

#endif
