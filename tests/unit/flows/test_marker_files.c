/* Markers of other tools' files: the Firefox Profiler's and Chrome's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <zlib.h>

#include "monitor/flows/firefox_markers.h"
#include "monitor/flows/json_stream.h"
#include "tests/unit/flows/read_markers.h"

MARKER_SUITE(marker_files);

static void expect_refusal(const char *json, enum um_status status, const char *why)
{
    cr_expect_eq(read_text(json), status);
    cr_expect(strncmp(error, "uimon: ", 7) == 0 && strstr(error, path) && strstr(error, why), "%s",
              error);
}

#define SCHEMAS                                                                                    \
    "\"markerSchema\":[{\"name\":\"Load\",\"isStackBased\":true,\"fields\":["                      \
    "{\"key\":\"request\",\"format\":\"flow-id\"},{\"key\":\"name\",\"format\":\"unique-string\"}" \
    ",{\"key\":\"gone\",\"format\":\"terminating-flow-id\"}]},"                                    \
    "{\"name\":\"Old\",\"data\":[{\"key\":\"request\",\"label\":\"R\",\"format\":\"flow-id\"},"    \
    "{\"label\":\"no key\",\"value\":\"x\"}]}]"

#define META                                                                                       \
    "\"meta\":{\"preprocessedProfileVersion\":57," SCHEMAS ",\"categories\":[{\"name\":"           \
    "\"Idle\"},{\"name\":\"DOM\"}]}"

#define STRINGS "\"shared\":{\"stringArray\":[\"Load\",\"Gone\",\"00c9c00\",\"text\",\"Old\"]}"

#define THREADS                                                                                    \
    "\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"Web\",\"pid\":\"12\",\"tid\":34,"      \
    "\"markers\":{\"length\":3,\"name\":[0,1,4],\"startTime\":[1.5,4,6],\"endTime\":[3.25,null,"   \
    "null],\"phase\":[1,0,0],\"category\":[1,0,9],\"data\":["                                      \
    "{\"type\":\"Load\",\"request\":2,\"name\":3,\"size\":7,\"cause\":{\"stack\":1}},"             \
    "{\"type\":\"Load\",\"gone\":2},{\"type\":\"Old\",\"request\":2}]}}]"

#define THREAD_LINES                                                                               \
    "34:1 Load 1.5-3.25 stack; request=>00c9c00; name=text; size=7\n"                              \
    "34:2 Gone 4 stack; gone=|00c9c00\n"                                                           \
    "34:3 Old 6; request=>00c9c00\n"

Test(marker_files, profile_of_firefox)
{
    expect("{" META "," STRINGS "," THREADS "}", THREAD_LINES);
    cr_expect_str_eq(um_markers_get_text(&markers, markers.list[0].category), "DOM");
    cr_expect_str_eq(um_markers_get_text(&markers, markers.threads[0].name), "GeckoMain");
    cr_expect_str_eq(um_markers_get_text(&markers, markers.threads[0].process), "Web");
    cr_expect_str_eq(markers.threads[0].process_id, "12");
}

Test(marker_files, order_of_a_profiles_members_does_not_matter)
{
    expect("  {" THREADS "," STRINGS "," META "}", THREAD_LINES);
}

Test(marker_files, threads_of_older_profiles_have_their_own_strings)
{
    expect(
        "{" META ",\"threads\":[{\"tid\":\"5\",\"stringArray\":[\"A\"],\"markers\":{\"name\":[0],"
        "\"startTime\":[1],\"endTime\":[null],\"phase\":[0],\"category\":[0],\"data\":[null]}},"
        "{\"tid\":\"6\",\"stringArray\":[\"B\"],\"markers\":{\"name\":[0],"
        "\"startTime\":[2],\"endTime\":[null],\"phase\":[0],\"category\":[0],\"data\":[null]}}]}",
        "5:1 A 1\n6:1 B 2\n");
}

/* Of "Load" two begin and one ends: it is the second. */
Test(marker_files, begins_and_ends_of_a_profile_are_paired_by_name)
{
    expect("{" META "," STRINGS ",\"threads\":[{\"tid\":1,\"markers\":{\"name\":[1,0,0,0],"
           "\"startTime\":[null,2,3,null],\"endTime\":[1,null,null,5],\"phase\":[3,2,2,3],"
           "\"category\":[0,0,0,0],\"data\":[{\"type\":\"Old\",\"request\":2},null,"
           "{\"type\":\"Load\",\"request\":2},{\"type\":\"Load\",\"gone\":2}]}}]}",
           "1:1 Gone 1-1; request=>00c9c00\n"
           "1:2 Load 2-5 open\n"
           "1:3 Load 3-5 stack; request=>00c9c00; gone=|00c9c00@5\n");
}

