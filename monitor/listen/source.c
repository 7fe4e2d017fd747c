#include "monitor/listen/source.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/frame_reader.h"
#include "ipc/transport.h"
#include "base/plain/text.h"
#include "base/utf8.h"
#include "monitor/target/target_spec.h"

#define FEEDS_MAX 64
#define CONNECT_MS 1000
#define READ_BYTES 8192
#define SHOWN_COLUMNS 60

struct um_source {
    struct um_conn *conn;
    struct um_frame_reader reader;
    uint8_t bytes[READ_BYTES];
};

static bool is_meant(const struct um_target_spec *spec, const struct um_registry_entry *entry)
{
    struct um_target_info info = {.pid = entry->target_pid};
    um_text_set(info.name, sizeof info.name, entry->target_name);
    return um_target_spec_fits(spec, &info);
}

static enum um_status none_found(const char *target, bool could_wait, char *error, size_t cap)
{
    struct um_utf8_shown shown = um_utf8_show(target, SHOWN_COLUMNS);
    snprintf(error, cap,
             "uimon: %s: no uimon watches such a program; start one with 'uimon --attach %s'%s",
             shown.text, shown.text, could_wait ? ", or wait for it with --wait" : "");
    return UM_ERR_NOT_FOUND;
}

/* Writes which feeds fit. */
static enum um_status several_found(const char *target, const struct um_target_spec *spec,
                                    const struct um_registry_entry *entries, size_t count,
                                    char *error, size_t cap)
{
    int used = snprintf(error, cap, "uimon: %s: several programs of that name are watched:",
                        um_utf8_show(target, SHOWN_COLUMNS).text);
    for (size_t i = 0; i < count && used > 0 && (size_t)used < cap; i++)
        if (is_meant(spec, &entries[i]))
            used += snprintf(error + used, cap - (size_t)used, " %" PRIu32, entries[i].target_pid);
    if (used > 0 && (size_t)used < cap)
        snprintf(error + used, cap - (size_t)used, "; give one of these process ids");
    return UM_ERR_AMBIGUOUS;
}

static enum um_status choose(const char *target, const struct um_target_spec *spec,
                             const char *but_pipe, const struct um_registry_entry *entries,
                             size_t count, struct um_registry_entry *entry, char *error, size_t cap)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        bool left_out = but_pipe && strcmp(but_pipe, entries[i].pipe) == 0;
        if (left_out || !is_meant(spec, &entries[i]))
            continue;
        if (found++ == 0)
            *entry = entries[i];
    }
    if (found == 0)
        return none_found(target, spec->could_wait, error, cap);
    return found == 1 ? UM_OK : several_found(target, spec, entries, count, error, cap);
}

enum um_status um_source_find(const char *target, bool could_wait, const char *but_pipe,
                              struct um_registry_entry *entry, char *error, size_t cap_bytes)
{
    struct um_target_spec spec;
    size_t count = 0;
    if (um_target_spec_parse(target, &spec, error, cap_bytes) != UM_OK)
        return UM_ERR_ARG;
    spec.could_wait = could_wait;
    if (spec.kind == UM_TARGET_SPEC_TITLE || spec.kind == UM_TARGET_SPEC_CLASS) {
        snprintf(error, cap_bytes,
                 "uimon: %s: a feed is not found by its window; give the program's name or process "
                 "id",
                 um_utf8_show(target, SHOWN_COLUMNS).text);
        return UM_ERR_ARG;
    }
    struct um_registry_entry *entries = calloc(FEEDS_MAX, sizeof *entries);
    enum um_status status =
        entries ? um_registry_list_all(entries, FEEDS_MAX, &count) : UM_ERR_MEMORY;
    if (status == UM_OK)
        status = choose(target, &spec, but_pipe, entries, count, entry, error, cap_bytes);
    else
        snprintf(error, cap_bytes, "uimon: the folder of feeds cannot be used: %s",
                 um_status_text(status));
    free(entries);
    return status;
}

enum um_status um_source_open(const struct um_registry_entry *entry, struct um_source **source)
{
    const struct um_transport *transport = um_transport_system();
    struct um_source *made = calloc(1, sizeof *made);
    uint32_t pid = 0;
    if (!made)
        return UM_ERR_MEMORY;
    um_frame_reader_init(&made->reader, made->bytes, sizeof made->bytes);
    enum um_status status = transport->connect(entry->pipe, CONNECT_MS, &made->conn);
    if (status == UM_OK && (transport->peer_pid(made->conn, &pid) != UM_OK || pid != entry->pid))
        status = UM_ERR_NOT_FOUND;
    if (status != UM_OK)
        um_source_close(made);
    else
        *source = made;
    return status;
}

enum um_status um_source_next(struct um_source *source, uint32_t timeout_ms,
                              struct um_wire_frame *frame)
{
    size_t room_bytes, len_bytes = 0;
    enum um_status status = um_frame_reader_next(&source->reader, frame);
    if (status != UM_ERR_PARTIAL)
        return status;
    uint8_t *room = um_frame_reader_room(&source->reader, &room_bytes);
    status = um_transport_system()->read(source->conn, room, room_bytes, timeout_ms, &len_bytes);
    if (status != UM_OK)
        return status;
    um_frame_reader_add(&source->reader, len_bytes);
    status = um_frame_reader_next(&source->reader, frame);
    return status == UM_ERR_PARTIAL ? UM_ERR_TIMEOUT : status;
}

void um_source_close(struct um_source *source)
{
    if (!source)
        return;
    um_transport_system()->close(source->conn);
    free(source);
}
