#include "monitor/target/target_spec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define PROGRAM "uimon.exe"
#define SHOWN_COLUMNS 40
#define LISTED_MAX 6
#define NAME_COLUMNS_MAX 32
#define TITLE_COLUMNS_MIN 10
#define GAP 2

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* The rest of `text` after a prefix in any case, or NULL if it does not begin with the prefix. */
static const char *behind_prefix(const char *text, const char *prefix)
{
    for (; *prefix != '\0'; prefix++, text++)
        if (lower(*text) != *prefix)
            return NULL;
    return text;
}

/* The length of a program's name without its .exe. */
static size_t stem_bytes(const char *name)
{
    size_t len = strlen(name);
    bool exe = len > 4 && behind_prefix(name + len - 4, ".exe");
    return exe ? len - 4 : len;
}

static enum um_status parse_pid(const char *digits, struct um_target_spec *out, char *error,
                                size_t error_cap)
{
    uint64_t pid = 0;

    for (const char *at = digits; *at != '\0' && pid <= UINT32_MAX; at++)
        pid = pid * 10 + (uint64_t)(*at - '0');
    if (pid == 0 || pid > UINT32_MAX) {
        snprintf(error, error_cap,
                 "uimon: %s: no process has this id; 'uimon list' shows what can be watched",
                 um_utf8_show(digits, SHOWN_COLUMNS).text);
        return UM_ERR_ARG;
    }
    memset(out, 0, sizeof *out);
    out->kind = UM_TARGET_SPEC_PID;
    out->pid = (uint32_t)pid;
    return UM_OK;
}

static enum um_status parse_text(enum um_target_spec_kind kind, const char *text, size_t len,
                                 struct um_target_spec *out, char *error, size_t error_cap)
{
    static const char *const what[] = {"program's name", "", "title", "window class"};

    if (len == 0 || len >= sizeof out->text) {
        snprintf(error, error_cap,
                 "uimon: the target's %s is %s; TARGET is a name, a process id, "
                 "title:TEXT or class:NAME",
                 what[kind], len == 0 ? "empty" : "too long");
        return UM_ERR_ARG;
    }
    memset(out, 0, sizeof *out);
    out->kind = kind;
    memcpy(out->text, text, len);
    return UM_OK;
}

enum um_status um_target_spec_parse(const char *target, struct um_target_spec *out, char *error,
                                    size_t error_cap)
{
    const char *title = behind_prefix(target, "title:");
    const char *class_name = behind_prefix(target, "class:");

    if (title)
        return parse_text(UM_TARGET_SPEC_TITLE, title, strlen(title), out, error, error_cap);
    if (class_name) {
        return parse_text(UM_TARGET_SPEC_CLASS, class_name, strlen(class_name), out, error,
                          error_cap);
    }
    if (*target != '\0' && target[strspn(target, "0123456789")] == '\0')
        return parse_pid(target, out, error, error_cap);
    if (strpbrk(target, "\\/")) {
        snprintf(error, error_cap,
                 "uimon: %s is a path; give the program's name alone, or start it with --launch",
                 um_utf8_show(target, SHOWN_COLUMNS).text);
        return UM_ERR_ARG;
    }
    return parse_text(UM_TARGET_SPEC_NAME, target, stem_bytes(target), out, error, error_cap);
}

static bool fits_name(const struct um_target_spec *spec, const char *name)
{
    char stem[sizeof((struct um_target_info *)0)->name];

    snprintf(stem, sizeof stem, "%.*s", (int)stem_bytes(name), name);
    return um_utf8_equal(stem, spec->text);
}

bool um_target_spec_fits(const struct um_target_spec *spec, const struct um_target_info *info)
{
    switch (spec->kind) {
    case UM_TARGET_SPEC_NAME:
        return fits_name(spec, info->name);
    case UM_TARGET_SPEC_PID:
        return spec->pid == info->pid;
    case UM_TARGET_SPEC_TITLE:
        return info->hwnd != 0 && um_utf8_contains(info->title, spec->text);
    case UM_TARGET_SPEC_CLASS:
        return info->hwnd != 0 && um_utf8_equal(info->window_class, spec->text);
    }
    return false;
}

