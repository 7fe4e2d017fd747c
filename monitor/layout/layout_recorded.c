#include "monitor/layout/layout_recorded.h"

#include <stdbool.h>
#include <string.h>

#include "base/decimal.h"

#define TIMES (UINT64_MAX >> 3) /* as um_layout_event can hold them */

/* The next word of a line, which gets its end; NULL: there is none. */
static char *next_word(char **line)
{
    char *word = *line + strspn(*line, " \t");
    if (!*word)
        return NULL;
    *line = word + strcspn(word, " \t");
    if (**line)
        *(*line)++ = '\0';
    return word;
}

static unsigned digit_of(char character)
{
    if (character >= '0' && character <= '9')
        return (unsigned)(character - '0');
    if (character >= 'a' && character <= 'f')
        return (unsigned)(character - 'a' + 10);
    return character >= 'A' && character <= 'F' ? (unsigned)(character - 'A' + 10) : 16;
}

/* Reads a word that is a whole number and no more. */
static bool read_whole(const char *word, uint64_t *value)
{
    unsigned base = word[0] == '0' && word[1] == 'x' ? 16 : 10;
    uint64_t number = 0;
    if (base == 16)
        word += 2;
    if (!*word)
        return false;
    for (; *word; word++) {
        unsigned digit = digit_of(*word);
        if (digit >= base || number > (UINT64_MAX - digit) / base)
            return false;
        number = number * base + digit;
    }
    *value = number;
    return true;
}

static bool read_real(const char *word, double *value)
{
    bool is_negative = *word == '-';
    const char *end = um_decimal_read(word + is_negative, value);
    if (!end || *end)
        return false;
    *value = is_negative ? -*value : *value;
    return true;
}

/* Reads `name=value`. */
static bool read_field(struct um_layout_recorded *recorded, char *word,
                       struct um_layout_event *event)
{
    char *value = strchr(word, '=');
    uint64_t whole;
    double real;
    if (!value || value == word)
        return false;
    *value++ = '\0';
    enum um_layout_event_field field = um_layout_event_field(word);
    recorded->fields += field == UM_LAYOUT_EVENT_NO_FIELD;
    if (read_whole(value, &whole))
        um_layout_event_whole(event, field, whole);
    else if (field != UM_LAYOUT_EVENT_ELEMENT && read_real(value, &real))
        um_layout_event_real(event, field, real);
    else
        return field == UM_LAYOUT_EVENT_NO_FIELD; /* texts may stand there */
    return true;
}

static enum um_status read_event(struct um_layout_recorded *recorded, char *line,
                                 struct um_layout_event *event)
{
    uint64_t time_ns, thread;
    char *word = next_word(&line);
    if (!word || !read_whole(word, &time_ns) || time_ns > TIMES)
        return UM_ERR_FORMAT;
    word = next_word(&line);
    if (!word || !read_whole(word, &thread) || thread > UINT32_MAX)
        return UM_ERR_FORMAT;
    word = next_word(&line);
    if (!word)
        return UM_ERR_FORMAT;
    um_layout_event_init(event, time_ns, (uint32_t)thread);
    event->kind = (uint8_t)um_layout_event_name(word);
    while ((word = next_word(&line)))
        if (!read_field(recorded, word, event))
            return UM_ERR_FORMAT;
    return UM_OK;
}

/* Copies the next line without its end. Errors: as um_layout_recorded_next. */
static enum um_status next_line(struct um_layout_recorded *recorded,
                                char line[UM_LAYOUT_RECORDED_LINE_BYTES + 1])
{
    const char *begin = recorded->text + recorded->at;
    size_t left = recorded->len_bytes - recorded->at;
    if (left == 0)
        return UM_ERR_CLOSED;
    const char *end = memchr(begin, '\n', left);
    size_t len = end ? (size_t)(end - begin) : left;
    recorded->at += len + (end ? 1 : 0);
    recorded->line++;
    len -= len > 0 && begin[len - 1] == '\r';
    if (len > UM_LAYOUT_RECORDED_LINE_BYTES)
        return UM_ERR_TOO_LARGE;
    memcpy(line, begin, len);
    line[len] = '\0';
    return memchr(line, '\0', len) ? UM_ERR_FORMAT : UM_OK;
}

enum um_status um_layout_recorded_next(struct um_layout_recorded *recorded,
                                       struct um_layout_event *event)
{
    char line[UM_LAYOUT_RECORDED_LINE_BYTES + 1];
    enum um_status status;
    do {
        status = next_line(recorded, line);
        if (status != UM_OK)
            return status;
    } while (line[0] == '#' || line[strspn(line, " \t")] == '\0');
    return read_event(recorded, line, event);
}
