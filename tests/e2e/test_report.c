/* The pages of `uimon report` and `uimon history show`, opened in a browser: what they show is what
 * was recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"
#include "tests/history_lines.h"

/* Interactions of all kinds, by the summary. */
static int count_interactions(const cJSON *summary)
{
    static const char *const kinds[] = {"key", "click", "wheel"};
    int count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "interactions.%s.count", kinds[i]);
        count += has_number(summary, path) ? (int)number(summary, path) : 0;
    }
    return count;
}

/* How many messages a bundle of the flight recorder lists: they stand behind the line of titles. */
static int count_messages(const char *dir, const cJSON *summary)
{
    char path[2 * PATH_BYTES];
    const cJSON *bundle = cJSON_GetArrayItem(cJSON_GetObjectItem(summary, "bundles"), 0);
    const char *folder = cJSON_GetStringValue(cJSON_GetObjectItem(bundle, "folder"));
    int count = 0;
    cr_assert(folder && strrchr(folder, '\\'), "no freeze was saved");
    snprintf(path, sizeof path, "%s/%s/messages.txt", dir, strrchr(folder, '\\') + 1);
    char *text = read_text(path);
    const char *at = strstr(text, "took  message");
    cr_assert(at != NULL, "%s", text);
    for (at = strchr(at, '\n'); at && at[1] != '\0'; at = strchr(at + 1, '\n'))
        count++;
    free(text);
    return count;
}

Test(report, page_shows_what_was_recorded)
{
    struct target target;
    struct monitor monitor;
    char recording[PATH_BYTES];
    char page[PATH_BYTES];
    char command[3 * PATH_BYTES];
    char windows_page[PATH_BYTES];
    char dumps[PATH_BYTES];
    const char *out;
    const char *err;

    snprintf(dumps, sizeof dumps, "%s", test_folder("dumps"));
    snprintf(recording, sizeof recording, "%s", windows_path(test_file("page.uirec")));
    snprintf(page, sizeof page, "%s", test_file("page.html"));
    snprintf(windows_page, sizeof windows_page, "%s", windows_path(page));
    start_target(&target, NULL, "--animate", "--title", "</script><b>&amp;", NULL);
    start_monitor(&monitor, &target, "--interactions", "--record", recording, "--dump-dir",
                  windows_path(dumps), "--dump-over", "200", "--dump-most", "1", NULL);
    trigger(&target, "wait:300,300,wait:800,150");
    wait_line(target.log, "freeze ");
    sleep_ms(1500); /* for the other one */
    wait_front(&target);
    x_type("the quick brown fox");
    sleep_ms(2000);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect(freeze_count(summary) >= 2, "%zu freezes", freeze_count(summary));
    cr_expect(count_interactions(summary) == 19, "%d of 19 keys", count_interactions(summary));
    cr_expect(run(&out, &err, "uimon", "report", recording, "--html", windows_page, NULL) == 0,
              "%s", err);

    snprintf(command, sizeof command, "bash %s/tests/report/check_page.sh %s %d %d %d",
             UM_SOURCE_DIR, page, (int)number(summary, "freezes.count"),
             count_interactions(summary), count_messages(dumps, summary));
    cr_expect(system(command) == 0, "the page is not what was recorded");
    cJSON_Delete(summary);
}

/* Stacks, with the source of the demo that was built here: the page is used by keyboard and by
 * clicks. */
Test(report, page_shows_where_it_was)
{
    struct target target;
    struct monitor monitor;
    char recording[PATH_BYTES], page[PATH_BYTES], json[PATH_BYTES];
    char command[3 * PATH_BYTES];
    const char *out;
    const char *err;

    snprintf(recording, sizeof recording, "%s", windows_path(test_file("stacks.uirec")));
    snprintf(page, sizeof page, "%s", test_file("stacks.html"));
    snprintf(json, sizeof json, "%s", test_file("stacks.json"));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--record", recording, NULL);
    trigger(&target, "spin:600,wait:600,300");
    wait_line(target.log, "freeze ");
    sleep_ms(2000); /* for the other one, and for the names */
    cJSON_Delete(stop_monitor(&monitor));
    char windows_page[PATH_BYTES], windows_json[PATH_BYTES];
    snprintf(windows_page, sizeof windows_page, "%s", windows_path(page));
    snprintf(windows_json, sizeof windows_json, "%s", windows_path(json));
    cr_expect(run(&out, &err, "uimon", "report", recording, "--html", windows_page, "--json",
                  windows_json, "--mine", "uimon-demo", "--source-path",
                  windows_path(UM_SOURCE_DIR), "--editor-link", "vscode://file/{file}:{line}",
                  NULL) == 0,
              "%s", err);
    char *text = read_text(page);
    cr_expect(strstr(text, "void um_demo_ui_block("), "the source of the demo is not in the page");
    free(text);
    cJSON *summary = read_json(json);
    snprintf(command, sizeof command, "bash %s/tests/report/check_stacks.sh %s um_demo_ui_block %d",
             UM_SOURCE_DIR, page, (int)number(summary, "profile.samples"));
    cr_expect(system(command) == 0, "the stacks of the page cannot be used");
    cJSON_Delete(summary);
}