/* How well a process answers a spec. */
enum rank { RANK_NONE, RANK_WINDOWLESS, RANK_REFUSED, RANK_WHOLE };

static enum rank rank_of(const struct um_target_spec *spec, const struct um_target_info *info)
{
    if (!um_target_spec_fits(spec, info))
        return RANK_NONE;
    if (info->hwnd == 0)
        return RANK_WINDOWLESS;
    return info->why_not[0] != '\0' ? RANK_REFUSED : RANK_WHOLE;
}

static enum um_status complain_missing(const struct um_target_spec *spec, char *error,
                                       size_t error_cap)
{
    static const char list[] = "'uimon list' shows what can be watched";
    const char *wait = spec->could_wait ? ", --wait waits for it" : "";

    switch (spec->kind) {
    case UM_TARGET_SPEC_NAME:
        snprintf(error, error_cap, "uimon: no program called '%s' is running; %s%s",
                 um_utf8_show(spec->text, SHOWN_COLUMNS).text, list, wait);
        break;
    case UM_TARGET_SPEC_PID:
        snprintf(error, error_cap, "uimon: there is no process %" PRIu32 "; %s", spec->pid, list);
        break;
    case UM_TARGET_SPEC_TITLE:
        snprintf(error, error_cap, "uimon: no program's main window has '%s' in its title; %s%s",
                 um_utf8_show(spec->text, SHOWN_COLUMNS).text, list, wait);
        break;
    case UM_TARGET_SPEC_CLASS:
        snprintf(error, error_cap, "uimon: no program's main window is of the class '%s'; %s%s",
                 um_utf8_show(spec->text, SHOWN_COLUMNS).text, list, wait);
        break;
    }
    return UM_ERR_NOT_FOUND;
}

static enum um_status complain_ambiguous(const struct um_target_spec *spec,
                                         const struct um_target_info *list, size_t count,
                                         size_t fitting, char *error, size_t error_cap)
{
    static const char *const prefixes[] = {"", "", "title:", "class:"};
    size_t listed = 0;
    int used = snprintf(error, error_cap, "uimon: '%s%s' fits %zu programs:", prefixes[spec->kind],
                        um_utf8_show(spec->text, SHOWN_COLUMNS).text, fitting);

    for (size_t i = 0; i < count && listed < LISTED_MAX; i++) {
        if (rank_of(spec, &list[i]) == RANK_WHOLE && used >= 0 && (size_t)used < error_cap) {
            used += snprintf(error + used, error_cap - (size_t)used, "%s %" PRIu32 " \"%s\"",
                             listed > 0 ? "," : "", list[i].pid,
                             um_utf8_show(list[i].title, SHOWN_COLUMNS).text);
            listed++;
        }
    }
    if (used >= 0 && (size_t)used < error_cap) {
        snprintf(error + used, error_cap - (size_t)used,
                 "%s; say which by its process id, or --newest",
                 fitting > listed ? " and others" : "");
    }
    return UM_ERR_AMBIGUOUS;
}

/* The best process, and how many are as good. Of those it is the one that was started last. */
struct find {
    enum rank rank;
    size_t index;
    size_t count;
};

static struct find find_best(const struct um_target_spec *spec, const struct um_target_info *list,
                             size_t count)
{
    struct find best = {.rank = RANK_NONE};

    for (size_t i = 0; i < count; i++) {
        enum rank rank = rank_of(spec, &list[i]);
        if (rank > best.rank) {
            best = (struct find){.rank = rank, .index = i, .count = 1};
        } else if (rank == best.rank && rank != RANK_NONE) {
            best.index = list[i].started > list[best.index].started ? i : best.index;
            best.count++;
        }
    }
    return best;
}