/* Of what starts at the same time the begin that stands first comes first, whenever it ends. */
Test(marker_files, begins_of_a_profile_are_in_the_order_of_the_file)
{
    expect("{" META "," STRINGS ",\"threads\":[{\"tid\":1,\"markers\":{\"name\":[0,1,4,1],"
           "\"startTime\":[1,1,1,0],\"endTime\":[0,0,0,2],\"phase\":[2,2,0,3],"
           "\"category\":[0,0,0,0],\"data\":[null,null,null,null]}}]}",
           "1:1 Load 1-2 open\n1:2 Gone 1-2\n1:3 Old 1\n");
}

Test(marker_files, profiles_of_other_versions_are_refused)
{
    expect_refusal("{\"meta\":{\"preprocessedProfileVersion\":50}}", UM_ERR_VERSION,
                   "version 50; versions 51 to 75 can be read: open it in the Firefox Profiler");
    expect_refusal("{\"meta\":{\"preprocessedProfileVersion\":76}}", UM_ERR_VERSION,
                   "version 76; versions 51 to 75 can be read: a newer uimon may read it");
}

/* It is refused where its version stands, and not where it ends. */
Test(marker_files, a_profile_of_another_version_is_not_read_to_its_end)
{
    expect_refusal("{\"meta\":{\"preprocessedProfileVersion\":76},\"threads\":nonsense",
                   UM_ERR_VERSION, "version 76");
}

/* What is in them is read the same way. */
Test(marker_files, profiles_of_all_versions_between_are_read)
{
    for (int version = UM_FIREFOX_MARKERS_OLDEST; version <= UM_FIREFOX_MARKERS_NEWEST; version++) {
        char json[64];
        snprintf(json, sizeof json, "{\"meta\":{\"preprocessedProfileVersion\":%d}}", version);
        cr_expect_eq(read_text(json), UM_OK, "%d: %s", version, error);
    }
}

/* Those of today have 0 for a time that a marker has not. */
Test(marker_files, profile_of_the_newest_version)
{
    expect("{\"meta\":{\"preprocessedProfileVersion\":75," SCHEMAS ",\"categories\":[{\"name\":"
           "\"Idle\"}]},\"shared\":{\"frameTable\":{\"flags\":[7],\"line\":[0]},\"funcTable\":{"
           "\"flags\":[4]},\"stackTable\":{\"prefixOffset\":[0]},\"sources\":{\"content\":[null]},"
           "\"stringArray\":[\"Load\",\"Gone\",\"00c9c00\",\"text\",\"Old\"]},"
           "\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"Web\",\"pid\":\"12\",\"tid\":"
           "\"34\",\"markers\":{\"length\":4,\"name\":[0,1,0,0],\"startTime\":[1.5,4,5,0],"
           "\"endTime\":[3.25,0,0,7],\"phase\":[1,0,2,3],\"category\":[0,0,0,0],\"data\":["
           "{\"type\":\"Load\",\"request\":2},{\"type\":\"Load\",\"gone\":2},null,null]}}]}",
           "34:1 Load 1.5-3.25 stack; request=>00c9c00\n"
           "34:2 Gone 4 stack; gone=|00c9c00\n"
           "34:3 Load 5-7\n");
}

Test(marker_files, numbers_of_a_profile_that_cannot_be)
{
    expect("{" META "," STRINGS ",\"threads\":[{\"tid\":1,\"markers\":{\"name\":[99,-1,0.5,null,"
           "\"x\"],\"startTime\":[1e300,-1e300,1],\"endTime\":[],\"phase\":[1,1,0,7,2],"
           "\"category\":[-5],\"data\":[{\"type\":\"Load\",\"request\":-1},{\"type\":7},[],{}]}}]}",
           "1:1  0-0 stack\n1:2  0-0; type=7\n1:3 Load 1\n");
}

