/* Captures what the .NET runtime of a process says of its counters, as it comes.
 *
 *   nettrace_win32 PID FILE SECONDS INTERVAL PROVIDER...
 *
 * INTERVAL is in seconds, a PROVIDER as in --provider. Asks the runtime to stop when the seconds
 * are over, and takes the rest.
 * Prints each counter as tests/dotnet/counters.cs logs it, up to its value.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/plain/clock.h"
#include "base/provider_spec.h"
#include "monitor/dotnet/diagnostics.h"
#include "monitor/dotnet/nettrace.h"

#define POLL_MS 50
#define MAX_PROVIDERS 8

static int fail(const char *what, enum um_status status)
{
    fprintf(stderr, "%s: %s\n", what, um_status_text(status));
    return EXIT_FAILURE;
}

static void print_counter(void *context, const struct um_nettrace_counter *counter)
{
    (void)context;
    printf("%s\t%s\t%s\t", counter->provider, counter->name, counter->display);
    printf(counter->is_increment ? "Sum\t-\t%g\n" : "Mean\t%g\t-\n", counter->value);
}

static enum um_status capture(struct um_diagnostics *diagnostics, uint64_t end_ns, FILE *file,
                              struct um_nettrace *nettrace)
{
    uint8_t bytes[4096];
    bool stopped = false;
    for (;;) {
        size_t got;
        enum um_status status =
            um_diagnostics->read(diagnostics, bytes, sizeof bytes, POLL_MS, &got);
        if (status == UM_OK && fwrite(bytes, 1, got, file) != got)
            return UM_ERR_IO;
        if (status == UM_OK)
            status = um_nettrace_bytes(nettrace, bytes, got);
        if (status == UM_ERR_CLOSED)
            return UM_OK;
        if (status != UM_OK && status != UM_ERR_TIMEOUT)
            return status;
        if (stopped || um_clock_now_ns() < end_ns)
            continue;
        stopped = true;
        status = um_diagnostics->stop(diagnostics);
        if (status != UM_OK)
            return status;
    }
}

int main(int argc, char **argv)
{
    struct um_eventpipe_provider providers[MAX_PROVIDERS];
    struct um_provider_spec specs[MAX_PROVIDERS];
    const struct um_nettrace_taker taker = {.counter = print_counter};
    struct um_diagnostics *diagnostics = NULL;
    struct um_nettrace *nettrace = NULL;
    size_t count = 0;

    for (int i = 5; i < argc && count < MAX_PROVIDERS; i++) {
        const char *text = argv[i];
        struct um_provider_spec *spec = &specs[count];
        if (!um_provider_spec_next(&text, spec))
            return fail(argv[i], UM_ERR_ARG);
        providers[count++] = (struct um_eventpipe_provider){
            .name = spec->name, .keywords = spec->keywords, .level = spec->level};
    }
    if (count == 0 || um_nettrace_open(&taker, &nettrace) != UM_OK)
        return fail("usage", UM_ERR_ARG);
    uint32_t pid = (uint32_t)strtoul(argv[1], NULL, 10);
    enum um_status status =
        um_diagnostics->open(pid, providers, count, atof(argv[4]), NULL, &diagnostics);
    if (status != UM_OK)
        return fail(argv[1], status);
    FILE *file = fopen(argv[2], "wb");
    uint64_t end_ns = um_clock_now_ns() + (uint64_t)(atof(argv[3]) * 1e9);
    status = file ? capture(diagnostics, end_ns, file, nettrace) : UM_ERR_IO;
    um_diagnostics->close(diagnostics);
    um_nettrace_close(nettrace);
    if (!file || fclose(file) != 0 || status != UM_OK)
        return fail(argv[2], status);
    return EXIT_SUCCESS;
}
