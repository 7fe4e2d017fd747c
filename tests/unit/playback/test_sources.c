#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/playback/sources.h"

static char folder[] = "/tmp/uimon-sources-XXXXXX";
static char folders[64];
static struct um_sources_file file;

static void put(const char *name, const char *text, size_t len)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    cr_assert(out && fwrite(text, 1, len, out) == len && fclose(out) == 0, "%s", path);
}

static void setup(void)
{
    char path[256];
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/b", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    put("app.c", "one\ntwo\nthree\n", 14);
    put("b/app.c",
        "\xef\xbb\xbf"
        "a\tb\r\n\xff\n",
        10);
    put("zero.c", "a\0b\n", 4);
    snprintf(folders, sizeof folders, "/nowhere;%s;", folder);
}

static void teardown(void)
{
    static const char *const names[] = {"app.c", "b/app.c", "zero.c", "b", ""};
    char path[256];
    free(file.text);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
}

TestSuite(sources, .init = setup, .fini = teardown);

Test(sources, most_parts_of_the_path_win)
{
    cr_assert(um_sources_find(folders, "C:\\build\\b\\app.c", 1, &file));
    cr_expect_str_eq(file.path + strlen(folder), "/b/app.c");
    cr_expect_str_eq(file.text, "a   b\n\xef\xbf\xbd\n");
    free(file.text);
    file.text = NULL;
    cr_assert(um_sources_find(folders, "/other/a/app.c", 1, &file));
    cr_expect_str_eq(file.path + strlen(folder), "/app.c");
    cr_expect_str_eq(file.text, "one\ntwo\nthree\n");
}

Test(sources, a_file_with_too_few_lines_is_another_one)
{
    cr_expect(!um_sources_find(folders, "app.c", 4, &file));
    cr_expect(um_sources_find(folders, "app.c", 3, &file));
}

/* A recording cannot make a page of files that are elsewhere. */
Test(sources, nothing_outside_of_the_folders_is_read)
{
    char path[256];
    cr_expect(!um_sources_find("/nowhere", "/etc/passwd", 1, &file));
    cr_expect(!um_sources_find(NULL, "app.c", 1, &file));
    cr_expect(!um_sources_find("", "app.c", 1, &file));
    snprintf(path, sizeof path, "%s/b", folder);
    cr_expect(um_sources_find(folders, "b/../app.c", 3, &file), "the last part alone is harmless");
    free(file.text);
    file.text = NULL;
    cr_expect(!um_sources_find(path, "../zero.c", 1, &file));
    cr_expect(!um_sources_find(folders, "..", 1, &file));
    cr_expect(!um_sources_find(folders, "C:", 1, &file));
    cr_expect(!um_sources_find(folders, "app.c:stream", 1, &file));
    cr_expect(!um_sources_find(folders, "", 1, &file));
    cr_expect(!um_sources_find(folders, "b/", 1, &file));
}

Test(sources, what_is_no_text_is_left_out)
{
    cr_expect(!um_sources_find(folders, "zero.c", 1, &file));
    cr_expect(!um_sources_find(folders, "b", 1, &file), "a folder");
}
