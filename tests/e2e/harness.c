#include "tests/e2e/harness.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/message_names.h"
#include "ipc/wire.h"
#include "tests/e2e/harness_backend.h"
#include "tests/e2e/piped.h"
#include "tests/judge/truth.h"
#include "tests/win/prober.h"

#define ROTATING 8
#define FIRST_BEATS_MS 500 /* for more than the first beat, where a test waits for nothing else */

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    if (!value)
        cr_assert_fail("%s is not set: run the end-to-end tests with ./run test", name);
    return value;
}

/* A few strings at a time, so that results can be passed on without being copied. */
char *harness_backend_text(void)
{
    static char texts[ROTATING][PATH_BYTES];
    static unsigned next;
    return texts[next++ % ROTATING];
}

/* A folder of this test's own. In a long run process ids come again, and a test that found the
 * files of an earlier one would take them for its own. */
static const char *own_folder(void)
{
    static char path[PATH_BYTES / 2];
    for (unsigned number = 0; !path[0]; number++) {
        snprintf(path, sizeof path, "%s/%ld-%u", environment("UM_TMP"), harness_backend_pid(),
                 number);
        if (!harness_backend_make_folder(path))
            path[0] = 0;
    }
    return path;
}

const char *test_file(const char *name)
{
    char *path = harness_backend_text();
    snprintf(path, PATH_BYTES, "%s/%s", own_folder(), name);
    return path;
}

const char *test_folder(const char *name)
{
    const char *path = test_file(name);
    harness_backend_make_folder(path);
    return path;
}

const char *dist_file(const char *name)
{
    char *path = harness_backend_text();
    snprintf(path, PATH_BYTES, "%s/%s", environment("UM_DIST"), name);
    return path;
}

const char *test_program(const char *name)
{
    char *path = harness_backend_text();
    snprintf(path, PATH_BYTES, "%s/%s%s", environment("UM_TEST_BIN"), name,
             harness_backend_suffix());
    return path;
}

static bool is_file(const char *path)
{
    FILE *file = open_file(path, "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

void copy_file(const char *from, const char *to)
{
    char bytes[4096];
    FILE *in = open_file(from, "rb");
    FILE *out = open_file(to, "wb");

    cr_assert(in && out, "cannot copy %s to %s", from, to);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, in)) > 0;)
        cr_assert_eq(fwrite(bytes, 1, got, out), got);
    fclose(in);
    fclose(out);
}

/* Where a program lies: a Windows path as it is, else in the package or among the test programs. */
static const char *find_program(const char *program)
{
    char *path = harness_backend_text();
    if (strchr(program, '\\') || strchr(program, ':'))
        return program;
    snprintf(path, PATH_BYTES, "%s/%s%s", environment("UM_DIST"), program,
             harness_backend_suffix());
    if (is_file(path))
        return path;
    snprintf(path, PATH_BYTES, "%s/%s%s", environment("UM_TEST_BIN"), program,
             harness_backend_suffix());
    if (is_file(path))
        return path;
    snprintf(path, PATH_BYTES, "%s", program); /* notepad, wordpad: the system finds them */
    return path;
}

void start_list(struct program *started, const char *program, const char *const *args)
{
    start_into(started, NULL, program, args);
}

void start_into(struct program *started, const char *out, const char *program,
                const char *const *args)
{
    static unsigned number_of_programs;
    char name[64];

    snprintf(name, sizeof name, "%u.out", ++number_of_programs);
    snprintf(started->out, PATH_BYTES, "%s", out ? out : test_file(name));
    snprintf(name, sizeof name, "%u.err", number_of_programs);
    snprintf(started->err, PATH_BYTES, "%s", test_file(name));
    cr_assert(harness_backend_start(started, find_program(program), args), "cannot start %s",
              program);
}

static void collect(va_list list, const char *first, const char **args)
{
    size_t count = 0;
    for (const char *arg = first; arg; arg = va_arg(list, const char *)) {
        cr_assert_lt(count, MAX_ARGS, "too many arguments");
        args[count++] = arg;
    }
    args[count] = NULL;
}

#define COLLECT(args, last)                                                                        \
    do {                                                                                           \
        va_list list;                                                                              \
        va_start(list, last);                                                                      \
        const char *first = va_arg(list, const char *);                                            \
        collect(list, first, args);                                                                \
        va_end(list);                                                                              \
    } while (0)

