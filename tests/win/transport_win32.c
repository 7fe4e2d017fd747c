/* The transports' conformance suite on Windows: one line for each behaviour, and how many failed is
 * the exit code. An argument is a word that a behaviour's name must contain to be run. */
#include <stdio.h>
#include <string.h>

#include "ipc/transport.h"
#include "tests/conformance/transport_memory.h"
#include "tests/conformance/transport_suite.h"

struct check {
    const char *name;
    const char *(*run)(const struct um_transport *transport);
};

#define TRANSPORT_SUITE_ROW(name) {#name, transport_suite_##name},

static const struct check checks[] = {TRANSPORT_SUITE(TRANSPORT_SUITE_ROW)};

static int run_all(const struct um_transport *transport, const char *word)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        if (!strstr(checks[i].name, word))
            continue;
        const char *problem = checks[i].run(transport);
        if (problem)
            printf("FAIL %s, %s: %s\n", transport->label, checks[i].name, problem);
        else
            printf("ok %s, %s\n", transport->label, checks[i].name);
        fflush(stdout);
        failures += problem != NULL;
    }
    return failures;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    return run_all(um_transport_system(), word) + run_all(um_transport_memory(), word);
}