Test(marker_files, trace_of_chrome)
{
    expect(
        "{\"displayTimeUnit\":\"ms\",\"traceEvents\":["
        "{\"ph\":\"M\",\"pid\":1,\"tid\":10,\"name\":\"thread_name\",\"args\":{\"name\":\"Main\"}},"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":10,\"name\":\"process_name\",\"args\":{\"name\":\"P\"}},"
        "{\"ph\":\"B\",\"pid\":1,\"tid\":10,\"ts\":1000,\"name\":\"outer\",\"cat\":\"c\"},"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":10,\"ts\":2000,\"dur\":1500,\"name\":\"inner\",\"args\":"
        "{\"n\":3,\"s\":\"t\",\"o\":{}}},"
        "{\"ph\":\"s\",\"pid\":1,\"tid\":10,\"ts\":2500,\"name\":\"go\",\"id\":\"0x1\"},"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":10,\"ts\":5000},"
        "{\"ph\":\"i\",\"pid\":1,\"tid\":11,\"ts\":6000,\"name\":\"now\"},"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":11,\"ts\":7000,\"dur\":10,\"name\":\"work\"},"
        "{\"ph\":\"f\",\"pid\":1,\"tid\":11,\"ts\":7001,\"name\":\"go\",\"id\":\"0x1\","
        "\"bp\":\"e\"},"
        "{\"ph\":\"C\",\"pid\":1,\"tid\":11,\"ts\":8000,\"name\":\"counter\"}]}",
        "10:1 outer 1-5 stack\n"
        "10:2 inner 2-3.5 stack; go=>0x1@2.5; n=3; s=t\n"
        "11:1 now 6 stack\n"
        "11:2 work 7-7.01 stack; go=|0x1@7.001\n");
    cr_expect_str_eq(um_markers_get_text(&markers, markers.threads[0].name), "Main");
    cr_expect_str_eq(um_markers_get_text(&markers, markers.threads[1].process), "P");
}

/* A program that was killed leaves no bracket. */
Test(marker_files, array_of_events_without_its_bracket)
{
    expect("[{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":1,\"name\":\"a\"},\n"
           "{\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":2,\"name\":\"b\"},\n",
           "1:1 a 0.001 stack\n1:2 b 0.002-0.002 stack open\n");
}

Test(marker_files, arguments_of_an_end_belong_to_its_interval)
{
    expect("[{\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":1000,\"name\":\"a\",\"args\":{\"x\":1}},"
           "{\"ph\":\"b\",\"pid\":1,\"tid\":1,\"ts\":1500,\"name\":\"c\",\"id\":1},"
           "{\"ph\":\"e\",\"pid\":1,\"tid\":2,\"ts\":1700,\"name\":\"c\",\"id\":1,"
           "\"args\":{\"z\":3}},"
           "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":2000,\"args\":{\"y\":\"t\"}}]",
           "1:1 a 1-2 stack; x=1; y=t\n1:2 c 1.5-1.7; z=3\n");
}