void start(struct program *started, const char *program, ...)
{
    const char *args[MAX_ARGS + 1];
    COLLECT(args, program);
    start_list(started, program, args);
}

int wait_end(struct program *started, unsigned limit_ms)
{
    uint64_t until = unix_now_ms() + limit_ms;
    int code;
    while ((code = harness_backend_reap(started)) < 0) {
        if (unix_now_ms() > until) {
            char *err = read_text(started->err);
            harness_backend_print_threads(started);
            kill_hard(started);
            cr_assert_fail("a program did not end within %u ms; it said: %s", limit_ms, err);
        }
        sleep_ms(5);
    }
    return code;
}

char *read_text(const char *path)
{
    FILE *file = open_file(path, "rb");
    size_t cap = 1 << 16;
    size_t len = 0;
    char *text = malloc(cap);

    while (file && text) {
        size_t got = fread(text + len, 1, cap - len - 1, file);
        len += got;
        if (got == 0)
            break;
        if (len + 1 == cap)
            text = realloc(text, cap *= 2);
    }
    if (file)
        fclose(file);
    cr_assert(text != NULL);
    text[len] = 0;
    return text;
}

/* Only whole lines count: the writer may be in the middle of one. */
static const char *find_line(const char *path, const char *text)
{
    static char found[1024];
    char *all = read_text(path);
    const char *result = NULL;

    for (char *line = all, *end; !result && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        if (strstr(line, text)) {
            snprintf(found, sizeof found, "%s", line);
            result = found;
        }
    }
    free(all);
    return result;
}

bool has_line(const char *path, const char *text)
{
    return find_line(path, text) != NULL;
}

const char *wait_line(const char *path, const char *text)
{
    uint64_t until = unix_now_ms() + LIMIT_MS;
    const char *line;
    while (!(line = find_line(path, text))) {
        if (unix_now_ms() > until) {
            char *all = read_text(path);
            cr_assert_fail("no '%s' came in %s; it holds: %s", text, path, all);
        }
        sleep_ms(5);
    }
    return line;
}

size_t lines_with(const char *path, const char *text)
{
    char *all = read_text(path);
    size_t count = 0;
    for (char *line = all, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        count += strstr(line, text) != NULL;
    }
    free(all);
    return count;
}

void wait_lines(const char *path, const char *text, size_t count)
{
    WAIT_UNTIL(lines_with(path, text) >= count, "no %zu lines of '%s' in: %s", count, text,
               read_text(path));
}

bool file_has(const char *path, const char *text)
{
    size_t len = strlen(text), got = 0;
    char bytes[4096];
    bool found = false;
    FILE *file = open_file(path, "rb");

    while (file && !found) {
        size_t more = fread(bytes + got, 1, sizeof bytes - got, file);
        got += more;
        for (size_t i = 0; !found && i + len <= got; i++)
            found = memcmp(bytes + i, text, len) == 0;
        if (more == 0)
            break;
        size_t kept = got < len ? got : len - 1; /* the text may begin there */
        memmove(bytes, bytes + got - kept, kept);
        got = kept;
    }
    if (file)
        fclose(file);
    return found;
}

void wait_text(const char *path, const char *text)
{
    uint64_t until = unix_now_ms() + LIMIT_MS;
    while (!file_has(path, text)) {
        cr_assert(unix_now_ms() < until, "no '%s' came in %s", text, path);
        sleep_ms(50);
    }
}

uint64_t line_number(const char *line, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = line; (at = strstr(at, word)); at += len)
        if ((at == line || isspace((unsigned char)at[-1])) && at[len] == ' ' &&
            isdigit((unsigned char)at[len + 1]))
            return strtoull(at + len + 1, NULL, 0);
    cr_assert_fail("no '%s' in: %s", word, line);
    return 0;
}

uint64_t line_number_from(const char *path, const char *head, const char *word, uint64_t least,
                          const char *wanted)
{
    char *text = read_text(path);
    uint64_t found = 0;
    for (const char *at = text; !found && (at = strstr(at, head)) && strchr(at, '\n'); at++)
        if (line_number(at, word) >= least)
            found = line_number(at, wanted);
    free(text);
    return found;
}

