/* What becomes of a file that a result is written to. The tests use POSIX's backend of file.h; what
 * only Windows has is in the end-to-end tests. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <criterion/redirect.h>

#include "base/output.h"
#include "tests/written.h"

#define PATH_BYTES 96

static char folder[] = "/tmp/uimon-output-XXXXXX";
static char path[PATH_BYTES];  /* of the result */
static char draft[PATH_BYTES]; /* what it is written to */
static char left[PATH_BYTES];  /* what it is called where it cannot take its place */
static char other[PATH_BYTES];
static char error[512];

static void make_folder(void)
{
    cr_redirect_stderr();
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/result.json", folder);
    snprintf(draft, sizeof draft, "%s/result.json.uimon-new", folder);
    snprintf(left, sizeof left, "%s/result.json.new", folder);
    snprintf(other, sizeof other, "%s/other", folder);
}

static void remove_folder(void)
{
    unlink(path);
    unlink(draft);
    unlink(left);
    unlink(other);
    rmdir(folder);
}

TestSuite(output, .init = make_folder, .fini = remove_folder);

static void put(const char *file, const char *text, mode_t mode)
{
    written_put(file, text);
    cr_assert_eq(chmod(file, mode), 0);
}

static void expect_text(const char *file, const char *wanted)
{
    const char *text = written_file(file, NULL);
    cr_expect_str_eq(text, wanted, "%s has \"%s\"", file, text);
}

static mode_t mode_of(const char *file)
{
    struct stat found;
    return stat(file, &found) == 0 ? found.st_mode & 0777 : 0;
}

Test(output, file_of_before_is_there_until_the_new_one_is_whole)
{
    struct um_output output;

    put(path, "before", 0644);
    FILE *file = um_output_begin(&output, path, "--json", false);
    cr_assert(file && fputs("half of ", file) >= 0 && fflush(file) == 0);
    expect_text(path, "before");
    cr_assert_geq(fputs("it", file), 0);
    cr_expect(um_output_end(&output, true));
    expect_text(path, "half of it");
    cr_expect_neq(access(draft, F_OK), 0, "the draft is left");
}

Test(output, file_of_before_is_kept_if_the_new_one_cannot_be_made)
{
    struct um_output output;

    put(path, "before", 0644);
    cr_assert(um_output_begin(&output, path, "--json", false) != NULL);
    cr_expect_not(um_output_end(&output, false));
    expect_text(path, "before");
    cr_expect_neq(access(draft, F_OK), 0, "the draft is left");
}

Test(output, rights_of_the_file_of_before_are_kept)
{
    put(path, "before", 0640);
    cr_expect(um_output_write(path, "--json", "after"));
    expect_text(path, "after\n");
    cr_expect_eq(mode_of(path), 0640);
}

Test(output, link_is_written_through)
{
    struct stat found;

    put(other, "before", 0644);
    cr_assert_eq(symlink(other, path), 0);
    cr_expect(um_output_write(path, "--json", "after"));
    expect_text(other, "after\n");
    cr_expect(lstat(path, &found) == 0 && S_ISLNK(found.st_mode), "the link is no more");
}

Test(output, file_with_two_names_keeps_both)
{
    put(other, "before", 0644);
    cr_assert_eq(link(other, path), 0);
    cr_expect(um_output_write(path, "--json", "after"));
    expect_text(other, "after\n");
}

Test(output, link_that_leads_nowhere_yet_makes_the_file)
{
    cr_assert_eq(symlink(other, path), 0);
    cr_expect(um_output_write(path, "--json", "after"));
    expect_text(other, "after\n");
}

Test(output, device_is_written_itself)
{
    cr_expect_not(um_output_write("/dev/full", "--json", "after"));
    cr_expect(um_output_write("/dev/null", "--json", "after"));
    cr_expect(access("/dev/full.uimon-new", F_OK) != 0 && access("/dev/null.uimon-new", F_OK) != 0);
    cr_expect_not(um_output_write(folder, "--json", "after"), "a folder");
}

Test(output, draft_that_a_killed_process_left_is_in_nobodys_way)
{
    put(draft, "half", 0600);
    cr_expect(um_output_write(path, "--json", "after"));
    expect_text(path, "after\n");
    cr_expect_neq(access(draft, F_OK), 0);
}

/* A folder in the file's place stands for a file that another program keeps open. */
static void write_to_what_is_open(void)
{
    struct um_output output;

    FILE *file = um_output_begin(&output, path, "--json", false);
    cr_assert(file && fputs("whole", file) >= 0);
    cr_assert_eq(mkdir(path, 0755), 0);
    cr_expect_not(um_output_end(&output, true));
    rmdir(path);
}

