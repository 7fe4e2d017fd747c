#include "monitor/compare/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/list.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "monitor/compare/compare_format.h"

#define NAME_BYTES 256
#define LIST_BYTES 240
#define SIGN_TEST_LEAST 6 /* with fewer runs no p is below 0.05 */

static const char *const blanks = " \t";

/* Copies a part of a text without the blanks at its ends. False if it does not fit. */
static bool copy_trimmed(const char *begin, const char *end, char *buf, size_t cap)
{
    while (begin < end && strchr(blanks, *begin))
        begin++;
    while (end > begin && strchr(blanks, end[-1]))
        end--;
    if ((size_t)(end - begin) >= cap)
        return false;
    memcpy(buf, begin, (size_t)(end - begin));
    buf[end - begin] = '\0';
    return true;
}

static bool find_statistic(const char *word, enum um_compare_statistic *out)
{
    for (size_t i = 0; i < UM_COMPARE_STATISTICS; i++) {
        if (strcmp(word, um_compare_statistic_name((enum um_compare_statistic)i)) == 0) {
            *out = (enum um_compare_statistic)i;
            return true;
        }
    }
    return false;
}

static bool find_quantity(const char *word, enum um_comparison_quantity *out)
{
    for (size_t i = 0; i < UM_COMPARISON_QUANTITIES; i++) {
        if (strcmp(word, um_comparison_quantity_name((enum um_comparison_quantity)i)) == 0) {
            *out = (enum um_comparison_quantity)i;
            return true;
        }
    }
    return false;
}

/* Splits statistic and quantity from the end; the rest is the name of the measure. A single word is
 * always the name of a measure. */
static bool parse_name(const char *name, struct um_limits_limit *out)
{
    char rest[NAME_BYTES];
    snprintf(rest, sizeof rest, "%s", name);
    char *dot = strrchr(rest, '.');
    if (dot && dot > rest && find_statistic(dot + 1, &out->statistic))
        *dot = '\0';
    dot = strrchr(rest, '.');
    if (dot && dot > rest && find_quantity(dot + 1, &out->quantity)) {
        out->has_quantity = true;
        *dot = '\0';
    }
    return copy_trimmed(rest, rest + strlen(rest), out->measure, sizeof out->measure) &&
           out->measure[0] != '\0';
}

static bool parse_bound(const char *text, struct um_limits_limit *out)
{
    text += strspn(text, blanks);
    bool more = *text == '+';
    text += more;
    text += strspn(text, blanks);
    text = um_decimal_read(text, &out->value);
    if (!text)
        return false;
    text += strspn(text, blanks);
    out->bound = more ? UM_LIMITS_MORE_MS : UM_LIMITS_ABSOLUTE;
    if (strcmp(text, "s") == 0)
        out->value *= 1000.0;
    else if (more && strcmp(text, "%") == 0)
        out->bound = UM_LIMITS_MORE_PERCENT;
    else if (strcmp(text, "ms") != 0)
        return false;
    return true;
}

enum um_status um_limits_parse(const char *text, struct um_limits_limit *out, char *error,
                               size_t error_cap)
{
    struct um_limits_limit made = {.text = text, .statistic = UM_COMPARE_P50};
    char name[NAME_BYTES];
    char bound[64];
    const char *equals = strrchr(text, '=');
    if (!equals || !copy_trimmed(text, equals, name, sizeof name) || !parse_name(name, &made)) {
        snprintf(error, error_cap,
                 "uimon: --fail-over %s: write a limit as a quantity, '=' and a bound, as in "
                 "typing.p90=+5%% or typing.p90=50ms",
                 um_utf8_show(text, 40).text);
        return UM_ERR_ARG;
    }
    if (!copy_trimmed(equals + 1, text + strlen(text), bound, sizeof bound) ||
        !parse_bound(bound, &made)) {
        snprintf(error, error_cap,
                 "uimon: --fail-over %s: after the '=' write +5%% or +2ms (above BEFORE) or 50ms "
                 "(at most)",
                 um_utf8_show(text, 40).text);
        return UM_ERR_ARG;
    }
    *out = made;
    return UM_OK;
}

/* Names ---------------------------------------------------------------------------------------- */

/* What is looked for, and where the error goes. */
struct naming {
    const char *option; /* "--fail-over" */
    const char *text;   /* what follows it */
    const struct um_limits_names *names;
    char *error;
    size_t error_cap;
};

