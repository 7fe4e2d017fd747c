/* Feeds any bytes to the readers of small files that a user writes or that lie in the user's
 * folders, and checks what their headers promise. Of a refused configuration there is one line, and
 * what is accepted keeps to the ranges of --help. The same of rules for components, which give a
 * window a valid name. A feed's file that is accepted has valid texts, and is read the same once it
 * is written anew. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/utf8.h"
#include "monitor/feed/registry_entry.h"
#include "monitor/layout/layout_rules.h"
#include "monitor/options/options.h"
#include "monitor/options/options_table.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require_in_range(const struct um_options *options)
{
    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        const struct um_options_table_row *row = &um_options_table[i];
        const char *field = (const char *)options + row->offset;
        if (!options->given_in_file[um_options_table_place(row)] ||
            row->kind == UM_OPTIONS_TABLE_CHOICE)
            continue;
        require(row->in_file);
        if (row->kind == UM_OPTIONS_TABLE_NUMBER && i != UM_OPT_SLOW) {
            double number = *(const double *)(const void *)field;
            require((row->zero && !(number > 0) && !(number < 0)) ||
                    (number >= row->min && number <= row->max));
        }
    }
    require(options->height == 0 || (options->height >= 16 && options->height <= 400));
    require(options->probe <= UM_PROBE_MOUSE);
    require(options->look <= UM_OVERLAY_BAR && options->position <= UM_OVERLAY_TOP_LEFT);
    require(options->slow_ms <= options->threshold_ms && options->slow_ms >= 0.5);
    require(!options->caption || um_utf8_valid(options->caption, strlen(options->caption)));
}

static void read_entry(const char *bytes, size_t size)
{
    struct um_registry_entry entry = {0}, again = {0};
    if (um_registry_entry_parse(bytes, size, &entry) != UM_OK) {
        require(entry.pid == 0 && !entry.pipe[0]);
        return;
    }
    require(entry.pid && entry.target_pid && um_transport_name_is_valid(entry.pipe));
    require(um_utf8_valid(entry.target_name, strlen(entry.target_name)));
    char *text = um_registry_entry_print(&entry);
    require(text && um_registry_entry_parse(text, strlen(text), &again) == UM_OK);
    require(memcmp(&entry, &again, sizeof entry) == 0);
    cJSON_free(text);
}

static void read_rules(const char *bytes, size_t size)
{
    const struct um_layout_window window = {
        .has_id = true, .id = 5, .window_class = "Pane", .text = "a"};
    struct um_layout_rules *rules = NULL;
    char error[UM_OPTIONS_ERROR_BYTES] = "";
    enum um_status status =
        um_layout_rules_open(bytes, size, "parts.txt", &rules, error, sizeof error);
    require((status == UM_OK) == (error[0] == '\0') && (status == UM_OK) == !!rules);
    require(!strpbrk(error, "\r\n\x1b"));
    const char *name = rules ? um_layout_rules_find(rules, &window) : NULL;
    require(!name || um_utf8_valid(name, strlen(name)));
    um_layout_rules_close(rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char uimon[] = "uimon", attach[] = "--attach=x";
    char *argv[] = {uimon, attach, NULL};
    char error[UM_OPTIONS_ERROR_BYTES] = "";
    struct um_options options;

    require(um_options_parse(2, argv, &options, error, sizeof error) == UM_OK);
    enum um_status status = um_options_apply_config(&options, (const char *)data, size,
                                                    "uimon.conf", error, sizeof error);
    if (status == UM_OK)
        status = um_options_finish(&options, error, sizeof error);
    if (status == UM_OK)
        require_in_range(&options);
    else
        require(error[0] != '\0');
    require(!strpbrk(error, "\r\n\x1b"));
    um_options_deinit(&options);
    read_entry((const char *)data, size);
    read_rules((const char *)data, size);
    return 0;
}
