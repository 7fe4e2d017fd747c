#include "demo/log.h"

#include <inttypes.h>
#include <stdbool.h>
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
    [UM_DEMO_LOG_FREEZE] = {"freeze", "benqrmwto"},
    [UM_DEMO_LOG_BACK] = {"back", "bto"},
    [UM_DEMO_LOG_FLOOD] = {"flood", "beqkt"},
    [UM_DEMO_LOG_POOL] = {"pool", "bheqk"},
    [UM_DEMO_LOG_PAINT] = {"paint", "bet"},
    [UM_DEMO_LOG_NEST] = {"nest", "beqkt"},
    [UM_DEMO_LOG_MODAL] = {"modal", "bet"},
    [UM_DEMO_LOG_INPUT] = {"input", "bnct"},
    [UM_DEMO_LOG_ACT] = {"act", "nrhbet"},
    [UM_DEMO_LOG_RAW] = {"raw", "bkgn"},
    [UM_DEMO_LOG_STALL] = {"stall", "be"},
    [UM_DEMO_LOG_GAP] = {"gap", "lb"},
    [UM_DEMO_LOG_PLAYED] = {"played", "b"},
    [UM_DEMO_LOG_END] = {"end", "b"},
};
/* clang-format on */

static uint32_t *small_field(struct um_demo_log_event *event, char field)
{
    switch (field) {
    case 'p':
        return &event->pid;
    case 't':
        return &event->tid;
    case 'm':
        return &event->message;
    case 'q':
        return &event->requested_ms;
    default:
        return NULL;
    }
}

static uint64_t *large_field(struct um_demo_log_event *event, char field)
{
    switch (field) {
    case 'b':
        return &event->begin_ns;
    case 'e':
        return &event->end_ns;
    case 'l':
        return &event->length_ns;
    case 'r':
        return &event->retrieved_ns;
    case 'o':
        return &event->posted_ns;
    case 'h':
        return &event->handled_ns;
    case 'w':
        return &event->hwnd;
    case 'k':
        return &event->count;
    case 'g':
        return &event->tagged;
    default:
        return NULL;
    }
}

static bool is_hex(char field)
{
    return field == 'm' || field == 'w';
}

static bool is_text(char field)
{
    return field == 'n' || field == 'c';
}

static char *text_field(struct um_demo_log_event *event, char field)
{
    return field == 'n' ? event->name : event->class_name;
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

static int put_field(struct um_demo_log_event *event, char field, char *out, size_t cap_bytes)
{
    if (is_text(field)) {
        char word[UM_DEMO_LOG_NAME_BYTES];
        put_word(text_field(event, field), word);
        return snprintf(out, cap_bytes, " %s", word);
    }
    const uint32_t *small = small_field(event, field);
    uint64_t value = small ? *small : *large_field(event, field);
    if (is_hex(field))
        return snprintf(out, cap_bytes, " 0x%" PRIx64, value);
    return snprintf(out, cap_bytes, " %" PRIu64, value);
}

enum um_status um_demo_log_format(const struct um_demo_log_event *event, char *line,
                                  size_t cap_bytes, size_t *len_bytes)
{
    if ((unsigned)event->kind >= UM_DEMO_LOG_KIND_COUNT)
        return UM_ERR_ARG;
    struct um_demo_log_event copy = *event;
    size_t len = strlen(lines[event->kind].word);
    if (len >= cap_bytes)
        return UM_ERR_TOO_LARGE;
    memcpy(line, lines[event->kind].word, len + 1);
    for (const char *field = lines[event->kind].fields; *field; field++) {
        len += (size_t)put_field(&copy, *field, line + len, cap_bytes - len);
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

static bool read_field(struct um_demo_log_event *event, char field, const char *word,
                       size_t len_bytes)
{
    if (is_text(field)) {
        if (len_bytes >= UM_DEMO_LOG_NAME_BYTES)
            return false;
        if (len_bytes == 1 && word[0] == '-')
            len_bytes = 0;
        memcpy(text_field(event, field), word, len_bytes);
        text_field(event, field)[len_bytes] = '\0';
        return true;
    }
    uint64_t value;
    if (!read_number(word, len_bytes, is_hex(field), &value))
        return false;
    uint32_t *small = small_field(event, field);
    if (small && value > UINT32_MAX)
        return false;
    if (small)
        *small = (uint32_t)value;
    else
        *large_field(event, field) = value;
    return true;
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
