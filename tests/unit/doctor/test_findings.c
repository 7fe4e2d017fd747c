#include "monitor/doctor/findings.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/written.h"

static const struct um_findings_header header = {
    .machine = "box", .system = "Windows 10.0.19045", .cpus = 8};

static char *text;

static void print(const struct um_findings *findings, const struct um_findings_header *about)
{
    FILE *file = written_open();
    cr_assert_eq(um_findings_print(file, findings, about), UM_OK);
    text = written_read(file, NULL);
}

static struct um_finding *add(struct um_findings *findings, const char *id,
                              enum um_finding_verdict verdict, const char *what)
{
    struct um_finding *finding = um_findings_add(findings, id, "a thing", verdict);
    snprintf(finding->text, sizeof finding->text, "%s", what);
    return finding;
}

Test(findings, the_table_has_a_line_for_each)
{
    struct um_findings findings = {0};
    add(&findings, "one", UM_FINDING_OK, "works")->group = "Things";
    snprintf(add(&findings, "two", UM_FINDING_FAILS, "broken")->advice, 320, "mend it");
    add(&findings, "three", UM_FINDING_OTHERWISE, "by mouse messages");
    add(&findings, "four", UM_FINDING_UNKNOWN, "nobody asked");
    print(&findings, &header);
    cr_expect_str_eq(text, "uimon " UM_VERSION " on box, Windows 10.0.19045, 8 processors\n"
                           "\n"
                           "Things:\n"
                           "  ok               a thing                  works\n"
                           "  DOES NOT WORK    a thing                  broken\n"
                           "                                          > mend it\n"
                           "  works otherwise  a thing                  by mouse messages\n"
                           "  not known        a thing                  nobody asked\n"
                           "\n"
                           "1 thing does not work here.\n");
}

Test(findings, lines_stay_within_80_columns_and_commands_to_the_terminal_out)
{
    struct um_findings findings = {0};
    struct um_findings_header about = header;
    about.target = "a\x1b[31mb.exe";
    for (int i = 0; i < 3; i++)
        add(&findings, "one", UM_FINDING_OK,
            "so many words that they do not fit into one line \x1b[2J of the table, nor into two");
    print(&findings, &about);
    cr_expect(!strchr(text, '\x1b'));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        cr_expect_leq(strlen(line), 82, "%zu: %s", strlen(line), line); /* U+FFFD has 3 bytes */
    cr_expect(um_findings_good(&findings));
}

Test(findings, more_than_there_is_room_for_are_not_written_beyond_it)
{
    struct um_findings findings = {0};
    for (int i = 0; i < UM_FINDINGS_MAX + 3; i++)
        add(&findings, "one", UM_FINDING_OK, "works");
    cr_expect_eq(findings.count, UM_FINDINGS_MAX);
}

Test(findings, json_has_what_is_known)
{
    struct um_findings findings = {0};
    char *out;
    struct um_finding *finding = add(&findings, "zero-beats", UM_FINDING_OTHERWISE, "some");
    finding->counted = true;
    finding->sent = 150;
    finding->target = 149;
    finding->control = 148;
    finding->p50_ns = 210000;
    add(&findings, "two", UM_FINDING_FAILS, "broken");
    cr_assert_eq(um_findings_json(&findings, &header, &out), UM_OK);
    cJSON *json = cJSON_Parse(out);
    cJSON *list = cJSON_GetObjectItem(json, "findings");
    cJSON *first = cJSON_GetArrayItem(list, 0);
    cJSON *second = cJSON_GetArrayItem(list, 1);
    cr_expect_eq(cJSON_GetNumberValue(cJSON_GetObjectItem(json, "schema")), 1);
    cr_expect(cJSON_IsFalse(cJSON_GetObjectItem(json, "works")));
    cr_expect(!cJSON_HasObjectItem(json, "target"));
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(first, "verdict")), "otherwise");
    cr_expect_eq(cJSON_GetNumberValue(cJSON_GetObjectItem(first, "seen_by_target")), 149);
    cr_expect_eq(cJSON_GetNumberValue(cJSON_GetObjectItem(first, "p50_ms")), 0.21);
    cr_expect(!cJSON_HasObjectItem(first, "advice"));
    cr_expect_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(second, "verdict")), "fails");
    cr_expect(!cJSON_HasObjectItem(second, "sent") && !cJSON_HasObjectItem(second, "p50_ms"));
    cJSON_Delete(json);
    cJSON_free(out);
}
