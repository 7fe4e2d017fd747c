#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/platform.h"
#include "monitor/feed/registry.h"
#include "tests/written.h"

#define MANY 8

static char root[64];
static char folder[256];

static void make_folder(void)
{
    snprintf(root, sizeof root, "/tmp/um_registry_XXXXXX");
    cr_assert(mkdtemp(root) != NULL);
    setenv("XDG_RUNTIME_DIR", root, 1);
    cr_assert_eq(um_registry_folder(folder, sizeof folder), UM_OK);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    cr_expect_eq(system(command), 0);
}

TestSuite(registry, .init = make_folder, .fini = remove_folder);

static size_t list(struct um_registry_entry entries[MANY])
{
    size_t count = 99;
    cr_assert_eq(um_registry_list(folder, true, entries, MANY, &count), UM_OK);
    return count;
}

/* Files in the folder, whatever their names. */
static void count_file(void *context, const char *path)
{
    (void)path;
    ++*(size_t *)context;
}

static size_t files(void)
{
    size_t count = 0;
    cr_assert_eq(um_platform_list_files(folder, "", count_file, &count), UM_OK);
    return count;
}

static void write_file(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    written_put(path, text);
}

Test(registry, folder_and_files_are_for_this_user_alone)
{
    struct um_registry *registry;
    struct stat found;
    char path[512];

    cr_assert_eq(stat(folder, &found), 0);
    cr_expect_eq(found.st_mode & 0777, 0700);
    cr_assert_eq(um_registry_publish(folder, 7, "a.exe", "uimon-feed-1", &registry), UM_OK);
    snprintf(path, sizeof path, "%s/%d-7.feed", folder, (int)getpid());
    cr_assert_eq(stat(path, &found), 0);
    cr_expect_eq(found.st_mode & 0777, 0600);
    um_registry_withdraw(registry);
}

Test(registry, folder_that_is_open_to_others_is_refused)
{
    char path[256];
    cr_assert_eq(chmod(folder, 0755), 0);
    cr_expect_eq(um_registry_folder(path, sizeof path), UM_ERR_DENIED);
}

Test(registry, folder_that_is_a_link_is_refused)
{
    char path[256];
    cr_assert(rmdir(folder) == 0 && symlink("/tmp", folder) == 0);
    cr_expect_eq(um_registry_folder(path, sizeof path), UM_ERR_DENIED);
    cr_assert_eq(unlink(folder), 0);
}

Test(registry, published_feeds_are_listed_until_they_are_withdrawn)
{
    struct um_registry_entry entries[MANY];
    struct um_registry *one, *two;

    cr_expect_eq(list(entries), 0);
    cr_assert_eq(um_registry_publish(folder, 41, "b\"\\ ö.exe", "uimon-feed-b", &two), UM_OK);
    cr_assert_eq(um_registry_publish(folder, 40, "a.exe", "uimon-feed-a", &one), UM_OK);
    cr_assert_eq(list(entries), 2);
    cr_expect_str_eq(entries[0].target_name, "a.exe");
    cr_expect_str_eq(entries[1].target_name, "b\"\\ ö.exe");
    cr_expect_str_eq(entries[1].pipe, "uimon-feed-b");
    cr_expect_eq(entries[1].target_pid, 41);
    cr_expect_eq(entries[1].pid, (uint32_t)getpid());
    um_registry_withdraw(one);
    cr_assert_eq(list(entries), 1);
    cr_expect_eq(entries[0].target_pid, 41);
    um_registry_withdraw(two);
    cr_expect_eq(files(), 0);
    um_registry_withdraw(NULL);
}

/* A child publishes and is killed: then its file is removed by the next reader. */
Test(registry, file_of_a_killed_monitor_is_removed_by_its_reader)
{
    struct um_registry_entry entries[MANY];
    int ready[2];
    char byte;

    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        struct um_registry *registry;
        enum um_status status = um_registry_publish(folder, 40, "a.exe", "uimon-feed-a", &registry);
        if (status != UM_OK || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    cr_assert_eq(list(entries), 1);
    cr_expect_eq(entries[0].pid, (uint32_t)child);
    cr_assert(kill(child, 9) == 0 && waitpid(child, NULL, 0) == child);
    cr_expect_eq(list(entries), 0);
    cr_expect_eq(files(), 0);
}

/* Writes a file of this process, which is said to have been started then. */
static void write_own(const char *name, uint64_t started)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"uimon_feed\":1,\"target_pid\":4,\"target_name\":\"a\",\"pid\":%d,"
             "\"started\":\"%" PRIu64 "\",\"pipe\":\"p\"}",
             (int)getpid(), started);
    write_file(name, text);
}

/* The pid is this process's, which was started at another time than the file says. */
Test(registry, file_of_a_process_whose_pid_was_used_again_is_removed)
{
    struct um_registry_entry entries[MANY];
    uint64_t started;
    cr_assert_eq(um_platform_process_started((uint32_t)getpid(), &started), UM_OK);
    write_own("1-1.feed", started);
    cr_expect_eq(list(entries), 1);
    write_own("1-2.feed", started - 1);
    cr_expect_eq(list(entries), 1);
    cr_expect_eq(files(), 1);
}

