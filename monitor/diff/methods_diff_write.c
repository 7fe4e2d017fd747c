/* Writes what methods_diff.h has found, as text and as JSON. */
#include <inttypes.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/utf8.h"
#include "monitor/diff/methods_diff.h"

#define COLUMNS 80
#define SHOWN 20
#define SHOWN_TIMES 10
#define LISTED 1000
#define NUMBER_BYTES 32
#define NAME_BYTES (UM_WIRE_METHOD_NAME_BYTES + UM_WIRE_METHOD_MODULE_BYTES + 4)
#define LINE_BYTES 160

/* Text ----------------------------------------------------------------------------------------- */

/* "2,692,537", behind what is in front of it. */
static void format_count(uint64_t count, const char *sign, char buf[NUMBER_BYTES])
{
    char digits[NUMBER_BYTES];
    size_t len = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, count);
    size_t used = (size_t)snprintf(buf, NUMBER_BYTES, "%s", sign);
    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            buf[used++] = ',';
        buf[used++] = digits[i];
    }
    buf[used] = '\0';
}

static void write_named(FILE *out, const char *numbers, const struct um_methods_diff_row *row)
{
    char name[NAME_BYTES], fitted[NAME_BYTES];
    size_t used = um_utf8_columns(numbers);
    (void)snprintf(name, sizeof name, "%s%s%s", row->name[0] != '\0' ? row->name : "(no name)",
                   row->module[0] != '\0' ? ", " : "", row->module);
    (void)um_utf8_fit(name, COLUMNS > used ? COLUMNS - used : 1, fitted, sizeof fitted);
    fprintf(out, "%s%s\n", numbers, fitted);
}

static void write_calls(FILE *out, const struct um_methods_diff_row *row)
{
    char calls[2][NUMBER_BYTES] = {"-", "-"}, change[NUMBER_BYTES], numbers[LINE_BYTES];
    uint64_t before = row->costs[0].calls, after = row->costs[1].calls;
    for (int side = 0; side < 2; side++)
        if (row->known[side])
            format_count(row->costs[side].calls, "", calls[side]);
    if (row->known[0] && row->known[1])
        format_count(after > before ? after - before : before - after, after > before ? "+" : "-",
                     change);
    else
        (void)snprintf(change, sizeof change, row->known[0] ? "only before" : "only after");
    (void)snprintf(numbers, sizeof numbers, "%11s → %-11s %12s  ", calls[0], calls[1], change);
    write_named(out, numbers, row);
}

static bool has_other_calls(const struct um_methods_diff_row *row)
{
    return !row->known[0] || !row->known[1] || row->costs[0].calls != row->costs[1].calls;
}

static const char *const sides[] = {"before", "after"};

static void write_all_calls(FILE *out, const struct um_methods_diff *diff)
{
    size_t changed = 0;
    while (changed < diff->count && has_other_calls(&diff->rows[changed]))
        changed++;
    fprintf(out, "\nCalls of managed methods%s\n",
            diff->sides[0].is_exact && diff->sides[1].is_exact ? ", exact" : "");
    for (int side = 0; side < 2; side++)
        if (!diff->sides[side].is_exact)
            fprintf(out, "calls may be missing %s, as `uimon report` says\n", sides[side]);
    if (changed > 0)
        fprintf(out, "%11s → %-11s %12s\n", "before", "after", "change");
    for (size_t i = 0; i < changed && i < SHOWN; i++)
        write_calls(out, &diff->rows[i]);
    if (changed > SHOWN)
        fprintf(out, "and %zu more\n", changed - SHOWN);
    size_t same = diff->count - changed + diff->same;
    fprintf(out, "%zu method%s called as often as before\n", same, same == 1 ? " was" : "s were");
}

static void write_time(FILE *out, const struct um_methods_diff_row *row)
{
    char numbers[LINE_BYTES];
    double before_us = um_methods_diff_call_ns(&row->costs[0]) / 1e3;
    double after_us = um_methods_diff_call_ns(&row->costs[1]) / 1e3;
    (void)snprintf(numbers, sizeof numbers, "%11.3f → %-11.3f %+12.3f  ", before_us, after_us,
                   after_us - before_us);
    write_named(out, numbers, row);
}

/* Finds the rows with the greatest weights, in descending order. Returns how many. */
static size_t find_heaviest(const struct um_methods_diff *diff,
                            const struct um_methods_diff_row *list[SHOWN_TIMES])
{
    size_t len = 0;
    for (size_t i = 0; i < diff->count; i++) {
        const struct um_methods_diff_row *row = &diff->rows[i];
        double weight = um_methods_diff_weight(row);
        size_t place = len;
        if (!(weight > 0))
            continue;
        while (place > 0 && weight > um_methods_diff_weight(list[place - 1]))
            place--;
        if (place == SHOWN_TIMES)
            continue;
        len += len < SHOWN_TIMES;
        memmove(list + place + 1, list + place, (len - place - 1) * sizeof list[0]);
        list[place] = row;
    }
    return len;
}

static void write_times(FILE *out, const struct um_methods_diff *diff)
{
    const struct um_methods_diff_row *list[SHOWN_TIMES];
    size_t count = find_heaviest(diff, list);
    if (count == 0)
        return;
    fprintf(out, "\nSelf time of a call, as debugged, in µs; first what adds up to most. What two\n"
                 "sessions differ in by chance is in these numbers too.\n");
    fprintf(out, "%11s → %-11s %12s\n", "before", "after", "change");
    for (size_t i = 0; i < count; i++)
        write_time(out, list[i]);
}

void um_methods_diff_write_text(FILE *out, const struct um_methods_diff *diff)
{
    if (!diff->any)
        return;
    write_all_calls(out, diff);
    if (diff->has_times)
        write_times(out, diff);
}

/* JSON ----------------------------------------------------------------------------------------- */

static void put_costs(struct um_json *json, cJSON *object, const char *name, bool has_times,
                      const struct um_method_sums_costs *costs)
{
    cJSON *item = um_json_object(json, object, name);
    um_json_u64(json, item, "calls", costs->calls);
    if (!has_times)
        return;
    um_json_u64(json, item, "ended", costs->ended);
    if (costs->ended == 0)
        return;
    um_call_rows_put_ms(json, item, "wall_ms", costs->wall_ns);
    um_call_rows_put_ms(json, item, "self_ms", costs->self_ns);
    um_json_decimals(json, item, "self_us_per_call", um_methods_diff_call_ns(costs) / 1e3, 4);
}

void um_methods_diff_write_json(struct um_json *json, cJSON *root,
                                const struct um_methods_diff *diff)
{
    if (!diff->any)
        return;
    cJSON *object = um_json_object(json, root, "methods");
    um_json_number(json, object, "different", (double)diff->count);
    um_json_number(json, object, "same", (double)diff->same);
    um_json_bool(json, object, "exact", diff->sides[0].is_exact && diff->sides[1].is_exact);
    cJSON *list = um_json_array(json, object, "list");
    for (size_t i = 0; i < diff->count && i < LISTED && !json->failed; i++) {
        const struct um_methods_diff_row *row = &diff->rows[i];
        cJSON *item = um_json_append_object(json, list);
        um_json_text(json, item, "method", row->name);
        um_json_text(json, item, "module", row->module);
        for (int side = 0; side < 2; side++)
            if (row->known[side])
                put_costs(json, item, sides[side], diff->sides[side].has_times, &row->costs[side]);
    }
}
