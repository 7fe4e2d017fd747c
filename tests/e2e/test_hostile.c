/* A program whose window's title and class mean harm: what people read of it on a terminal, in a
 * table, in a spreadsheet. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

TestSuite(hostile, .fini = conclude);

/* A terminal's title, a line of its own, and what is written from right to left. */
#define TITLE "=1+1\x1b]0;owned\x07\nuimon: forged \xe2\x80\xae"
#define CLASS "@class\x1b[2J\nuimon: forged"

static void expect_harmless(const char *what, const char *text)
{
    cr_expect(text[0], "%s: nothing", what);
    for (const char *at = text; *at; at++)
        cr_expect((unsigned char)*at >= 0x20 || *at == '\n' || *at == '\r', "%s: 0x%x in %s", what,
                  (unsigned char)*at, text);
    cr_expect(!strstr(text, "\xe2\x80\xae"), "%s: %s", what, text);
    cr_expect(!strstr(text, "\nuimon: forged"), "%s: %s", what, text);
}

Test(hostile, titles_and_classes_do_no_harm)
{
    struct target target;
    struct monitor monitor;
    char csv[PATH_BYTES], recording[PATH_BYTES];
    const char *out, *err;

    snprintf(csv, sizeof csv, "%s", test_file("rows.csv"));
    snprintf(recording, sizeof recording, "%s", test_file("session.uirec"));
    start_target(&target, "target_odd_win32", "--mode", "quiet", "--title", TITLE, "--class", CLASS,
                 NULL);
    cr_expect(run(&out, &err, "uimon", "list", NULL) == 0);
    expect_harmless("list", out);
    start_monitor(&monitor, &target, "--csv", windows_path(csv), "--record",
                  windows_path(recording), NULL);
    trigger(&target, "300");
    sleep_ms(1500);
    cJSON *summary = stop_monitor(&monitor);
    cr_expect(freeze_count(summary) == 1, "%zu freezes", freeze_count(summary));
    cJSON_Delete(summary);

    char *greeting = read_text(monitor.program.err);
    char *text = read_text(monitor.program.out);
    char *rows = read_text(csv);
    expect_harmless("greeting", greeting);
    expect_harmless("summary", text);
    expect_harmless("csv", rows);
    cr_expect(strstr(rows, "'@class") && !strstr(rows, ",@class"), "%s", rows);
    free(greeting);
    free(text);
    free(rows);
    cr_expect(run(&out, &err, "uimon", "report", windows_path(recording), NULL) == 0);
    expect_harmless("report", out);
}
