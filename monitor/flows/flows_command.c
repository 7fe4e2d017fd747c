#include "monitor/options/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/list.h"
#include "base/output.h"
#include "base/plain/clock.h"
#include "base/platform.h"
#include "base/utf8.h"
#include "monitor/flows/flow_names.h"
#include "monitor/flows/flows.h"
#include "monitor/flows/flows_near.h"
#include "monitor/flows/flows_slow.h"
#include "monitor/flows/flows_write.h"
#include "monitor/flows/marker_file.h"
#include "monitor/flows/markers.h"

#define ERROR_BYTES 1280
#define SEARCH_FLOW "flow:"
#define MOST_ROWS 100 /* of a list of flows as text, without --most */

/* What was read, and what of it is asked for. */
struct answer {
    const struct um_options *options;
    struct um_markers markers;
    struct um_flows flows;
    uint32_t flow;  /* UM_FLOWS_NONE: none was named */
    uint32_t *list; /* markers with `lists_markers`, else flows */
    size_t count, room;
    bool lists_markers;
    struct um_flows_near *near; /* the flow that was named and those around it */
    size_t near_count;
    struct um_flows_slow *slow; /* with --slow */
    size_t slow_count;
    bool has_input; /* with --slow: the file has flows of input, however long */
};

/* The exit code of what only memory can hinder, with a line on stderr. */
static int code_of(bool has_memory)
{
    return has_memory ? UM_EXIT_DONE : um_output_fail("uimon: out of memory", UM_EXIT_FAILED);
}

static bool add_marker(struct answer *answer, uint32_t marker)
{
    if (!um_list_reserve(&answer->list, &answer->room, answer->count + 1, UM_MARKERS_MOST,
                         sizeof *answer->list))
        return false;
    answer->list[answer->count++] = marker;
    return true;
}

/* Finds a flow by its name, which is the option's value from `skipped` on. Returns the exit code,
 * with a line on stderr. */
static int find_flow(const struct answer *answer, const char *option, const char *value,
                     size_t skipped, uint32_t *flow)
{
    char error[ERROR_BYTES];
    if (um_flow_names_find(&answer->flows, &answer->markers, value + skipped, flow, error,
                           sizeof error))
        return UM_EXIT_DONE;
    fprintf(stderr, "uimon: %s \"%s\": %s\n", option, um_utf8_show(value, 80).text, error);
    return UM_EXIT_USAGE;
}

/* Whether a marker has a text, in any case: its name, its category, a field, or the id of a
 * flow. */
static bool has_text(const struct answer *answer, const struct um_marker *marker, const char *text)
{
    const struct um_markers *markers = &answer->markers;
    if (um_utf8_contains(um_markers_get_text(markers, marker->name), text) ||
        um_utf8_contains(um_markers_get_text(markers, marker->category), text))
        return true;
    for (uint32_t i = 0; i < marker->field_count; i++) {
        const struct um_marker_field *field = &markers->fields[marker->first_field + i];
        if (field->kind == UM_MARKER_TEXT &&
            um_utf8_contains(um_markers_get_text(markers, field->value), text))
            return true;
        if (um_markers_is_flow(field) &&
            um_utf8_contains(um_texts_get(&markers->flow_ids, (uint32_t)field->value), text))
            return true;
    }
    return false;
}

/* The markers of a flow. False without memory. */
static bool add_members(struct answer *answer, uint32_t number)
{
    const struct um_flow *flow = &answer->flows.list[number];
    for (uint32_t i = 0; i < flow->count; i++)
        if (!add_marker(answer, answer->flows.members[flow->first + i]))
            return false;
    return true;
}

static int search(struct answer *answer)
{
    const char *text = answer->options->search;
    bool has_memory = true;
    answer->lists_markers = true;
    if (strncmp(text, SEARCH_FLOW, strlen(SEARCH_FLOW)) == 0) {
        uint32_t flow;
        int code = find_flow(answer, "--search", text, strlen(SEARCH_FLOW), &flow);
        return code == UM_EXIT_DONE ? code_of(add_members(answer, flow)) : code;
    }
    for (uint32_t i = 0; i < answer->markers.count && has_memory; i++)
        if (has_text(answer, &answer->markers.list[i], text))
            has_memory = add_marker(answer, i);
    return code_of(has_memory);
}

