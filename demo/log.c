#include "demo/log.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A line is its first word and then these fields, a letter each. */
/* clang-format off */
static const struct {
    const char *word;
    const char *fields;
} lines[UM_DEMO_LOG_KIND_COUNT] = {
    [UM_DEMO_LOG_START] = {"start", "bptw"},
    [UM_DEMO_LOG_READY] = {"ready", "btw"},
    [UM_DEMO_LOG_WINDOW] = {"window", "btwn"},
    [UM_DEMO_LOG_GONE] = {"gone", "btwn"},
    [UM_DEMO_LOG_AWAY] = {"away", "bt"},
    [UM_DEMO_LOG_FREEZE] = {"freeze", "benqrmwto"},
    [UM_DEMO_LOG_BACK] = {"back", "bto"},
    [UM_DEMO_LOG_FLOOD] = {"flood", "beqkt"},
    [UM_DEMO_LOG_POOL] = {"pool", "bheqk"},
    [UM_DEMO_LOG_PAINT] = {"paint", "bet"},
    [UM_DEMO_LOG_NEST] = {"nest", "beqkt"},
    [UM_DEMO_LOG_PANE] = {"pane", "benqrht"},
    [UM_DEMO_LOG_PANES] = {"panes", "beqkt"},
    [UM_DEMO_LOG_MODAL] = {"modal", "bet"},
    [UM_DEMO_LOG_HIT] = {"hit", "bet"},
    [UM_DEMO_LOG_INPUT] = {"input", "bnct"},
    [UM_DEMO_LOG_ACT] = {"act", "nrhbet"},
    [UM_DEMO_LOG_RAW] = {"raw", "bkgn"},
    [UM_DEMO_LOG_STALL] = {"stall", "be"},
    [UM_DEMO_LOG_GAP] = {"gap", "lb"},
    [UM_DEMO_LOG_PLAYED] = {"played", "b"},
    [UM_DEMO_LOG_END] = {"end", "b"},
};
/* clang-format on */

enum type { SMALL, SMALL_HEX, LARGE, LARGE_HEX, TEXT }; /* uint32_t, uint64_t, char[] */

static const struct field {
    char letter;
    enum type type;
    size_t offset; /* in the event */
} fields[] = {
#define AT(name) offsetof(struct um_demo_log_event, name)
    {'p', SMALL, AT(pid)},          {'t', SMALL, AT(tid)},          {'m', SMALL_HEX, AT(message)},
    {'q', SMALL, AT(requested_ms)}, {'b', LARGE, AT(begin_ns)},     {'e', LARGE, AT(end_ns)},
    {'l', LARGE, AT(length_ns)},    {'r', LARGE, AT(retrieved_ns)}, {'o', LARGE, AT(posted_ns)},
    {'h', LARGE, AT(handled_ns)},   {'w', LARGE_HEX, AT(hwnd)},     {'k', LARGE, AT(count)},
    {'g', LARGE, AT(tagged)},       {'n', TEXT, AT(name)},          {'c', TEXT, AT(class_name)},
};

static const struct field *find_field(char letter)
{
    const struct field *field = fields;
    while (field->letter != letter)
        field++;
    return field;
}

static bool is_hex(const struct field *field)
{
    return field->type == SMALL_HEX || field->type == LARGE_HEX;
}

/* A name becomes one word. */
static void put_word(const char *text, char *word)
{
    size_t len = 0;
    for (; text[len] && len < UM_DEMO_LOG_NAME_BYTES - 1; len++) {
        unsigned char c = (unsigned char)text[len];
        word[len] = c <= ' ' || c == 0x7f ? '_' : (char)c;
    }
    if (len == 0)
        word[len++] = '-';
    word[len] = '\0';
}

