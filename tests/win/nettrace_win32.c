/* Captures what the .NET runtime of a process says of its counters, as it comes.
 *
 *   nettrace_win32 PID FILE SECONDS INTERVAL PROVIDER...
 *
 * INTERVAL is in seconds. Asks the runtime to stop when the seconds are over, and takes the rest.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ipc/clock.h"
#include "monitor/dotnet/diagnostics.h"

#define POLL_MS 50
#define MAX_PROVIDERS 8

static int fail(const char *what, enum um_status status)
{
    fprintf(stderr, "%s: %s\n", what, um_status_text(status));
    return EXIT_FAILURE;
}

static enum um_status capture(struct um_diagnostics *diagnostics, uint64_t end_ns, FILE *file)
{
    uint8_t bytes[4096];
    bool stopped = false;
    for (;;) {
        size_t got;
        enum um_status status =
            um_diagnostics_read(diagnostics, bytes, sizeof bytes, POLL_MS, &got);
        if (status == UM_OK && fwrite(bytes, 1, got, file) != got)
            return UM_ERR_IO;
        if (status == UM_ERR_CLOSED)
            return UM_OK;
        if (status != UM_OK && status != UM_ERR_TIMEOUT)
            return status;
        if (stopped || um_clock_now_ns() < end_ns)
            continue;
        stopped = true;
        status = um_diagnostics_stop(diagnostics);
        if (status != UM_OK)
            return status;
    }
}

int main(int argc, char **argv)
{
    struct um_eventpipe_provider providers[MAX_PROVIDERS];
    struct um_diagnostics *diagnostics = NULL;
    size_t count = 0;

    for (int i = 5; i < argc && count < MAX_PROVIDERS; i++)
        providers[count++] = (struct um_eventpipe_provider){.name = argv[i], .level = 4};
    if (count == 0)
        return fail("usage", UM_ERR_ARG);
    uint32_t pid = (uint32_t)strtoul(argv[1], NULL, 10);
    enum um_status status = um_diagnostics_open(pid, providers, count, atof(argv[4]), &diagnostics);
    if (status != UM_OK)
        return fail(argv[1], status);
    FILE *file = fopen(argv[2], "wb");
    uint64_t end_ns = um_clock_now_ns() + (uint64_t)(atof(argv[3]) * 1e9);
    status = file ? capture(diagnostics, end_ns, file) : UM_ERR_IO;
    um_diagnostics_close(diagnostics);
    if (!file || fclose(file) != 0 || status != UM_OK)
        return fail(argv[2], status);
    return EXIT_SUCCESS;
}