static size_t pack(const char *json, unsigned char *bytes, size_t cap)
{
    z_stream stream = {.next_in = (unsigned char *)json, .avail_in = (uInt)strlen(json)};
    cr_assert_eq(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_out = bytes;
    stream.avail_out = (uInt)cap;
    cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return cap - stream.avail_out;
}

/* One bad name is no reason to refuse all of it. */
Test(marker_files, a_name_that_is_no_utf8)
{
    expect("[{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":1,\"name\":\"a\xff\"},"
           "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":2,\"name\":\"b\"}]",
           "1:1 a\xff 0.001 stack\n1:2 b 0.002 stack\n");
}

/* What was written before its program was killed is read, wherever that was. */
Test(marker_files, a_trace_that_is_cut_off_has_what_is_before_that)
{
    static const char json[] =
        "{\"traceEvents\":[{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":1,\"name\":\"a\"},\n"
        "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":25,\"name\":\"b\",\"args\":{\"n\":true}}]}";
    const size_t first = (size_t)(strchr(json, '\n') - json), second = sizeof json - 3;
    for (size_t len = first; len < sizeof json - 2; len++) {
        write_bytes(json, len);
        cr_assert_eq(um_marker_file_read(path, &markers, error, sizeof error), UM_OK, "%s", error);
        cr_expect(strstr(error, ": is cut off; what it has up to there was read"), "%zu: %s", len,
                  error);
        cr_expect_eq(markers.count, len < second ? 1 : 2, "%zu", len);
        um_markers_deinit(&markers);
    }
}

/* What stands before its events is longer than what is looked at to tell what the file is. */
Test(marker_files, a_trace_with_much_before_its_events_is_cut_off)
{
    static char json[70 * 1024 + 200];
    const size_t before = 70 * 1024;
    size_t len = (size_t)snprintf(json, sizeof json, "{\"metadata\":\"");
    memset(json + len, 'x', before);
    strcpy(json + len + before, "\",\"traceEvents\":[{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":1,"
                                "\"name\":\"a\"},{\"ph\":");
    cr_assert_eq(read_text(json), UM_OK, "%s", error);
    cr_expect(strstr(error, ": is cut off; what it has up to there was read"), "%s", error);
    cr_expect_eq(markers.count, 1);
}

Test(marker_files, a_packed_trace_that_is_cut_off_has_what_is_before_that)
{
    unsigned char bytes[65536];
    char *json = malloc(200000);
    size_t len = 1;
    cr_assert(json);
    json[0] = '[';
    for (int i = 0; i < 2000; i++)
        len +=
            (size_t)snprintf(json + len, 200000 - len,
                             "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":%d,\"name\":\"a\"},\n", i);
    write_bytes(bytes, pack(json, bytes, sizeof bytes) / 2);
    free(json);
    cr_assert_eq(um_marker_file_read(path, &markers, error, sizeof error), UM_OK, "%s", error);
    cr_expect(strstr(error, "is cut off; what it has"), "%s", error);
    cr_expect(markers.count > 100 && markers.count < 2000, "%zu", markers.count);
}

/* Chromium writes where a task is posted as an instant, with the flow to the task in it. */
Test(marker_files, a_flow_may_lie_in_an_instant)
{
    expect("[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1000,\"dur\":9000,\"name\":\"around\"},"
           "{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":2000,\"name\":\"go\",\"id\":5},"
           "{\"ph\":\"I\",\"pid\":1,\"tid\":1,\"ts\":2000,\"name\":\"post\",\"s\":\"t\"},"
           "{\"ph\":\"t\",\"pid\":1,\"tid\":1,\"ts\":2001,\"name\":\"go\",\"id\":5}]",
           "1:1 around 1-10 stack; go=>5@2.001\n1:2 post 2 stack; go=>5\n");
}

#define SLICE(name, tid, ts, dur)                                                                  \
    "{\"ph\":\"X\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur ",\"name\":\"" name    \
    "\"},"
#define FLOW_EVENT(ph, tid, ts)                                                                    \
    "{\"ph\":\"" ph "\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts                                    \
    ",\"name\":\"go\",\"id\":5,\"bp\":\"e\"},"

/* The slice that waits has begun before the one that it waits for. */
Test(marker_files, flow_events_count_at_their_own_time)
{
    expect_flows("[" SLICE("wait", 1, 0, 200) SLICE("work", 2, 50, 50) FLOW_EVENT("s", 2, 60)
                     FLOW_EVENT("f", 1, 120),
                 "5: work wait\n");
}

/* Both threads are in one slice all the time, from which they send each other something, twice. */
Test(marker_files, an_id_is_used_again_within_the_same_slices)
{
    expect_flows("[" SLICE("one", 1, 0, 900) SLICE("two", 2, 10, 900) FLOW_EVENT("s", 2, 20)
                     FLOW_EVENT("f", 1, 30) FLOW_EVENT("s", 1, 40) FLOW_EVENT("t", 2, 50)
                         FLOW_EVENT("t", 1, 60) FLOW_EVENT("f", 2, 70),
                 "5: two one\n5: one two\n");
}

/* Microseconds since 1970 have more digits than a whole number that is no id. */
Test(marker_files, times_of_the_calendar)
{
    cr_assert_eq(read_text("[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1790000000000123,\"dur\":4,"
                           "\"name\":\"a\"},{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"name\":\"b\","
                           "\"ts\":1790000000000123.5}]"),
                 UM_OK, "%s", error);
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_expect_eq(markers.list[0].start_ns, 1790000000000123000);
    cr_expect_eq(markers.list[0].end_ns, 1790000000000127000);
    cr_expect_eq(markers.list[1].start_ns, 1790000000000123500);
}

Test(marker_files, times_of_a_trace_that_cannot_be)
{
    expect("[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":3.9e15,\"dur\":3.9e15,\"name\":\"a\"},"
           "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":9e15,\"name\":\"b\"},"
           "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":[],\"name\":\"c\"}]",
           "1:1 a 3.9e+12-4e+12 stack\n");
    cr_expect_str_eq(markers.said, "left out: 2 without ts (a time)");
}

Test(marker_files, end_of_a_flow_goes_to_the_next_slice)
{
    expect("[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1000,\"dur\":9000,\"name\":\"around\"},"
           "{\"ph\":\"f\",\"pid\":1,\"tid\":1,\"ts\":2000,\"name\":\"go\",\"id\":5},"
           "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":3000,\"dur\":1000,\"name\":\"next\"},"
           "{\"ph\":\"t\",\"pid\":1,\"tid\":2,\"ts\":3000,\"name\":\"go\",\"id\":5}]",
           "1:1 around 1-10 stack\n"
           "1:2 next 3-4 stack; go=|5@2\n"
           "2:1 go 3 stack; go=>5\n");
}

/* Whether the file has it before or behind what else happens at its time. */
Test(marker_files, end_of_a_flow_goes_to_a_slice_at_its_time)
{
#define NEXT "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":4000,\"dur\":1000,\"name\":\"next\"}"
#define AT_ONCE "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":2000,\"dur\":1000,\"name\":\"at once\"},"
#define END "{\"ph\":\"f\",\"pid\":1,\"tid\":1,\"ts\":2000,\"name\":\"go\",\"id\":5},"
#define OTHER "{\"ph\":\"t\",\"pid\":1,\"tid\":1,\"ts\":2000,\"name\":\"other\",\"id\":6},"
    expect("[" END AT_ONCE OTHER NEXT "]",
           "1:1 at once 2-3 stack; go=|5; other=>6\n1:2 next 4-5 stack\n");
    um_markers_deinit(&markers);
    expect("[" AT_ONCE OTHER END NEXT "]",
           "1:1 at once 2-3 stack; other=>6; go=|5\n1:2 next 4-5 stack\n");
}

Test(marker_files, flows_of_other_names_and_processes_are_apart)
{
    expect(
        "[{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":1000,\"name\":\"a\",\"cat\":\"c\",\"id\":7},"
        "{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":2000,\"name\":\"b\",\"cat\":\"c\",\"id\":7},"
        "{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":3000,\"name\":\"a\",\"id2\":{\"local\":7}},"
        "{\"ph\":\"s\",\"pid\":2,\"tid\":2,\"ts\":4000,\"name\":\"a\",\"id2\":{\"local\":\"7\"}},"
        "{\"ph\":\"t\",\"pid\":2,\"tid\":2,\"ts\":5000,\"name\":\"a\",\"cat\":\"c\","
        "\"id2\":{\"global\":7}}]",
        "1.1:1 a 1 stack; a=>7\n1.1:2 b 2 stack; b=>7:c:b\n1.1:3 a 3 stack; a=>7@1::a\n"
        "2.2:1 a 4 stack; a=>7@2::a\n2.2:2 a 5 stack; a=>7\n");
}

/* uimon's own files: each flow has a number there, and what it is called is an argument. */
Test(marker_files, numbers_with_the_same_argument_are_one_id)
{
#define OWN_EVENT(ph, ts, id, flow)                                                                \
    "{\"ph\":\"" ph "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"name\":\"go\",\"id\":" #id            \
    ",\"bp\":\"e\",\"args\":{\"uimon_flow\":\"" flow "\"}},"
    expect_flows("[" SLICE("one", 1, 0, 9) SLICE("two", 1, 10, 9) SLICE("three", 1, 20, 9)
                     SLICE("four", 1, 30, 9) OWN_EVENT("s", 0, 1, "3f-a")
                         OWN_EVENT("f", 10, 1, "3f-a") OWN_EVENT("s", 20, 2, "3f-a")
                             OWN_EVENT("f", 30, 2, "3f-a"),
                 "3f-a: one two\n3f-a: three four\n");
}

/* Of two such files in one, or together with another program's events. */
Test(marker_files, a_number_with_other_arguments_is_several_ids)
{
    expect_flows("[" SLICE("one", 1, 0, 9) SLICE("two", 1, 10, 9) SLICE("three", 1, 20, 9)
                     OWN_EVENT("s", 0, 5, "3f-a") OWN_EVENT("s", 10, 5, "3f-b")
                         OWN_EVENT("s", 0, 6, "5") FLOW_EVENT("s", 1, 20),
                 "3f-a: one\n5: one\n3f-b: two\n5::go: three\n");
}

/* Keys are made of several texts, which may have any character in them. */
Test(marker_files, flows_and_threads_whose_texts_join_to_the_same_are_apart)
{
    expect("[{\"ph\":\"s\",\"pid\":\"1 2\",\"tid\":\"3\",\"ts\":1000,\"name\":\"c\","
           "\"cat\":\"a:b\",\"id\":5},"
           "{\"ph\":\"s\",\"pid\":\"1\",\"tid\":\"2 3\",\"ts\":2000,\"name\":\"b:c\","
           "\"cat\":\"a\",\"id\":5},"
           "{\"ph\":\"s\",\"pid\":\"1\",\"tid\":\"2 3\",\"ts\":3000,\"name\":\"d\","
           "\"id\":\"5:a:b:c\"},"
           "{\"ph\":\"s\",\"pid\":\"1\",\"tid\":\"2 3\",\"ts\":4000,\"name\":\"b:c\","
           "\"cat\":\"a\",\"id\":\"5@1\"},"
           "{\"ph\":\"s\",\"pid\":\"1\",\"tid\":\"2 3\",\"ts\":5000,\"name\":\"b:c\","
           "\"cat\":\"a\",\"id2\":{\"local\":5}}]",
           "1 2.3:1 c 1 stack; c=>5\n1.2 3:1 b:c 2 stack; b:c=>5:a:b:c\n"
           "1.2 3:2 d 3 stack; d=>5:a:b:c::d\n1.2 3:3 b:c 4 stack; b:c=>5@1\n"
           "1.2 3:4 b:c 5 stack; b:c=>5@1:a:b:c\n");
}

Test(marker_files, intervals_of_one_id_in_two_scopes_are_apart)
{
#define APART(ph, ts, scope)                                                                       \
    "{\"ph\":\"" ph "\",\"pid\":1,\"tid\":1,\"ts\":" ts ",\"name\":\"A\",\"cat\":\"c\","           \
    "\"id\":1,\"scope\":\"" scope "\"}"
    expect("[" APART("b", "0", "p") "," APART("b", "1000", "q") "," APART(
               "e", "5000", "p") "," APART("e", "9000", "q") "]",
           "1:1 A 0-5\n1:2 A 1-9\n");
}

/* The Firefox Profiler writes such ids where it compares two profiles. */
Test(marker_files, ids_of_processes_may_be_any_texts)
{
#define THREAD_OF(pid)                                                                             \
    "{\"name\":\"T\",\"pid\":" pid ",\"tid\":1,\"markers\":{\"length\":1,\"name\":[0],"            \
    "\"startTime\":[1],\"endTime\":[null],\"phase\":[0],\"category\":[0],\"data\":[null]}}"
    expect("{" META "," STRINGS ",\"threads\":[" THREAD_OF("\"1 from profile 1\"") "," THREAD_OF(
               "\"1 from profile 2\"") "," THREAD_OF("-1.5") "," THREAD_OF("null") "]}",
           "1 from profile 1.1:1 Load 1\n1 from profile 2.1:1 Load 1\n-1.5.1:1 Load 1\n"
           "1:1 Load 1\n");
    um_markers_deinit(&markers);
    expect("[{\"ph\":\"i\",\"pid\":-1,\"tid\":7,\"ts\":1000,\"name\":\"a\"},"
           "{\"ph\":\"i\",\"pid\":5,\"tid\":7,\"ts\":1000,\"name\":\"b\"},"
           "{\"ph\":\"i\",\"pid\":0,\"tid\":7,\"ts\":1000,\"name\":\"c\"}]",
           "-1.7:1 a 1 stack\n5.7:1 b 1 stack\n7:1 c 1 stack\n");
}

Test(marker_files, a_trace_may_have_no_markers)
{
    expect("{\"traceEvents\":[]}", "");
    um_markers_deinit(&markers);
    expect("[]", "");
    um_markers_deinit(&markers);
    expect(" [\n", "");
    um_markers_deinit(&markers);
    expect("[{\"ph\":\"C\",\"pid\":1,\"ts\":1,\"name\":\"n\",\"args\":{\"n\":1}}]", "");
}

Test(marker_files, flows_of_very_long_names_are_apart)
{
    static char json[4096], name[1200];
    memset(name, 'n', sizeof name - 1);
    snprintf(json, sizeof json,
             "[{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":1,\"name\":\"%s\",\"id\":7},"
             "{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":2,\"name\":\"%s\",\"id\":8}]",
             name, name);
    cr_assert_eq(read_text(json), UM_OK, "%s", error);
    cr_expect_eq(markers.flow_ids.count, 2);
}

Test(marker_files, ids_keep_all_their_digits)
{
    expect(
        "[{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":1000,\"name\":\"a\",\"id\":9007199254740993}]",
        "1:1 a 1 stack; a=>9007199254740993\n");
}

Test(marker_files, intervals_that_lie_on_no_stack)
{
    expect("[{\"ph\":\"b\",\"pid\":1,\"tid\":1,\"ts\":1000,\"name\":\"a\",\"id\":1},"
           "{\"ph\":\"b\",\"pid\":1,\"tid\":1,\"ts\":2000,\"name\":\"a\",\"id\":2},"
           "{\"ph\":\"n\",\"pid\":1,\"tid\":1,\"ts\":2500,\"name\":\"a\",\"id\":2},"
           "{\"ph\":\"e\",\"pid\":1,\"tid\":2,\"ts\":3000,\"name\":\"a\",\"id\":1}]",
           "1:1 a 1-3\n1:2 a 2-3 open\n1:3 a 2.5\n");
}

Test(marker_files, packed_profile)
{
    unsigned char bytes[4096];
    write_bytes(bytes, pack("{" META "," STRINGS "," THREADS "}", bytes, sizeof bytes));
    cr_assert_eq(um_marker_file_read(path, &markers, error, sizeof error), UM_OK, "%s", error);
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_expect_str_eq(marker_text(&markers, text, sizeof text), THREAD_LINES);
}

Test(marker_files, packing_that_is_cut_off_or_damaged)
{
    unsigned char bytes[4096];
    size_t len = pack("{" META "," STRINGS "," THREADS "}", bytes, sizeof bytes);
    write_bytes(bytes, len - 20);
    cr_expect_neq(um_marker_file_read(path, &markers, error, sizeof error), UM_OK);
    cr_expect(strstr(error, "is cut off"), "%s", error);
    bytes[len - 6] ^= 1; /* the checksum */
    write_bytes(bytes, len);
    cr_expect_neq(um_marker_file_read(path, &markers, error, sizeof error), UM_OK);
    cr_expect(strstr(error, "is damaged, where it is packed"), "%s", error);
}

Test(marker_files, a_mark_of_the_order_of_bytes_may_stand_first)
{
    expect("\xef\xbb\xbf{" META "," STRINGS "," THREADS "}", THREAD_LINES);
}

/* Files of other tools, by their first bytes or members. */
Test(marker_files, a_refusal_says_which_kind_a_file_is)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *kind;
    } files[] = {
#define FILE_OF(text, kind) {text, sizeof text - 1, kind}
        FILE_OF("\xdc\xdfJSLB\1\0rest", "a packed profile of the Firefox Profiler (JSLB)"),
        FILE_OF("PK\3\4rest", "a zip archive; unpack it"),
        FILE_OF("\x28\xb5\x2f\xfdrest", "packed with zstd"),
        FILE_OF("\xff\xfe{\0", "a text in UTF-16"),
        FILE_OF("{\0\"\0t\0\"\0:\0001\0}\0", "a text in UTF-16; save it as UTF-8"),
        FILE_OF("\0{\0\"\0t\0\"\0:\0001\0}", "a text in UTF-16; save it as UTF-8"),
        FILE_OF("[\0{\0}\0]\0", "a text in UTF-16; save it as UTF-8"),
        FILE_OF("\0\n\0[\0]", "a text in UTF-16; save it as UTF-8"),
        FILE_OF("Nettrace\x14\0\0\0!FastSerialization.1", "a trace of .NET's EventPipe"),
        FILE_OF("PERFILE2rest", "a recording of Linux's perf"),
        FILE_OF("\x7f"
                "ELF\2\1\1",
                "a program of Linux"),
        FILE_OF("\x0a\4\x50\2\x58\3\x0a\2\x50\3\x0a\2", "a trace of Perfetto"),
        FILE_OF(
            "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{}}",
            "a profile of speedscope"),
        FILE_OF(" {\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"a\"},\"hitCount\":0}],"
                "\"startTime\":1,\"samples\":[1],\"timeDeltas\":[5]}",
                "a .cpuprofile of V8"),
        FILE_OF("{\"snapshot\":{\"meta\":{\"node_fields\":[]}}}", "a heap snapshot of V8"),
        FILE_OF("{\"log\":{\"version\":\"1.2\",\"creator\":{}}}", "an archive of requests (HAR)"),
        FILE_OF("{\"uimon\": \"0.1.0\", \"schema\": 2}", "JSON of uimon itself"),
    };
    char kind[128];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        write_bytes(files[i].bytes, files[i].len);
        cr_expect_eq(um_marker_file_read(path, &markers, error, sizeof error), UM_ERR_UNSUPPORTED);
        snprintf(kind, sizeof kind, ": is %s", files[i].kind);
        cr_expect(strstr(error, kind) && strstr(error, "; uimon flows reads "), "%s: %s", kind,
                  error);
    }
}

