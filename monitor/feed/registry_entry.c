#include "monitor/feed/registry_entry.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/utf8.h"
#include "monitor/json/json.h"

#define VERSION 1

char *um_registry_entry_print(const struct um_registry_entry *entry)
{
    char started[32];
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    snprintf(started, sizeof started, "%" PRIu64, entry->started);
    um_json_number(&json, root, "uimon_feed", VERSION);
    um_json_number(&json, root, "target_pid", entry->target_pid);
    um_json_text(&json, root, "target_name", entry->target_name);
    um_json_number(&json, root, "pid", entry->pid);
    um_json_text(&json, root, "started", started);
    um_json_text(&json, root, "pipe", entry->pipe);
    return um_json_print(&json, root, false);
}

static bool get_pid(const cJSON *root, const char *key, uint32_t *pid)
{
    double number;
    if (!um_json_member_number(root, key, UINT32_MAX, &number) || number < 1)
        return false;
    *pid = (uint32_t)number;
    return (double)*pid >= number;
}

static bool get_text(const cJSON *root, const char *key, char *text, size_t cap)
{
    const char *value = um_json_member_text(root, key);
    size_t len = value ? strlen(value) : 0;
    if (len == 0 || len >= cap || !um_utf8_valid(value, len))
        return false;
    memcpy(text, value, len + 1);
    return true;
}

/* Reads a number of up to 19 digits, which fits into 64 bits. */
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

enum um_status um_registry_entry_parse(const char *text, size_t len_bytes,
                                       struct um_registry_entry *entry)
{
    struct um_registry_entry read = {0};
    if (len_bytes > UM_REGISTRY_ENTRY_MAX_BYTES)
        return UM_ERR_TOO_LARGE;
    cJSON *root = cJSON_ParseWithLength(text, len_bytes);
    enum um_status status = cJSON_IsObject(root) ? take_fields(root, &read) : UM_ERR_FORMAT;
    cJSON_Delete(root);
    if (status == UM_OK)
        *entry = read;
    return status;
}
