#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/report/sources.h"
#include "tests/written.h"

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
    static const char *const names[] = {
        "app.c", "b/app.c",           "zero.c", "key",      "key.pem", "com.c", "pipe.c",
        "b",     "AWS~1/settings.py", "AWS~1",  "DB~1.PAS", "a~b~.c",  ""};
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

/* Whoever made a recording chose the names in it; next to a program's source there may be keys. */
Test(sources, only_sources_are_taken)
{
    static const char *const good[] = {"/src/app.c",         "/src/App.CPP",
                                       "/src/a.b.rs",        "x.h++",
                                       "/VC/include/vector", "C:/VC/Include/experimental/map"};
    static const char *const bad[] = {"/src/.env",        "/src/id_rsa",    "/src/settings.json",
                                      "/src/keys.pem",    "/src/app.c.bak", "/src/app.",
                                      "/src/include",     "/src/a.c/key",   "/src/xinclude/vector",
                                      "/include/key.pem", "include",        ""};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        cr_expect(um_sources_is_source(good[i]), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect(!um_sources_is_source(bad[i]), "%s", bad[i]);
    put("key", "secret\n", 7);
    put("key.pem", "secret\n", 7);
    cr_expect(!um_sources_find(folders, "/src/key", 1, &file));
    cr_expect(!um_sources_find(folders, "/include/key", 1, &file), "it is not below that folder");
    cr_expect(!um_sources_find(folders, "/src/key.pem", 1, &file));
}

/* docs/recordings.md tells which endings they have. */
Test(sources, the_manual_has_all_endings)
{
    char *manual = written_file(UM_SOURCE_DIR "/docs/recordings.md", NULL);
    char *at = strstr(manual, "files that end in `.asm`"),
         *end = at ? strstr(at, "; without") : NULL;
    cr_assert(end);
    *end = '\0';
    size_t count = 0;
    for (char *word = strtok(at, "`"); (word = strtok(NULL, "`")) != NULL;
         (void)strtok(NULL, "`")) {
        count++;
        cr_expect(um_sources_is_source(word), "%s", word);
    }
    cr_expect_eq(count, um_sources_extensions());
}

/* A device's name may have anything behind its first dot, and Windows takes off dots and blanks at
 * the end. */
Test(sources, nothing_is_called_as_a_device_or_begins_with_a_dot)
{
    static const char *const names[] = {"con",    "con.c",         "CON.C",     "aux.h",   "nul .c",
                                        "Com1.c", "lpt9.x.c",      ".app.c",    "app.c.",  "app.c ",
                                        "prn.c",  "com\xc2\xb9.c", "conout$.c", "CONIN$.h"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        put(names[i], "one\n", 4);
        cr_expect(!um_sources_find(folders, names[i], 1, &file), "%s", names[i]);
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    put("com.c", "one\n", 4);
    cr_expect(um_sources_find(folders, "com.c", 1, &file), "that is none");
}

/* `.aws/settings.py` and `db.password` can have such names on Windows. */
Test(sources, nothing_is_found_by_a_short_name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/AWS~1", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    put("AWS~1/settings.py", "secret\n", 7);
    put("DB~1.PAS", "secret\n", 7);
    put("a~b~.c", "one\n", 4);
    cr_expect(!um_sources_find(folders, "AWS~1/settings.py", 1, &file));
    cr_expect(!um_sources_find(folders, "DB~1.PAS", 1, &file));
    cr_expect(um_sources_find(folders, "a~b~.c", 1, &file), "that is none");
}

/* A pipe would be waited for. */
Test(sources, only_regular_files_are_read, .timeout = 60)
{
    char path[256];
    snprintf(path, sizeof path, "%s/pipe.c", folder);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_expect(!um_sources_find(folders, "pipe.c", 1, &file));
}

Test(sources, what_is_no_text_is_left_out)
{
    cr_expect(!um_sources_find(folders, "zero.c", 1, &file));
    cr_expect(!um_sources_find(folders, "b", 1, &file), "a folder");
}
