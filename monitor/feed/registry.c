#include "monitor/feed/registry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/plain/text.h"
#include "ipc/wire.h"
#include "base/platform.h"

#define SUFFIX ".feed"
#define FOLDER "feeds"

struct um_registry {
    char path[UM_PLATFORM_PATH_BYTES];
};

/* Writing -------------------------------------------------------------------------------------- */

/* Writes the text under another name first, so that nobody reads it half written. */
static enum um_status write_file(const char *path, const char *text)
{
    char unfinished[UM_PLATFORM_PATH_BYTES];
    int need = snprintf(unfinished, sizeof unfinished, "%s.new", path);
    if (need < 0 || (size_t)need >= sizeof unfinished)
        return UM_ERR_TOO_LARGE;
    /* An earlier process with this pid may have left both files, and on Windows rename replaces no
     * file. */
    remove(path);
    remove(unfinished);
    if (um_platform_write_private(unfinished, text) == UM_OK && rename(unfinished, path) == 0)
        return UM_OK;
    remove(unfinished);
    return UM_ERR_IO;
}

enum um_status um_registry_folder(char *path, size_t cap_bytes)
{
    return um_platform_is_guarded() ? um_platform_guarded_folder(FOLDER, true, path, cap_bytes)
                                    : um_platform_private_folder(FOLDER, path, cap_bytes);
}

enum um_status um_registry_publish(const char *folder, uint32_t target_pid, const char *target_name,
                                   const char *pipe, struct um_registry **registry)
{
    struct um_registry_entry entry = {.target_pid = target_pid, .pid = um_transport_own_pid()};
    size_t running;
    um_text_set(entry.target_name, sizeof entry.target_name, target_name);
    um_text_set(entry.pipe, sizeof entry.pipe, pipe);
    if (um_platform_process_started(entry.pid, &entry.started) != UM_OK)
        return UM_ERR_IO;
    um_registry_list(folder, true, NULL, 0, &running); /* removes files of killed monitors */
    struct um_registry *made = calloc(1, sizeof *made);
    char *text = made ? um_registry_entry_print(&entry) : NULL;
    enum um_status status = text ? UM_OK : UM_ERR_MEMORY;
    if (text) {
        int need = snprintf(made->path, sizeof made->path, "%s/%" PRIu32 "-%" PRIu32 SUFFIX, folder,
                            entry.pid, target_pid);
        bool fits = need > 0 && (size_t)need < sizeof made->path;
        status = fits ? write_file(made->path, text) : UM_ERR_TOO_LARGE;
    }
    cJSON_free(text);
    if (status != UM_OK)
        free(made);
    else
        *registry = made;
    return status;
}

void um_registry_withdraw(struct um_registry *registry)
{
    if (!registry)
        return;
    remove(registry->path);
    free(registry);
}

/* Reading -------------------------------------------------------------------------------------- */

struct listing {
    struct um_registry_entry *entries;
    size_t cap;
    size_t count;
    bool removes; /* remove stale files */
};

/* Whether the monitor that wrote a file certainly runs no more. */
static bool is_stale(const struct um_registry_entry *entry)
{
    uint64_t started;
    enum um_status status = um_platform_process_started(entry->pid, &started);
    return status == UM_ERR_NOT_FOUND || (status == UM_OK && started != entry->started);
}

static void take_file(void *context, const char *path)
{
    struct listing *listing = context;
    struct um_registry_entry entry;
    char text[UM_REGISTRY_ENTRY_MAX_BYTES + 1];
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    size_t len = fread(text, 1, sizeof text, file);
    fclose(file);
    if (um_registry_entry_parse(text, len, &entry) != UM_OK)
        return;
    bool stale = is_stale(&entry);
    if (stale && listing->removes)
        remove(path);
    else if (!stale && listing->count < listing->cap)
        listing->entries[listing->count++] = entry;
}

enum um_status um_registry_list(const char *folder, bool removes, struct um_registry_entry *entries,
                                size_t cap, size_t *count)
{
    struct listing listing = {.entries = entries, .cap = cap, .removes = removes};
    enum um_status status = um_platform_list_files(folder, SUFFIX, take_file, &listing);
    if (status == UM_OK)
        *count = listing.count;
    return status;
}

/* Adds the feeds of a folder to a list. `status` is how finding the folder went. */
static enum um_status add_folder(enum um_status status, const char *folder, bool removes,
                                 struct um_registry_entry *entries, size_t cap, size_t *count)
{
    size_t added = 0;
    if (status == UM_OK)
        status = um_registry_list(folder, removes, entries + *count, cap - *count, &added);
    *count += added;
    return status == UM_ERR_NOT_FOUND ? UM_OK : status;
}

enum um_status um_registry_list_all(struct um_registry_entry *entries, size_t cap, size_t *count)
{
    char folder[UM_PLATFORM_PATH_BYTES];
    size_t found = 0;
    enum um_status status = um_platform_guarded_folder(FOLDER, false, folder, sizeof folder);
    /* A folder that others can change is not read. */
    status = add_folder(status == UM_ERR_DENIED ? UM_ERR_NOT_FOUND : status, folder, true, entries,
                        cap, &found);
    if (status == UM_OK) {
        status = um_platform_private_folder(FOLDER, folder, sizeof folder);
        /* An administrator's process removes nothing in a folder of ordinary programs: they could
         * put a link to another file there at any time. */
        status = add_folder(status, folder, !um_platform_is_guarded(), entries, cap, &found);
    }
    if (status == UM_OK)
        *count = found;
    return status;
}
