/* The stacks of a recording as data for the page, which makes flame graphs, the bird's-eye view and
 * the coloured sources of it: report_stacks.js reads it.
 *
 * The data are bounded: texts of functions take UM_REPORT_STACKS_TEXT at most, beyond which
 * functions are "(more functions)"; sources take UM_REPORT_STACKS_SOURCES. Not on the hot path.
 */
#ifndef UM_MONITOR_REPORT_STACKS_H
#define UM_MONITOR_REPORT_STACKS_H

#include "base/plain/status.h"
#include "monitor/options/options.h"
#include "monitor/recorded/recorded.h"

#define UM_REPORT_STACKS_TEXT (768 << 10)
#define UM_REPORT_STACKS_SOURCES (4 << 20)

struct cJSON;

/* Adds "stacks" to the page's data, unless the recording has none. Its members:
 *
 *   modules, files  paths
 *   functions       [name, place in modules, place in files or -1, line or 0, 1 if the line is only
 *                   the nearest one before, else 0, first and last line in that file or 0] of each
 *   frames          packed: of each its function, file + 1 or 0, and four times its line or 0, + 1
 *                   if the line is only the nearest one before, + 2 if the frame is a guess
 *   nodes           packed: of each from number 2 on its parent, and twice its frame, + 1 if calls
 *                   are left out between it and its parent. 0 is the root, 1 a stack that was cut
 *   samples         packed: of each the place of its freeze in `freezes` + 1, or 0; twice its node,
 *                   + 1 if it was taken in frames that are left out; in µs the time that it stands
 *                   for and its CPU time in user and in kernel mode; the place of its thread in
 *                   `threads`
 *   threads         the names; the first is the UI thread, whichever it was
 *   lost            samples for which there was no room
 *   sources         {file's place: [where it was found, its text, 1 if no checksum says that it is
 *                   the file that was compiled, else 0]}
 *   others          {file's place: where only a file was found that is not the one that was
 *                   compiled, by its checksum}
 *   waits           {freeze's place: for whom the thread waited, in words}
 *   mine            {modules, all, freezes: {place: text}}, with --mine
 *   only, hide      the lists of modules, if given
 *   editor          --editor-link, if given
 *   by              --by, by its name
 *
 * Errors: UM_ERR_MEMORY. */
enum um_status um_report_stacks_put(struct cJSON *root, const struct um_recorded *recorded,
                                    const struct um_options *options);

#endif
