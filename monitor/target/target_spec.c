#include "monitor/target/target_spec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/utf8.h"

#define PROGRAM "uimon.exe"
#define SHOWN_COLUMNS 40
#define LISTED_MAX 6
#define NAME_COLUMNS_MAX 32
#define TITLE_COLUMNS_MIN 10
#define MEASURED_BYTES 64
#define GAP 2

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* What stands behind a prefix in any case, or NULL if `text` does not begin with it. */
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

/* How good a find a process is. */
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
    static const char advice[] = "'uimon list' shows what can be watched, --wait waits for it";

    switch (spec->kind) {
    case UM_TARGET_SPEC_NAME:
        snprintf(error, error_cap, "uimon: no program called '%s' is running; %s",
                 um_utf8_show(spec->text, SHOWN_COLUMNS).text, advice);
        break;
    case UM_TARGET_SPEC_PID:
        snprintf(error, error_cap,
                 "uimon: there is no process %" PRIu32 "; 'uimon list' shows what can be watched",
                 spec->pid);
        break;
    case UM_TARGET_SPEC_TITLE:
        snprintf(error, error_cap, "uimon: no program's main window has '%s' in its title; %s",
                 um_utf8_show(spec->text, SHOWN_COLUMNS).text, advice);
        break;
    case UM_TARGET_SPEC_CLASS:
        snprintf(error, error_cap, "uimon: no program's main window is of the class '%s'; %s",
                 um_utf8_show(spec->text, SHOWN_COLUMNS).text, advice);
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

/* The best find, and how many are as good: of those the one that was started last. */
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
                 "what can be watched, --wait waits for its window",
                 info->pid, um_utf8_show(info->name, SHOWN_COLUMNS).text);
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

enum um_status um_target_spec_pick_main(const struct um_target_window *windows, size_t count,
                                        size_t *index)
{
    bool found = false;
    size_t best = 0;

    for (size_t i = 0; i < count; i++) {
        const struct um_target_window *window = &windows[i];
        bool candidate = window->visible && !window->owned && !window->tool && !window->cloaked;
        if (candidate && (!found || window->area_px > windows[best].area_px)) {
            best = i;
            found = true;
        }
    }
    if (!found)
        return UM_ERR_NOT_FOUND;
    *index = best;
    return UM_OK;
}

/* The list ------------------------------------------------------------------------------------- */

struct widths {
    size_t pid;
    size_t name;
    size_t title;
    size_t measured; /* 0: nobody has anything in this column; likewise the next */
    size_t why_not;
};

/* What beats tell of, if that is less than the whole program. */
static void format_measured(const struct um_target_info *target, char *buf)
{
    buf[0] = '\0';
    if (target->toolkit[0] != '\0')
        snprintf(buf, MEASURED_BYTES, "window thread (%s)", target->toolkit);
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

static struct widths measure(const struct um_target_info *const *rows, size_t count, size_t columns)
{
    struct widths widths = {sizeof "pid" - 1, sizeof "name" - 1, sizeof "title" - 1, 0, 0};

    for (size_t i = 0; i < count; i++) {
        size_t digits = (size_t)snprintf(NULL, 0, "%" PRIu32, rows[i]->pid);
        char measured[MEASURED_BYTES];

        format_measured(rows[i], measured);
        widths.pid = greater(widths.pid, digits);
        widths.name = greater(widths.name, um_utf8_columns(rows[i]->name));
        widths.title = greater(widths.title, um_utf8_columns(rows[i]->title));
        widths.measured = greater(widths.measured, um_utf8_columns(measured));
        widths.why_not = greater(widths.why_not, um_utf8_columns(rows[i]->why_not));
    }
    if (widths.measured > 0)
        widths.measured = greater(widths.measured, sizeof "measured" - 1);
    if (widths.why_not > 0)
        widths.why_not = greater(widths.why_not, sizeof "why not" - 1);
    size_t fixed = widths.pid + GAP + sizeof "bits" - 1 + GAP + GAP;
    size_t tail = (widths.measured > 0 ? GAP + widths.measured : 0) +
                  (widths.why_not > 0 ? GAP + widths.why_not : 0);
    if (columns > 0 && fixed + widths.name + widths.title + tail > columns) {
        widths.name = widths.name < NAME_COLUMNS_MAX ? widths.name : NAME_COLUMNS_MAX;
        size_t taken = fixed + widths.name + tail;
        size_t left = columns > taken ? columns - taken : 0;
        size_t title = greater(left, TITLE_COLUMNS_MIN);
        widths.title = title < widths.title ? title : widths.title;
    }
    return widths;
}

/* Prints one cell, padded unless nothing follows, and cut at the end of the terminal's line. */
static void print_cell(FILE *out, const char *text, size_t width, bool last)
{
    char shown[sizeof((struct um_target_info *)0)->title * 3];

    um_utf8_fit(text, width, shown, sizeof shown);
    size_t pad = last ? 0 : width + GAP - um_utf8_columns(shown);
    fprintf(out, "%s%*s", shown, (int)pad, "");
}

static void print_row(FILE *out, const char *pid, const char *bits, const char *name,
                      const char *title, const char *measured, const char *why_not,
                      const struct widths *widths)
{
    bool no_reason = why_not[0] == '\0';

    fprintf(out, "%*s  %4s  ", (int)widths->pid, pid, bits);
    print_cell(out, name, widths->name, false);
    print_cell(out, title, widths->title, no_reason && measured[0] == '\0');
    if (widths->measured > 0)
        print_cell(out, measured, widths->measured, no_reason);
    print_cell(out, why_not, widths->why_not, true);
    fputc('\n', out);
}

static void print_target(FILE *out, const struct um_target_info *target,
                         const struct widths *widths)
{
    char pid[16];
    char bits[8] = "-";
    char measured[MEASURED_BYTES];

    snprintf(pid, sizeof pid, "%" PRIu32, target->pid);
    if (target->bits != 0)
        snprintf(bits, sizeof bits, "%u", (unsigned)target->bits);
    format_measured(target, measured);
    print_row(out, pid, bits, target->name, target->title, measured, target->why_not, widths);
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

enum um_status um_target_spec_print_list(FILE *out, const struct um_target_info *list, size_t count,
                                         size_t columns)
{
    const struct um_target_info **rows = malloc((count + 1) * sizeof *rows);
    size_t shown = 0;

    if (!rows)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (list[i].hwnd != 0)
            rows[shown++] = &list[i];
    qsort(rows, shown, sizeof *rows, compare_rows);
    struct widths widths = measure(rows, shown, columns);
    print_row(out, "pid", "bits", "name", "title", widths.measured > 0 ? "measured" : "",
              widths.why_not > 0 ? "why not" : "", &widths);
    for (size_t i = 0; i < shown; i++)
        print_target(out, rows[i], &widths);
    free(rows);
    return ferror(out) ? UM_ERR_IO : UM_OK;
}
