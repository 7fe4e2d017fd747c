#include "monitor/flows/marker_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "monitor/flows/chrome_markers.h"
#include "monitor/flows/file_kind.h"
#include "monitor/flows/firefox_markers.h"
#include "monitor/flows/json_stream.h"
#include "monitor/flows/recorded_markers.h"
#include "monitor/flows/unpack.h"
#include "monitor/recording/recording.h"

#define HEAD_BYTES 65536
#define KNOWN                                                                                      \
    "; uimon flows reads recordings, processed profiles of the Firefox Profiler and traces in "    \
    "Chrome's JSON"

/* The first of a file, unpacked. */
struct head {
    char bytes[HEAD_BYTES + 1];
    size_t len;
    const char *text; /* behind what may stand before JSON */
    bool is_packed;
};

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

/* Goes back to the file's begin. What cannot be unpacked has no head. */
static void read_head(FILE *file, struct head *head)
{
    static struct um_unpack unpack;
    head->len = 0;
    head->is_packed = false;
    if (um_unpack_init(&unpack, file, UINT64_MAX) == UM_OK) {
        if (um_unpack_read(&unpack, (unsigned char *)head->bytes, HEAD_BYTES, &head->len) != UM_OK)
            head->len = 0;
        head->is_packed = unpack.is_packed;
        um_unpack_deinit(&unpack);
    }
    rewind(file);
    head->bytes[head->len] = '\0';
    head->text = head->bytes;
    if (head->len >= 3 && memcmp(head->text, UM_JSON_STREAM_BOM, 3) == 0)
        head->text += 3;
    head->text += strspn(head->text, " \t\r\n");
}

/* Whether the file is to be read as a recording. So is an empty file, which is refused there. */
static bool is_recording(const struct head *head)
{
    return !head->is_packed &&
           (head->len == 0 || (head->len >= 4 && memcmp(head->bytes + 1, "UMR", 3) == 0));
}

/* Whether the file is an array with nothing in it, as of a program that had nothing to trace. */
static bool is_empty_array(const struct head *head)
{
    const char *rest = head->text + 1;
    return head->text[0] == '[' && rest[strspn(rest, " \t\r\n]")] == '\0' && head->len < HEAD_BYTES;
}

static enum um_status read_json(FILE *file, const struct head *head, struct um_markers *markers,
                                char *error, size_t cap)
{
    bool chrome = head->text[0] == '[' || strstr(head->text, "\"traceEvents\"");
    enum um_status status = chrome ? um_chrome_markers_read(file, markers, error, cap)
                                   : um_firefox_markers_read(file, markers, error, cap);
    if (status != UM_ERR_UNSUPPORTED)
        return status;
    if (is_empty_array(head))
        return UM_OK;
    rewind(file);
    return chrome ? um_firefox_markers_read(file, markers, error, cap)
                  : um_chrome_markers_read(file, markers, error, cap);
}

/* Says what a file is that has no markers. */
static enum um_status refuse_kind(const struct head *head, char *error, size_t cap)
{
    size_t skipped = (size_t)(head->text - head->bytes);
    const char *kind = um_file_kind_find(head->bytes, head->len);
    if (!kind)
        kind = um_file_kind_find(head->text, head->len - skipped);
    snprintf(error, cap, "%s" KNOWN, kind ? kind : "is no recording, no profile and no trace");
    return UM_ERR_UNSUPPORTED;
}

static enum um_status read_other(FILE *file, const struct head *head, struct um_markers *markers,
                                 char *error, size_t cap)
{
    enum um_status status = UM_ERR_UNSUPPORTED;
    bool is_wide = head->text + 1 < head->bytes + head->len && head->text[1] == '\0'; /* UTF-16 */
    if (((head->text[0] == '{' || head->text[0] == '[') && !is_wide) || head->len == 0)
        status = read_json(file, head, markers, error, cap);
    return status == UM_ERR_UNSUPPORTED ? refuse_kind(head, error, cap) : status;
}

enum um_status um_marker_file_read(const char *path, struct um_markers *markers, char *error,
                                   size_t cap_bytes)
{
    static struct head head;
    char why[256] = "";
    error[0] = '\0';
    FILE *file = fopen(path, "rb");
    if (file && fseek(file, 0, SEEK_SET) != 0) {
        fclose(file);
        snprintf(error, cap_bytes, "uimon: %s: is no file that can be read twice; save it as one",
                 um_utf8_show_path(path).text);
        return UM_ERR_UNSUPPORTED;
    }
    if (file)
        read_head(file, &head);
    if (!file || is_recording(&head)) {
        if (file)
            fclose(file);
        return read_recording(path, markers, error, cap_bytes);
    }
    enum um_status status = read_other(file, &head, markers, why, sizeof why);
    fclose(file);
    if (why[0] != '\0')
        snprintf(error, cap_bytes, "uimon: %s: %s", um_utf8_show_path(path).text,
                 um_utf8_show(why, sizeof why - 1).text);
    return status;
}
