/* Notations of Chrome's JSON that other programs write. */
#include <inttypes.h>
#include <stdlib.h>

#include <zlib.h>

#include "tests/unit/flows/read_markers.h"

MARKER_SUITE(chrome_markers);

/* An event with whatever else it has. */
#define EVENT(ph, tid, ts, name, more)                                                             \
    "{\"ph\":\"" ph "\",\"pid\":1,\"tid\":" tid ",\"ts\":" ts ",\"cat\":\"c\",\"name\":\"" name    \
    "\"" more "}"
#define AND ","

static void expect_again(const char *json, const char *lines)
{
    um_markers_deinit(&markers);
    expect(json, lines);
}

static void expect_flows_again(const char *json, const char *lines)
{
    um_markers_deinit(&markers);
    expect_flows(json, lines);
}

/* Flows of events themselves ------------------------------------------------------------------- */

#define OUT ",\"bind_id\":\"0x401\",\"flow_out\":true"
#define IN ",\"bind_id\":\"0x401\",\"flow_in\":true"
#define THROUGH OUT ",\"flow_in\":true"
#define LONG ",\"dur\":50"

Test(chrome_markers, a_bind_id_is_one_flow_through_all_slices)
{
    expect_flows("[" EVENT("X", "1", "100", "post", LONG OUT)
                     AND EVENT("X", "2", "200", "step", LONG THROUGH)
                         AND EVENT("X", "3", "300", "run", LONG IN) "]",
                 "0x401: post step run\n");
    /* One that goes on to several. */
    expect_flows_again("[" EVENT("X", "1", "100", "post", LONG OUT)
                           AND EVENT("X", "2", "200", "one", LONG IN)
                               AND EVENT("X", "3", "300", "two", LONG IN) "]",
                       "0x401: post one two\n");
}

Test(chrome_markers, a_bind_id_may_be_of_any_event)
{
    expect("[" EVENT("B", "1", "100", "post", OUT) AND EVENT("E", "1", "150", "post", "")
               AND EVENT("B", "2", "200", "run", "") AND EVENT("E", "2", "250", "run", IN)
                   AND EVENT("b", "3", "300", "load", ",\"id\":1")
                       AND EVENT("e", "3", "350", "load", ",\"id\":1" IN)
                           AND EVENT("i", "4", "400", "done", IN) "]",
           "1:1 post 0.1-0.15 stack; bind_id=>0x401\n"
           "2:1 run 0.2-0.25 stack; bind_id=>0x401@0.25\n"
           "3:1 load 0.3-0.35; bind_id=>0x401@0.35\n"
           "4:1 done 0.4 stack; bind_id=>0x401\n");
}

Test(chrome_markers, a_bind_id_may_be_a_number)
{
    expect_flows(
        "[" EVENT("X", "1", "100", "post", LONG ",\"bind_id\":1025,\"flow_out\":1")
            AND EVENT("X", "2", "200", "run", LONG ",\"bind_id\":1025,\"flow_in\":\"true\"") "]",
        "1025: post run\n");
}

/* A flow event with the same id is of another flow. */
Test(chrome_markers, a_bind_id_is_no_id_of_flow_events)
{
    expect_flows("[" EVENT("X", "1", "100", "post", LONG OUT)
                     AND EVENT("s", "1", "110", "go", ",\"id\":\"0x401\"")
                         AND EVENT("X", "2", "200", "run", LONG IN) "]",
                 "0x401: post run\n0x401:c:go: post\n");
}

Test(chrome_markers, a_bind_id_without_a_direction_is_an_argument)
{
    expect("[" EVENT("X", "1", "100", "a", LONG ",\"bind_id\":\"0x401\",\"flow_in\":false") "]",
           "1:1 a 0.1-0.15 stack; bind_id=0x401\n");
}

/* Flow events at one time ---------------------------------------------------------------------- */

#define S(tid, ts) EVENT("s", tid, ts, "go", ",\"id\":1")
#define T(tid, ts) EVENT("t", tid, ts, "go", ",\"id\":1")
#define F(tid, ts) EVENT("f", tid, ts, "go", ",\"id\":1,\"bp\":\"e\"")
#define SEND(ts) EVENT("X", "2", ts, "send", ",\"dur\":20")
#define TAKE(ts) EVENT("X", "1", ts, "take", ",\"dur\":20")
#define MEET(ts) EVENT("X", "3", ts, "meet", ",\"dur\":20")
#define NAME(tid)                                                                                  \
    "{\"ph\":\"M\",\"pid\":1,\"tid\":" tid ",\"name\":\"thread_name\",\"args\":{\"name\":\"T\"}}"

