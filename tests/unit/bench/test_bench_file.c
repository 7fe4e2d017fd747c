/* What becomes of FILE and FILE.partial, however a benchmark ends. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "monitor/bench/bench_file.h"
#include "tests/written.h"

#define PATH_BYTES 96

static char folder[] = "/tmp/uimon-bench-XXXXXX";
static char path[PATH_BYTES], partial[PATH_BYTES], draft[PATH_BYTES], other[PATH_BYTES];
static struct um_bench_file file;

static void begin(void)
{
    cr_redirect_stderr();
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/a.json", folder);
    snprintf(partial, sizeof partial, "%s/a.json.partial", folder);
    snprintf(draft, sizeof draft, "%s/a.json.partial%s", folder, UM_FILE_DRAFT_SUFFIX);
    snprintf(other, sizeof other, "%s/other", folder);
}

static void end(void)
{
    rmdir(draft);
    unlink(path);
    unlink(partial);
    unlink(other);
    rmdir(folder);
}

TestSuite(bench_file, .init = begin, .fini = end);

/* NULL: there is no such file. */
static void expect_text(const char *name, const char *wanted)
{
    FILE *in = fopen(name, "rb");
    cr_expect_eq(in != NULL, wanted != NULL, "%s is %s", name, in ? "there" : "not there");
    const char *text = in ? written_read(in, NULL) : "";
    cr_expect_str_eq(text, wanted ? wanted : "", "%s has \"%s\"", name, text);
}

static size_t count_said(const char *what)
{
    static char said[4096];
    FILE *err = cr_get_redirected_stderr();
    size_t count = 0;
    fflush(stderr);
    said[fread(said, 1, sizeof said - 1, err)] = '\0';
    for (const char *at = said; (at = strstr(at, what)) != NULL; at++)
        count++;
    return count;
}

static void open_over_old(bool goes_on)
{
    written_put(path, "old");
    written_put(partial, "hours");
    um_bench_file_open(&file, path, goes_on);
    expect_text(path, "old");
    expect_text(partial, "hours");
}

Test(bench_file, that_ends_before_its_first_run_leaves_all_as_it_was)
{
    open_over_old(false);
    cr_expect(um_bench_file_end(&file, "{}", false));
    expect_text(path, "old");
    expect_text(partial, "hours");
    cr_expect_eq(count_said("is as it was"), 1);
}

Test(bench_file, that_goes_on_and_ends_before_its_first_run_makes_no_file)
{
    written_put(partial, "hours");
    um_bench_file_open(&file, path, true);
    cr_expect(um_bench_file_end(&file, "{}", false));
    expect_text(path, NULL);
    expect_text(partial, "hours");
}

Test(bench_file, that_ends_before_its_first_run_is_written_where_nothing_was)
{
    written_put(partial, "hours");
    um_bench_file_open(&file, path, false);
    cr_expect(um_bench_file_end(&file, "{}", false));
    expect_text(path, "{}\n");
    expect_text(partial, "hours");
}

Test(bench_file, with_a_run_takes_the_place_of_what_was_there)
{
    open_over_old(false);
    um_bench_file_keep(&file, "[1]");
    expect_text(path, "old");
    expect_text(partial, "[1]\n");
    cr_expect(um_bench_file_end(&file, "[2]", false));
    expect_text(path, "[2]\n");
    expect_text(partial, NULL);
}

Test(bench_file, that_was_enough_when_it_went_on_is_whole)
{
    open_over_old(true);
    cr_expect(um_bench_file_end(&file, "[2]", true));
    expect_text(path, "[2]\n");
    expect_text(partial, NULL);
}

Test(bench_file, that_cannot_be_kept_once_is_kept_after_the_next_run)
{
    open_over_old(false);
    cr_assert_eq(mkdir(draft, 0777), 0);
    um_bench_file_keep(&file, "[1]");
    um_bench_file_keep(&file, "[1,2]");
    expect_text(partial, "hours");
    cr_assert_eq(rmdir(draft), 0);
    um_bench_file_keep(&file, "[1,2,3]");
    expect_text(partial, "[1,2,3]\n");
    cr_expect_eq(count_said("cannot be written now"), 1);
}

Test(bench_file, whose_runs_so_far_were_never_kept_leaves_those_of_another)
{
    open_over_old(false);
    cr_assert_eq(mkdir(draft, 0777), 0);
    um_bench_file_keep(&file, "[1]");
    cr_expect(um_bench_file_end(&file, "[1]", false));
    expect_text(path, "[1]\n");
    expect_text(partial, "hours");
}

/* Two names: it can only be written directly, but what is beside it is another file. */
Test(bench_file, that_cannot_be_replaced_has_a_partial_file_all_the_same)
{
    written_put(path, "old");
    cr_assert_eq(link(path, other), 0);
    um_bench_file_open(&file, path, false);
    um_bench_file_keep(&file, "[1]");
    expect_text(partial, "[1]\n");
    cr_expect(um_bench_file_end(&file, "[2]", true));
    expect_text(other, "[2]\n");
    expect_text(partial, NULL);
}

Test(bench_file, says_once_that_there_will_be_no_partial_file)
{
    written_put(partial, "mine");
    cr_assert_eq(link(partial, other), 0);
    um_bench_file_open(&file, path, false);
    um_bench_file_keep(&file, NULL);
    um_bench_file_keep(&file, NULL);
    cr_expect(um_bench_file_end(&file, "[2]", true));
    expect_text(path, "[2]\n");
    expect_text(partial, "mine");
    cr_expect_eq(count_said("uimon: "), 1);
}

Test(bench_file, that_is_a_device_has_nothing_beside_it)
{
    um_bench_file_open(&file, "/dev/null", false);
    cr_expect_str_eq(file.partial, "");
    um_bench_file_keep(&file, NULL);
    cr_expect(um_bench_file_end(&file, "{}", true));
    cr_expect_eq(count_said("uimon"), 0);
}