/* Adds what stands before or after a marker in a flow, if something does. False without memory. */
static bool add_neighbour(struct answer *answer, uint32_t marker, uint32_t number)
{
    const struct um_flow *flow = &answer->flows.list[number];
    const uint32_t *members = answer->flows.members + flow->first;
    uint32_t at = 0;
    while (at < flow->count && members[at] != marker)
        at++;
    if (answer->options->next)
        return at + 1 >= flow->count || add_marker(answer, members[at + 1]);
    return at == 0 || at == flow->count || add_marker(answer, members[at - 1]);
}

/* Adds its neighbours in each of its flows, or in the one that is named. False without memory. */
static bool add_neighbours(struct answer *answer, uint32_t marker)
{
    uint32_t *list;
    size_t count;
    bool has_memory = true;
    if (um_flows_of_marker(&answer->flows, marker, &list, &count) != UM_OK)
        return false;
    for (size_t i = 0; i < count && has_memory; i++)
        if (answer->flow == UM_FLOWS_NONE || answer->flow == list[i])
            has_memory = add_neighbour(answer, marker, list[i]);
    free(list);
    return has_memory;
}

/* Says why there is no such marker. */
static int refuse_marker(const struct answer *answer, const char *name)
{
    const struct um_markers *markers = &answer->markers;
    const char *colon = strrchr(name, ':');
    size_t len = colon ? (size_t)(colon - name) : 0;
    for (size_t i = 0; i < markers->thread_count && colon; i++) {
        const struct um_marker_thread *thread = &markers->threads[i];
        if (strlen(thread->label) != len || strncmp(thread->label, name, len) != 0)
            continue;
        fprintf(stderr, "uimon: --from %s: thread %s has markers 1 to %lu\n",
                um_utf8_show(name, 80).text, um_utf8_show(thread->label, 80).text,
                (unsigned long)thread->count);
        return UM_EXIT_USAGE;
    }
    fprintf(stderr, "uimon: --from %s: %s; write THREAD:N, as the lists of markers have it\n",
            um_utf8_show(name, 80).text, colon ? "there is no such thread" : "this is no marker");
    return UM_EXIT_USAGE;
}

/* Whether the marker is in the flow that is named, if one is. */
static bool is_in_flow(const struct answer *answer, uint32_t marker)
{
    if (answer->flow == UM_FLOWS_NONE)
        return true;
    const struct um_flow *flow = &answer->flows.list[answer->flow];
    for (uint32_t i = 0; i < flow->count; i++)
        if (answer->flows.members[flow->first + i] == marker)
            return true;
    return false;
}

/* The marker itself, or its neighbours in each of its flows or in the one that is named. */
static int from_marker(struct answer *answer)
{
    const char *name = answer->options->from;
    uint32_t number = um_markers_find(&answer->markers, name);
    if (number == UM_MARKERS_NONE)
        return refuse_marker(answer, name);
    if (!is_in_flow(answer, number)) {
        fprintf(stderr, "uimon: --from %s: this marker is not in the flow that --flow names\n",
                um_utf8_show(name, 80).text);
        return UM_EXIT_USAGE;
    }
    answer->lists_markers = true;
    bool has_memory = answer->options->next || answer->options->previous
                          ? add_neighbours(answer, number)
                          : add_marker(answer, number);
    return code_of(has_memory);
}

/* Lists the flow that is named and those around it. False without memory. */
static bool list_around(struct answer *answer)
{
    if (um_flows_near_find(&answer->flows, answer->flow, answer->options->steps, &answer->near,
                           &answer->near_count) != UM_OK)
        return false;
    answer->list = calloc(answer->near_count, sizeof *answer->list);
    for (; answer->list && answer->count < answer->near_count; answer->count++)
        answer->list[answer->count] = answer->near[answer->count].flow;
    return answer->list != NULL;
}

/* The flow that is named with those around it, or all. */
static int list_flows(struct answer *answer)
{
    bool has_memory;
    if (answer->flow != UM_FLOWS_NONE) {
        has_memory = list_around(answer);
    } else {
        has_memory = um_flows_longest(&answer->flows, &answer->list) == UM_OK;
        answer->count = has_memory ? answer->flows.count : 0;
    }
    return code_of(has_memory);
}