Test(chrome_markers, a_flow_begins_before_it_ends_at_the_same_time)
{
    static const char *const files[] = {
        "[" TAKE("100") AND F("1", "100") AND SEND("90") AND S("2", "100") "]",
        "[" SEND("90") AND S("2", "100") AND TAKE("100") AND F("1", "100") "]",
        "[" F("1", "100") AND S("2", "100") AND TAKE("100") AND SEND("90") "]",
        "[" NAME("1") AND NAME("2") AND S("2", "100") AND F("1", "100") AND SEND("90")
            AND TAKE("100") "]",
        "[" NAME("2") AND NAME("1") AND F("1", "100") AND S("2", "100") AND SEND("90")
            AND TAKE("100") "]",
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        expect_flows_again(files[i], "1: send take\n");
}

Test(chrome_markers, a_flow_of_three_at_one_time)
{
    static const char *const orders[] = {
        S("2", "100") AND T("3", "100") AND F("1", "100"),
        S("2", "100") AND F("1", "100") AND T("3", "100"),
        T("3", "100") AND S("2", "100") AND F("1", "100"),
        T("3", "100") AND F("1", "100") AND S("2", "100"),
        F("1", "100") AND S("2", "100") AND T("3", "100"),
        F("1", "100") AND T("3", "100") AND S("2", "100"),
    };
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        char json[2048];
        snprintf(json, sizeof json, "[%s,%s]", SEND("90") AND MEET("90") AND TAKE("90"), orders[i]);
        expect_flows_again(json, "1: send meet take\n");
        snprintf(json, sizeof json, "[%s,%s]", orders[i], TAKE("90") AND MEET("90") AND SEND("90"));
        expect_flows_again(json, "1: send meet take\n");
    }
}

Test(chrome_markers, an_id_is_used_again_and_again_at_one_time_each)
{
    char json[4096];
    size_t len = (size_t)snprintf(json, sizeof json, "[");
    for (int i = 1; i <= 5; i++)
        len += (size_t)snprintf(json + len, sizeof json - len,
                                "%s{\"ph\":\"f\",\"pid\":1,\"tid\":1,\"ts\":%d00,\"name\":\"go\","
                                "\"id\":1},{\"ph\":\"s\",\"pid\":1,\"tid\":2,\"ts\":%d00,\"name\":"
                                "\"go\",\"id\":1}",
                                i > 1 ? "," : "", i, i);
    snprintf(json + len, sizeof json - len, "]");
    expect_flows(json, "1: go go\n1: go go\n1: go go\n1: go go\n1: go go\n");
}

/* Begins and ends ------------------------------------------------------------------------------ */

#define B(ts, name) EVENT("B", "1", ts, name, "")
#define E(ts, name) EVENT("E", "1", ts, name, "")

Test(chrome_markers, what_lies_open_within_a_slice_that_ends_has_lost_its_end)
{
    expect("[" B("0", "A") AND B("1000", "B") AND B("2000", "C") AND E("3000", "B")
               AND E("4000", "A") AND EVENT("X", "2", "9000", "last", ",\"dur\":1000") "]",
           "1:1 A 0-4 stack\n1:2 B 1-3 stack\n1:3 C 2-3 stack open\n2:1 last 9-10 stack\n");
    /* It is over then: a later end of its name is another one's, and ends nothing. */
    expect_again("[" B("0", "A") AND B("1000", "B") AND E("4000", "A") AND E("5000", "B") "]",
                 "1:1 A 0-4 stack\n1:2 B 1-4 stack open\n");
    cr_expect_str_eq(markers.said, "left out: 1 E or e (ends of what is not open)");
}

Test(chrome_markers, an_end_ends_the_innermost_slice_of_its_name)
{
    expect("[" B("0", "A") AND B("1000", "A") AND B("2000", "B") AND E("3000", "B")
               AND E("4000", "A") AND E("5000", "A") "]",
           "1:1 A 0-5 stack\n1:2 A 1-4 stack\n1:3 B 2-3 stack\n");
    /* The next one of that name is another. */
    expect_again("[" B("0", "A") AND B("1000", "B") AND E("2000", "A") AND B("3000", "A")
                     AND B("4000", "B") AND E("5000", "B") AND E("6000", "A") "]",
                 "1:1 A 0-2 stack\n1:2 B 1-2 stack open\n1:3 A 3-6 stack\n1:4 B 4-5 stack\n");
}

Test(chrome_markers, an_end_without_a_name_ends_the_innermost_slice)
{
    expect("[" B("0", "A") AND B("1000", "B") AND E("2000", "") AND
           "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":3000}]",
           "1:1 A 0-3 stack\n1:2 B 1-2 stack\n");
}

