#include "monitor/layout/layout_rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/plain/text.h"
#include "base/text_file.h"
#include "base/utf8.h"

#define BLANKS " \t"

enum kind { KIND_CLASS, KIND_TEXT, KIND_ID, KINDS };

static const char *const words[KINDS] = {"class", "text", "id"};

struct rule {
    enum kind kind;
    uint32_t id;
    char value[UM_WIRE_LAYOUT_TEXT_BYTES];
    char name[UM_WIRE_LAYOUT_TEXT_BYTES];
};

struct um_layout_rules {
    struct rule *list;
    size_t count;
    size_t room;
};

static char *trim(char *text)
{
    text += strspn(text, BLANKS);
    size_t len = strlen(text);
    while (len > 0 && strchr(BLANKS, text[len - 1]))
        len--;
    text[len] = '\0';
    return text;
}

/* Ends a line where a comment begins: at a '#' at its begin or after a blank. In "class:#32770" it
 * begins none. */
static void cut_comment(char *line)
{
    for (char *at = line; *at != '\0'; at++)
        if (*at == '#' && (at == line || strchr(BLANKS, at[-1])))
            *at = '\0';
}

/* The name behind the last " = ", which ends what is before it; NULL: there is none. */
static char *split_name(char *line)
{
    char *found = NULL;
    for (char *at = line; *at != '\0'; at++)
        if (*at == '=' && at > line && strchr(BLANKS, at[-1]) &&
            (at[1] == '\0' || strchr(BLANKS, at[1])))
            found = at;
    if (!found)
        return NULL;
    *found = '\0';
    return trim(found + 1);
}

/* Controls without a number of their own often have -1. */
static bool read_id(const char *text, uint32_t *id)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || number < INT32_MIN || number > UINT32_MAX)
        return false;
    *id = (uint32_t)number;
    return true;
}

/* False, with what is wrong in `wrong`. */
static bool read_rule(char *line, struct rule *rule, char *wrong, size_t wrong_cap)
{
    char *name = split_name(line);
    char *colon = strchr(line, ':');
    size_t kind = 0;
    if (colon)
        *colon = '\0';
    while (kind < KINDS && (!colon || !um_utf8_equal(trim(line), words[kind])))
        kind++;
    if (kind == KINDS) {
        snprintf(wrong, wrong_cap, "a rule begins with class:, text: or id:, and this with '%s'",
                 um_utf8_show(trim(line), 40).text);
        return false;
    }
    const char *value = trim(colon + 1);
    rule->kind = (enum kind)kind;
    um_text_set(rule->value, sizeof rule->value, value);
    um_text_set(rule->name, sizeof rule->name, name);
    if (*value == '\0')
        snprintf(wrong, wrong_cap, "there is nothing behind '%s:'", words[kind]);
    else if (name && *name == '\0')
        snprintf(wrong, wrong_cap, "there is no name behind the '='");
    else if (kind == KIND_ID && !read_id(value, &rule->id))
        snprintf(wrong, wrong_cap, "id:%s: this is not a whole number of 32 bits",
                 um_utf8_show(value, 40).text);
    return *wrong == '\0';
}

/* Takes a line; UM_OK also if it has no rule. `wrong` is empty but for UM_ERR_FORMAT. */
static enum um_status take_line(struct um_layout_rules *rules, const char *text, size_t len_bytes,
                                char *wrong, size_t wrong_cap)
{
    char line[UM_LAYOUT_RULES_MAX_LINE_BYTES + 1];
    if (len_bytes > UM_LAYOUT_RULES_MAX_LINE_BYTES) {
        snprintf(wrong, wrong_cap, "the line is longer than %d bytes",
                 UM_LAYOUT_RULES_MAX_LINE_BYTES);
        return UM_ERR_FORMAT;
    }
    if (!um_utf8_valid(text, len_bytes)) {
        snprintf(wrong, wrong_cap, "the text is not UTF-8; save the file as UTF-8");
        return UM_ERR_FORMAT;
    }
    memcpy(line, text, len_bytes);
    line[len_bytes] = '\0';
    cut_comment(line);
    if (*trim(line) == '\0')
        return UM_OK;
    if (rules->count == UM_LAYOUT_RULES_MOST) {
        snprintf(wrong, wrong_cap, "there are more than %d rules", UM_LAYOUT_RULES_MOST);
        return UM_ERR_FORMAT;
    }
    if (!um_list_reserve(&rules->list, &rules->room, rules->count + 1, UM_LAYOUT_RULES_MOST,
                         sizeof rules->list[0]))
        return UM_ERR_MEMORY;
    return read_rule(line, &rules->list[rules->count++], wrong, wrong_cap) ? UM_OK : UM_ERR_FORMAT;
}

enum um_status um_layout_rules_open(const char *text, size_t len_bytes, const char *name,
                                    struct um_layout_rules **out, char *error, size_t error_cap)
{
    struct um_text_file_lines lines = um_text_file_lines(text, len_bytes);
    struct um_layout_rules *rules = calloc(1, sizeof *rules);
    enum um_status status = rules ? UM_OK : UM_ERR_MEMORY;
    const char *line;
    size_t len;
    char wrong[512] = "";
    while (status == UM_OK && um_text_file_next_line(&lines, &line, &len))
        status = take_line(rules, line, len, wrong, sizeof wrong);
    if (status == UM_OK) {
        *out = rules;
        return UM_OK;
    }
    if (status == UM_ERR_FORMAT)
        snprintf(error, error_cap, "%s:%lu: %s", um_utf8_show_path(name).text, lines.number, wrong);
    else
        snprintf(error, error_cap, "%s: %s", um_utf8_show_path(name).text, um_status_text(status));
    um_layout_rules_close(rules);
    return status;
}

void um_layout_rules_close(struct um_layout_rules *rules)
{
    if (!rules)
        return;
    free(rules->list);
    free(rules);
}

static bool fits(const struct rule *rule, const struct um_layout_window *window)
{
    switch (rule->kind) {
    case KIND_CLASS:
        return um_utf8_equal(window->window_class, rule->value);
    case KIND_TEXT:
        return um_utf8_contains(window->text, rule->value);
    default:
        return window->has_id && window->id == rule->id;
    }
}

const char *um_layout_rules_find(const struct um_layout_rules *rules,
                                 const struct um_layout_window *window)
{
    for (size_t i = 0; i < rules->count; i++)
        if (fits(&rules->list[i], window))
            return rules->list[i].name;
    return NULL;
}