enum um_status um_target_spec_match(const struct um_target_spec *spec,
                                    const struct um_target_info *list, size_t count, bool newest,
                                    size_t *index, char *error, size_t error_cap)
{
    struct find best = find_best(spec, list, count);

    if (best.rank == RANK_NONE)
        return complain_missing(spec, error, error_cap);
    const struct um_target_info *info = &list[best.index];
    if (best.rank == RANK_WINDOWLESS) {
        snprintf(error, error_cap,
                 "uimon: process %" PRIu32 " (%s) has no window of its own; 'uimon list' shows "
                 "what can be watched%s",
                 info->pid, um_utf8_show(info->name, SHOWN_COLUMNS).text,
                 spec->could_wait ? ", --wait waits for its window" : "");
        return UM_ERR_NOT_FOUND;
    }
    if (best.rank == RANK_REFUSED) {
        snprintf(error, error_cap, "uimon: process %" PRIu32 " (%s) cannot be watched: %s",
                 info->pid, um_utf8_show(info->name, SHOWN_COLUMNS).text, info->why_not);
        *index = best.index;
        return UM_ERR_DENIED;
    }
    if (best.count > 1 && !newest)
        return complain_ambiguous(spec, list, count, best.count, error, error_cap);
    *index = best.index;
    return UM_OK;
}

const struct um_target_window *um_target_spec_main_window(const struct um_target_window *windows,
                                                          size_t count, uint32_t pid)
{
    const struct um_target_window *best = NULL;

    for (const struct um_target_window *window = windows; window < windows + count; window++)
        if (window->pid == pid && window->visible && !window->owned && !window->tool &&
            !window->cloaked && (!best || window->area_px > best->area_px))
            best = window;
    return best;
}

/* The list ------------------------------------------------------------------------------------- */

enum column { PID, BITS, NAME, TITLE, MEASURED, WHY_NOT, COLUMNS };

static const char *const heads[COLUMNS] = {"pid", "bits", "name", "title", "measured", "why not"};

struct row {
    char pid[16];
    char bits[8];
    char measured[64]; /* the part of the program that beats measure, if it is not all of it */
    const char *cells[COLUMNS];
};

static void fill_row(const struct um_target_info *target, struct row *row)
{
    *row = (struct row){.bits = "-",
                        .cells = {row->pid, row->bits, target->name, target->title, row->measured,
                                  target->why_not}};
    snprintf(row->pid, sizeof row->pid, "%" PRIu32, target->pid);
    if (target->bits != 0)
        snprintf(row->bits, sizeof row->bits, "%u", (unsigned)target->bits);
    if (target->toolkit[0] != '\0')
        snprintf(row->measured, sizeof row->measured, "window thread (%s)", target->toolkit);
    if (target->is_deaf && target->why_not[0] == '\0')
        snprintf(row->measured, sizeof row->measured, "nothing (no ping)");
}

static size_t greater(size_t a, size_t b)
{
    return a > b ? a : b;
}

static int compare_folded(const char *a, const char *b)
{
    uint32_t left;
    uint32_t right;

    do {
        left = um_utf8_fold(um_utf8_next(&a));
        right = um_utf8_fold(um_utf8_next(&b));
    } while (left == right && left != 0);
    return (left > right) - (left < right);
}

static int compare_rows(const void *a, const void *b)
{
    const struct um_target_info *left = *(const struct um_target_info *const *)a;
    const struct um_target_info *right = *(const struct um_target_info *const *)b;
    int order = compare_folded(left->name, right->name);
    return order != 0 ? order : (left->pid > right->pid) - (left->pid < right->pid);
}

