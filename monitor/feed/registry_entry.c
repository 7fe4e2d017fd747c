#include "monitor/feed/registry_entry.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/base/utf8.h"

#define VERSION 1

char *um_registry_entry_print(const struct um_registry_entry *entry)
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