int run(const char **out, const char **err, const char *program, ...)
{
    static char *texts[2];
    const char *args[MAX_ARGS + 1];
    struct program started;

    COLLECT(args, program);
    start_list(&started, program, args);
    int code = wait_end(&started, LIMIT_MS);
    free(texts[0]);
    free(texts[1]);
    texts[0] = read_text(started.out);
    texts[1] = read_text(started.err);
    if (out)
        *out = texts[0];
    if (err)
        *err = texts[1];
    return code;
}

void start_target(struct target *target, const char *program, ...)
{
    static unsigned number_of_targets;
    const char *args[MAX_ARGS + 8] = {"--log"};
    struct um_demo_log_event event;
    size_t count = 2;
    char name[64];

    snprintf(name, sizeof name, "target-%u.log", ++number_of_targets);
    snprintf(target->log, PATH_BYTES, "%s", test_file(name));
    args[1] = windows_path(target->log);
    COLLECT(args + count, program);
    start_list(&target->program, program ? program : "uimon-demo", args);
    target->window_class = program ? NULL : "UimonDemo";
    wait_line(target->log, "ready ");
    cr_assert_eq(um_demo_log_parse(wait_line(target->log, "start "), &event), UM_OK);
    target->pid = event.pid;
    target->tid = event.tid;
    target->hwnd = event.hwnd;
}

size_t log_events(const char *path, enum um_demo_log_kind kind, struct um_demo_log_event **events)
{
    char *all = read_text(path);
    size_t count = 0;

    *events = NULL;
    for (char *line = all, *end; (end = strchr(line, '\n')); line = end + 1) {
        struct um_demo_log_event event;
        *end = 0;
        if (um_demo_log_parse(line, &event) != UM_OK || event.kind != kind)
            continue;
        *events = realloc(*events, (count + 1) * sizeof **events);
        (*events)[count++] = event;
    }
    free(all);
    return count;
}

cJSON *read_json(const char *path)
{
    char *text = read_text(path);
    cJSON *json = cJSON_Parse(text);
    cr_assert(json != NULL, "no JSON: %s", text);
    free(text);
    return json;
}

const char *raw_owner(const struct target *target)
{
    static char owner[UM_DEMO_LOG_NAME_BYTES];
    struct um_demo_log_event *raw;
    size_t count = log_events(target->log, UM_DEMO_LOG_RAW, &raw);
    snprintf(owner, sizeof owner, "%s", count ? raw[count - 1].name : "unknown");
    free(raw);
    return owner;
}

struct um_demo_log_event find_back(const char *log, const struct um_demo_log_event *truth)
{
    struct um_demo_log_event *backs;
    size_t count = log_events(log, UM_DEMO_LOG_BACK, &backs);
    const struct um_demo_log_event *found = truth_back(backs, count, truth);

    cr_assert(found != NULL, "the log does not say when a %s was over", truth->name);
    struct um_demo_log_event back = *found;
    free(backs);
    return back;
}

double length_off_ms(const char *log, const struct um_demo_log_event *truth, double reported_ms)
{
    struct um_demo_log_event back = find_back(log, truth);
    return truth_length_off_ms(truth, &back, reported_ms);
}

static void start_monitor_list(struct monitor *monitor, const struct target *target, bool headless,
                               const char *const *more)
{
    static unsigned number_of_monitors;
    char pid[16];
    char name[64];
    const char *args[MAX_ARGS + 8] = {"--attach", pid, "--verbose", "--json"};
    size_t count = 4;

    snprintf(pid, sizeof pid, "%u", target->pid);
    snprintf(name, sizeof name, "summary-%u.json", ++number_of_monitors);
    snprintf(monitor->json, PATH_BYTES, "%s", test_file(name));
    args[count++] = windows_path(monitor->json);
    if (headless)
        args[count++] = "--headless";
    while (*more)
        args[count++] = *more++;
    args[count] = NULL;
    start_list(&monitor->program, "uimon", args);
    name_feed(monitor);
    wait_line(monitor->program.err, "watching ");
    wait_line(monitor->program.err, "probe: ");
    monitor->started_ms = unix_now_ms();
}

void start_monitor(struct monitor *monitor, const struct target *target, ...)
{
    const char *args[MAX_ARGS + 1];
    COLLECT(args, target);
    start_monitor_list(monitor, target, true, args);
}

