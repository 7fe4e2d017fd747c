/* What is saved of one long freeze: a folder with its recording and the messages before it. Others
 * add a page and a minidump.
 *
 *   recording.uirec   for `uimon report`, `replay` and `export` (recording.h)
 *   messages.txt      the RETRIEVED frames, for people
 *
 * The folder is called after when the freeze began, the program, and how long it was to last at
 * least: 20261123T044512Z-devenv.exe-over-500ms. Nobody but the user can read it, and of an
 * administrator's uimon nobody but administrators. It is held where it is, so that those who add to
 * it by its path find no other one.
 *
 * Not on the hot path: it waits for the disk. A reader starts at um_bundle_open.
 */
#ifndef UM_MONITOR_BUNDLE_H
#define UM_MONITOR_BUNDLE_H

#include <stdint.h>
#include <stdio.h>

#include "ipc/status.h"
#include "ipc/wire.h"
#include "monitor/base/platform.h"
#include "monitor/feed/recording_file.h"

#define UM_BUNDLE_RECORDING "recording.uirec"
#define UM_BUNDLE_MESSAGES "messages.txt"
#define UM_BUNDLE_PAGE "page.html"
#define UM_BUNDLE_MINIDUMP "minidump.dmp"

/* Which freeze is saved. */
struct um_bundle_freeze {
    uint32_t id;       /* of its EPISODE */
    uint64_t start_ns; /* when it began, */
    int64_t utc_ms;    /* and on the calendar */
    uint32_t over_ms;
    const char *process; /* "devenv.exe"; another program chose it */
};

/* A zeroed struct is closed. */
struct um_bundle {
    char folder[UM_PLATFORM_PATH_BYTES];
    uint32_t id;
    uint64_t start_ns;
    FILE *messages;                /* NULL: it cannot be written */
    struct um_platform_held *held; /* the folder; whoever goes on with it takes it over */
    struct um_recording_file recording;
};

/* Makes the folder in `dir`, and the files with what they begin with. Owner: um_bundle_close, also
 * after a failure. Errors: those of um_platform_make_folder; UM_ERR_TOO_LARGE the path is too long;
 * UM_ERR_IO the recording cannot be written: um_recording_file_reason says why. */
enum um_status um_bundle_open(struct um_bundle *bundle, const char *dir,
                              const struct um_bundle_freeze *freeze,
                              const struct um_wire_recording *header);

/* Writes a frame of the recording; RETRIEVED of this freeze goes to the messages, too. */
void um_bundle_put(struct um_bundle *bundle, const struct um_wire_frame *frame);

/* Gives the system what was written. */
void um_bundle_flush(struct um_bundle *bundle);

/* Flushes and closes. */
void um_bundle_close(struct um_bundle *bundle);

/* The path of a file in a bundle's folder. Errors: UM_ERR_TOO_LARGE. */
enum um_status um_bundle_path(const char *folder, const char *file, char *path, size_t cap_bytes);

#endif