/* What stands behind its nodes is not looked at any more. */
Test(marker_files, a_large_cpuprofile_is_named)
{
    static char json[100000];
    size_t len = (size_t)snprintf(json, sizeof json, "{\"nodes\":[");
    for (int id = 1; len < 90000; id++)
        len +=
            (size_t)snprintf(json + len, sizeof json - len,
                             "%s{\"id\":%d,\"callFrame\":{\"functionName\":\"f\"},\"hitCount\":0}",
                             id > 1 ? "," : "", id);
    strcpy(json + len, "],\"startTime\":1,\"endTime\":2,\"samples\":[1],\"timeDeltas\":[5]}");
    expect_refusal(json, UM_ERR_UNSUPPORTED, "is a .cpuprofile of V8");
}

Test(marker_files, a_trace_of_etw_is_named)
{
    unsigned char bytes[200] = {0, 0, 1, 0};
    memcpy(bytes + 0x48, "\x02\x00\x02\xc0", 4);
    write_bytes(bytes, sizeof bytes);
    cr_expect_eq(um_marker_file_read(path, &markers, error, sizeof error), UM_ERR_UNSUPPORTED);
    cr_expect(strstr(error, "is a trace of ETW (.etl)"), "%s", error);
}

Test(marker_files, a_profile_that_firefox_itself_wrote_is_named)
{
    expect_refusal("{\"meta\":{\"version\":31},\"threads\":[],\"processes\":[]}", UM_ERR_VERSION,
                   "is a profile as Firefox itself writes it; open it in the Firefox Profiler");
}

