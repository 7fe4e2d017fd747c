#include "monitor/doctor/findings.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/base/text_wrap.h"
#include "monitor/base/utf8.h"

#define SCHEMA 1
#define ABOUT_COLUMN 19 /* two after the longest verdict, "works otherwise" */
#define TEXT_COLUMN 44

static const char *const verdict_words[] = {
    [UM_FINDING_OK] = "ok",
    [UM_FINDING_OTHERWISE] = "works otherwise",
    [UM_FINDING_FAILS] = "DOES NOT WORK",
    [UM_FINDING_UNKNOWN] = "not known",
};

static const char *const verdict_names[] = {
    [UM_FINDING_OK] = "ok",
    [UM_FINDING_OTHERWISE] = "otherwise",
    [UM_FINDING_FAILS] = "fails",
    [UM_FINDING_UNKNOWN] = "unknown",
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

/* A text that may hold anything, such as a window's title, made fit for a terminal. */
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
    fprintf(out, "  %-*s%-*s", ABOUT_COLUMN - 2, verdict_words[finding->verdict],
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

/* JSON ----------------------------------------------------------------------------------------- */

static bool add_text(cJSON *object, const char *name, const char *text)
{
    return !text || !text[0] || cJSON_AddStringToObject(object, name, text);
}

static bool add_number(cJSON *object, const char *name, double number)
{
    return cJSON_AddNumberToObject(object, name, number) != NULL;
}

static bool add_finding(cJSON *list, const struct um_finding *finding)
{
    cJSON *object = cJSON_CreateObject();
    if (!object || !cJSON_AddItemToArray(list, object)) {
        cJSON_Delete(object);
        return false;
    }
    bool whole = add_text(object, "id", finding->id) && add_text(object, "about", finding->about) &&
                 add_text(object, "verdict", verdict_names[finding->verdict]) &&
                 add_text(object, "text", finding->text) &&
                 add_text(object, "advice", finding->advice);
    if (finding->counted)
        whole = whole && add_number(object, "sent", (double)finding->sent) &&
                add_number(object, "seen_by_target", (double)finding->target) &&
                add_number(object, "seen_by_control", (double)finding->control);
    uint64_t p50_us = finding->p50_ns / 1000;
    return whole && (p50_us == 0 || add_number(object, "p50_ms", (double)p50_us / 1000));
}

enum um_status um_findings_json(const struct um_findings *findings,
                                const struct um_findings_header *header, char **out)
{
    cJSON *object = cJSON_CreateObject();
    bool whole = object && add_number(object, "schema", SCHEMA) &&
                 add_text(object, "uimon", UM_VERSION) &&
                 add_text(object, "machine", header->machine) &&
                 add_text(object, "system", header->system) &&
                 add_number(object, "processors", header->cpus) &&
                 add_text(object, "target", header->target) &&
                 cJSON_AddBoolToObject(object, "works", um_findings_good(findings));

    cJSON *list = whole ? cJSON_AddArrayToObject(object, "findings") : NULL;
    whole = list != NULL;
    for (size_t i = 0; whole && i < findings->count; i++)
        whole = add_finding(list, &findings->list[i]);
    *out = whole ? cJSON_Print(object) : NULL;
    cJSON_Delete(object);
    return *out ? UM_OK : UM_ERR_MEMORY;
}
