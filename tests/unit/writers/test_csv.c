#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/writers/csv.h"

#define MS UINT64_C(1000000)
#define START (UINT64_C(7000) * MS)
#define HEADER                                                                                     \
    "Uimon,ProcessName,ProcessID,Kind,TimeInSeconds,MsLatency,Sequence,State,MsDuration,"          \
    "MsStartUncertainty,Message,WindowClass,InputKind,MsInputDelay,MsProcessing,MsPresentation,"   \
    "MsTotal,InFreeze,VirtualKey\n"
#define NO_INPUT ",NA,NA,NA,NA,NA,NA,NA\n"

static struct um_csv *csv;
static FILE *file;
static char *text;
static size_t text_len;

static void setup(void)
{
    file = open_memstream(&text, &text_len);
    cr_assert_eq(um_csv_open(file, &csv), UM_OK);
}

static void teardown(void)
{
    um_csv_close(csv);
    fclose(file);
    free(text);
}

TestSuite(csv, .init = setup, .fini = teardown);

static void session(const char *name)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    frame.as.session.pid = 42;
    frame.as.session.start_ns = START;
    strcpy(frame.as.session.name, name);
    cr_assert_eq(um_csv_frame(csv, &frame), UM_OK);
}

static enum um_status beat(uint64_t sent_ns, uint64_t latency_ns)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
    frame.as.beat = (struct um_wire_beat){sent_ns, latency_ns, 7};
    return um_csv_frame(csv, &frame);
}

static struct um_wire_frame freeze(unsigned flags)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = (uint8_t)flags};
    frame.as.episode.start_ns = START + 1200 * MS;
    frame.as.episode.end_ns = START + 1500 * MS + 217000;
    frame.as.episode.uncertainty_ns = 5 * MS;
    frame.as.episode.message = 0x0202;
    frame.as.episode.state = UM_STATE_FROZEN;
    strcpy(frame.as.episode.window_class, "Button");
    return frame;
}

static void expect_rows(const char *rows)
{
    fflush(file);
    cr_assert_eq(strncmp(text, HEADER, strlen(HEADER)), 0, "the header is frozen");
    cr_expect_str_eq(text + strlen(HEADER), rows);
}

Test(csv, begins_with_its_header)
{
    expect_rows("");
}

Test(csv, writes_a_beat)
{
    cr_expect_eq(beat(MS, MS), UM_OK); /* before a session is known */
    session("a.exe");
    beat(START + 10 * MS, 312499);
    beat(START + 1999999, 999500);
    beat(START - 1500000, MS); /* sent before the start */
    expect_rows(UM_VERSION ",NA,NA,beat,0.001000,1.000,7,NA,NA,NA,NA,NA" NO_INPUT UM_VERSION
                           ",a.exe,42,beat,0.010000,0.312,7,NA,NA,NA,NA,NA" NO_INPUT UM_VERSION
                           ",a.exe,42,beat,0.002000,1.000,7,NA,NA,NA,NA,NA" NO_INPUT UM_VERSION
                           ",a.exe,42,beat,-0.001500,1.000,7,NA,NA,NA,NA,NA" NO_INPUT);
}

Test(csv, writes_a_freeze_when_it_ends)
{
    struct um_wire_frame begin = freeze(UM_WIRE_EPISODE_BEGIN | UM_WIRE_EPISODE_HAS_MESSAGE);
    struct um_wire_frame end = freeze(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_HAS_MESSAGE);
    session("devenv.exe");
    cr_expect_eq(um_csv_frame(csv, &begin), UM_OK);
    cr_expect_eq(um_csv_frame(csv, &end), UM_OK);
    expect_rows(
        UM_VERSION
        ",devenv.exe,42,freeze,1.200000,NA,NA,frozen,300.217,5.000,WM_LBUTTONUP,Button" NO_INPUT);
}

Test(csv, writes_na_where_there_is_no_suspect)
{
    struct um_wire_frame end = freeze(UM_WIRE_EPISODE_END);
    session("a");
    um_csv_frame(csv, &end);
    expect_rows(UM_VERSION ",a,42,freeze,1.200000,NA,NA,frozen,300.217,5.000,NA,NA" NO_INPUT);
}

Test(csv, leaves_out_what_is_no_freeze)
{
    struct um_wire_frame end = freeze(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID);
    struct um_wire_frame gap = {.type = UM_WIRE_GAP};
    um_csv_frame(csv, &end);
    end = freeze(UM_WIRE_EPISODE_END);
    end.as.episode.state = UM_STATE_BLIND;
    um_csv_frame(csv, &end);
    um_csv_frame(csv, &gap);
    expect_rows("");
}

Test(csv, quotes_as_rfc_4180_asks)
{
    struct um_wire_frame end = freeze(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_HAS_MESSAGE);
    end.as.episode.message = 0xc02c;
    strcpy(end.as.episode.message_name, "=\"Queue\"");
    strcpy(end.as.episode.window_class, "two\nlines");
    session("a,\"b\".exe");
    um_csv_frame(csv, &end);
    expect_rows(UM_VERSION ",\"a,\"\"b\"\".exe\",42,freeze,1.200000,NA,NA,frozen,300.217,5.000,"
                           "\"'=\"\"Queue\"\"\",two\xef\xbf\xbdlines" NO_INPUT);
}

