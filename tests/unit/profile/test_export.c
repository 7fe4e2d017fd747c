/* The exports are golden files, which `./run test profiles` gives to the tools that they are for.
 * UIMON_GOLDEN=write writes them anew. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/profile/export.h"
#include "tests/unit/profile/fake_program.h"

#define GOLDEN UM_SOURCE_DIR "/tests/golden/"
#define MOST 65536

static struct fake_program fake;

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

static void read_all(FILE *file, char *bytes)
{
    rewind(file);
    bytes[fread(bytes, 1, MOST - 1, file)] = '\0';
    fclose(file);
}

static void assert_golden(const char *name, enum um_status (*write)(const struct um_view *, FILE *))
{
    static char made[MOST], golden[MOST];
    const char *mode = getenv("UIMON_GOLDEN");
    char path[256];
    snprintf(path, sizeof path, GOLDEN "%s", name);
    make();
    FILE *out = tmpfile();
    cr_assert(out);
    cr_assert_eq(write(&fake.view, out), UM_OK);
    read_all(out, made);
    fake_program_deinit(&fake);
    if (mode && strcmp(mode, "write") == 0) {
        FILE *file = fopen(path, "wb");
        cr_assert(file && fputs(made, file) >= 0 && fclose(file) == 0);
    }
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    read_all(file, golden);
    cr_assert_str_eq(made, golden, "%s differs: %s", name, made);
}

Test(export, folded_is_golden)
{
    assert_golden("profile.folded", um_export_folded);
}

Test(export, speedscope_is_golden)
{
    assert_golden("profile.speedscope.json", um_export_speedscope);
}