void start_monitor_overlay(struct monitor *monitor, const struct target *target, ...)
{
    const char *args[MAX_ARGS + 1];
    COLLECT(args, target);
    start_monitor_list(monitor, target, false, args);
}

void tail_feed(struct program *feed, const struct monitor *monitor)
{
    start(feed, "probe_win32", "tail-feed", monitor->feed, NULL);
    wait_line(feed->out, "state ");
}

void wait_measured(const struct monitor *monitor)
{
    struct program feed;
    tail_feed(&feed, monitor);
}

void wait_beat(const struct target *target)
{
    const char *out, *err;
    cr_assert_eq(
        run(&out, &err, "uimon", "query", decimal(target->pid), "input-latency-ms.max", NULL), 0,
        "%s", err);
}

/* What turned out to be none is not told. */
static bool is_end_of_freeze(const char *line)
{
    return (strncmp(line, "episode end frozen ", 19) == 0 ||
            strncmp(line, "episode end starved ", 20) == 0) &&
           !(line_number(line, "flags") & UM_WIRE_EPISODE_VOID);
}

static bool has_end_of(const char *feed, const struct um_demo_log_event *truth)
{
    char *all = read_text(feed);
    bool found = false;
    for (char *line = all, *end; !found && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        found = is_end_of_freeze(line) && line_number(line, "start") < truth->end_ns &&
                line_number(line, "end") > truth->begin_ns;
    }
    free(all);
    return found;
}

void wait_told(const struct program *feed, const struct um_demo_log_event *truth)
{
    WAIT_UNTIL(has_end_of(feed->out, truth), "the end of a %s was not told: %s", truth->name,
               read_text(feed->out));
}

cJSON *finish_monitor(struct monitor *monitor)
{
    int code = wait_end(&monitor->program, 2 * LIMIT_MS);
    char *err = read_text(monitor->program.err);
    cr_assert_eq(code, 0, "uimon ended with %d: %s", code, err);
    char *text = read_text(monitor->json);
    cJSON *summary = cJSON_Parse(text);
    cr_assert(summary != NULL, "the summary is no JSON: %s", text);
    free(text);
    free(err);
    return summary;
}

cJSON *stop_monitor(struct monitor *monitor)
{
    uint64_t since_ms = unix_now_ms() - monitor->started_ms;
    wait_line(monitor->program.err, "measuring has begun");
    if (since_ms < FIRST_BEATS_MS)
        sleep_ms((unsigned)(FIRST_BEATS_MS - since_ms));
    interrupt(&monitor->program);
    return finish_monitor(monitor);
}

static const cJSON *item(const cJSON *summary, const char *path)
{
    char part[64];
    const cJSON *at = summary;
    while (at && *path) {
        size_t len = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)len, path);
        at = cJSON_GetObjectItemCaseSensitive(at, part);
        path += len + (path[len] == '.');
    }
    return at;
}

bool has_number(const cJSON *summary, const char *path)
{
    return cJSON_IsNumber(item(summary, path));
}

double number(const cJSON *summary, const char *path)
{
    const cJSON *found = item(summary, path);
    cr_assert(cJSON_IsNumber(found), "the summary has no number %s", path);
    return found->valuedouble;
}

size_t freeze_count(const cJSON *summary)
{
    return (size_t)cJSON_GetArraySize(item(summary, "freeze_list"));
}

const cJSON *freeze_at(const cJSON *summary, size_t index)
{
    return cJSON_GetArrayItem(item(summary, "freeze_list"), (int)index);
}

double freeze_start_ns(const cJSON *summary, const cJSON *freeze)
{
    return number(summary, "clock_start_ns") + number(freeze, "start_ms") * 1e6;
}

bool freeze_is_of(const cJSON *summary, const cJSON *freeze, const struct um_demo_log_event *truth)
{
    double begin_ns = freeze_start_ns(summary, freeze);
    double end_ns = begin_ns + number(freeze, "duration_ms") * 1e6;
    return begin_ns < (double)truth->end_ns && end_ns > (double)truth->begin_ns;
}

const cJSON *find_freeze(const cJSON *summary, const struct um_demo_log_event *truth)
{
    for (size_t i = 0; i < freeze_count(summary); i++)
        if (freeze_is_of(summary, freeze_at(summary, i), truth))
            return freeze_at(summary, i);
    return NULL;
}