/* Sets the width of each column. One of the last two is 0 if all its cells are empty. */
static void measure(const struct um_target_info *const *targets, size_t count, size_t columns,
                    size_t widths[COLUMNS])
{
    struct row row;

    for (size_t i = 0; i < count; i++) {
        fill_row(targets[i], &row);
        for (int c = 0; c < COLUMNS; c++)
            widths[c] = greater(widths[c], um_utf8_columns(row.cells[c]));
    }
    for (int c = 0; c < COLUMNS; c++)
        if (c <= TITLE || widths[c] > 0)
            widths[c] = greater(widths[c], strlen(heads[c]));
    size_t fixed = widths[PID] + GAP + widths[BITS] + GAP + GAP;
    for (int c = MEASURED; c < COLUMNS; c++)
        fixed += widths[c] > 0 ? GAP + widths[c] : 0;
    if (columns > 0 && fixed + widths[NAME] + widths[TITLE] > columns) {
        widths[NAME] = widths[NAME] < NAME_COLUMNS_MAX ? widths[NAME] : NAME_COLUMNS_MAX;
        size_t taken = fixed + widths[NAME];
        size_t title = greater(columns > taken ? columns - taken : 0, TITLE_COLUMNS_MIN);
        widths[TITLE] = title < widths[TITLE] ? title : widths[TITLE];
    }
}

/* Prints one cell, padded unless nothing follows, and cut at the end of the terminal's line. */
static void print_cell(FILE *out, const char *text, size_t width, bool last)
{
    char shown[sizeof((struct um_target_info *)0)->title * 3];

    um_utf8_fit(text, width, shown, sizeof shown);
    size_t pad = last ? 0 : width + GAP - um_utf8_columns(shown);
    fprintf(out, "%s%*s", shown, (int)pad, "");
}

static void print_row(FILE *out, const char *const cells[COLUMNS], const size_t widths[COLUMNS])
{
    int last = WHY_NOT;

    while (last > TITLE && cells[last][0] == '\0')
        last--;
    fprintf(out, "%*s  %*s  ", (int)widths[PID], cells[PID], (int)widths[BITS], cells[BITS]);
    for (int c = NAME; c <= last; c++)
        if (widths[c] > 0)
            print_cell(out, cells[c], widths[c], c == last);
    fputc('\n', out);
}

void um_target_spec_claimed(const struct um_target_info *owner, char *why, size_t why_cap)
{
    if (owner->pid == 0)
        snprintf(why, why_cap,
                 "another uimon watches it, which is elevated or belongs to another user: end that "
                 "one first");
    else if (um_utf8_equal(owner->name, PROGRAM))
        snprintf(why, why_cap, "the uimon with pid %lu watches it: end that one first",
                 (unsigned long)owner->pid);
    else
        snprintf(why, why_cap,
                 "it was reserved in the name of %s (pid %lu), which is no uimon: a program of "
                 "this session pretends to watch it",
                 owner->name[0] ? um_utf8_show(owner->name, SHOWN_COLUMNS).text
                                : "a program that cannot be looked at",
                 (unsigned long)owner->pid);
}

const char *um_target_spec_not_started(enum um_status status)
{
    switch (status) {
    case UM_ERR_NOT_FOUND:
        return "there is no such program; give its whole path";
    case UM_ERR_FORMAT:
        return "it is no program that this system can run; name the program that opens it, with "
               "this file behind it";
    case UM_ERR_DENIED:
        return "the system does not allow it; if it needs an administrator's rights, so does uimon";
    default:
        return um_status_text(status);
    }
}

enum um_status um_target_spec_print_list(FILE *out, const struct um_target_info *list, size_t count,
                                         size_t columns)
{
    const struct um_target_info **targets = malloc((count + 1) * sizeof *targets);
    size_t widths[COLUMNS] = {0};
    const char *shown_heads[COLUMNS];
    size_t shown = 0;
    struct row row;

    if (!targets)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (list[i].hwnd != 0)
            targets[shown++] = &list[i];
    if (shown == 0) {
        free(targets);
        fputs("There is nothing to watch: no program has a window.\n", out);
        return ferror(out) ? UM_ERR_IO : UM_OK;
    }
    qsort(targets, shown, sizeof *targets, compare_rows);
    measure(targets, shown, columns, widths);
    for (int c = 0; c < COLUMNS; c++)
        shown_heads[c] = widths[c] > 0 ? heads[c] : "";
    print_row(out, shown_heads, widths);
    for (size_t i = 0; i < shown; i++) {
        fill_row(targets[i], &row);
        print_row(out, row.cells, widths);
    }
    free(targets);
    return ferror(out) ? UM_ERR_IO : UM_OK;
}