Test(registry, more_feeds_than_there_is_room_for_are_left_out)
{
    struct um_registry_entry entries[MANY];
    struct um_registry *made[MANY + 2];
    size_t count = 0;

    for (uint32_t i = 0; i < MANY + 2; i++)
        cr_assert_eq(um_registry_publish(folder, i + 1, "a", "p", &made[i]), UM_OK);
    cr_assert_eq(um_registry_list(folder, true, entries, 3, &count), UM_OK);
    cr_expect_eq(count, 3);
    for (size_t i = 0; i < MANY + 2; i++)
        um_registry_withdraw(made[i]);
}

/* An entry may have blanks behind it. */
Test(registry, file_is_read_up_to_its_limit)
{
    struct um_registry_entry entries[MANY];
    static char text[UM_REGISTRY_ENTRY_MAX_BYTES + 2];
    struct um_registry *registry;
    char path[512];

    cr_assert_eq(um_registry_publish(folder, 7, "a", "p", &registry), UM_OK);
    snprintf(path, sizeof path, "%s/%d-7.feed", folder, (int)getpid());
    memset(text, ' ', sizeof text - 1);
    char *made = written_file(path, NULL);
    memcpy(text, made, strlen(made));
    for (size_t over = 0; over < 2; over++) {
        text[UM_REGISTRY_ENTRY_MAX_BYTES + over] = '\0';
        written_put(path, text);
        text[UM_REGISTRY_ENTRY_MAX_BYTES + over] = ' ';
        cr_expect_eq(list(entries), 1 - over, "%zu bytes over the limit", over);
    }
    um_registry_withdraw(registry);
}

Test(registry, strange_files_are_skipped_and_left_alone)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "nonsense",
        "{\"uimon_feed\":1}",
        "{\"uimon_feed\":2,\"target_pid\":4,\"target_name\":\"a\",\"pid\":1,\"started\":\"1\","
        "\"pipe\":\"p\"}",
        "{\"uimon_feed\":1,\"target_pid\":0,\"target_name\":\"a\",\"pid\":1,\"started\":\"1\","
        "\"pipe\":\"p\"}",
        "{\"uimon_feed\":1,\"target_pid\":4.5,\"target_name\":\"a\",\"pid\":1,\"started\":\"1\","
        "\"pipe\":\"p\"}",
        "{\"uimon_feed\":1,\"target_pid\":1e99,\"target_name\":\"a\",\"pid\":1,\"started\":\"1\","
        "\"pipe\":\"p\"}",
        "{\"uimon_feed\":1,\"target_pid\":4,\"target_name\":\"a\xff\",\"pid\":1,\"started\":\"1\","
        "\"pipe\":\"p\"}",
        "{\"uimon_feed\":1,\"target_pid\":4,\"target_name\":\"a\",\"pid\":1,\"started\":\"-1\","
        "\"pipe\":\"p\"}",
        "{\"uimon_feed\":1,\"target_pid\":4,\"target_name\":\"a\",\"pid\":1,\"started\":\"1\","
        "\"pipe\":\"../p\"}",
        "{\"uimon_feed\":1,\"target_pid\":4,\"target_name\":\"a\",\"pid\":1,"
        "\"started\":\"99999999999999999999\",\"pipe\":\"p\"}"};
    struct um_registry_entry entries[MANY];
    char name[32];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct um_registry_entry entry = {.pid = 77};
        snprintf(name, sizeof name, "%zu.feed", i);
        write_file(name, texts[i]);
        cr_expect_neq(um_registry_entry_parse(texts[i], strlen(texts[i]), &entry), UM_OK, "%s",
                      texts[i]);
        cr_expect_eq(entry.pid, 77);
    }
    cr_expect_eq(list(entries), 0);
    cr_expect_eq(files(), sizeof texts / sizeof texts[0]);
}

/* Every beginning of a file, and every byte of it changed: either it is refused, or what it gives
 * is within its bounds. */
Test(registry, damaged_text_is_refused_or_within_its_bounds)
{
    const char text[] =
        "{\"uimon_feed\":1,\"target_pid\":4711,\"target_name\":\"a.exe\",\"pid\":12,"
        "\"started\":\"123456789\",\"pipe\":\"uimon-feed-0\"}";
    struct um_registry_entry entry;

    cr_assert_eq(um_registry_entry_parse(text, sizeof text - 1, &entry), UM_OK);
    cr_expect_eq(entry.started, 123456789);
    for (size_t len = 0; len < sizeof text - 1; len++)
        cr_expect_neq(um_registry_entry_parse(text, len, &entry), UM_OK, "%zu", len);
    for (size_t at = 0; at < sizeof text - 1; at++) {
        for (int byte = 0; byte < 256; byte++) {
            char changed[sizeof text];
            memcpy(changed, text, sizeof text);
            changed[at] = (char)byte;
            if (um_registry_entry_parse(changed, sizeof text - 1, &entry) != UM_OK)
                continue;
            cr_expect(entry.pid > 0 && entry.target_pid > 0 && entry.target_name[0]);
            cr_expect(um_transport_name_is_valid(entry.pipe));
        }
    }
}

Test(registry, text_over_the_limit_is_refused)
{
    static char text[UM_REGISTRY_ENTRY_MAX_BYTES + 1];
    struct um_registry_entry entry;
    memset(text, ' ', sizeof text);
    cr_expect_eq(um_registry_entry_parse(text, sizeof text, &entry), UM_ERR_TOO_LARGE);
}