static enum um_status not_found(const struct naming *naming, const char *what)
{
    snprintf(naming->error, naming->error_cap, "uimon: %s %s: %s", naming->option,
             um_utf8_show(naming->text, 40).text, what);
    return UM_ERR_NOT_FOUND;
}

/* Appends a word to a list of them. */
static void list_word(char *list, const char *word)
{
    size_t len = strlen(list);
    snprintf(list + len, LIST_BYTES - len, "%s%s", len > 0 ? ", " : "", word);
}

static const struct um_limits_measure *find_name(const struct um_limits_names *names,
                                                 const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->list[i].name, name) == 0)
            return &names->list[i];
    return NULL;
}

/* Says that a measure is there but has no such statistic or quantity, as in "typing.p9". */
static enum um_status refuse_word(const struct naming *naming, const char *measure,
                                  const char *word)
{
    const char *known[UM_COMPARE_STATISTICS + UM_COMPARISON_QUANTITIES + 1];
    char list[LIST_BYTES] = "";
    char what[LIST_BYTES + 256];
    size_t count = 0;
    for (size_t i = 0; i < UM_COMPARISON_QUANTITIES; i++)
        known[count++] = um_comparison_quantity_name((enum um_comparison_quantity)i);
    for (size_t i = 0; i < UM_COMPARE_STATISTICS; i++)
        known[count++] = um_compare_statistic_name((enum um_compare_statistic)i);
    known[count] = NULL;
    const char *near = um_nearest_find(word, known);
    for (size_t i = 0; i < count; i++)
        list_word(list, known[i]);
    snprintf(what, sizeof what, "%s has no '%s'%s%s%s (there are %s)", measure,
             um_utf8_show(word, 24).text, near ? "; did you mean '" : "", near ? near : "",
             near ? "'?" : "", list);
    return not_found(naming, what);
}

/* Says that there is no such measure. */
static enum um_status refuse_measure(const struct naming *naming, const char *name)
{
    const struct um_limits_names *names = naming->names;
    const char *known[UM_LIMITS_NAMES_MOST + 1] = {NULL};
    char list[LIST_BYTES] = "";
    char what[LIST_BYTES + 256];
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        char front[UM_RESULTS_NAME_BYTES];
        snprintf(front, sizeof front, "%.*s", (int)(dot - name), name);
        if (find_name(names, front))
            return refuse_word(naming, front, dot + 1);
    }
    for (size_t i = 0; i < names->count && i < UM_LIMITS_NAMES_MOST; i++) {
        known[i] = names->list[i].name;
        list_word(list, known[i]);
    }
    const char *near = um_nearest_find(name, known);
    snprintf(what, sizeof what, "there is no measure '%s'%s%s%s%s (there %s %s)%s",
             um_utf8_show(name, 24).text, names->where, near ? "; did you mean '" : "",
             near ? near : "", near ? "'?" : "", names->count == 1 ? "is" : "are",
             names->count > 0 ? list : "none",
             strcmp(name, UM_RESULTS_LAYOUT) == 0 ? "; --layout makes it" : "");
    return not_found(naming, what);
}

/* Says that the measure has no values of that quantity. */
static enum um_status refuse_quantity(const struct naming *naming,
                                      const struct um_limits_measure *measure,
                                      enum um_comparison_quantity quantity)
{
    char list[LIST_BYTES] = "";
    char what[LIST_BYTES + 256];
    size_t count = 0;
    for (int i = 0; i < UM_COMPARISON_QUANTITIES; i++) {
        if (!(measure->quantities & 1u << i))
            continue;
        list_word(list, um_comparison_quantity_name((enum um_comparison_quantity)i));
        count++;
    }
    snprintf(what, sizeof what, "%s has no '%s'%s; there %s %s", measure->name,
             um_comparison_quantity_name(quantity), naming->names->where, count == 1 ? "is" : "are",
             list);
    return not_found(naming, what);
}

/* Says that no measure has the quantity of a limit on all of them. */
static enum um_status refuse_all(const struct naming *naming, enum um_comparison_quantity quantity)
{
    char what[128];
    snprintf(what, sizeof what, "no measure%s has a '%s'", naming->names->where,
             um_comparison_quantity_name(quantity));
    return not_found(naming, what);
}