Test(output, result_that_cannot_take_its_place_is_beside_it_and_stays)
{
    write_to_what_is_open();
    expect_text(left, "whole");
    cr_expect_neq(access(draft, F_OK), 0);
    cr_expect(um_output_guard(path, "--json", error, sizeof error), "%s", error);
    cr_expect(um_output_write(path, "--json", "after"));
    expect_text(left, "whole");
}

Test(output, file_that_is_not_uimons_is_neither_replaced_nor_removed)
{
    put(left, "the user's", 0644);
    cr_expect(um_output_write(path, "--json", "after"));
    expect_text(left, "the user's");
    unlink(path);
    write_to_what_is_open();
    expect_text(left, "the user's");
    expect_text(draft, "whole");
}

Test(output, only_one_writes_a_file_at_a_time)
{
    struct um_output first, second;

    cr_assert(um_output_begin(&first, path, "--json", false) != NULL);
    cr_expect_null(um_output_begin(&second, path, "--json", false));
    cr_expect_not(um_output_end(&second, false));
    cr_expect(um_output_end(&first, true));
}

Test(output, folder_in_which_nothing_can_be_made_does_not_matter)
{
    put(path, "before", 0644);
    cr_assert_eq(mkdir(draft, 0755), 0); /* stands for it: root can make files everywhere */
    cr_expect(um_output_write(path, "--json", "after"));
    expect_text(path, "after\n");
    rmdir(draft);
}

/* Files with keys ------------------------------------------------------------------------------ */

Test(output, result_with_keys_is_its_owners_alone_while_it_is_written_and_after)
{
    struct um_output output;

    put(path, "before", 0644);
    FILE *file = um_output_begin(&output, path, "--json", true);
    cr_assert(file && fputs("keys", file) >= 0);
    cr_expect_eq(mode_of(draft), 0600);
    cr_expect(um_output_end(&output, true));
    expect_text(path, "keys");
    cr_expect_eq(mode_of(path), 0600);
}

Test(output, looking_whether_keys_can_be_kept_changes_no_result)
{
    put(path, "before", 0644);
    cr_expect(um_output_guard(path, "--json", error, sizeof error), "%s", error);
    expect_text(path, "before");
    cr_expect_eq(mode_of(path), 0644);
    unlink(path);
    cr_expect(um_output_guard(path, "--json", error, sizeof error), "%s", error);
    cr_expect(access(path, F_OK) != 0 && access(draft, F_OK) != 0, "a file is left");
    cr_expect(um_output_guard("-", "--json", error, sizeof error));
    cr_expect(um_output_guard(NULL, "--json", error, sizeof error));
}

Test(output, stream_with_keys_is_its_owners_alone_from_the_start)
{
    put(path, "before", 0644);
    cr_expect(um_output_guard_stream(path, "--csv", error, sizeof error), "%s", error);
    expect_text(path, "before");
    cr_expect_eq(mode_of(path), 0600);
    FILE *first = um_output_open(path, true);
    cr_assert(first && fputs("keys", first) >= 0);
    cr_expect_null(um_output_open(path, true));
    cr_expect_not(um_output_guard_stream(path, "--csv", error, sizeof error));
    cr_expect(strstr(error, "another program has the file open"), "%s", error);
    cr_expect(um_output_close(first));
    expect_text(path, "keys");
}

Test(output, keys_go_to_no_device)
{
    cr_expect_not(um_output_guard_stream("/dev/null", "--csv", error, sizeof error));
    cr_expect(strstr(error, "--csv") && strstr(error, "another disk"), "%s", error);
    cr_expect_not(um_output_guard("/dev/null", "--json", error, sizeof error));
    cr_expect_not(um_output_guard("/nosuch/folder", "--json", error, sizeof error));
}

/* Its owner could let himself read it at any time. */
Test(output, keys_go_to_no_file_of_another_user)
{
    put(path, "his", 0666);
    if (chown(path, 12345, 12345) != 0)
        cr_skip_test("only root can give a file away");
    cr_expect_not(um_output_guard(path, "--json", error, sizeof error));
    cr_expect(strstr(error, "--json") && strstr(error, "another user's"), "%s", error);
    cr_expect_not(um_output_guard_stream(path, "--csv", error, sizeof error));
    cr_expect(strstr(error, "another user's"), "%s", error);
    cr_expect_null(um_output_open(path, true));
    cr_expect_not(um_output_write_rights(path, "--json", "keys", true));
    expect_text(path, "his");
    cr_expect_eq(mode_of(path), 0666);
    cr_expect(um_output_write(path, "--json", "no keys"), "without keys it is as it was");
    expect_text(path, "no keys\n");
}
