#include "monitor/doctor/findings.h"

#include <cjson/cJSON.h>

#include "base/text_wrap.h"
#include "base/utf8.h"
#include "monitor/json/json.h"

#define SCHEMA 1
#define ABOUT_COLUMN 19 /* two after the longest verdict, "works otherwise" */
#define TEXT_COLUMN 44

static const struct {
    const char *word; /* in the table */
    const char *name; /* in the JSON */
} verdicts[] = {
    [UM_FINDING_OK] = {"ok", "ok"},
    [UM_FINDING_OTHERWISE] = {"works otherwise", "otherwise"},
    [UM_FINDING_FAILS] = {"DOES NOT WORK", "fails"},
    [UM_FINDING_UNKNOWN] = {"not known", "unknown"},
};

struct um_finding *um_findings_add(struct um_findings *findings, const char *id, const char *about,
                                   enum um_finding_verdict verdict)
{
    size_t last = findings->count < UM_FINDINGS_MAX ? findings->count++ : UM_FINDINGS_MAX - 1;
    findings->list[last] = (struct um_finding){.id = id, .about = about, .verdict = verdict};
    return &findings->list[last];
}

static size_t count_of(const struct um_findings *findings, enum um_finding_verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++)
        count += findings->list[i].verdict == verdict;
    return count;
}

bool um_findings_good(const struct um_findings *findings)
{
    return count_of(findings, UM_FINDING_FAILS) == 0;
}

/* Prints a text of any content, such as a window's title, so that it is harmless for a terminal. */
static void print_text(FILE *out, const char *text, size_t indent)
{
    char shown[sizeof((struct um_finding *)0)->text];
    um_utf8_fit(text, sizeof shown, shown, sizeof shown);
    um_text_wrap(out, shown, indent, indent);
}

static void print_finding(FILE *out, const struct um_finding *finding)
{
    if (finding->group)
        fprintf(out, "\n%s:\n", finding->group);
    fprintf(out, "  %-*s%-*s", ABOUT_COLUMN - 2, verdicts[finding->verdict].word,
            TEXT_COLUMN - ABOUT_COLUMN, finding->about);
    print_text(out, finding->text, TEXT_COLUMN);
    if (finding->advice[0]) {
        fprintf(out, "%*s", TEXT_COLUMN, "> ");
        print_text(out, finding->advice, TEXT_COLUMN);
    }
}

enum um_status um_findings_print(FILE *out, const struct um_findings *findings,
                                 const struct um_findings_header *header)
{
    size_t failing = count_of(findings, UM_FINDING_FAILS);

    fprintf(out, "uimon %s on %s, %s, %lu processor%s\n", UM_VERSION,
            um_utf8_show(header->machine, 70).text, header->system, (unsigned long)header->cpus,
            header->cpus == 1 ? "" : "s");
    if (header->target)
        fprintf(out, "about %s\n", um_utf8_show(header->target, 70).text);
    for (size_t i = 0; i < findings->count; i++)
        print_finding(out, &findings->list[i]);
    if (failing == 0)
        fprintf(out, "\nNothing was found that keeps uimon from working here.\n");
    else
        fprintf(out, "\n%lu thing%s not work here.\n", (unsigned long)failing,
                failing == 1 ? " does" : "s do");
    return fflush(out) == 0 && !ferror(out) ? UM_OK : UM_ERR_IO;
}

static void put_finding(struct um_json *json, cJSON *list, const struct um_finding *finding)
{
    cJSON *object = um_json_append_object(json, list);
    um_json_text(json, object, "id", finding->id);
    um_json_text(json, object, "about", finding->about);
    um_json_text(json, object, "verdict", verdicts[finding->verdict].name);
    um_json_text(json, object, "text", finding->text);
    um_json_text(json, object, "advice", finding->advice);
    if (finding->counted) {
        um_json_number(json, object, "sent", (double)finding->sent);
        um_json_number(json, object, "seen_by_target", (double)finding->target);
        um_json_number(json, object, "seen_by_control", (double)finding->control);
    }
    uint64_t p50_us = finding->p50_ns / 1000;
    if (p50_us != 0)
        um_json_number(json, object, "p50_ms", (double)p50_us / 1000);
}

enum um_status um_findings_json(const struct um_findings *findings,
                                const struct um_findings_header *header, char **out)
{
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_json_number(&json, root, "schema", SCHEMA);
    um_json_text(&json, root, "uimon", UM_VERSION);
    um_json_text(&json, root, "machine", header->machine);
    um_json_text(&json, root, "system", header->system);
    um_json_number(&json, root, "processors", header->cpus);
    um_json_text(&json, root, "target", header->target);
    um_json_bool(&json, root, "works", um_findings_good(findings));
    cJSON *list = um_json_array(&json, root, "findings");
    for (size_t i = 0; i < findings->count; i++)
        put_finding(&json, list, &findings->list[i]);
    *out = um_json_print(&json, root, true);
    return *out ? UM_OK : UM_ERR_MEMORY;
}