bool um_limits_is_relative(const struct um_limits_limit *limit)
{
    return limit->bound != UM_LIMITS_ABSOLUTE;
}

enum um_status um_limits_check_names(const struct um_limits_limit *limit,
                                     const struct um_limits_names *names, char *error,
                                     size_t error_cap)
{
    const struct naming naming = {"--fail-over", limit->text, names, error, error_cap};
    uint32_t quantity = 1u << limit->quantity;
    bool any = false;
    if (strcmp(limit->measure, "*") == 0) {
        for (size_t i = 0; i < names->count; i++)
            any = any || names->list[i].quantities & quantity;
        return any ? UM_OK : refuse_all(&naming, limit->quantity);
    }
    const struct um_limits_measure *measure = find_name(names, limit->measure);
    if (!measure)
        return refuse_measure(&naming, limit->measure);
    return measure->quantities & quantity ? UM_OK
                                          : refuse_quantity(&naming, measure, limit->quantity);
}

enum um_status um_limits_check_measure(const char *option, const char *measure,
                                       const struct um_limits_names *names, char *error,
                                       size_t error_cap)
{
    const struct naming naming = {option, measure, names, error, error_cap};
    return find_name(names, measure) ? UM_OK : refuse_measure(&naming, measure);
}

/* Checking ------------------------------------------------------------------------------------- */

/* What was found about a limit in one measure, before all answers are judged together. */
struct answer {
    struct um_limits_finding finding; /* its `line` still lacks the outcome and ": " */
    bool tested;                      /* the fields below decide the outcome */
    double p;                         /* of "AFTER is at the bound" */
    int sign;                         /* AFTER is above the bound (1) or below it (-1) */
    size_t runs;                      /* of the side that has fewer */
    double level;                     /* at which it was judged; 0: not yet */
};

struct answers {
    struct answer *list;
    size_t count, room;
};

struct check {
    const struct um_limits_limit *limit;
    const struct um_comparison *comparison;
    struct answers *answers;
    char *error;
    size_t error_cap;
};

/* The names of what was measured on at least one side. A limit relative to BEFORE that is on all
 * measures is only about those that BEFORE has. */
static enum um_status check_names(const struct check *check)
{
    struct um_limits_measure list[UM_LIMITS_NAMES_MOST];
    const struct um_comparison *comparison = check->comparison;
    const struct um_limits_names names = {list, comparison->measure_count, ""};
    bool all = strcmp(check->limit->measure, "*") == 0 && um_limits_is_relative(check->limit);
    for (size_t i = 0; i < comparison->measure_count; i++) {
        const struct um_comparison_measure *measure = &comparison->measures[i];
        list[i] = (struct um_limits_measure){.name = measure->name};
        for (size_t j = 0; j < measure->row_count; j++)
            if (!all || measure->rows[j].before->len > 0)
                list[i].quantities |= 1u << measure->rows[j].quantity;
    }
    return um_limits_check_names(check->limit, &names, check->error, check->error_cap);
}

/* "typing.delay.p98"; the quantity only if the limit names it. */
static void make_label(const struct um_limits_limit *limit, const char *measure, char *buf,
                       size_t cap)
{
    snprintf(buf, cap, "%s%s%s.%s", measure, limit->has_quantity ? "." : "",
             limit->has_quantity ? um_comparison_quantity_name(limit->quantity) : "",
             um_compare_statistic_name(limit->statistic));
}

/* "51.81 ms before, 56.09 ms after (+9.4 % in pairs, limit +5 %)". The change is the one that is
 * tested: in pairs, as the table above has it. */
static void describe_change(const struct um_limits_limit *limit, bool paired,
                            const struct um_compare_change *change, char *buf, size_t cap)
{
    bool percent = limit->bound == UM_LIMITS_MORE_PERCENT;
    struct um_compare_change shown = *change;
    shown.has_share = shown.has_share && percent;
    snprintf(buf, cap, "%.2f ms before, %.2f ms after (%s%s, limit +%g %s)", change->before,
             change->after, um_compare_format_change(&shown).text, paired ? " in pairs" : "",
             limit->value, percent ? "%" : "ms");
}

