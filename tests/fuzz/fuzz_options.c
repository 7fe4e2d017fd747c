/* Feeds any command line, one argument a line, to the options and to the target's parser. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/options/options.h"
#include "monitor/target/target_spec.h"

#define MAX_ARGS 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

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
    for (char *at = strtok(text, "\n"); at && argc <= MAX_ARGS; at = strtok(NULL, "\n"))
        argv[argc++] = at;
    if (um_options_parse(argc, argv, &options, error, sizeof error) != UM_OK) {
        require(error[0] != '\0' && !strpbrk(error, "\r\n\x1b"));
    } else {
        require((options.command == UM_OPTIONS_WATCH) == (options.target != NULL) ||
                options.command == UM_OPTIONS_HELP || options.command == UM_OPTIONS_VERSION);
        require(options.command != UM_OPTIONS_LAUNCH || options.launch_argc > 0);
        if (options.target)
            read_target(options.target);
        um_options_deinit(&options);
    }
    free(text);
    return 0;
}
