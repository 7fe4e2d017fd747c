#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/thread.h"
#include "base/platform.h"
#include "tests/written.h"

Test(platform, a_file_is_the_same_however_it_is_spelled)
{
    char folder[] = "/tmp/uimon-platform-XXXXXX";
    char one[64], spelled[64], linked[64], copy[64];

    cr_assert(mkdtemp(folder) != NULL);
    snprintf(one, sizeof one, "%s/one", folder);
    snprintf(spelled, sizeof spelled, "%s/.//one", folder);
    snprintf(linked, sizeof linked, "%s/linked", folder);
    snprintf(copy, sizeof copy, "%s/copy", folder);
    fclose(fopen(one, "wb"));
    fclose(fopen(copy, "wb"));
    cr_assert_eq(link(one, linked), 0);
    cr_expect(um_platform_same_file(one, one));
    cr_expect(um_platform_same_file(one, spelled));
    cr_expect(um_platform_same_file(linked, one));
    cr_expect_not(um_platform_same_file(one, copy));
    unlink(linked);
    unlink(copy);
    cr_expect_not(um_platform_same_file(one, copy), "one of them is not there");
    cr_expect_not(um_platform_same_file(copy, copy));
    unlink(one);
    rmdir(folder);
}

Test(platform, a_file_is_written_by_one_at_a_time)
{
    char path[] = "/tmp/uimon-alone-XXXXXX";
    char text[16] = "";
    close(mkstemp(path));
    FILE *first = um_platform_open_alone(path);
    cr_assert(first && fputs("first", first) >= 0 && fflush(first) == 0);
    cr_expect_null(um_platform_open_alone(path));
    FILE *reader = fopen(path, "rb");
    cr_assert(reader && fgets(text, sizeof text, reader) && fclose(reader) == 0);
    cr_expect_str_eq(text, "first", "it is untouched, and can be read");
    cr_expect(um_platform_is_written(path));
    cr_expect(um_platform_is_written(path), "it does not take the lock from the writer");
    cr_assert_eq(fclose(first), 0);
    cr_expect_not(um_platform_is_written(path));
    FILE *second = um_platform_open_alone(path);
    cr_assert(second && fclose(second) == 0);
    reader = fopen(path, "rb");
    cr_expect(reader && fgetc(reader) == EOF && fclose(reader) == 0, "it is empty");
    unlink(path);
}

Test(platform, only_files_have_a_length)
{
    uint64_t bytes = 7;
    char path[] = "/tmp/uimon-length-XXXXXX";
    int file = mkstemp(path);
    cr_assert(file >= 0 && write(file, "abc", 3) == 3 && close(file) == 0);
    cr_expect(um_platform_file_bytes(path, &bytes));
    cr_expect_eq(bytes, 3);
    unlink(path);
    cr_expect_not(um_platform_file_bytes(path, &bytes));
    cr_expect_not(um_platform_file_bytes("/tmp", &bytes));
    cr_expect_not(um_platform_is_written(path));
    cr_expect_eq(bytes, 3, "it is untouched");
}

#define WAIT_MS 60000 /* for others who append */

static char appended[] = "/tmp/uimon-append-XXXXXX";

static void make_appended(const char *text)
{
    int file = mkstemp(appended);
    cr_assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
}

static const char *read_appended(void)
{
    const char *content = written_file(appended, NULL);
    unlink(appended);
    return content;
}

Test(platform, what_is_appended_begins_a_line)
{
    make_appended("");
    cr_assert_eq(um_platform_append(appended, "\none\n", 5, WAIT_MS), UM_OK);
    cr_assert_eq(um_platform_append(appended, "\ntwo\n", 5, WAIT_MS), UM_OK);
    cr_expect_str_eq(read_appended(), "one\ntwo\n");
}

Test(platform, a_device_can_be_open_twice)
{
    FILE *first = um_platform_open_alone("/dev/null");
    FILE *second = um_platform_open_alone("/dev/null");
    cr_assert(first && second);
    fclose(second);
    fclose(first);
}