static void answer_too_few(struct answer *answer, const char *label, size_t runs, size_t least,
                           const char *where)
{
    answer->finding.outcome = UM_LIMITS_CANNOT_TELL;
    snprintf(answer->finding.line, sizeof answer->finding.line,
             "%s: %lu run%s too few; it takes at least %lu %s", label, (unsigned long)runs,
             runs == 1 ? " is" : "s are", (unsigned long)least, where);
}

/* Tests the runs with the statistic of the limit, not with the median as the verdict does: a limit
 * on p90 is there for changes that only the slowest tenth shows. */
static enum um_status check_relative(const struct check *check, const char *label,
                                     const struct um_comparison_row *row, struct answer *answer)
{
    const struct um_limits_limit *limit = check->limit;
    const struct um_compare_design *design = &check->comparison->design;
    bool percent = limit->bound == UM_LIMITS_MORE_PERCENT;
    double change = percent ? limit->value / 100.0 : limit->value;
    char shown[160];
    struct um_compare_runs runs = {0};
    struct um_compare_change found = {0};
    size_t least = um_compare_least_runs(design);
    enum um_status status =
        um_compare_take_runs(design, row->before, row->after, limit->statistic, &runs);
    if (status != UM_OK)
        return status;
    answer->runs = runs.before_len < runs.after_len ? runs.before_len : runs.after_len;
    answer->tested = answer->runs >= least;
    if (answer->tested)
        status = um_compare_against(design, &runs, percent ? UM_PAIRED_SHARE : UM_PAIRED_AMOUNT,
                                    change, &answer->p, &answer->sign);
    else
        answer_too_few(answer, label, answer->runs, least, "of each side");
    if (status == UM_OK && answer->tested)
        status = um_compare_find_change(design, row->before, row->after, limit->statistic, &runs,
                                        &found);
    um_compare_free_runs(&runs);
    if (status != UM_OK || !answer->tested)
        return status;
    describe_change(limit, design->paired, &found, shown, sizeof shown);
    snprintf(answer->finding.line, sizeof answer->finding.line, "%s: %s, p = %.2g", label, shown,
             answer->p);
    return UM_OK;
}

/* The two-sided chance that of `runs` tossed coins at most `fewer` show the same side. */
static double sign_test(size_t runs, size_t fewer)
{
    double chance = pow(0.5, (double)runs), sum = 0;
    for (size_t i = 0; i <= fewer; i++) {
        sum += chance;
        chance *= (double)(runs - i) / (double)(i + 1);
    }
    return fmin(1, 2 * sum);
}

/* Tests whether as many runs lie above the bound as below. A run at the bound counts as below. */
static enum um_status test_bound(const struct um_limits_limit *limit,
                                 const struct um_comparison_row *row, struct answer *answer)
{
    struct um_compare_runs runs = {0};
    size_t above = 0;
    enum um_status status = um_compare_take_runs(&um_compare_two_sittings, row->before, row->after,
                                                 limit->statistic, &runs);
    if (status != UM_OK)
        return status;
    for (size_t i = 0; i < runs.after_len; i++)
        above += runs.after[i] > limit->value;
    size_t below = runs.after_len - above;
    answer->runs = runs.after_len;
    answer->sign = (above > below) - (above < below);
    answer->p = sign_test(runs.after_len, above < below ? above : below);
    um_compare_free_runs(&runs);
    return UM_OK;
}

static enum um_status check_absolute(const struct check *check, const char *label,
                                     const struct um_comparison_row *row, struct answer *answer)
{
    const struct um_limits_limit *limit = check->limit;
    double after = um_compare_statistic_of(row->after, limit->statistic);
    int len = snprintf(answer->finding.line, sizeof answer->finding.line,
                       "%s: %.2f ms, limit %g ms", label, after, limit->value);
    if (limit->statistic == UM_COMPARE_MAX) {
        answer->finding.outcome = after > limit->value ? UM_LIMITS_EXCEEDED : UM_LIMITS_KEPT;
        return UM_OK;
    }
    enum um_status status = test_bound(limit, row, answer);
    answer->tested = status == UM_OK && answer->runs >= SIGN_TEST_LEAST;
    if (answer->tested)
        snprintf(answer->finding.line + len, sizeof answer->finding.line - (size_t)len,
                 ", p = %.2g", answer->p);
    else if (status == UM_OK)
        answer_too_few(answer, label, answer->runs, SIGN_TEST_LEAST, "in AFTER");
    return status;
}

