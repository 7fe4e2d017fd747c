#include "monitor/flows/flow_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/plain/clock.h"
#include "base/utf8.h"

#define REPLACED "\xef\xbf\xbd"
#define LISTED 5       /* flows in an error line */
#define MOST_DIGITS 32 /* of an id that is a number */
#define ZEROS "00000000000000000000000000000000"
#define MOST_MS ((double)UM_MARKERS_MOST_NS / 1e6)

const char *um_flow_names_ms(int64_t time_ns, char *text)
{
    bool negative = time_ns < 0;
    uint64_t ns = negative ? 0 - (uint64_t)time_ns : (uint64_t)time_ns;
    int len = snprintf(text, UM_FLOW_NAMES_MS_BYTES, "%s%" PRIu64 ".%06" PRIu64,
                       negative ? "-" : "", ns / UM_CLOCK_NS_PER_MS, ns % UM_CLOCK_NS_PER_MS);
    while (text[len - 1] == '0')
        len--;
    text[text[len - 1] == '.' ? len - 1 : len] = '\0';
    return text;
}

const char *um_flow_names_no(uint32_t flow, char *text)
{
    snprintf(text, UM_FLOW_NAMES_NO_BYTES, "n%" PRIu64, (uint64_t)flow + 1);
    return text;
}

/* The number of a short name, which is UINT32_MAX if it is larger; 0: it is none. */
static uint32_t read_no(const char *name)
{
    uint64_t number = 0;
    if (name[0] != 'n' || name[1] == '0' || name[1] == '\0')
        return 0;
    for (const char *at = name + 1; *at != '\0'; at++) {
        if (*at < '0' || *at > '9')
            return 0;
        number = 10 * number + (uint64_t)(*at - '0');
        number = number < UINT32_MAX ? number : UINT32_MAX;
    }
    return (uint32_t)number;
}

/* A time as it was written. */
struct when {
    int64_t at_ns;
    int64_t half_ns; /* half of its last digit */
};

/* Digit by digit: a double has too few of them for the nanoseconds of a year. */
static bool read_ms(const char *text, struct when *when)
{
    double ms;
    int64_t digit_ns = UM_CLOCK_NS_PER_MS, at_ns = 0;
    bool negative = *text == '-';
    const char *number = text + negative;
    const char *end = um_decimal_read(number, &ms);
    if (!end || *end != '\0' || ms > MOST_MS)
        return false;
    for (; *number >= '0' && *number <= '9'; number++)
        at_ns = 10 * at_ns + (*number - '0') * (int64_t)UM_CLOCK_NS_PER_MS;
    for (number += *number == '.'; *number != '\0'; number++) {
        digit_ns /= 10;
        at_ns += (*number - '0') * digit_ns;
    }
    when->at_ns = negative ? -at_ns : at_ns;
    when->half_ns = digit_ns / 2;
    return true;
}

/* What follows the zeros at the begin of a hexadecimal number; NULL if there is nothing at all. */
static const char *digits_of(const char *id)
{
    const char *digits = id + (id[0] == '0' && (id[1] == 'x' || id[1] == 'X') ? 2 : 0);
    if (*digits == '\0')
        return NULL;
    while (*digits == '0')
        digits++;
    return digits;
}

/* Quickly, because all ids of the file are looked at. */
static bool are_same_digits(const char *a, const char *b)
{
    while (*a != '\0' && (*a == *b || (*a > '9' && *b > '9' && (*a | 0x20) == (*b | 0x20))))
        a++, b++;
    return *a == *b;
}

/* Adds an id to what was found. False if it is another one than before. */
static bool take_found(uint32_t number, uint32_t *found)
{
    bool is_other = number != UM_TEXTS_NONE && *found != UM_TEXTS_NONE && number != *found;
    *found = number != UM_TEXTS_NONE ? number : *found;
    return !is_other;
}

/* Looks for the number as ids are written: in small or capital letters, with zeros before it or
 * not, with "0x" or not. Zero has no digits but those zeros. False if there are several. */
static bool find_written(const struct um_markers *markers, const char *digits, uint32_t *found)
{
    static const char *const starts[] = {"", "0x", "0X"};
    char id[MOST_DIGITS + 3];
    size_t len = strlen(digits);
    for (size_t zeros = len == 0; zeros + len <= MOST_DIGITS; zeros++)
        for (size_t start = 0; start < sizeof starts / sizeof starts[0]; start++)
            for (int big = 0; big < 2; big++) {
                int at = snprintf(id, sizeof id, "%s%.*s", starts[start], (int)zeros, ZEROS);
                for (size_t i = 0; i <= len; i++) {
                    bool is_letter = digits[i] > '9';
                    id[(size_t)at + i] = (char)(is_letter && big ? digits[i] & ~0x20
                                                : is_letter      ? digits[i] | 0x20
                                                                 : digits[i]);
                }
                if (!take_found(um_texts_find(&markers->flow_ids, id), found))
                    return false;
            }
    return true;
}

/* The only id that is the same number. All are looked at only where none is written as usual. */
static uint32_t find_number(const struct um_markers *markers, const char *id)
{
    const char *digits = digits_of(id);
    uint32_t found = UM_TEXTS_NONE;
    if (!digits || digits[strspn(digits, "0123456789abcdefABCDEF")] != '\0')
        return UM_TEXTS_NONE;
    if (!find_written(markers, digits, &found))
        return UM_TEXTS_NONE;
    if (found != UM_TEXTS_NONE)
        return found;
    for (uint32_t i = 0; i < markers->flow_ids.count; i++) {
        const char *other = digits_of(um_texts_get(&markers->flow_ids, i));
        if (!other || !are_same_digits(digits, other))
            continue;
        if (found != UM_TEXTS_NONE)
            return UM_TEXTS_NONE;
        found = i;
    }
    return found;
}