size_t freezes_of(const cJSON *summary, const struct um_demo_log_event *truth)
{
    size_t count = 0;
    for (size_t i = 0; i < freeze_count(summary); i++)
        count += freeze_is_of(summary, freeze_at(summary, i), truth);
    return count;
}

static bool is_in_log(const cJSON *summary, const cJSON *freeze, const struct target *target)
{
    const enum um_demo_log_kind kinds[] = {UM_DEMO_LOG_FREEZE, UM_DEMO_LOG_FLOOD};
    bool found = false;

    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        struct um_demo_log_event *truths;
        size_t count = log_events(target->log, kinds[kind], &truths);
        for (size_t i = 0; i < count; i++)
            found |= truths[i].tid == target->tid && freeze_is_of(summary, freeze, &truths[i]);
        free(truths);
    }
    return found;
}

struct um_demo_log_event *wait_freezes(const struct target *target, size_t count)
{
    uint64_t until = unix_now_ms() + LIMIT_MS;
    for (;;) {
        struct um_demo_log_event *freezes, *backs;
        size_t found = log_events(target->log, UM_DEMO_LOG_FREEZE, &freezes);
        size_t back_count = log_events(target->log, UM_DEMO_LOG_BACK, &backs);
        bool over = found >= count && truth_back(backs, back_count, &freezes[count - 1]);
        free(backs);
        if (over)
            return freezes;
        free(freezes);
        cr_assert_lt(unix_now_ms(), until, "%zu freezes of %zu came", found, count);
        sleep_ms(10);
    }
}

/* The time between two moments of the demo's clock that is blind or suspended. */
static double unmeasured_ms(const cJSON *summary, double from_ns, double until_ns)
{
    const cJSON *time, *list = item(summary, "unmeasured_list");
    double sum_ms = 0;
    cr_assert(cJSON_IsArray(list), "the summary does not say when it was blind");
    cJSON_ArrayForEach(time, list)
    {
        double begin_ns = freeze_start_ns(summary, time);
        double end_ns = begin_ns + number(time, "duration_ms") * 1e6;
        const char *state = cJSON_GetStringValue(cJSON_GetObjectItem(time, "state"));
        if (state && strcmp(state, "idle") != 0)
            sum_ms += fmax(fmin(end_ns, until_ns) - fmax(begin_ns, from_ns), 0) / 1e6;
    }
    return sum_ms;
}

double held_up_ms(const cJSON *summary, const struct um_demo_log_event *truth)
{
    return unmeasured_ms(summary, (double)truth->begin_ns, (double)truth->end_ns);
}

bool is_about(double off_ms, const cJSON *summary, const struct um_demo_log_event *truth)
{
    return off_ms <= COARSE_MS && off_ms >= -COARSE_MS - held_up_ms(summary, truth);
}

static void check_message(const cJSON *freeze, const struct target *target,
                          const struct um_demo_log_event *truth)
{
    char name[64];
    const char *message = cJSON_GetStringValue(cJSON_GetObjectItem(freeze, "message"));
    const char *class_name = cJSON_GetStringValue(cJSON_GetObjectItem(freeze, "window_class"));

    um_message_names_get(truth->message, "", name, sizeof name);
    cr_expect(message && strcmp(message, name) == 0, "a freeze in %s is said to be in %s", name,
              message ? message : "none");
    if (truth->hwnd == target->hwnd && target->window_class)
        cr_expect(class_name && strcmp(class_name, target->window_class) == 0,
                  "a freeze of %s is said to be of %s", target->window_class,
                  class_name ? class_name : "none");
}

/* Checks the states of all that is reported of a freeze, and returns how long that is together.
 * More than one part of it is reported only if uimon was held up between them. */
static double check_parts(const cJSON *summary, const struct um_demo_log_event *truth,
                          const char *state)
{
    double sum_ms = 0, end_ns = 0;
    for (size_t i = 0; i < freeze_count(summary); i++) {
        const cJSON *part = freeze_at(summary, i);
        const char *said = cJSON_GetStringValue(cJSON_GetObjectItem(part, "state"));
        if (!freeze_is_of(summary, part, truth))
            continue;
        double begin_ns = freeze_start_ns(summary, part);
        cr_expect(end_ns == 0 || unmeasured_ms(summary, end_ns, begin_ns) > 0,
                  "a %s has two parts, and nobody was held up between them", truth->name);
        sum_ms += number(part, "duration_ms");
        end_ns = begin_ns + number(part, "duration_ms") * 1e6;
        cr_expect(said && strcmp(said, state) == 0, "a %s is %s, and not %s", truth->name,
                  said ? said : "nothing", state);
    }
    return sum_ms;
}

