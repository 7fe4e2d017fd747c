#include "monitor/flows/marker_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "monitor/flows/chrome_markers.h"
#include "monitor/flows/firefox_markers.h"
#include "monitor/flows/recorded_markers.h"
#include "monitor/flows/unpack.h"
#include "monitor/recording/recording.h"

#define HEAD_BYTES 65536
#define BEGIN_BYTES 8

static enum um_status read_recording(const char *path, struct um_markers *markers, char *error,
                                     size_t cap)
{
    struct um_recording *recording;
    enum um_status status = um_recording_open(path, &recording, error, cap);
    if (status != UM_OK)
        return status;
    status = um_recorded_markers_read(recording, UM_MARKERS_MOST, markers, error, cap);
    um_recording_close(recording);
    return status;
}

/* Whether the file begins as JSON may. Goes back to its begin. */
static bool is_json(FILE *file, bool *is_packed)
{
    unsigned char begin[BEGIN_BYTES];
    size_t len = fread(begin, 1, sizeof begin, file), at = 0;
    rewind(file);
    *is_packed = len > 2 && begin[0] == 0x1f && begin[1] == 0x8b;
    while (at < len && strchr(" \t\r\n", begin[at]))
        at++;
    return *is_packed || (at < len && (begin[at] == '{' || begin[at] == '['));
}

/* Whether the first of it looks like Chrome's; the other one is tried, too. Goes back to the file's
 * begin. */
static bool looks_like_chrome(FILE *file)
{
    static char head[HEAD_BYTES + 1];
    static struct um_unpack unpack;
    size_t len = 0;
    if (um_unpack_init(&unpack, file, UINT64_MAX) == UM_OK) {
        if (um_unpack_read(&unpack, (unsigned char *)head, HEAD_BYTES, &len) != UM_OK)
            len = 0;
        um_unpack_deinit(&unpack);
    }
    rewind(file);
    head[len] = '\0';
    return head[strspn(head, " \t\r\n")] == '[' || strstr(head, "\"traceEvents\"");
}

static enum um_status read_json(FILE *file, struct um_markers *markers, char *error, size_t cap)
{
    bool chrome = looks_like_chrome(file);
    enum um_status status = chrome ? um_chrome_markers_read(file, markers, error, cap)
                                   : um_firefox_markers_read(file, markers, error, cap);
    if (status != UM_ERR_UNSUPPORTED)
        return status;
    rewind(file);
    status = chrome ? um_firefox_markers_read(file, markers, error, cap)
                    : um_chrome_markers_read(file, markers, error, cap);
    if (status == UM_ERR_UNSUPPORTED)
        snprintf(error, cap, "is no recording, no profile and no trace: nothing in it is known");
    return status;
}

enum um_status um_marker_file_read(const char *path, struct um_markers *markers, char *error,
                                   size_t cap_bytes)
{
    char why[256] = "";
    bool is_packed;
    error[0] = '\0';
    FILE *file = fopen(path, "rb");
    if (!file || !is_json(file, &is_packed)) {
        if (file)
            fclose(file);
        return read_recording(path, markers, error, cap_bytes);
    }
    enum um_status status = read_json(file, markers, why, sizeof why);
    fclose(file);
    if (status != UM_OK)
        snprintf(error, cap_bytes, "uimon: %s: %s", um_utf8_show_path(path).text,
                 um_utf8_show(why, 200).text);
    return status;
}
