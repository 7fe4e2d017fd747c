/* Files for results. They are written beside their place and take it when they are whole, and files
 * with keys in them are kept from other users. One backend for each system; commands use output.h.
 * Not on the hot path.
 */
#ifndef UM_BASE_FILE_H
#define UM_BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/plain/status.h"

#define UM_FILE_PATH_BYTES 1024
#define UM_FILE_DRAFT_SUFFIX ".uimon-new" /* a file of that name is uimon's, and may be removed */
#define UM_FILE_LEFT_SUFFIX ".new"        /* a file of that name belongs to the user */

/* A new file beside the one whose place it will take. */
struct um_file_draft {
    FILE *file;
    void *folder; /* held until the end; NULL: it need not be */
    bool secret;
    char place[UM_FILE_PATH_BYTES];                              /* links are followed */
    char path[UM_FILE_PATH_BYTES + sizeof UM_FILE_DRAFT_SUFFIX]; /* place and a suffix */
    bool left; /* the path has UM_FILE_LEFT_SUFFIX, so that no later draft replaces it */
};

/* Makes a draft for the file of that path, which need not exist. Nobody else can open the draft
 * before it has taken its place; then whoever could open that file can open it. With `secret`
 * nobody but the same user can ever open it; if um_platform_is_guarded is true, nobody but
 * administrators can, a link is replaced instead of followed, and the folder must be one that only
 * administrators can change. A draft that a killed process has left is replaced.
 * Owner: um_file_draft_settle or um_file_draft_drop.
 * Errors: UM_ERR_UNSUPPORTED the file can only be written directly, for example because it is a
 * device, a pipe or a folder, has several names, is another user's, or has a folder in which no
 * file can be made; UM_ERR_DENIED it is `secret`, and what is there is another user's, or others
 * can change its folder; UM_ERR_BUSY another process writes such a draft; UM_ERR_IO it is `secret`,
 * and the disk cannot do that. */
enum um_status um_file_draft_open(const char *path, bool secret, struct um_file_draft *draft);

/* Closes the draft and moves it to its place. Whoever opens that gets the old file or the new one.
 * Thread: blocks until the disk has it.
 * Errors: UM_ERR_IO it could not be written to its end, and was removed; UM_ERR_BUSY another
 * process keeps the old file open, so the draft stays beside it, with UM_FILE_LEFT_SUFFIX unless
 * there is such a file. */
enum um_status um_file_draft_settle(struct um_file_draft *draft);

/* Closes the draft and removes it. */
void um_file_draft_drop(struct um_file_draft *draft);

/* Whether a draft can take the place of the file of that path, or there is no file. */
bool um_file_can_be_replaced(const char *path);

/* Makes sure that from now on nobody but this user can open the file. It is made if there is none.
 * If um_platform_is_guarded is true, it is made anew, empty, as um_file_open_guarded does.
 * Errors: UM_ERR_DENIED it is another user's, or others can change its folder; UM_ERR_BUSY another
 * process has it open; UM_ERR_IO it is no file, or its disk cannot do that. */
enum um_status um_file_make_secret(const char *path);

/* Opens and empties such a file, as um_platform_open_alone does; nobody else can open it meanwhile.
 * Owner: fclose. NULL for the errors of um_file_make_secret, and the file is untouched. */
FILE *um_file_open_secret(const char *path);

/* As um_platform_open_alone. If um_platform_is_guarded is true, the file is made anew, and nobody
 * but administrators can open it: what is there may belong to somebody else, or be a link. Then
 * errno is EPERM if others can change its folder. */
FILE *um_file_open_guarded(const char *path);

/* Returns what a function writes to a stream, with a NUL behind it. On Windows, which has no
 * streams in memory, that is a temporary file that nobody else can open. Owner: free. NULL if the
 * function has failed, or there is no memory or no room for the file. */
char *um_file_collect(enum um_status (*write)(FILE *out, const void *context), const void *context);

#endif