/* What is packed is named by what is in it. */
Test(marker_files, a_packed_file_of_another_kind_is_named)
{
    static const char json[] =
        "{\"nodes\":[{\"id\":1,\"callFrame\":{}}],\"samples\":[],\"timeDeltas\":[]}";
    unsigned char bytes[4096];
    write_bytes(bytes, pack(json, bytes, sizeof bytes));
    cr_expect_eq(um_marker_file_read(path, &markers, error, sizeof error), UM_ERR_UNSUPPORTED);
    cr_expect(strstr(error, "is a .cpuprofile of V8"), "%s", error);
}

/* Each piece of the file that does not end the text reads it anew. */
Test(marker_files, a_very_long_text_is_refused)
{
    const char begin[] = "[\"";
    char *json = malloc(sizeof begin + UM_JSON_STREAM_LONGEST_BYTES + 100000);
    cr_assert(json);
    memcpy(json, begin, sizeof begin - 1);
    memset(json + sizeof begin - 1, 'x', UM_JSON_STREAM_LONGEST_BYTES + 100000);
    json[sizeof begin - 1 + UM_JSON_STREAM_LONGEST_BYTES + 100000] = '\0';
    expect_refusal(json, UM_ERR_TOO_LARGE, "has a text of more than 16 megabytes");
    free(json);
}