Test(platform, what_is_appended_does_not_continue_half_a_line)
{
    make_appended("one\nhal");
    cr_assert_eq(um_platform_append(appended, "\ntwo\n", 5, WAIT_MS), UM_OK);
    cr_expect_str_eq(read_appended(), "one\nhal\ntwo\n");
}

Test(platform, says_why_it_cannot_append)
{
    cr_expect_eq(um_platform_append("/nosuch/folder/file", "\na\n", 3, WAIT_MS), UM_ERR_NOT_FOUND);
    cr_expect_eq(um_platform_append("/tmp", "\na\n", 3, WAIT_MS), UM_ERR_DENIED);
    cr_expect_eq(um_platform_append("/dev/full", "\na\n", 3, WAIT_MS), UM_ERR_IO);
}

/* Another process that hangs, or that was stopped, may keep the lock for ever. */
Test(platform, waits_for_others_who_append_only_as_long_as_it_may)
{
    make_appended("one\n");
    int other = open(appended, O_RDWR);
    cr_assert_eq(flock(other, LOCK_EX), 0);
    cr_expect_eq(um_platform_append(appended, "\ntwo\n", 5, 0), UM_ERR_BUSY);
    cr_expect_eq(um_platform_append(appended, "\ntwo\n", 5, 20), UM_ERR_BUSY);
    close(other);
    cr_expect_eq(um_platform_append(appended, "\nthree\n", 7, 0), UM_OK);
    cr_expect_str_eq(read_appended(), "one\nthree\n");
}

#define APPENDERS 4
#define LINES 50
#define LONGEST 2000

/* Appends lines of one letter, each longer than the one before. */
static void append_lines(void *context)
{
    char text[LONGEST + 2];
    for (size_t i = 1; i <= LINES; i++) {
        size_t len = i * (LONGEST / LINES);
        memset(text, *(const char *)context, len + 1);
        text[0] = '\n';
        text[len + 1] = '\n';
        if (um_platform_append(appended, text, len + 2, WAIT_MS) != UM_OK)
            return;
    }
}

Test(platform, those_who_append_at_the_same_time_take_turns, .threads = true)
{
    static const char letters[APPENDERS] = "abcd";
    struct um_thread threads[APPENDERS] = {{0}};
    size_t lines[APPENDERS] = {0};
    make_appended("");
    for (size_t i = 0; i < APPENDERS; i++)
        cr_assert_eq(um_thread_start(append_lines, (void *)(uintptr_t)&letters[i], &threads[i]),
                     UM_OK);
    for (size_t i = 0; i < APPENDERS; i++)
        um_thread_join(&threads[i]);
    for (const char *line = read_appended(); *line; line = strchr(line, '\n') + 1) {
        char letter[2] = {line[0]};
        size_t who = (size_t)(line[0] - 'a');
        cr_assert_lt(who, APPENDERS);
        cr_assert_eq(strspn(line, letter), ++lines[who] * (LONGEST / LINES));
    }
    for (size_t i = 0; i < APPENDERS; i++)
        cr_expect_eq(lines[i], LINES, "%zu", lines[i]);
}

Test(platform, a_file_has_places_beyond_2_gib)
{
    uint64_t far = UINT64_C(3) << 30, bytes = 0;
    char name[] = "/tmp/uimon-far-XXXXXX";
    int fd = mkstemp(name);
    cr_assert_geq(fd, 0);
    FILE *file = fdopen(fd, "w+b");
    cr_assert(file && um_platform_seek(file, far) && fputc('x', file) == 'x');
    cr_assert(um_platform_seek(file, 0));
    cr_expect_eq(fgetc(file), '\0', "the file has a hole");
    cr_assert(um_platform_seek(file, far));
    cr_expect_eq(fgetc(file), 'x');
    cr_expect(um_platform_file_bytes(name, &bytes));
    cr_expect_eq(bytes, far + 1);
    cr_expect(!um_platform_seek(file, UINT64_MAX));
    fclose(file);
    unlink(name);
}
