/* A bundle: the folder with what is saved of one long freeze. Other programs add a page and a
 * minidump to it (flight.h).
 *
 *   recording.uirec   for `uimon report`, `replay` and `export` (recording.h)
 *   messages.txt      the RETRIEVED frames, for people
 *
 * The folder's name has the freeze's begin, the program, and --dump-over:
 * 20261123T044512Z-devenv.exe-over-500ms. Only the user can read it; only administrators if uimon
 * runs as administrator. While the bundle is open the folder cannot be renamed, so that the other
 * programs find it by its path.
 *
 * Not on the hot path: it waits for the disk. A reader starts at um_bundle_open.
 */
#ifndef UM_MONITOR_BUNDLE_H
#define UM_MONITOR_BUNDLE_H

#include <stdint.h>
#include <stdio.h>

#include "base/plain/status.h"
#include "ipc/wire.h"
#include "base/platform.h"
#include "monitor/recording/recording_file.h"

#define UM_BUNDLE_RECORDING "recording.uirec"
#define UM_BUNDLE_MESSAGES "messages.txt"
#define UM_BUNDLE_PAGE "page.html"
#define UM_BUNDLE_MINIDUMP "minidump.dmp"
#define UM_BUNDLE_MINIDUMP_AFTER "minidump-after.dmp" /* of the program after the freeze */

/* Which freeze is saved. */
struct um_bundle_freeze {
    uint32_t id;       /* of its EPISODE */
    uint64_t start_ns; /* when it began */
    int64_t utc_ms;    /* the same on the calendar */
    uint32_t over_ms;
    const char *process; /* "devenv.exe"; another program chose it */
};

/* A zeroed struct is closed. */
struct um_bundle {
    char folder[UM_PLATFORM_PATH_BYTES];
    uint32_t id;
    uint64_t start_ns;
    FILE *messages;                /* NULL: messages.txt cannot be written */
    struct um_platform_held *held; /* keeps the folder's name; the caller may take it over */
    struct um_recording_file recording;
};

/* Makes the folder in `dir`, and begins its files. Owner: um_bundle_close, also after a
 * failure. Errors: those of um_platform_make_folder; UM_ERR_TOO_LARGE the path is too long;
 * UM_ERR_IO the recording cannot be written: um_recording_file_reason says why. */
enum um_status um_bundle_open(struct um_bundle *bundle, const char *dir,
                              const struct um_bundle_freeze *freeze,
                              const struct um_wire_recording *header);

/* Writes a frame to the recording, and a RETRIEVED of this freeze also to the messages. */
void um_bundle_put(struct um_bundle *bundle, const struct um_wire_frame *frame);

/* Flushes both files to the system. */
void um_bundle_flush(struct um_bundle *bundle);

/* Flushes and closes. */
void um_bundle_close(struct um_bundle *bundle);

/* The path of a file in a bundle's folder. Errors: UM_ERR_TOO_LARGE. */
enum um_status um_bundle_path(const char *folder, const char *file, char *path, size_t cap_bytes);

#endif
