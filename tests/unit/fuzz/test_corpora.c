/* The committed inputs of the fuzzers (tests/fuzz/corpus), through the fuzzers' own code: what was
 * right stays right. New inputs are looked for by `./run test fuzz`, with clang. `./run test unit`
 * unpacks them first. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#define INPUTS UM_SOURCE_DIR "/build/fuzz-inputs"

static uint8_t *read_input(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s cannot be read", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*size ? *size : 1); /* as long as it is, for the address sanitizer */
    cr_assert(data);
    cr_assert_eq(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

/* A fuzzer ends the process, or is ended by a sanitizer, where something does not hold. */
static void replay(const char *name, int (*run)(const uint8_t *, size_t))
{
    char path[512];
    size_t size, count = 0;
    snprintf(path, sizeof path, INPUTS "/%s", name);
    DIR *folder = opendir(path);
    cr_assert(folder, "no inputs of %s: run ./run test unit", name);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, INPUTS "/%s/%s", name, entry->d_name);
        uint8_t *data = read_input(path, &size);
        run(data, size);
        free(data);
        count++;
    }
    closedir(folder);
    cr_expect_gt(count, 0);
}

/* A fuzzer of tests/fuzz, whose entry point CMakeLists.txt calls by the fuzzer's name here. */
#define FUZZER(name)                                                                               \
    int name(const uint8_t *data, size_t size);                                                    \
    Test(corpora, name)                                                                            \
    {                                                                                              \
        replay(#name, name);                                                                       \
    }                                                                                              \
    extern const char runner_takes_a_semicolon[]

FUZZER(fuzz_config);
FUZZER(fuzz_feed);
FUZZER(fuzz_history);
FUZZER(fuzz_interactions);
FUZZER(fuzz_layout);
FUZZER(fuzz_markers);
FUZZER(fuzz_names);
FUZZER(fuzz_nettrace);
FUZZER(fuzz_options);
FUZZER(fuzz_ppdb);
FUZZER(fuzz_recording);
FUZZER(fuzz_replay);
FUZZER(fuzz_report);
FUZZER(fuzz_results);
FUZZER(fuzz_scenario);
FUZZER(fuzz_session);
FUZZER(fuzz_text);
FUZZER(fuzz_unwind);
FUZZER(fuzz_unwind_x86);
FUZZER(fuzz_watchdog);
FUZZER(fuzz_wire);