/* Takes a locale with a decimal comma, which is made for the occasion: none needs to be
 * installed. */
static void take_comma(void)
{
    char folder[] = "/tmp/uimon-locale-XXXXXX";
    char command[256];

    cr_assert_not_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "localedef -c -i de_DE -f ISO-8859-1 %s/de_DE >/dev/null 2>&1", folder);
    cr_assert_eq(system(command), 0, "localedef cannot make a locale");
    setenv("LOCPATH", folder, 1);
    cr_expect_not_null(setlocale(LC_ALL, "de_DE"));
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_expect_eq(system(command), 0);
    cr_assert_str_eq(localeconv()->decimal_point, ",");
}

Test(csv, has_a_decimal_point_in_every_locale)
{
    take_comma();
    session("a");
    beat(START, MS);
    setlocale(LC_ALL, "C");
    expect_rows(UM_VERSION ",a,42,beat,0.000000,1.000,7,NA,NA,NA,NA,NA" NO_INPUT);
}

Test(csv, reaches_the_file_after_a_second_and_after_a_freeze)
{
    struct um_wire_frame end = freeze(UM_WIRE_EPISODE_END);
    session("a");
    beat(START, MS);
    size_t first = text_len;
    for (uint64_t i = 1; i < 10; i++)
        beat(START + i * 10 * MS, MS);
    cr_expect_eq(text_len, first, "flushed with every row");
    beat(START + 1000 * MS, MS);
    size_t second = text_len;
    cr_expect_gt(second, first);
    um_csv_frame(csv, &end);
    cr_expect_gt(text_len, second);
}

Test(csv, says_at_once_that_the_disk_is_full)
{
    struct um_csv *full_csv = NULL;
    FILE *full = fopen("/dev/full", "w");
    cr_assert_not_null(full);
    cr_expect_eq(um_csv_open(full, &full_csv), UM_ERR_IO);
    fclose(full);
}

/* A stream that takes so many bytes and no more. */
static ssize_t limited_write(void *cookie, const char *buf, size_t len)
{
    size_t *room = cookie;
    (void)buf;
    if (len > *room)
        return -1;
    *room -= len;
    return (ssize_t)len;
}

/* How often a failure is reported of so many beats to a stream that has this room. */
static int count_failures(size_t room, uint64_t beats)
{
    cookie_io_functions_t functions = {.write = limited_write};
    FILE *limited = fopencookie(&room, "w", functions);
    struct um_csv *limited_csv = NULL;
    int said = 0;
    cr_assert_eq(um_csv_open(limited, &limited_csv), UM_OK);
    for (uint64_t i = 0; i < beats; i++) {
        struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
        frame.as.beat = (struct um_wire_beat){i * 1000 * MS, MS, 1};
        enum um_status status = um_csv_frame(limited_csv, &frame);
        cr_expect(status == UM_ERR_IO || (status == UM_OK && said == 0));
        said += status == UM_ERR_IO;
    }
    cr_expect_eq(um_csv_close(limited_csv), UM_ERR_IO);
    fclose(limited);
    return said;
}

Test(csv, says_from_then_on_that_a_write_failed)
{
    cr_expect_gt(count_failures(520, 10), 0);
    cr_expect_eq(count_failures(sizeof HEADER, 1), 0, "so it is said on closing");
}

Test(csv, leaves_out_a_beat_that_was_never_seen)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT, .flags = UM_WIRE_BEAT_AT_LEAST};
    frame.as.beat = (struct um_wire_beat){START + MS, 10000 * MS, 7};
    session("demo.exe");
    cr_assert_eq(um_csv_frame(csv, &frame), UM_OK);
    expect_rows("");
}

static struct um_wire_frame interaction(void)
{
    struct um_wire_frame frame = {.type = UM_WIRE_INTERACTION};
    frame.as.interaction = (struct um_wire_interaction){.arrival_ns = START + 100 * MS,
                                                        .dequeued_ns = START + 101 * MS,
                                                        .handled_ns = START + 103 * MS + 500000,
                                                        .painted_ns = START + 110 * MS,
                                                        .id = 1,
                                                        .freeze = 9,
                                                        .key = 65,
                                                        .kind = UM_INTERACTION_KEY};
    return frame;
}

Test(csv, writes_an_interaction)
{
    struct um_wire_frame frame = interaction();
    session("devenv.exe");
    cr_expect_eq(um_csv_frame(csv, &frame), UM_OK);
    expect_rows(UM_VERSION ",devenv.exe,42,input,0.100000,NA,NA,NA,NA,NA,NA,NA,"
                           "key,1.000,2.500,6.500,10.000,1,65\n");
}

Test(csv, writes_na_for_what_was_not_observed_of_an_interaction)
{
    struct um_wire_frame frame = interaction();
    frame.as.interaction.arrival_ns = 0;
    frame.as.interaction.painted_ns = 0;
    frame.as.interaction.freeze = 0;
    frame.as.interaction.key = 0;
    frame.as.interaction.kind = UM_INTERACTION_CLICK;
    session("a");
    cr_expect_eq(um_csv_frame(csv, &frame), UM_OK);
    expect_rows(UM_VERSION ",a,42,input,0.101000,NA,NA,NA,NA,NA,NA,NA,"
                           "click,NA,2.500,NA,NA,0,NA\n");
}
