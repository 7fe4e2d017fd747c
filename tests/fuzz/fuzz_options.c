/* Feeds any command line, one argument a line, to the options and to the target's parser. What
 * stands behind an empty line is a configuration file. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hotkey.h"
#include "monitor/options/options.h"
#include "monitor/target/target_spec.h"
#include "tests/fuzz/require.h"

#define MAX_ARGS 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_target(const char *target)
{
    char error[UM_OPTIONS_ERROR_BYTES] = "";
    struct um_target_info info = {.pid = 7, .hwnd = 1, .name = "a.exe", .title = "b"};
    struct um_target_spec spec;
    size_t index = 0;

    if (um_target_spec_parse(target, &spec, error, sizeof error) != UM_OK ||
        um_target_spec_match(&spec, &info, 1, false, &index, error, sizeof error) != UM_OK)
        require(error[0] != '\0' && !strpbrk(error, "\r\n\x1b"));
}

/* What is accepted can be read, and has its line where the keys cannot be had. */
static void check_hotkeys(const struct um_options *options)
{
    struct um_hotkey keys[UM_OPTIONS_HOTKEYS];
    bool taken[UM_OPTIONS_HOTKEYS] = {false};
    char line[UM_OPTIONS_ERROR_BYTES];

    for (unsigned i = 0; i < UM_OPTIONS_HOTKEYS; i++) {
        enum um_options_hotkeys which = (enum um_options_hotkeys)i;
        require(um_hotkey_parse(um_options_hotkeys_get(options, which).keys, &keys[i]));
        um_options_hotkeys_refused(options, keys, taken, which, line, sizeof line);
        require(!strpbrk(line, "\r\n\x1b"));
    }
}

/* Reads the file, and settles what depends on several options. */
static void read_config(struct um_options *options, const char *config)
{
    char error[UM_OPTIONS_ERROR_BYTES] = "";
    enum um_status status =
        um_options_apply_config(options, config, strlen(config), "f", error, sizeof error);

    if (status == UM_OK)
        status = um_options_finish(options, error, sizeof error);
    require(status == UM_OK || error[0] != '\0'); /* else a warning or nothing */
    require(!strpbrk(error, "\r\n\x1b"));
    require(status != UM_OK || options->slow_ms <= options->threshold_ms);
    check_hotkeys(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char uimon[] = "uimon";
    char *argv[MAX_ARGS + 2] = {uimon};
    char error[UM_OPTIONS_ERROR_BYTES] = "";
    char *text = malloc(size + 1);
    struct um_options options;
    int argc = 1;

    require(text);
    memcpy(text, data, size);
    text[size] = '\0';
    char *end = strstr(text, "\n\n");
    const char *config = end ? end + 2 : "";
    if (end)
        *end = '\0';
    for (char *at = strtok(text, "\n"); at && argc <= MAX_ARGS; at = strtok(NULL, "\n"))
        argv[argc++] = at;
    if (um_options_parse(argc, argv, &options, error, sizeof error) != UM_OK) {
        require(error[0] != '\0' && !strpbrk(error, "\r\n\x1b"));
    } else {
        require(options.command != UM_OPTIONS_WATCH || options.target);
        require(!options.target || options.command == UM_OPTIONS_WATCH ||
                options.command == UM_OPTIONS_DOCTOR || options.command == UM_OPTIONS_HELP ||
                options.command == UM_OPTIONS_VERSION);
        require(options.command != UM_OPTIONS_LAUNCH || options.launch_argc > 0);
        if (options.target)
            read_target(options.target);
        read_config(&options, config);
        um_options_deinit(&options);
    }
    free(text);
    return 0;
}