Test(chrome_markers, an_end_of_a_name_that_is_not_open_ends_nothing)
{
    expect("[" E("0", "A") AND B("1000", "A") AND E("2000", "B") AND E("3000", "A")
               AND E("4000", "") "]",
           "1:1 A 1-3 stack\n");
    cr_expect_str_eq(markers.said, "left out: 3 E or e (ends of what is not open)");
}

/* Ends are of their own thread. */
Test(chrome_markers, slices_of_two_threads_have_the_same_name)
{
    expect("[" B("0", "A") AND EVENT("B", "2", "1000", "A", "") AND EVENT("E", "2", "2000", "A", "")
               AND E("3000", "A") AND EVENT("E", "2", "4000", "A", "") "]",
           "1:1 A 0-3 stack\n2:1 A 1-2 stack\n");
}

Test(chrome_markers, a_slice_that_begins_where_another_one_ends_is_not_within_it)
{
    expect("[" B("0", "first") AND B("10000", "second") AND E("10000", "first")
               AND E("20000", "second") "]",
           "1:1 first 0-10 stack\n1:2 second 10-20 stack\n");
    /* Several, and one around them that ends as usual. */
    expect_again("[" B("0", "around") AND B("1000", "one") AND B("2000", "lost")
                     AND B("5000", "two") AND B("5000", "three") AND E("5000", "one")
                         AND E("7000", "three") AND E("8000", "two") AND E("9000", "around") "]",
                 "1:1 around 0-9 stack\n1:2 one 1-5 stack\n1:3 lost 2-5 stack open\n"
                 "1:4 two 5-8 stack\n1:5 three 5-7 stack\n");
    /* It was taken from within, and what is around it ends, too. */
    expect_again("[" B("0", "around") AND B("1000", "one") AND B("5000", "two") AND E("5000", "one")
                     AND E("6000", "around") AND E("7000", "two") "]",
                 "1:1 around 0-6 stack\n1:2 one 1-5 stack\n1:3 two 5-6 stack open\n");
}

/* As a program does that has one time for both. */
Test(chrome_markers, a_slice_of_the_same_name_begins_where_the_last_one_ends)
{
    expect("[" B("0", "frame") AND B("10000", "frame") AND E("10000", "frame")
               AND B("20000", "frame") AND E("20000", "frame") AND E("30000", "frame") "]",
           "1:1 frame 0-10 stack\n1:2 frame 10-20 stack\n1:3 frame 20-30 stack\n");
    /* None was begun before that time. */
    expect_again("[" B("5000", "A") AND B("5000", "A") AND E("5000", "A") AND E("9000", "A") "]",
                 "1:1 A 5-9 stack\n1:2 A 5-5 stack\n");
    /* Of three one was, and one of those is over. */
    expect_again("[" B("0", "A") AND B("1000", "A") AND E("2000", "A") AND B("5000", "A")
                     AND B("5000", "A") AND E("5000", "A") AND E("6000", "A")
                         AND E("7000", "A") "]",
                 "1:1 A 0-5 stack\n1:2 A 1-2 stack\n1:3 A 5-7 stack\n1:4 A 5-6 stack\n");
}

#define APART(ph, ts, rest) "{\"ph\":\"" ph "\",\"pid\":1,\"tid\":1,\"ts\":" ts rest "}"

Test(chrome_markers, an_async_end_needs_no_name)
{
    expect("[" APART("b", "0", ",\"cat\":\"net\",\"id\":\"1\",\"name\":\"Load\"")
               AND APART("e", "5000", ",\"cat\":\"net\",\"id\":\"1\"") "]",
           "1:1 Load 0-5\n");
    expect_again("[" APART("b", "0", ",\"cat\":\"net\",\"id\":\"1\",\"name\":\"Load\"")
                     AND APART("e", "5000", ",\"cat\":\"net\",\"id\":\"1\",\"name\":\"Other\"") "]",
                 "1:1 Load 0-5\n");
    /* Of another category, or id, it is another's. */
    expect_again("[" APART("b", "0", ",\"cat\":\"net\",\"id\":\"1\",\"name\":\"Load\"")
                     AND APART("e", "5000", ",\"cat\":\"disk\",\"id\":\"1\"")
                         AND APART("e", "6000", ",\"cat\":\"net\",\"id\":\"2\"") "]",
                 "1:1 Load 0-6 open\n");
    cr_expect_str_eq(markers.said, "left out: 2 E or e (ends of what is not open)");
}