const cJSON *check_freeze(const cJSON *summary, const struct target *target,
                          const struct um_demo_log_event *truth, const char *state)
{
    double length_ms = (double)(truth->end_ns - truth->begin_ns) / 1e6;
    const cJSON *freeze = find_freeze(summary, truth);

    cr_assert(freeze, "a %s of %.1f ms is missing", truth->name, length_ms);
    double told_ms = check_parts(summary, truth, state);
    double off_ms = length_off_ms(target->log, truth, told_ms);
    double within_ms = number(freeze, "start_uncertainty_ms") / 2;
    off_ms = off_ms < 0 ? fmin(off_ms + within_ms, 0) : fmax(off_ms - within_ms, 0);
    cr_expect(is_about(off_ms, summary, truth),
              "a %s of %.1f ms is reported as %.1f ms, held up %.1f ms", truth->name, length_ms,
              told_ms, held_up_ms(summary, truth));
    const char *probe = cJSON_GetStringValue(cJSON_GetObjectItem(summary, "probe"));
    if (truth->retrieved_ns && probe && strcmp(probe, "ping") != 0) /* which sees no messages */
        check_message(freeze, target, truth);
    return freeze;
}

void check_no_other_freeze(const cJSON *summary, const struct target *target)
{
    for (size_t i = 0; i < freeze_count(summary); i++) {
        const cJSON *freeze = freeze_at(summary, i);
        double duration_ms = number(freeze, "duration_ms");
        cr_expect(duration_ms < 1000 || is_in_log(summary, freeze, target),
                  "a freeze of %.1f ms is reported that was none", duration_ms);
    }
}

void check_freezes(const cJSON *summary, const struct target *target)
{
    struct um_demo_log_event *truth;
    size_t count = log_events(target->log, UM_DEMO_LOG_FREEZE, &truth);

    cr_assert_gt(count, 0, "the target did not freeze");
    for (size_t i = 0; i < count; i++)
        check_freeze(summary, target, &truth[i], "frozen");
    check_no_other_freeze(summary, target);
    free(truth);
}

void name_feed(struct monitor *monitor)
{
    const char *line = strstr(wait_line(monitor->program.err, "feed: "), "feed: ");
    cr_assert_eq(sscanf(line, "feed: %127s", monitor->feed), 1, "%s", line);
}

struct um_demo_log_event freeze_once(const struct target *target, const struct program *feed,
                                     const char *item, size_t n)
{
    trigger(target, item);
    struct um_demo_log_event *freezes = wait_freezes(target, n);
    struct um_demo_log_event truth = freezes[n - 1];
    free(freezes);
    wait_told(feed, &truth);
    return truth;
}

static int probe_code;   /* the last probe's exit code */
static char *probe_text; /* and what it has printed */

/* What only looks, or waits. Whatever acts is a program of its own, as its effects end with it, and
 * it begins as long after what the test has waited for as a program takes to start. */
static bool is_question(const char *command)
{
    static const char *const questions[] = {"windows", "find",    "at",   "foreground",
                                            "pid",     "threads", "hung", "sinks",
                                            "held",    "feeds",   "text", "stops"};
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        if (strcmp(command, questions[i]) == 0)
            return true;
    return false;
}

static const char *probe_once(const char *command, const char *const *args)
{
    const char *all[MAX_ARGS + 2] = {command};
    struct program started;
    size_t count = 1;

    while (*args)
        all[count++] = *args++;
    all[count] = NULL;
    start_list(&started, "probe_win32", all);
    probe_code = wait_end(&started, LIMIT_MS);
    free(probe_text);
    probe_text = read_text(started.out);
    return probe_text;
}

/* Reads the answer to the last question, if it is there: what was printed behind the first `*from`
 * bytes of the file, which it goes beyond then. */
static bool read_answer(const char *path, size_t *from)
{
    char *all = read_text(path);
    char *end = strlen(all) > *from ? strchr(all + *from, PROBE_END) : NULL;
    char *line_end = end ? strchr(end, '\n') : NULL;
    if (line_end) {
        probe_code = atoi(end + 1);
        *end = 0;
        free(probe_text);
        probe_text = strdup(all + *from);
        *from = (size_t)(line_end + 1 - all);
    }
    free(all);
    return line_end != NULL;
}

