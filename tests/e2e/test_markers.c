/* The program's own markers: what tests/win/target_markers_win32.c says that it has done while it
 * was watched, against the markers and flows of a recording. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define MARKS 600 /* in a recording, or more */
#define MOST 32768
#define ID_FIRST "7a5c" /* of a flow */
/* The last markers may be said, and come too late: they are told apart by their numbers. */
#define LAST 16

/* A marker, as the target says or as the recording has it. */
struct mark {
    char name[16];
    uint32_t task;
    char thread[16];
    size_t times;
};

static struct mark said[MOST], recorded[MOST]; /* by number */
static uint32_t first, last;                   /* numbers of the recording */
static char recording[PATH_BYTES];

static void start_markers(struct target *target)
{
    set_variable("UM_MARKERS_DLL", windows_path(dist_file("uimon-markers64.dll")));
    start_target(target, "target_markers_win32", NULL);
}

static void read_said(const struct target *target)
{
    char *text = read_text(target->program.out);
    memset(said, 0, sizeof said);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        unsigned number, task;
        struct mark mark = {.times = 1};
        line += *line == '\n';
        if (sscanf(line, "mark %u %15s %u %15s", &number, mark.name, &task, mark.thread) != 4)
            continue;
        cr_assert_lt(number, MOST);
        mark.task = task;
        mark.times += said[number].times;
        said[number] = mark;
    }
    free(text);
}

static cJSON *ask(const char *search)
{
    const char *out, *err;
    char result[PATH_BYTES];
    snprintf(result, sizeof result, "%s", test_file("markers.json"));
    cr_assert_eq(run(&out, &err, "uimon", "flows", windows_path(recording), "--quiet", "--json",
                     windows_path(result), search ? "--search" : NULL, search, NULL),
                 0, "%s", err);
    return read_json(result);
}

static const char *text_of(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItem(object, name);
    cr_assert(cJSON_IsString(member), "no %s", name);
    return member->valuestring;
}

static const cJSON *field_of(const cJSON *marker, const char *name)
{
    const cJSON *field;
    cJSON_ArrayForEach(field, cJSON_GetObjectItem(marker, "fields"))
    {
        if (strcmp(text_of(field, "name"), name) == 0)
            return field;
    }
    return NULL;
}

static uint32_t task_of(const char *id)
{
    return (uint32_t)strtoull(id + strlen(ID_FIRST), NULL, 16);
}

static void read_recorded(void)
{
    const cJSON *marker;
    cJSON *root = ask("pipeline");
    memset(recorded, 0, sizeof recorded);
    first = MOST;
    last = 0;
    cJSON_ArrayForEach(marker, cJSON_GetObjectItem(root, "markers"))
    {
        const cJSON *number = cJSON_GetObjectItem(field_of(marker, "n"), "number");
        const cJSON *flow = cJSON_GetObjectItem(field_of(marker, "task"), "flow");
        cr_assert(cJSON_IsNumber(number) && number->valueint < MOST && flow);
        uint32_t place = (uint32_t)number->valueint;
        struct mark *mark = &recorded[place];
        snprintf(mark->name, sizeof mark->name, "%s", text_of(marker, "name"));
        snprintf(mark->thread, sizeof mark->thread, "%s", text_of(marker, "thread"));
        mark->task = task_of(text_of(flow, "id"));
        mark->times++;
        first = place < first ? place : first;
        last = place > last ? place : last;
    }
    cJSON_Delete(root);
}

/* Every marker that was said in the span of the recording is in it, once, and no other one. */
static size_t expect_same(void)
{
    size_t count = 0;
    cr_assert_gt(last, first + 2 * LAST, "from %u to %u", first, last);
    for (uint32_t i = first; i + LAST < last; i++) {
        count += said[i].times;
        cr_expect_eq(recorded[i].times, said[i].times, "number %u is %zu times and was said %zu", i,
                     recorded[i].times, said[i].times);
        cr_expect(strcmp(recorded[i].name, said[i].name) == 0 &&
                      strcmp(recorded[i].thread, said[i].thread) == 0 &&
                      recorded[i].task == said[i].task,
                  "number %u is %s of task %u on %s, and was said to be %s of %u on %s", i,
                  recorded[i].name, recorded[i].task, recorded[i].thread, said[i].name,
                  said[i].task, said[i].thread);
    }
    return count;
}

/* How many markers of a task were said in the span, and whether it was run in it. */
static size_t said_of(uint32_t task, bool *ran)
{
    size_t count = 0;
    *ran = false;
    for (uint32_t i = first; i + LAST < last; i++) {
        if (said[i].times == 0 || said[i].task != task)
            continue;
        count++;
        *ran |= strcmp(said[i].name, "Run") == 0;
    }
    return count;
}

