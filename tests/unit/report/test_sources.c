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

static bool find_checked(const char *in, const char *path, const char *checksum)
{
    const struct um_sources_wanted wanted = {path, checksum, 1};
    free(file.text);
    memset(&file, 0, sizeof file);
    return um_sources_find(in, &wanted, &file);
}

/* A file that the recording has no checksum of. */
static bool find(const char *in, const char *path, uint32_t least_lines)
{
    const struct um_sources_wanted wanted = {path, "", least_lines};
    free(file.text);
    memset(&file, 0, sizeof file);
    bool is_found = um_sources_find(in, &wanted, &file);
    cr_expect(!is_found || file.state == UM_SOURCES_UNKNOWN);
    return is_found;
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
    cr_assert(find(folders, "C:\\build\\b\\app.c", 1));
    cr_expect_str_eq(file.path + strlen(folder), "/b/app.c");
    cr_expect_str_eq(file.text, "a   b\n\xef\xbf\xbd\n");
    cr_assert(find(folders, "/other/a/app.c", 1));
    cr_expect_str_eq(file.path + strlen(folder), "/app.c");
    cr_expect_str_eq(file.text, "one\ntwo\nthree\n");
}

/* What sha256sum, sha1sum and md5sum say of app.c, and of the same lines with CRLF. */
#define APP "sha256:b6285c57e8797db5d4c51c80d6f11938afda9b11c6a003549709189e9b4b92a2"
#define APP_SHA1 "sha1:98ce56098daf1a2ffe03a0d108ea841f1e4e6c69"
#define APP_MD5 "md5:deed54b823522e0525693b090363f9df"
#define APP_CRLF "sha256:9fc4c6bdc7e5374b75e38fa9e1097577399bb74f1ccc33b1712d53a26d02c09a"
#define B_APP "sha1:bd57ee8640d86bc607e0480a65796f23c4d8cd21" /* of the one in b */

/* Two files of one name, in two folders. */
Test(sources, each_file_is_found_by_its_checksum)
{
    char both[128];
    snprintf(both, sizeof both, "%s/b;%s", folder, folder);
    static const char *const of_app[] = {APP, APP_SHA1, APP_MD5};
    for (size_t i = 0; i < sizeof of_app / sizeof of_app[0]; i++) {
        cr_assert(find_checked(both, "C:\\one\\app.c", of_app[i]), "%s", of_app[i]);
        cr_expect_eq(file.state, UM_SOURCES_SAME);
        cr_expect_str_eq(file.path + strlen(folder), "/app.c");
        cr_expect_str_eq(file.text, "one\ntwo\nthree\n");
    }
    cr_assert(find_checked(both, "C:\\two\\app.c", B_APP));
    cr_expect_eq(file.state, UM_SOURCES_SAME);
    cr_expect_str_eq(file.path + strlen(folder), "/b/app.c");
    cr_assert(find_checked(folders, "C:\\build\\b\\app.c", APP), "more parts of the path fit b's");
    cr_expect_str_eq(file.path + strlen(folder), "/app.c");
}

Test(sources, a_file_that_was_changed_has_no_text)
{
    cr_assert(find_checked(folders, "C:\\build\\b\\app.c",
                           "sha1:0000000000000000000000000000000000000000"));
    cr_expect_eq(file.state, UM_SOURCES_OTHER);
    cr_expect_null(file.text);
    cr_expect_str_eq(file.path + strlen(folder), "/b/app.c");
    put("app.c", "// inserted\none\ntwo\nthree\n", 26);
    cr_assert(find_checked(folders, "app.c", APP));
    cr_expect_eq(file.state, UM_SOURCES_OTHER);
    cr_expect(!find_checked(folders, "none.c", APP), "there is no such file at all");
}

/* As Git writes them, by its core.autocrlf. */
Test(sources, a_file_may_have_other_line_ends_than_it_was_built_with)
{
    cr_assert(find_checked(folders, "app.c", APP_CRLF));
    cr_expect_eq(file.state, UM_SOURCES_SAME);
    put("app.c", "one\r\ntwo\r\nthree\r\n", 17);
    cr_assert(find_checked(folders, "app.c", APP));
    cr_expect_eq(file.state, UM_SOURCES_SAME);
    cr_expect_str_eq(file.text, "one\ntwo\nthree\n");
    put("app.c", "one\ntwo\nthree\r", 14);
    cr_assert(find_checked(folders, "app.c", APP));
    cr_expect_eq(file.state, UM_SOURCES_OTHER, "a return alone ends no line");
}

Test(sources, of_an_unknown_kind_of_checksum_nothing_is_known)
{
    cr_assert(find_checked(folders, "app.c", "sha384:00"));
    cr_expect_eq(file.state, UM_SOURCES_UNKNOWN);
    cr_expect_str_eq(file.text, "one\ntwo\nthree\n");
}

Test(sources, a_file_with_too_few_lines_is_another_one)
{
    cr_expect(!find(folders, "app.c", 4));
    cr_expect(find(folders, "app.c", 3));
}

/* A recording cannot make a page of files that are elsewhere. */
Test(sources, nothing_outside_of_the_folders_is_read)
{
    char path[256];
    cr_expect(!find("/nowhere", "/etc/passwd", 1));
    cr_expect(!find(NULL, "app.c", 1));
    cr_expect(!find("", "app.c", 1));
    snprintf(path, sizeof path, "%s/b", folder);
    cr_expect(find(folders, "b/../app.c", 3), "the last part alone is harmless");
    cr_expect(!find(path, "../zero.c", 1));
    cr_expect(!find(folders, "..", 1));
    cr_expect(!find(folders, "C:", 1));
    cr_expect(!find(folders, "app.c:stream", 1));
    cr_expect(!find(folders, "", 1));
    cr_expect(!find(folders, "b/", 1));
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
    cr_expect(!find(folders, "/src/key", 1));
    cr_expect(!find(folders, "/include/key", 1), "it is not below that folder");
    cr_expect(!find(folders, "/src/key.pem", 1));
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
        cr_expect(!find(folders, names[i], 1), "%s", names[i]);
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    put("com.c", "one\n", 4);
    cr_expect(find(folders, "com.c", 1), "that is none");
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
    cr_expect(!find(folders, "AWS~1/settings.py", 1));
    cr_expect(!find(folders, "DB~1.PAS", 1));
    cr_expect(find(folders, "a~b~.c", 1), "that is none");
}

/* A pipe would be waited for. */
Test(sources, only_regular_files_are_read, .timeout = 60)
{
    char path[256];
    snprintf(path, sizeof path, "%s/pipe.c", folder);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_expect(!find(folders, "pipe.c", 1));
}

Test(sources, what_is_no_text_is_left_out)
{
    cr_expect(!find(folders, "zero.c", 1));
    cr_expect(!find(folders, "b", 1), "a folder");
}