static int find_slow(struct answer *answer)
{
    struct um_flows_slow *all = NULL;
    size_t count = 0;
    int64_t above_ns = (int64_t)(answer->options->slow_ms * (double)UM_CLOCK_NS_PER_MS);
    bool has_memory =
        um_flows_slow_find(&answer->flows, above_ns, &answer->slow, &answer->slow_count) == UM_OK &&
        (answer->slow_count > 0 || um_flows_slow_find(&answer->flows, -1, &all, &count) == UM_OK);
    free(all);
    answer->has_input = answer->slow_count + count > 0;
    return code_of(has_memory);
}

static int ask(struct answer *answer)
{
    const struct um_options *options = answer->options;
    int code = UM_EXIT_DONE;
    answer->flow = UM_FLOWS_NONE;
    if (options->flow)
        code = find_flow(answer, "--flow", options->flow, 0, &answer->flow);
    if (code == UM_EXIT_DONE && options->from)
        return from_marker(answer);
    if (code == UM_EXIT_DONE && options->search)
        return search(answer);
    if (code == UM_EXIT_DONE && options->slow_ms > 0)
        return find_slow(answer);
    return code == UM_EXIT_DONE ? list_flows(answer) : code;
}

static void write_none(const struct answer *answer, FILE *file)
{
    const struct um_options *options = answer->options;
    if (options->slow_ms > 0 && !answer->has_input)
        fputs("the file has no keys, clicks or steps of the wheel; a recording has them "
              "with --interactions\n",
              file);
    else if (options->slow_ms > 0)
        fprintf(file, "no key, click or step of the wheel took longer than %.10g ms\n",
                options->slow_ms);
    else if (options->search)
        fprintf(file, "no marker has \"%s\" in its name, its category, its texts or its flows\n",
                um_utf8_show(options->search, 80).text);
    else if (!options->from && answer->markers.count > 0)
        fprintf(file,
                "the file has no flows; --search TEXT finds its markers, of which it has %zu\n",
                answer->markers.count);
    else if (!options->from)
        fputs("the file has no markers\n", file);
    else
        fprintf(file, "no marker stands %s %s in %s\n", options->next ? "after" : "before",
                um_utf8_show(options->from, 80).text, options->flow ? "that flow" : "its flows");
}

/* False without memory. */
static bool write_text(const struct answer *answer, const struct um_flows_write *to)
{
    size_t most = answer->options->most ? answer->options->most : MOST_ROWS;
    if (answer->slow ? answer->slow_count == 0 : answer->count == 0)
        write_none(answer, to->file);
    else if (answer->lists_markers)
        um_flows_write_markers(to, answer->list, answer->count);
    else if (answer->flow != UM_FLOWS_NONE)
        return um_flows_write_flow(to, answer->flow, answer->near, answer->near_count);
    else if (answer->slow)
        um_flows_write_slow(to, answer->slow, answer->slow_count, most);
    else
        return um_flows_write_list(to, answer->list, answer->count, most);
    return true;
}

/* How many of a list there are with --most. */
static size_t at_most(const struct answer *answer, size_t count)
{
    size_t most = answer->options->most;
    return most > 0 && most < count ? most : count;
}

static bool write_json(const struct answer *answer, const struct um_flows_write *to)
{
    if (answer->lists_markers)
        return um_flows_write_markers_json(to, answer->list, answer->count);
    if (answer->slow)
        return um_flows_write_slow_json(to, answer->slow, at_most(answer, answer->slow_count));
    return um_flows_write_json(to, answer->flow, answer->list, at_most(answer, answer->count));
}