/* The only id that is shown so: instead of what a terminal must not get it has U+FFFD. */
static uint32_t find_shown(const struct um_markers *markers, const char *shown)
{
    uint32_t found = UM_TEXTS_NONE;
    if (!strstr(shown, REPLACED))
        return UM_TEXTS_NONE;
    for (uint32_t i = 0; i < markers->flow_ids.count; i++)
        if (strcmp(um_utf8_show_path(um_texts_get(&markers->flow_ids, i)).text, shown) == 0 &&
            !take_found(i, &found))
            return UM_TEXTS_NONE;
    return found;
}

/* The id of which `text` has so many bytes; UM_TEXTS_NONE if no marker mentions it. */
static uint32_t find_id(const struct um_markers *markers, const char *text, size_t len_bytes)
{
    char *id = malloc(len_bytes + 1);
    if (!id)
        return UM_TEXTS_NONE;
    memcpy(id, text, len_bytes);
    id[len_bytes] = '\0';
    uint32_t number = um_texts_find(&markers->flow_ids, id);
    if (number == UM_TEXTS_NONE)
        number = find_number(markers, id);
    if (number == UM_TEXTS_NONE)
        number = find_shown(markers, id);
    free(id);
    return number;
}

/* "from 1.5 to 3, from 7 to 9.25 ms and 3 more times"; "from 8 on" where the end was not seen. */
static void list_times(const struct um_flows *flows, const uint32_t *list, size_t count, char *text,
                       size_t cap)
{
    char from[UM_FLOW_NAMES_MS_BYTES], to[UM_FLOW_NAMES_MS_BYTES];
    size_t len = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && i < LISTED && len < cap; i++) {
        const struct um_flow *flow = &flows->list[list[i]];
        bool is_open = um_flows_is_open(flows, list[i]);
        len += (size_t)snprintf(text + len, cap - len, "%sfrom %s %s%s", i ? ", " : "",
                                um_flow_names_ms(flow->start_ns, from), is_open ? "on" : "to ",
                                is_open ? "" : um_flow_names_ms(flow->end_ns, to));
    }
    if (len < cap)
        len += (size_t)snprintf(text + len, cap - len, " ms");
    if (count > LISTED && len < cap)
        snprintf(text + len, cap - len, " and %zu more times", count - LISTED);
}

static bool refuse(const struct um_flows *flows, const struct um_markers *markers, uint32_t id,
                   const char *why, char *error, size_t cap)
{
    char times[512];
    size_t count;
    const uint32_t *list = um_flows_of_id(flows, id, &count);
    struct um_utf8_shown shown = um_utf8_show_path(um_texts_get(&markers->flow_ids, id));
    list_times(flows, list, count, times, sizeof times);
    snprintf(error, cap, "%s; %s lasts %s", why, shown.text, times);
    return false;
}

/* Finds a flow by its short name. */
static bool find_no(const struct um_flows *flows, uint32_t number, uint32_t *flow, char *error,
                    size_t cap)
{
    if (number <= flows->count) {
        *flow = number - 1;
        return true;
    }
    if (flows->count == 0)
        snprintf(error, cap, "the file has no flows");
    else
        snprintf(error, cap, "the file has the flows n1 to n%zu", flows->count);
    return false;
}

bool um_flow_names_find(const struct um_flows *flows, const struct um_markers *markers,
                        const char *name, uint32_t *flow, char *error, size_t cap_bytes)
{
    /* An id may have a semicolon itself. */
    bool is_id = um_texts_find(&markers->flow_ids, name) != UM_TEXTS_NONE;
    const char *semicolon = is_id ? NULL : strrchr(name, ';');
    struct when when = {0, 0};
    size_t count;
    if (semicolon && !read_ms(semicolon + 1, &when)) {
        snprintf(error, cap_bytes,
                 "what follows the semicolon is no time; write ID;MS, with milliseconds from the "
                 "begin");
        return false;
    }
    uint32_t id = find_id(markers, name, semicolon ? (size_t)(semicolon - name) : strlen(name));
    uint32_t no = id == UM_TEXTS_NONE ? read_no(name) : 0;
    if (no != 0)
        return find_no(flows, no, flow, error, cap_bytes);
    if (id == UM_TEXTS_NONE) {
        snprintf(error, cap_bytes,
                 "no marker mentions such a flow; uimon flows FILE lists all that there are");
        return false;
    }
    const uint32_t *list = um_flows_of_id(flows, id, &count);
    if (!semicolon && count != 1)
        return refuse(flows, markers, id, "say which one, as ID;MS", error, cap_bytes);
    uint32_t found = semicolon ? um_flows_at(flows, id, when.at_ns, when.at_ns) : list[0];
    if (found == UM_FLOWS_NONE)
        found = um_flows_at(flows, id, when.at_ns - when.half_ns, when.at_ns + when.half_ns);
    if (found == UM_FLOWS_NONE)
        return refuse(flows, markers, id, "none lasts at that time", error, cap_bytes);
    *flow = found;
    return true;
}