static int put_field(const struct um_demo_log_event *event, char letter, char *out,
                     size_t cap_bytes)
{
    const struct field *field = find_field(letter);
    const void *at = (const char *)event + field->offset;
    if (field->type == TEXT) {
        char word[UM_DEMO_LOG_NAME_BYTES];
        put_word(at, word);
        return snprintf(out, cap_bytes, " %s", word);
    }
    bool is_small = field->type < LARGE;
    uint64_t value = is_small ? *(const uint32_t *)at : *(const uint64_t *)at;
    return snprintf(out, cap_bytes, is_hex(field) ? " 0x%" PRIx64 : " %" PRIu64, value);
}

enum um_status um_demo_log_format(const struct um_demo_log_event *event, char *line,
                                  size_t cap_bytes, size_t *len_bytes)
{
    if ((unsigned)event->kind >= UM_DEMO_LOG_KIND_COUNT)
        return UM_ERR_ARG;
    size_t len = strlen(lines[event->kind].word);
    if (len >= cap_bytes)
        return UM_ERR_TOO_LARGE;
    memcpy(line, lines[event->kind].word, len + 1);
    for (const char *field = lines[event->kind].fields; *field; field++) {
        len += (size_t)put_field(event, *field, line + len, cap_bytes - len);
        if (len >= cap_bytes)
            return UM_ERR_TOO_LARGE;
    }
    if (len + 1 >= cap_bytes)
        return UM_ERR_TOO_LARGE;
    line[len++] = '\n';
    line[len] = '\0';
    *len_bytes = len;
    return UM_OK;
}

/* Moves `text` behind its next word; NULL at the line's end. */
static const char *next_word(const char **text, size_t *len_bytes)
{
    const char *word = *text;
    while (*word == ' ')
        word++;
    *len_bytes = strcspn(word, " \r\n");
    *text = word + *len_bytes;
    return *len_bytes ? word : NULL;
}

static bool read_number(const char *word, size_t len_bytes, bool hex, uint64_t *value)
{
    if (hex && (len_bytes < 3 || word[0] != '0' || word[1] != 'x'))
        return false;
    const uint64_t base = hex ? 16 : 10;
    uint64_t number = 0;
    for (size_t i = hex ? 2 : 0; i < len_bytes; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = memchr(digits, word[i], (size_t)base);
        if (!digit || number > (UINT64_MAX - 15) / base)
            return false;
        number = number * base + (uint64_t)(digit - digits);
    }
    *value = number;
    return true;
}

static bool read_field(struct um_demo_log_event *event, char letter, const char *word,
                       size_t len_bytes)
{
    const struct field *field = find_field(letter);
    void *at = (char *)event + field->offset;
    uint64_t value;
    if (field->type == TEXT) {
        bool fits = len_bytes < UM_DEMO_LOG_NAME_BYTES;
        if (fits && !(len_bytes == 1 && word[0] == '-'))
            memcpy(at, word, len_bytes); /* the event is zeroed, so a NUL follows */
        return fits;
    }
    if (!read_number(word, len_bytes, is_hex(field), &value))
        return false;
    if (field->type >= LARGE)
        *(uint64_t *)at = value;
    else if (value <= UINT32_MAX)
        *(uint32_t *)at = (uint32_t)value;
    return field->type >= LARGE || value <= UINT32_MAX;
}

enum um_status um_demo_log_parse(const char *line, struct um_demo_log_event *event)
{
    size_t len;
    const char *word = next_word(&line, &len);
    if (!word)
        return UM_ERR_FORMAT;
    unsigned kind = 0;
    while (kind < UM_DEMO_LOG_KIND_COUNT &&
           (strlen(lines[kind].word) != len || memcmp(lines[kind].word, word, len) != 0))
        kind++;
    if (kind == UM_DEMO_LOG_KIND_COUNT)
        return UM_ERR_UNSUPPORTED;
    struct um_demo_log_event found = {.kind = (enum um_demo_log_kind)kind};
    for (const char *field = lines[kind].fields; *field; field++) {
        word = next_word(&line, &len);
        if (!word || !read_field(&found, *field, word, len))
            return UM_ERR_FORMAT;
    }
    *event = found;
    return UM_OK;
}