/* False, with a line on stderr, if something could not be written. */
static bool write_answer(const struct answer *answer)
{
    const struct um_options *options = answer->options;
    size_t tangled = 0;
    struct um_flows_write to = {
        .markers = &answer->markers, .flows = &answer->flows, .file = stdout, .tangled = &tangled};
    bool whole = true;
    if (options->json) {
        struct um_output output;
        if (!um_output_begin_guarded(&output, options->json, "--json", answer->markers.has_keys,
                                     &to.file))
            return false;
        whole = um_output_end(&output, to.file && write_json(answer, &to));
    }
    if (tangled > 0)
        fprintf(stderr,
                "uimon: %s: is too tangled: of %zu flows only some of those around them are in the "
                "JSON; --flow ID has all around one\n",
                um_utf8_show_path(options->files[0]).text, tangled);
    whole = whole && tangled == 0;
    if (options->quiet)
        return whole;
    to.file = um_output_is_stdout(options->json) ? stderr : stdout;
    return code_of(write_text(answer, &to)) == UM_EXIT_DONE && whole;
}

/* Says on stderr what the file has that is in no answer, though nothing is wrong with it. */
static void write_said(const struct um_markers *markers, const struct um_options *options)
{
    if (markers->said[0] != '\0' && !options->quiet)
        fprintf(stderr, "uimon: %s: %s\n", um_utf8_show_path(options->files[0]).text,
                markers->said);
}

/* False, with a line on stderr, if something of the file was left out. */
static bool has_all_fields(const struct um_markers *markers, const char *path)
{
    if (markers->fields_left_out > 0)
        fprintf(stderr, "uimon: %s: %zu fields were left out, of markers with more than %u\n",
                um_utf8_show_path(path).text, markers->fields_left_out, (unsigned)UINT16_MAX);
    return markers->fields_left_out == 0;
}

static int flows(const struct um_options *options)
{
    struct answer answer = {.options = options};
    char error[ERROR_BYTES];
    enum um_status status =
        um_marker_file_read(options->files[0], &answer.markers, error, sizeof error);
    if (error[0] != '\0')
        um_output_error(error);
    write_said(&answer.markers, options);
    bool whole = has_all_fields(&answer.markers, options->files[0]) && error[0] == '\0';
    int code = status == UM_OK ? UM_EXIT_DONE : UM_EXIT_FAILED;
    if (code == UM_EXIT_DONE)
        code = code_of(um_markers_finish(&answer.markers) == UM_OK &&
                       um_flows_init(&answer.flows, &answer.markers) == UM_OK);
    if (code == UM_EXIT_DONE)
        code = ask(&answer);
    if (code == UM_EXIT_DONE)
        whole = write_answer(&answer) && whole;
    free(answer.list);
    free(answer.near);
    free(answer.slow);
    um_flows_deinit(&answer.flows);
    um_markers_deinit(&answer.markers);
    return code == UM_EXIT_DONE && !whole ? UM_EXIT_FAILED : code;
}

int um_flows_command_run(struct um_options *options)
{
    const char *path = options->files[0];

    um_platform_end_on_interrupt();
    if (options->json && !um_output_is_stdout(options->json) &&
        um_platform_same_file(options->json, path)) {
        fprintf(stderr, "uimon: %s: --json would overwrite the file; give it another one\n",
                um_utf8_show_path(path).text);
        return UM_EXIT_USAGE;
    }
    if ((options->next || options->previous) &&
        (!options->from || options->next == options->previous))
        return um_output_fail("uimon: --next and --previous: give one of them, and --from MARKER",
                              UM_EXIT_USAGE);
    if (options->steps != 1 && !options->flow)
        return um_output_fail("uimon: --steps is of --flow; say which one", UM_EXIT_USAGE);
    if (options->steps != 1 && options->from)
        return um_output_fail("uimon: --steps looks around a flow; leave --from out",
                              UM_EXIT_USAGE);
    if (options->most && (options->flow || options->from || options->search))
        return um_output_fail("uimon: --most is of the list of all flows; leave --flow, --from and "
                              "--search out",
                              UM_EXIT_USAGE);
    if (options->slow_ms > 0 && (options->flow || options->from || options->search))
        return um_output_fail("uimon: --slow looks through all flows; leave --flow, --from and "
                              "--search out",
                              UM_EXIT_USAGE);
    if (options->from && options->flow && !options->next && !options->previous)
        return um_output_fail("uimon: --from and --flow: add --next or --previous", UM_EXIT_USAGE);
    if (options->search && (options->flow || options->from))
        return um_output_fail("uimon: --search looks through all markers; leave --flow and --from "
                              "out",
                              UM_EXIT_USAGE);
    return flows(options);
}