static bool lacks_inputs(const struct um_limits_limit *limit, const struct um_results_measure *side,
                         bool misses)
{
    return misses || (limit->statistic == UM_COMPARE_MAX && side->inputs.missing > 0);
}

/* Why missing inputs or times keep a limit from being checked; "" if they do not. `open`: their
 * share may become small with more runs. */
static struct um_compare_format find_lack(const struct um_limits_limit *limit,
                                          const struct um_comparison_measure *measure,
                                          const struct um_comparison_row *row, bool *open)
{
    *open = false;
    if (row->rare_after || (um_limits_is_relative(limit) && row->rare_before))
        return um_compare_format_rare(row);
    *open = limit->statistic != UM_COMPARE_MAX;
    if (lacks_inputs(limit, measure->after, measure->misses_after))
        return um_compare_format_missing(measure->after, "AFTER");
    if (um_limits_is_relative(limit) &&
        lacks_inputs(limit, measure->before, measure->misses_before))
        return um_compare_format_missing(measure->before, "BEFORE");
    if (row->fewer_after || um_limits_is_relative(limit))
        return um_compare_format_known(measure, row);
    return (struct um_compare_format){""};
}

static enum um_status append(struct answers *answers, const struct answer *answer)
{
    if (!um_list_reserve(&answers->list, &answers->room, answers->count + 1, SIZE_MAX,
                         sizeof *answer))
        return UM_ERR_MEMORY;
    answers->list[answers->count++] = *answer;
    return UM_OK;
}

/* Checks a limit in one measure, which has the quantity on at least one side. */
static enum um_status check_row(const struct check *check,
                                const struct um_comparison_measure *measure,
                                const struct um_comparison_row *row)
{
    struct answer answer = {.finding.outcome = UM_LIMITS_UNCHECKED};
    char label[NAME_BYTES];
    enum um_status status = UM_OK;
    bool missing_before = um_limits_is_relative(check->limit) && row->before->len == 0;
    bool is_share_of_zero = check->limit->bound == UM_LIMITS_MORE_PERCENT && row->before->len > 0 &&
                            !(um_compare_statistic_of(row->before, check->limit->statistic) > 0);
    bool open;
    struct um_compare_format lack = find_lack(check->limit, measure, row, &open);
    make_label(check->limit, measure->name, label, sizeof label);
    if (row->after->len == 0 || missing_before)
        snprintf(answer.finding.line, sizeof answer.finding.line, "%s: it was not measured in %s",
                 label, missing_before ? "BEFORE" : "AFTER");
    else if (lack.text[0]) {
        answer.finding.open = open;
        snprintf(answer.finding.line, sizeof answer.finding.line, "%s: %s", label, lack.text);
    } else if (is_share_of_zero &&
               !(um_compare_statistic_of(row->after, check->limit->statistic) > 0)) {
        answer.finding.outcome = UM_LIMITS_KEPT;
        snprintf(answer.finding.line, sizeof answer.finding.line, "%s: it is 0 ms on both sides",
                 label);
    } else if (is_share_of_zero)
        snprintf(answer.finding.line, sizeof answer.finding.line,
                 "%s: it is 0 ms in BEFORE, and no share of that is anything; give the limit in ms",
                 label);
    else if (um_limits_is_relative(check->limit))
        status = check_relative(check, label, row, &answer);
    else
        status = check_absolute(check, label, row, &answer);
    return status == UM_OK ? append(check->answers, &answer) : status;
}

/* Checks a limit in the measure that it names, or in all that have the quantity. A measure that
 * only AFTER has cannot be checked against BEFORE; "*" leaves it out. */
static enum um_status check_limit(const struct check *check)
{
    const struct um_limits_limit *limit = check->limit;
    bool all = strcmp(limit->measure, "*") == 0;
    enum um_status status = check_names(check);
    for (size_t i = 0; i < check->comparison->measure_count && status == UM_OK; i++) {
        const struct um_comparison_measure *measure = &check->comparison->measures[i];
        const struct um_comparison_row *row = um_comparison_find(measure, limit->quantity);
        bool named = all ? row && !(um_limits_is_relative(limit) && row->before->len == 0)
                         : strcmp(measure->name, limit->measure) == 0;
        if (named)
            status = check_row(check, measure, row);
    }
    return status;
}

/* Judging all answers together ----------------------------------------------------------------- */

