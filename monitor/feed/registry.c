#include "monitor/feed/registry.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "ipc/wire.h"
#include "monitor/base/platform.h"
#include "monitor/base/utf8.h"

#define VERSION 1
#define SUFFIX ".feed"
#define FOLDER "feeds"

struct um_registry {
    char path[UM_PLATFORM_PATH_BYTES];
};

/* From here on: writing. */

/* Owner: cJSON_free. */
static char *make_text(const struct um_registry_entry *entry)
{
    char started[32];
    cJSON *root = cJSON_CreateObject();
    snprintf(started, sizeof started, "%" PRIu64, entry->started);
    bool made = root && cJSON_AddNumberToObject(root, "uimon_feed", VERSION) &&
                cJSON_AddNumberToObject(root, "target_pid", entry->target_pid) &&
                cJSON_AddStringToObject(root, "target_name", entry->target_name) &&
                cJSON_AddNumberToObject(root, "pid", entry->pid) &&
                cJSON_AddStringToObject(root, "started", started) &&
                cJSON_AddStringToObject(root, "pipe", entry->pipe);
    char *text = made ? cJSON_PrintUnformatted(root) : NULL;
    cJSON_Delete(root);
    return text;
}

/* Writes the text under another name first, so that nobody reads a part of it. */
static enum um_status write_file(const char *path, const char *text)
{
    char unfinished[UM_PLATFORM_PATH_BYTES];
    int need = snprintf(unfinished, sizeof unfinished, "%s.new", path);
    if (need < 0 || (size_t)need >= sizeof unfinished)
        return UM_ERR_TOO_LARGE;
    /* Both may be there of an earlier process with this pid; rename replaces nothing on Windows. */
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
    um_wire_set_text(entry.target_name, sizeof entry.target_name, target_name);
    um_wire_set_text(entry.pipe, sizeof entry.pipe, pipe);
    if (um_platform_process_started(entry.pid, &entry.started) != UM_OK)
        return UM_ERR_IO;
    um_registry_list(folder, NULL, 0, &running); /* removes what killed monitors have left */
    struct um_registry *made = calloc(1, sizeof *made);
    char *text = made ? make_text(&entry) : NULL;
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

/* From here on: reading. */

static bool get_pid(const cJSON *root, const char *key, uint32_t *pid)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 1) || !(item->valuedouble <= UINT32_MAX))
        return false;
    *pid = (uint32_t)item->valuedouble;
    return (double)*pid >= item->valuedouble;
}

static bool get_text(const cJSON *root, const char *key, char *text, size_t cap)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key);
    if (!cJSON_IsString(item) || item->valuestring[0] == '\0')
        return false;
    size_t len = strlen(item->valuestring);
    if (len >= cap || !um_utf8_valid(item->valuestring, len))
        return false;
    memcpy(text, item->valuestring, len + 1);
    return true;
}

/* Reads up to 19 digits, which fit into 64 bits. */
static bool get_started(const cJSON *root, uint64_t *started)
{
    char text[20];
    if (!get_text(root, "started", text, sizeof text) || text[strspn(text, "0123456789")] != '\0')
        return false;
    *started = strtoull(text, NULL, 10);
    return true;
}

static enum um_status take_fields(const cJSON *root, struct um_registry_entry *entry)
{
    uint32_t version;
    if (!get_pid(root, "uimon_feed", &version))
        return UM_ERR_FORMAT;
    if (version != VERSION)
        return UM_ERR_VERSION;
    bool whole = get_pid(root, "target_pid", &entry->target_pid) &&
                 get_pid(root, "pid", &entry->pid) && get_started(root, &entry->started) &&
                 get_text(root, "target_name", entry->target_name, sizeof entry->target_name) &&
                 get_text(root, "pipe", entry->pipe, sizeof entry->pipe) &&
                 um_transport_name_is_valid(entry->pipe);
    return whole ? UM_OK : UM_ERR_FORMAT;
}

enum um_status um_registry_parse(const char *text, size_t len_bytes,
                                 struct um_registry_entry *entry)
{
    struct um_registry_entry read = {0};
    if (len_bytes > UM_REGISTRY_MAX_BYTES)
        return UM_ERR_TOO_LARGE;
    cJSON *root = cJSON_ParseWithLength(text, len_bytes);
    enum um_status status = cJSON_IsObject(root) ? take_fields(root, &read) : UM_ERR_FORMAT;
    cJSON_Delete(root);
    if (status == UM_OK)
        *entry = read;
    return status;
}

struct listing {
    struct um_registry_entry *entries;
    size_t cap;
    size_t count;
};

/* Whether the monitor that wrote a file is known to run no more. */
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
    char text[UM_REGISTRY_MAX_BYTES + 1];
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    size_t len = fread(text, 1, sizeof text, file);
    fclose(file);
    if (um_registry_parse(text, len, &entry) != UM_OK)
        return;
    if (is_stale(&entry))
        remove(path);
    else if (listing->count < listing->cap)
        listing->entries[listing->count++] = entry;
}

enum um_status um_registry_list(const char *folder, struct um_registry_entry *entries, size_t cap,
                                size_t *count)
{
    struct listing listing = {.entries = entries, .cap = cap};
    enum um_status status = um_platform_list_files(folder, SUFFIX, take_file, &listing);
    if (status == UM_OK)
        *count = listing.count;
    return status;
}

/* Adds the feeds of a folder to a list; `status` says whether there is such a folder. */
static enum um_status add_folder(enum um_status status, const char *folder,
                                 struct um_registry_entry *entries, size_t cap, size_t *count)
{
    size_t added = 0;
    if (status == UM_OK)
        status = um_registry_list(folder, entries + *count, cap - *count, &added);
    *count += added;
    return status == UM_ERR_NOT_FOUND ? UM_OK : status;
}

enum um_status um_registry_list_all(struct um_registry_entry *entries, size_t cap, size_t *count)
{
    char folder[UM_PLATFORM_PATH_BYTES];
    size_t found = 0;
    enum um_status status = um_platform_guarded_folder(FOLDER, false, folder, sizeof folder);
    /* One that others can change is not believed. */
    status = add_folder(status == UM_ERR_DENIED ? UM_ERR_NOT_FOUND : status, folder, entries, cap,
                        &found);
    if (status == UM_OK) {
        status = um_platform_private_folder(FOLDER, folder, sizeof folder);
        status = add_folder(status, folder, entries, cap, &found);
    }
    if (status == UM_OK)
        *count = found;
    return status;
}