/* Questions are put to the test's prober, which goes on until the test ends: starting a program
 * takes Wine 0.2 s of a processor. */
static const char *probe_list(const char *command, const char *const *args)
{
    static struct piped prober;
    static size_t answered; /* bytes of its output */
    char line[PATH_BYTES] = "";
    const char *const talk[] = {"talk", NULL};
    uint64_t until = unix_now_ms() + LIMIT_MS;

    if (!is_question(command))
        return probe_once(command, args);
    if (!prober.program.process)
        start_piped(&prober, "", test_program("probe_win32"), talk);
    size_t length = (size_t)snprintf(line, sizeof line, "%s", command);
    for (; *args; args++)
        length += (size_t)snprintf(line + length, sizeof line - length, "\t%s", *args);
    cr_assert_lt(length + 1, sizeof line, "too much for a probe: %s", command);
    strcpy(line + length, "\n");
    write_piped(&prober, line);
    while (!read_answer(prober.program.out, &answered)) {
        cr_assert(is_running(&prober.program), "the prober ended at %s", command);
        cr_assert_lt(unix_now_ms(), until, "the probe %s does not end", command);
        sleep_ms(1);
    }
    return probe_text;
}

const char *probe(const char *command, ...)
{
    const char *args[MAX_ARGS + 1];
    COLLECT(args, command);
    return probe_list(command, args);
}

double probe_number(const char *command, ...)
{
    const char *args[MAX_ARGS + 1];
    COLLECT(args, command);
    const char *text = probe_list(command, args);
    while (*text && !isdigit((unsigned char)*text) && *text != '-')
        text++;
    cr_assert(*text, "the probe %s printed no number and ended with %d", command, probe_code);
    return strtod(text, NULL);
}

void trigger(const struct target *target, const char *list)
{
    probe("trigger", hwnd_text(target->hwnd), list, NULL);
    cr_assert_eq(probe_code, 0, "the target takes no %s", list);
}

void begin_freeze(const struct target *target, const char *list)
{
    size_t before = lines_with(target->log, "away ");
    trigger(target, list);
    wait_lines(target->log, "away ", before + 1);
}

void hold(const struct target *target, const char *list)
{
    begin_freeze(target, list);
    probe("thread", "stop", decimal(target->tid), NULL);
    cr_assert_eq(probe_code, 0, "the thread cannot be stopped");
}

void let_go(const struct target *target)
{
    probe("thread", "go", decimal(target->tid), NULL);
}

void tell(const struct target *target)
{
    probe("go", decimal(target->pid), NULL);
    cr_assert_eq(probe_code, 0, "the target cannot be told");
}

void wait_front(const struct target *target)
{
    uint64_t until = unix_now_ms() + LIMIT_MS;
    while (!harness_backend_is_front(target)) {
        cr_assert_lt(unix_now_ms(), until, "the target does not come to the front: %s",
                     probe("foreground", NULL));
        sleep_ms(10);
    }
}

uint32_t x_pixel(int x, int y)
{
    uint32_t pixel;
    x_pixels(x, y, 1, 1, &pixel);
    return pixel;
}

#define NUMBER_BYTES 24

static char *number_room(void)
{
    static char texts[8][NUMBER_BYTES];
    static unsigned next;
    return texts[next++ % 8];
}

const char *decimal(uint64_t value)
{
    char *text = number_room();
    snprintf(text, NUMBER_BYTES, "%llu", (unsigned long long)value);
    return text;
}

const char *hwnd_text(uint64_t hwnd)
{
    char *text = number_room();
    snprintf(text, NUMBER_BYTES, "0x%llx", (unsigned long long)hwnd);
    return text;
}

size_t count_pixels(const struct box *box, bool (*is)(uint32_t))
{
    size_t total = (size_t)box->width * (size_t)box->height, count = 0;
    uint32_t *pixels = calloc(total, sizeof *pixels);
    cr_assert(pixels != NULL);
    x_pixels(box->x, box->y, box->width, box->height, pixels);
    for (size_t i = 0; i < total; i++)
        count += is(pixels[i]);
    free(pixels);
    return count;
}