/* The answer with the least p that was tested and not judged yet; NULL if none is left. */
static struct answer *find_surest(struct answers *answers)
{
    struct answer *surest = NULL;
    for (size_t i = 0; i < answers->count; i++) {
        struct answer *one = &answers->list[i];
        if (one->tested && !(one->level > 0) && (!surest || one->p < surest->p))
            surest = one;
    }
    return surest;
}

/* Judges by Holm's procedure. The answer with the least p is judged at the level divided by their
 * number, the next one at the level divided by one less, and so on. After the first that is not
 * sure, none is. */
static void judge(struct answers *answers, double level)
{
    size_t left = 0;
    bool sure = true;
    for (size_t i = 0; i < answers->count; i++)
        left += answers->list[i].tested;
    for (struct answer *one; (one = find_surest(answers)) != NULL; left--) {
        one->level = level / (double)left;
        sure = sure && one->p <= one->level && one->sign != 0;
        one->finding.outcome = !sure           ? UM_LIMITS_CANNOT_TELL
                               : one->sign > 0 ? UM_LIMITS_EXCEEDED
                                               : UM_LIMITS_KEPT;
    }
}

/* "; take about 34 runs a side" */
static void add_needed(const struct answer *answer, char *line, size_t cap)
{
    size_t len = strlen(line);
    uint32_t needed = um_compare_runs_for(answer->runs, answer->p, answer->level);
    if (needed > UM_COMPARE_MOST_RUNS)
        snprintf(line + len, cap - len, "; more than %d runs a side", UM_COMPARE_MOST_RUNS);
    else
        snprintf(line + len, cap - len, "; take about %lu runs a side",
                 (unsigned long)(needed > answer->runs ? needed : answer->runs + 1));
}

static void write_finding(const struct answer *answer, struct um_limits_finding *out)
{
    static const char *const words[UM_LIMITS_OUTCOMES] = {
        [UM_LIMITS_KEPT] = "limit kept",
        [UM_LIMITS_EXCEEDED] = "limit exceeded",
        [UM_LIMITS_CANNOT_TELL] = "cannot tell",
        [UM_LIMITS_UNCHECKED] = "limit cannot be checked",
    };
    out->outcome = answer->finding.outcome;
    out->open = answer->finding.open || out->outcome == UM_LIMITS_CANNOT_TELL;
    snprintf(out->line, sizeof out->line, "%s: %.400s", words[out->outcome], answer->finding.line);
    if (out->outcome == UM_LIMITS_CANNOT_TELL && answer->tested)
        add_needed(answer, out->line, sizeof out->line);
}

static enum um_status write_findings(const struct answers *answers, struct um_limits_findings *out)
{
    *out = (struct um_limits_findings){.list = calloc(answers->count + 1, sizeof *out->list)};
    if (!out->list)
        return UM_ERR_MEMORY;
    for (; out->count < answers->count; out->count++) {
        struct um_limits_finding *finding = &out->list[out->count];
        write_finding(&answers->list[out->count], finding);
        out->outcomes[finding->outcome]++;
        out->open += finding->open;
    }
    return UM_OK;
}

enum um_status um_limits_check(const struct um_limits_limit *limits, size_t count,
                               const struct um_comparison *comparison,
                               struct um_limits_findings *out, char *error, size_t error_cap)
{
    struct answers answers = {0};
    enum um_status status = UM_OK;
    for (size_t i = 0; i < count && status == UM_OK; i++) {
        const struct check check = {&limits[i], comparison, &answers, error, error_cap};
        status = check_limit(&check);
    }
    judge(&answers, comparison->design.level);
    if (status == UM_OK)
        status = write_findings(&answers, out);
    free(answers.list);
    return status;
}

void um_limits_free(struct um_limits_findings *findings)
{
    free(findings->list);
    *findings = (struct um_limits_findings){0};
}

const char *um_limits_outcome_name(enum um_limits_outcome outcome)
{
    static const char *const names[UM_LIMITS_OUTCOMES] = {
        [UM_LIMITS_KEPT] = "kept",
        [UM_LIMITS_EXCEEDED] = "exceeded",
        [UM_LIMITS_CANNOT_TELL] = "cannot tell",
        [UM_LIMITS_UNCHECKED] = "unchecked",
    };
    return names[outcome];
}
