#include "monitor/writers/bundle.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/message_names.h"
#include "base/utc.h"
#include "base/utf8.h"

#define NAME_CHARS 40 /* of the program's name, in the folder's name */
#define NAME_BYTES (4 * NAME_CHARS + 1)
#define SAME_MOST 100 /* folders that differ only by a number at the end of their names */

/* Paths ---------------------------------------------------------------------------------------- */

enum um_status um_bundle_path(const char *folder, const char *file, char *path, size_t cap_bytes)
{
    size_t len = strlen(folder);
    bool ends = len > 0 && (folder[len - 1] == '/' || folder[len - 1] == '\\');
    const char *between = ends ? "" : strchr(folder, '\\') ? "\\" : "/";
    int need = snprintf(path, cap_bytes, "%s%s%s", folder, between, file);
    return need > 0 && (size_t)need < cap_bytes ? UM_OK : UM_ERR_TOO_LARGE;
}

/* Makes a program's name fit for a file's name: underscores replace characters that Windows does
 * not allow there, that cannot be seen or that are not UTF-8. */
static void name_part(const char *process, char name[NAME_BYTES])
{
    size_t len = 0;
    for (size_t i = 0; i < NAME_CHARS && *process; i++) {
        uint32_t c = um_utf8_next_shown(&process);
        bool usual = c > ' ' && c != 0x7f && c != UM_UTF8_REPLACEMENT &&
                     (c > 0x7f || !strchr("<>:\"/\\|?*%", (int)c));
        len += um_utf8_encode(usual ? c : '_', name + len);
    }
    name[len] = '\0';
}

/* Makes the folder. If there is one of its name, a number is appended. */
static enum um_status make_folder(struct um_bundle *bundle, const char *dir,
                                  const struct um_bundle_freeze *freeze)
{
    struct um_utc at = um_utc_at(freeze->utc_ms);
    char process[NAME_BYTES];
    char name[NAME_BYTES + 96];
    enum um_status status = UM_ERR_BUSY;

    name_part(freeze->process, process);
    for (int i = 1; i <= SAME_MOST && status == UM_ERR_BUSY; i++) {
        int len = snprintf(
            name, sizeof name, "%04" PRId64 "%02d%02dT%02d%02d%02dZ-%s-over-%" PRIu32 "ms", at.year,
            at.month, at.day, at.hour, at.minute, at.second, process, freeze->over_ms);
        if (i > 1)
            snprintf(name + len, sizeof name - (size_t)len, "-%d", i);
        status = um_bundle_path(dir, name, bundle->folder, sizeof bundle->folder);
        if (status == UM_OK)
            status = um_platform_make_folder(bundle->folder);
    }
    return status;
}

/* Messages ------------------------------------------------------------------------------------- */

static void open_messages(struct um_bundle *bundle, const struct um_bundle_freeze *freeze)
{
    struct um_utc at = um_utc_at(freeze->utc_ms);
    char path[UM_PLATFORM_PATH_BYTES];

    if (um_bundle_path(bundle->folder, UM_BUNDLE_MESSAGES, path, sizeof path) == UM_OK)
        bundle->messages = fopen(path, "wb");
    if (!bundle->messages)
        return;
    (void)fprintf(bundle->messages,
                  "The last messages that the UI thread of %s retrieved before it froze at\n"
                  "%04" PRId64 "-%02d-%02d %02d:%02d:%02d.%03d UTC, the latest at the end. Times "
                  "are ms, and when it\nfroze is 0. A message took at most so long: up to the next "
                  "one that was\nretrieved, or until the thread was seen to rest.\n\n"
                  "        when        took  message                           window\n",
                  um_utf8_show(freeze->process, NAME_CHARS).text, at.year, at.month, at.day,
                  at.hour, at.minute, at.second, (int)(freeze->utc_ms % 1000));
}

static double ms_since(uint64_t time_ns, uint64_t start_ns)
{
    return time_ns < start_ns ? -(double)(start_ns - time_ns) / 1e6
                              : (double)(time_ns - start_ns) / 1e6;
}

static void put_message(struct um_bundle *bundle, const struct um_wire_frame *frame)
{
    const struct um_wire_retrieved *message = &frame->as.retrieved;
    char name[UM_MESSAGE_NAMES_BYTES];

    if (!bundle->messages || message->freeze != bundle->id)
        return;
    um_message_names_get(message->message, message->message_name, name, sizeof name);
    (void)fprintf(bundle->messages, "%12.3f %11.3f  %-32s  %s%s0x%" PRIx64 "%s\n",
                  ms_since(message->time_ns, bundle->start_ns), (double)message->length_ns / 1e6,
                  um_utf8_show(name, UM_MESSAGE_NAMES_BYTES).text,
                  um_utf8_show(message->window_class, sizeof message->window_class).text,
                  message->window_class[0] ? " " : "", message->hwnd,
                  frame->flags & UM_WIRE_RETRIEVED_LAST ? ", and lasts" : "");
}

/* The bundle ----------------------------------------------------------------------------------- */

enum um_status um_bundle_open(struct um_bundle *bundle, const char *dir,
                              const struct um_bundle_freeze *freeze,
                              const struct um_wire_recording *header)
{
    struct um_wire_frame frame = {.type = UM_WIRE_RECORDING, .as.recording = *header};
    char path[UM_PLATFORM_PATH_BYTES];

    memset(bundle, 0, sizeof *bundle);
    bundle->id = freeze->id;
    bundle->start_ns = freeze->start_ns;
    enum um_status status = make_folder(bundle, dir, freeze);
    if (status == UM_OK)
        status = um_platform_hold_folder(bundle->folder, &bundle->held);
    if (status == UM_OK)
        status = um_bundle_path(bundle->folder, UM_BUNDLE_RECORDING, path, sizeof path);
    if (status != UM_OK)
        return status;
    um_recording_file_open(&bundle->recording, path, false, &frame);
    open_messages(bundle, freeze);
    return um_recording_file_ok(&bundle->recording) ? UM_OK : UM_ERR_IO;
}

void um_bundle_put(struct um_bundle *bundle, const struct um_wire_frame *frame)
{
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len;

    if (um_wire_encode(frame, bytes, sizeof bytes, &len) == UM_OK)
        um_recording_file_add(&bundle->recording, bytes, len);
    if (frame->type == UM_WIRE_RETRIEVED)
        put_message(bundle, frame);
}

void um_bundle_flush(struct um_bundle *bundle)
{
    if (bundle->messages)
        (void)fflush(bundle->messages);
    um_recording_file_flush(&bundle->recording);
}

void um_bundle_close(struct um_bundle *bundle)
{
    um_recording_file_close(&bundle->recording);
    if (bundle->messages)
        (void)fclose(bundle->messages);
    bundle->messages = NULL;
    um_platform_let_go(bundle->held);
    bundle->held = NULL;
}