/* Each task that was run in the span is a flow with all its markers, and the run is its last. */
static size_t expect_flows(void)
{
    const cJSON *flow;
    cJSON *root = ask(NULL);
    size_t count = 0;
    cJSON_ArrayForEach(flow, cJSON_GetObjectItem(root, "flows"))
    {
        const char *id = text_of(flow, "id");
        const cJSON *markers = cJSON_GetObjectItem(flow, "markers");
        bool ran;
        size_t truth = said_of(task_of(id), &ran);
        if (strncmp(id, ID_FIRST, strlen(ID_FIRST)) != 0 || !ran)
            continue;
        count++;
        size_t found = (size_t)cJSON_GetArraySize(markers);
        const cJSON *end = cJSON_GetArrayItem(markers, (int)found - 1);
        cr_expect_eq(found, truth, "task %u has %zu and not %zu", task_of(id), found, truth);
        cr_expect_str_eq(text_of(end, "name"), "Run");
        cr_expect(field_of(end, "done"), "it ends the flow");
    }
    cJSON_Delete(root);
    return count;
}

/* Records until the target has its DLL and has said enough after that. */
static void record(const struct target *target, const char *name)
{
    struct monitor monitor;
    snprintf(recording, sizeof recording, "%s", test_file(name));
    start_monitor(&monitor, target, "--record", windows_path(recording), NULL);
    wait_line(target->program.out, "loaded");
    wait_lines(target->program.out, "mark ", lines_with(target->program.out, "mark ") + MARKS);
    cJSON_Delete(stop_monitor(&monitor));
    read_said(target);
    read_recorded();
}

/* Closes the target, which must be well. */
static void close_markers(struct target *target)
{
    cr_expect(is_running(&target->program));
    probe("close", hwnd_text(target->hwnd), NULL);
    cr_expect_eq(wait_end(&target->program, LIMIT_MS), 0);
}

Test(markers, a_recording_has_what_the_program_says)
{
    struct target target;
    start_markers(&target);
    record(&target, "markers.uirec");
    cr_expect_gt(expect_same(), 100);
    cr_expect_gt(expect_flows(), 30);
    cr_expect(has_line(target.program.out, "loaded"), "those of the DLL are among them");
    close_markers(&target);
}

Test(markers, may_be_watched_again_while_it_marks)
{
    struct target target;
    start_markers(&target);
    record(&target, "first.uirec");
    uint32_t before = last;
    cr_expect_gt(expect_same(), 100);
    record(&target, "second.uirec");
    cr_expect_gt(first, before);
    cr_expect_gt(expect_same(), 100);
    cr_expect_gt(expect_flows(), 30);
    close_markers(&target);
}

/* The table goes when the DLL finds out that the monitor is gone. */
Test(markers, the_program_goes_on_when_the_monitor_is_killed)
{
    struct target target;
    struct monitor monitor;
    start_markers(&target);
    start_monitor(&monitor, &target, NULL);
    wait_line(target.program.out, "mark ");
    kill_hard(&monitor.program);
    size_t count = 0, before;
    do { /* until it says nothing more: it is not watched */
        before = count;
        sleep_ms(1000);
        read_said(&target);
        count = 0;
        for (size_t i = 0; i < MOST; i++)
            count += said[i].times;
    } while (count != before);
    record(&target, "after.uirec");
    cr_expect_gt(expect_same(), 100);
    close_markers(&target);
}

/* What was lost is counted. That may be a begin or an end of other markers, too. */
Test(markers, a_flood_is_recorded_or_counted)
{
    struct target target;
    struct monitor monitor;
    const cJSON *marker;
    size_t found = 0, lost = 0;
    start_markers(&target);
    snprintf(recording, sizeof recording, "%s", test_file("flood.uirec"));
    start_monitor(&monitor, &target, "--record", windows_path(recording), NULL);
    wait_line(target.program.out, "mark ");
    trigger(&target, "spin:200");
    uint64_t made = line_number(wait_line(target.program.out, "flood "), "flood");
    wait_text(recording, "Calm");
    /* How many were lost is told four times a second. */
    wait_lines(target.program.out, "mark ", lines_with(target.program.out, "mark ") + 300);
    cJSON_Delete(stop_monitor(&monitor));
    size_t others = 2 * lines_with(target.program.out, "mark ");
    cJSON *root = ask("flood");
    cJSON_ArrayForEach(marker, cJSON_GetObjectItem(root, "markers")) found++;
    cJSON_Delete(root);
    root = ask("Markers lost");
    cJSON_ArrayForEach(marker, cJSON_GetObjectItem(root, "markers")) lost +=
        (size_t)cJSON_GetObjectItem(field_of(marker, "lost"), "number")->valuedouble;
    cJSON_Delete(root);
    cr_expect_gt(found, 0);
    cr_expect(found + lost >= made && found + lost <= made + others,
              "%zu and %zu of %zu, and %zu others", found, lost, (size_t)made, others);
    close_markers(&target);
}
