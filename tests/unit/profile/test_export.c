/* The exports are golden files, which `./run test profiles` gives to the tools that they are for.
 * UIMON_GOLDEN=write writes them anew. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/base/utf8.h"
#include "monitor/profile/export.h"
#include "tests/hostile.h"
#include "tests/unit/profile/fake_program.h"

#define GOLDEN UM_SOURCE_DIR "/tests/golden/"
#define MOST 65536

static struct fake_program fake;

static const struct um_export_freeze freezes[] = {
    {1, 0, 45000000, "frozen", "WM_TIMER @ \"Edit\""},
    {2, 45000000, 20000000, "starved", ""},
};
static const struct um_export_about about = {.program = "App.exe",
                                             .pid = 4711,
                                             .thread = 7,
                                             .start_ns = UINT64_C(7000000000),
                                             .utc_ms = INT64_C(1795176000123),
                                             .duration_ns = UINT64_C(100000000),
                                             .freezes = freezes,
                                             .freeze_count = 2};

static void make(void)
{
    fake_program_init(&fake);
    fake.view.hide = "user32,ntdll";
    fake_program_add(&fake, 1, "12356");
    fake_program_add(&fake, 1, "1235");
    fake_program_add(&fake, 1, "1235");
    fake_program_add(&fake, 1, "1242");
    fake_program_add(&fake, 2, "-45");
    fake_program_add(&fake, 2, "-");
    fake_program_add(&fake, 2, "16");
    fake.samples.entries[6].thread = 9;
}

/* Returns how many bytes it has. */
static size_t read_all(FILE *file, char *bytes)
{
    rewind(file);
    size_t len = fread(bytes, 1, MOST - 1, file);
    bytes[len] = '\0';
    fclose(file);
    return len;
}

static enum um_status write_folded(FILE *out)
{
    return um_export_folded(&fake.view, out);
}

static enum um_status write_speedscope(FILE *out)
{
    return um_export_speedscope(&fake.view, out);
}

static enum um_status write_firefox(FILE *out)
{
    return um_export_firefox(&fake.view, &about, out);
}

static enum um_status write_perfetto(FILE *out)
{
    return um_export_perfetto(&fake.view, &about, out);
}

static void assert_golden(const char *name, enum um_status (*write)(FILE *))
{
    static char made[MOST], golden[MOST];
    const char *mode = getenv("UIMON_GOLDEN");
    char path[256];
    snprintf(path, sizeof path, GOLDEN "%s", name);
    make();
    FILE *out = tmpfile();
    cr_assert(out);
    cr_assert_eq(write(out), UM_OK);
    size_t len = read_all(out, made);
    fake_program_deinit(&fake);
    if (mode && strcmp(mode, "write") == 0) {
        FILE *file = fopen(path, "wb");
        cr_assert(file && fwrite(made, 1, len, file) == len && fclose(file) == 0);
    }
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    size_t golden_len = read_all(file, golden);
    cr_assert(len == golden_len && memcmp(made, golden, len) == 0, "%s differs: %s", name, made);
}

Test(export, folded_is_golden)
{
    assert_golden("profile.folded", write_folded);
}

Test(export, speedscope_is_golden)
{
    assert_golden("profile.speedscope.json", write_speedscope);
}

Test(export, firefox_is_golden)
{
    assert_golden("profile.firefox.json", write_firefox);
}

Test(export, perfetto_is_golden)
{
    assert_golden("profile.perfetto", write_perfetto);
}

static bool look_up_hostile(void *context, uint64_t key, struct um_functions_name *name)
{
    (void)context;
    *name = (struct um_functions_name){hostile_texts[(key + 1) % HOSTILE_TEXTS],
                                       hostile_texts[key % HOSTILE_TEXTS],
                                       hostile_texts[(key + 2) % HOSTILE_TEXTS],
                                       1,
                                       false,
                                       false};
    return true;
}

/* Names that were chosen to do harm: JSON stays JSON, and folded stacks have a line for each. */
Test(export, hostile_names_are_harmless)
{
    static char made[MOST];
    enum um_status (*const writers[])(FILE *) = {write_speedscope, write_firefox};
    make();
    um_functions_deinit(&fake.functions);
    cr_assert_eq(um_functions_init(&fake.functions, look_up_hostile, NULL), UM_OK);
    fake.view.hide = NULL;
    for (size_t i = 0; i < HOSTILE_TEXTS; i++)
        cr_assert_neq(um_functions_of(&fake.functions, i), UM_FUNCTIONS_MORE);
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        FILE *out = tmpfile();
        cr_assert(out);
        cr_assert_eq(writers[i](out), UM_OK);
        read_all(out, made);
        cr_expect(um_utf8_valid(made, strlen(made)));
        cJSON *root = cJSON_Parse(made);
        cr_expect(root, "no JSON");
        cJSON_Delete(root);
    }
    FILE *out = tmpfile();
    cr_assert(out);
    cr_assert_eq(write_folded(out), UM_OK);
    read_all(out, made);
    cr_expect(hostile_is_harmless(made), "%s", made);
    cr_expect_eq(hostile_lines(made), 7, "%s", made);
    fake_program_deinit(&fake);
}

#define THREADS 262144 /* as many as a recording has samples at most */

/* A recording from anywhere may have as many threads as samples: what was asked of all samples for
 * each thread took hours. */
Test(export, as_many_threads_as_samples, .timeout = 240)
{
    enum um_status (*const writers[])(FILE *) = {write_folded, write_speedscope, write_firefox,
                                                 write_perfetto};
    fake_program_init(&fake);
    um_samples_deinit(&fake.samples);
    cr_assert_eq(um_samples_init(&fake.samples, THREADS, 0), UM_OK);
    fake.view.thread = UM_VIEW_ALL;
    for (uint32_t i = 0; i < THREADS; i++) {
        fake_program_add(&fake, 1, "12");
        fake.samples.entries[i].thread = THREADS - i;
    }
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        FILE *out = tmpfile();
        cr_assert(out);
        cr_expect_eq(writers[i](out), UM_OK);
        cr_expect_gt(ftell(out), THREADS * (long)strlen("thread 1"));
        fclose(out);
    }
    fake_program_deinit(&fake);
}

/* Of one freeze there are its samples, and its mark alone. */
Test(export, one_freeze_by_itself)
{
    static char made[MOST];
    make();
    fake.view.freeze = 2;
    FILE *out = tmpfile();
    cr_assert(out);
    cr_assert_eq(write_firefox(out), UM_OK);
    read_all(out, made);
    cJSON *root = cJSON_Parse(made);
    cr_assert(root);
    double samples = 0, markers = 0;
    const cJSON *thread;
    cJSON_ArrayForEach(thread, cJSON_GetObjectItem(root, "threads"))
    {
        samples +=
            cJSON_GetObjectItem(cJSON_GetObjectItem(thread, "samples"), "length")->valuedouble;
        markers +=
            cJSON_GetObjectItem(cJSON_GetObjectItem(thread, "markers"), "length")->valuedouble;
    }
    cr_expect_eq(samples, 3);
    cr_expect_eq(markers, 1);
    cJSON_Delete(root);
    fake_program_deinit(&fake);
}
