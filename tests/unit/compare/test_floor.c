#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/compare/floor.h"
#include "tests/written.h"

static char path[64];

static struct um_floor make_floor(void)
{
    struct um_floor floor;
    um_floor_init(&floor);
    snprintf(floor.uimon, sizeof floor.uimon, "%s", UM_VERSION);
    snprintf(floor.machine, sizeof floor.machine, "bench-1");
    snprintf(floor.date, sizeof floor.date, "2026-11-20T12:00:00Z");
    floor.beats = (struct um_floor_figure){0.11, 0.27, 500};
    floor.inputs[UM_FLOOR_KEY][UM_FLOOR_DELAY] = (struct um_floor_figure){0.12, 0.30, 200};
    floor.inputs[UM_FLOOR_KEY][UM_FLOOR_TOTAL] = (struct um_floor_figure){0.31, 0.52, 200};
    floor.inputs[UM_FLOOR_CLICK][UM_FLOOR_TOTAL] = (struct um_floor_figure){0.40, 0.71, 30};
    return floor;
}

static void open_path(void)
{
    snprintf(path, sizeof path, "/tmp/uimon-floor-XXXXXX");
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    close(file);
}

static void close_path(void)
{
    remove(path);
}

static void assert_same(const struct um_floor_figure *a, const struct um_floor_figure *b)
{
    cr_assert_eq(a->count, b->count);
    cr_assert(a->count == 0 || (fabs(a->p50 - b->p50) < 1e-12 && fabs(a->p98 - b->p98) < 1e-12));
}

Test(floor, comes_back_as_it_was_saved, .init = open_path, .fini = close_path)
{
    char why[256];
    struct um_floor saved = make_floor();
    struct um_floor loaded;
    cr_assert_eq(um_floor_save(path, &saved), UM_OK);
    cr_assert_eq(um_floor_save(path, &saved), UM_OK); /* over the old one */
    cr_assert_eq(um_floor_load(path, "bench-1", &loaded, why, sizeof why), UM_OK, "%s", why);
    cr_assert_str_eq(loaded.date, saved.date);
    assert_same(&loaded.beats, &saved.beats);
    for (size_t part = 0; part < UM_FLOOR_PARTS; part++) {
        assert_same(&loaded.inputs[UM_FLOOR_KEY][part], &saved.inputs[UM_FLOOR_KEY][part]);
        assert_same(&loaded.inputs[UM_FLOOR_CLICK][part], &saved.inputs[UM_FLOOR_CLICK][part]);
        assert_same(&loaded.inputs[UM_FLOOR_WHEEL][part], &saved.inputs[UM_FLOOR_WHEEL][part]);
    }
    cr_assert(isnan(loaded.inputs[UM_FLOOR_WHEEL][UM_FLOOR_TOTAL].p50)); /* not measured is not 0 */
}

Test(floor, of_another_machine_or_version_is_not_used, .init = open_path, .fini = close_path)
{
    char why[256];
    struct um_floor floor = make_floor();
    struct um_floor loaded;
    cr_assert_eq(um_floor_save(path, &floor), UM_OK);
    cr_assert_eq(um_floor_load(path, "bench-2", &loaded, why, sizeof why), UM_ERR_UNSUPPORTED);
    cr_assert(strstr(why, "another machine") && strstr(why, "uimon calibrate"), "%s", why);
    snprintf(floor.uimon, sizeof floor.uimon, "0.0.9");
    cr_assert_eq(um_floor_save(path, &floor), UM_OK);
    cr_assert_eq(um_floor_load(path, "bench-1", &loaded, why, sizeof why), UM_ERR_VERSION);
    cr_assert(strstr(why, "another uimon"), "%s", why);
}

Test(floor, is_saved_as_every_result_is, .init = open_path, .fini = close_path)
{
    struct um_floor floor = make_floor();
    struct stat found;
    snprintf(floor.machine, sizeof floor.machine, "a\u202eb"); /* text from right to left */
    cr_assert_eq(chmod(path, 0640), 0);
    cr_assert_eq(um_floor_save(path, &floor), UM_OK);
    cr_assert_eq(stat(path, &found), 0);
    cr_expect_eq(found.st_mode & 0777, 0640, "whoever could read it still can, and nobody else");
    const char *text = written_file(path, NULL);
    cr_expect(strstr(text, "\"a\\u202eb\""), "%s", text);
}

static enum um_status load_text(const char *text)
{
    char why[256];
    struct um_floor loaded;
    written_put(path, text);
    return um_floor_load(path, "bench-1", &loaded, why, sizeof why);
}

Test(floor, broken_file_is_refused, .init = open_path, .fini = close_path)
{
    char why[256];
    struct um_floor loaded;
    cr_assert_eq(load_text(""), UM_ERR_FORMAT);
    cr_assert_eq(load_text("{\"kind\":\"floor\"}"), UM_ERR_FORMAT);
    cr_assert_eq(load_text("{\"kind\":\"floor\",\"schema\":9}"), UM_ERR_VERSION);
    cr_assert_eq(load_text("{\"kind\":\"floor\",\"schema\":1,\"beats_ms\":{\"count\":1,\"p50\":-1,"
                           "\"p99\":1}}"),
                 UM_ERR_FORMAT);
    remove(path);
    cr_assert_eq(um_floor_load(path, "bench-1", &loaded, why, sizeof why), UM_ERR_NOT_FOUND);
}

Test(floor, is_told_in_a_line)
{
    char line[200];
    struct um_floor floor = make_floor();
    um_floor_describe(&floor, line, sizeof line);
    cr_assert_str_eq(line, "a key 0.31 ms (p98 0.52), a click 0.40 ms (p98 0.71), a beat 0.11 ms "
                           "(p99 0.27)");
    um_floor_init(&floor);
    um_floor_describe(&floor, line, sizeof line);
    cr_assert_str_eq(line, "");
}