/* Of several with one id each end takes the one of its name, or else the last one. */
Test(chrome_markers, async_intervals_of_one_id_may_overlap)
{
#define NET(name) ",\"cat\":\"net\",\"id\":\"1\",\"name\":\"" name "\""
    expect("[" APART("b", "0", NET("A")) AND APART("b", "1000", NET("B"))
               AND APART("e", "2000", NET("A")) AND APART("e", "3000", NET("B")) "]",
           "1:1 A 0-2\n1:2 B 1-3\n");
    expect_again("[" APART("b", "0", NET("A")) AND APART("b", "1000", NET("B"))
                     AND APART("e", "2000", NET("")) AND APART("e", "3000", NET("")) "]",
                 "1:1 A 0-3\n1:2 B 1-2\n");
}

Test(chrome_markers, a_slice_without_a_length_is_open)
{
    expect("[" EVENT("X", "1", "1000", "a", "") AND EVENT("X", "1", "2000", "b", ",\"dur\":0")
               AND EVENT("X", "1", "3000", "c", ",\"dur\":null")
                   AND EVENT("X", "1", "4000", "d", ",\"dur\":1000") "]",
           "1:1 a 1-5 stack open\n1:2 b 2-2 stack\n1:3 c 3-5 stack open\n1:4 d 4-5 stack\n");
}

/* A flow event lies in a slice that lost its end only until then. */
Test(chrome_markers, what_lost_its_end_has_no_flows_after_that)
{
    expect("[" B("0", "A") AND B("1000", "B") AND S("1", "2000") AND E("4000", "A")
               AND F("1", "5000") "]",
           "1:1 A 0-4 stack\n1:2 B 1-4 stack open; go=>1@2\n1:3 go 5 stack; go=|1\n");
}

/* Nobody knows whether it lasts still. */
Test(chrome_markers, a_slice_without_a_length_has_the_flows_at_its_start_alone)
{
    expect("[" EVENT("X", "1", "1000", "a", "") AND S("1", "1000")
               AND EVENT("s", "1", "2000", "far", ",\"id\":2")
                   AND EVENT("X", "1", "9000", "b", ",\"dur\":1") "]",
           "1:1 a 1-9.001 stack open; go=>1\n1:2 far 2 stack; far=>2\n1:3 b 9-9.001 stack\n");
}

/* Phases --------------------------------------------------------------------------------------- */

Test(chrome_markers, older_phases_are_read)
{
#define ID ",\"id\":\"0x1\""
    expect("[" EVENT("S", "1", "1000", "Req", ID)
               AND EVENT("T", "2", "1500", "Req", ID ",\"args\":{\"step\":\"parse\"}")
                   AND EVENT("p", "2", "1600", "Req", ID) AND EVENT("F", "2", "2000", "Req", ID)
                       AND EVENT("R", "1", "3000", "navigationStart", ",\"args\":{}")
                           AND EVENT("I", "1", "4000", "now", "") "]",
           "1:1 Req 1-2\n1:2 navigationStart 3 stack\n1:3 now 4 stack\n"
           "2:1 Req 1.5; step=parse\n2:2 Req 1.6\n");
    cr_expect_str_eq(markers.said, "");
}

Test(chrome_markers, phases_that_are_left_out_are_counted)
{
    expect("[" EVENT("C", "1", "1", "mem", "") AND EVENT("C", "1", "2", "mem", "")
               AND EVENT("O", "1", "3", "o", "") AND EVENT("N", "1", "4", "o", "")
                   AND EVENT("D", "1", "5", "o", "") AND EVENT("P", "1", "6", "p", "")
                       AND EVENT("?", "1", "6", "p", "") AND EVENT("xx", "1", "6", "p", "") AND
           "{\"name\":\"none\"}]",
           "");
    cr_expect_str_eq(markers.said,
                     "left out: 2 C (counters), 1 O (snapshots of objects), 1 N (objects made), "
                     "1 D (objects deleted), 1 P (samples), 3 with another ph (a phase)");
}

Test(chrome_markers, events_that_lack_something_are_counted)
{
    expect("[{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"name\":\"a\"}," EVENT("i", "1", "null", "a", "")
               AND EVENT("i", "1", "\"12:30\"", "a", "") AND EVENT("i", "1", "1e300", "a", "")
                   AND EVENT("X", "1", "1000", "b", ",\"dur\":\"5 ms\"")
                       AND EVENT("s", "1", "2000", "go", "")
                           AND EVENT("f", "1", "3000", "go", ",\"id\":{},\"id2\":{}") "]",
           "1:1 b 1-1 stack open\n");
    cr_expect_str_eq(markers.said, "left out: 2 s, t or f (without an id), 4 without ts (a time)");
}