/* Records one freeze. */
static void record_freeze(const char *play, char *recording, size_t cap)
{
    struct target target;
    struct monitor monitor;

    snprintf(recording, cap, "%s", windows_path(test_file(play[0] == 's' ? "a.uirec" : "b.uirec")));
    start_target(&target, NULL, NULL);
    start_monitor(&monitor, &target, "--record", recording, NULL);
    trigger(&target, play);
    wait_line(target.log, "freeze ");
    sleep_ms(1500); /* for the names */
    cJSON_Delete(stop_monitor(&monitor));
    kill_hard(&target.program);
}

/* Before, the demo works until the time is over; after, it sleeps. */
Test(report, two_recordings_are_compared_by_their_stacks)
{
    char before[PATH_BYTES], after[PATH_BYTES], page[PATH_BYTES], json[PATH_BYTES];
    char windows_page[PATH_BYTES], windows_json[PATH_BYTES], command[3 * PATH_BYTES];
    const char *out;
    const char *err;

    record_freeze("spin:500", before, sizeof before);
    record_freeze("500", after, sizeof after);
    snprintf(page, sizeof page, "%s", test_file("diff.html"));
    snprintf(json, sizeof json, "%s", test_file("diff.json"));
    snprintf(windows_page, sizeof windows_page, "%s", windows_path(page));
    snprintf(windows_json, sizeof windows_json, "%s", windows_path(json));
    cr_assert(run(&out, &err, "uimon", "compare", before, after, "--hide",
                  "ntdll,kernelbase,kernel32,user32", "--html", windows_page, "--json",
                  windows_json, NULL) == 0,
              "%s", err);
    const char *slower = strstr(out, "Slower"), *faster = strstr(out, "Faster");
    cr_assert(slower && faster, "%s", out);
    const char *sleeps = strstr(slower, "um_timer_wait"),
               *spins = strstr(faster, "um_demo_ui_block");
    cr_expect(sleeps && sleeps < faster && spins, "%s", out);
    cJSON *root = read_json(json);
    cr_expect(number(root, "after.samples") >= 1 && number(root, "before.samples") >= 1);
    cr_expect(cJSON_GetArraySize(cJSON_GetObjectItem(root, "functions")) > 3);
    cJSON_Delete(root);
    snprintf(command, sizeof command, "bash %s/tests/report/check_diff.sh %s um_timer_wait",
             UM_SOURCE_DIR, page);
    cr_expect(system(command) == 0, "the page is not what was compared");
    cr_expect(run(&out, &err, "uimon", "compare", before, after, "--fail-over", "x=1ms", NULL) ==
              2);
    cr_expect(strstr(err, "--fail-over"), "%s", err);
}

/* A history with one step, and with a label that looks like markup. */
Test(report, page_of_a_history_shows_its_changes)
{
    char page[PATH_BYTES];
    char history[PATH_BYTES];
    char windows_history[PATH_BYTES];
    char command[3 * PATH_BYTES];
    const char *out;
    const char *err;
    struct history_lines lines = {0};

    history_lines_step(&lines, 30, 18);
    history_lines_add(&lines, "</script><b>&amp;", 25);
    snprintf(page, sizeof page, "%s", test_file("history.html"));
    snprintf(history, sizeof history, "%s", test_file("history.jsonl"));
    snprintf(windows_history, sizeof windows_history, "%s", windows_path(history));
    FILE *file = fopen(history, "wb");
    cr_assert(file && fputs(lines.text, file) >= 0 && fclose(file) == 0);
    free(lines.text);
    cr_expect(run(&out, &err, "uimon", "history", "show", windows_history, "--html",
                  windows_path(page), NULL) == 0,
              "%s", err);
    snprintf(command, sizeof command, "bash %s/tests/report/check_history.sh %s 1 1 c18",
             UM_SOURCE_DIR, page);
    cr_expect(system(command) == 0, "the page is not what is in the history");
}