/* As a whole it would take a hundred times the memory that it has in the file. */
Test(marker_files, an_event_of_too_many_parts_is_refused)
{
    const char begin[] = "[{\"ph\":\"i\",\"args\":{\"a\":[0", end[] = "]}}]";
    char *json = malloc(sizeof begin + 2 * UM_JSON_STREAM_MOST_PARTS + sizeof end);
    cr_assert(json);
    size_t len = sizeof begin - 1;
    memcpy(json, begin, len);
    for (size_t i = 0; i < UM_JSON_STREAM_MOST_PARTS; i++, len += 2)
        memcpy(json + len, ",0", 2);
    memcpy(json + len, end, sizeof end);
    expect_refusal(json, UM_ERR_TOO_LARGE, "has a value of more than a million parts");
    free(json);
}

Test(marker_files, what_is_no_such_file_is_refused_with_one_line)
{
    char deep[200] = "[{\"a\":";
    expect_refusal("{", UM_ERR_PARTIAL, "is cut off");
    expect_refusal("{\"meta\":{\"preprocessedProfileVersion\":55},\"threads\":[{\"mar",
                   UM_ERR_PARTIAL, "is cut off");
    expect_refusal("{\"a\":1}", UM_ERR_UNSUPPORTED,
                   "is no recording, no profile and no trace; uimon "
                   "flows reads recordings, processed profiles");
    expect_refusal("[1]", UM_ERR_UNSUPPORTED, "is no recording, no profile and no trace;");
    expect_refusal("nonsense", UM_ERR_UNSUPPORTED, "is no recording, no profile and no trace;");
    expect_refusal("{\"meta\":nonsense}", UM_ERR_FORMAT, "is no JSON");
    memset(deep + strlen(deep), '[', 100);
    expect_refusal(deep, UM_ERR_TOO_LARGE, "too deep");
    cr_expect_eq(read_text(""), UM_ERR_PARTIAL);
    unlink(path);
    cr_expect_eq(um_marker_file_read(path, &markers, error, sizeof error), UM_ERR_NOT_FOUND);
}