Test(chrome_markers, all_that_is_left_out_has_room)
{
    static const char phases[] = "CONDPvVc?";
    char json[4096];
    size_t len = (size_t)snprintf(json, sizeof json, "[{\"ph\":\"i\"}");
    for (size_t i = 0; phases[i] != '\0'; i++)
        len += (size_t)snprintf(json + len, sizeof json - len, ",{\"ph\":\"%c\"}", phases[i]);
    snprintf(json + len, sizeof json - len, "," E("1", "a") AND EVENT("s", "1", "1", "a", "") "]");
    expect(json, "");
    cr_expect(strstr(markers.said, ", 1 with another ph (a phase)"), "%s", markers.said);
    cr_expect(strstr(markers.said, "1 E or e (ends of what is not open)"), "%s", markers.said);
}

/* Times ---------------------------------------------------------------------------------------- */

static void expect_times(const char *ts, const char *dur)
{
    char json[512];
    snprintf(json, sizeof json,
             "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%s,\"dur\":%s,\"name\":\"a\"},"
             "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%s,\"name\":\"b\"}]",
             ts, dur, ts);
    um_markers_deinit(&markers);
    cr_assert_eq(read_text(json), UM_OK, "%s", error);
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_expect_eq(markers.list[0].start_ns, INT64_C(1712345678901234567), "%s: %" PRId64, ts,
                 markers.list[0].start_ns);
    cr_expect_eq(markers.list[0].end_ns, INT64_C(1712345678901234867), "%s: %" PRId64, dur,
                 markers.list[0].end_ns);
    cr_expect_eq(markers.list[1].end_ns, INT64_C(1712345678901234867));
}

/* A double would have steps of 250 ns there. */
Test(chrome_markers, microseconds_since_1970_have_their_nanoseconds)
{
    expect_times("1712345678901234.567", "0.300");
    expect_times("\"1712345678901234.567\"", "\"0.300\"");
    expect_times("1.712345678901234567e15", "3e-1");
    expect_times("1712345678901234.5670000000000000000000001", "0.29999999999999999");
}

/* Arguments ------------------------------------------------------------------------------------ */

Test(chrome_markers, arguments_that_lie_within_others)
{
    expect(
        "[" EVENT("X", "1", "1000", "a",
                  ",\"dur\":1000,\"args\":{\"data\":{\"type\":\"click\",\"id\":7,\"at\":{\"x\":"
                  "1.5}},\"ok\":true,\"no\":false,\"null\":null,\"none\":{},\"stack\":[{\"line\":"
                  "3},{\"line\":4},[5]],\"last\":\"t\"}") "]",
        "1:1 a 1-2 stack; data.type=click; data.id=7; data.at.x=1.5; ok=true; no=false; "
        "stack[0].line=3; stack[1].line=4; stack[2][0]=5; last=t\n");
}

/* Keys are shorter than ids may be. */
Test(chrome_markers, ids_that_differ_at_their_ends_are_apart)
{
    static char json[16384], id[1500];
    memset(id, 'i', sizeof id - 1);
    snprintf(json, sizeof json,
             "[{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":1,\"name\":\"a\",\"id\":\"%s1\"},"
             "{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":2,\"name\":\"a\",\"id\":\"%s2\"},"
             "{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":3,\"name\":\"b\",\"id\":\"%s2\"},"
             "{\"ph\":\"b\",\"pid\":1,\"tid\":1,\"ts\":4,\"name\":\"c\",\"id\":\"%s1\"},"
             "{\"ph\":\"e\",\"pid\":1,\"tid\":1,\"ts\":5,\"name\":\"c\",\"id\":\"%s2\"}]",
             id, id, id, id, id);
    cr_assert_eq(read_text(json), UM_OK, "%s", error);
    cr_expect_eq(markers.flow_ids.count, 3);
    cr_expect(markers.list[3].open);
}

Test(chrome_markers, the_names_of_arguments_may_be_very_long)
{
    static char json[8192], name[3000];
    memset(name, 'n', sizeof name - 1);
    snprintf(json, sizeof json,
             "[{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":1,\"name\":\"a\",\"args\":{\"%s\":{\"%s\":1"
             "},\"b\":2}}]",
             name, name);
    cr_assert_eq(read_text(json), UM_OK, "%s", error);
    cr_assert_eq(markers.field_count, 2);
    cr_expect_eq(strlen(um_markers_get_text(&markers, markers.fields[0].name)), 1023);
    cr_expect_str_eq(um_markers_get_text(&markers, markers.fields[1].name), "b");
}
