#include "demo/options.h"

#include <criterion/criterion.h>
#include <string.h>

static char error[320];
static struct um_demo_options options;

static enum um_status parse(const char *line)
{
    static char words[512];
    char *argv[32];
    int argc = 0;
    error[0] = '\0';
    strcpy(words, line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    return um_demo_options_parse(argc, argv, &options, error, sizeof error);
}

Test(demo_options, has_defaults)
{
    cr_assert_eq(parse(""), UM_OK);
    cr_assert_str_eq(options.title, "uimon demo");
    cr_assert_str_eq(options.class_name, "UimonDemo");
    cr_assert_null(options.log);
    cr_assert_eq(options.delay_ms, 1000);
    cr_assert_eq(options.pause_ms, 400);
    cr_assert_eq(options.repeat, 1);
    cr_assert_eq(options.stall_ms, 15);
    cr_assert_eq(options.play.len, 0);
    cr_assert_not(options.still);
}

Test(demo_options, takes_both_spellings)
{
    cr_assert_eq(parse("--log=a.log --delay 5 --pause=6 --repeat 0 --seconds 7 --splash 8 "
                       "--key-cost 9 --stall=10 --title T --class=C --play 20,30 --exit"),
                 UM_OK);
    cr_assert_str_eq(options.log, "a.log");
    cr_assert_eq(options.delay_ms, 5);
    cr_assert_eq(options.pause_ms, 6);
    cr_assert_eq(options.repeat, 0);
    cr_assert_eq(options.seconds, 7);
    cr_assert_eq(options.splash_ms, 8);
    cr_assert_eq(options.costs[UM_DEMO_OPTIONS_COST_KEY].count, 1);
    cr_assert_eq(options.costs[UM_DEMO_OPTIONS_COST_KEY].ms[0], 9);
    cr_assert_eq(options.stall_ms, 10);
    cr_assert_str_eq(options.title, "T");
    cr_assert_str_eq(options.class_name, "C");
    cr_assert_eq(options.play.len, 2);
    cr_assert(options.exit);
}

Test(demo_options, keeps_still_while_playing_unless_asked)
{
    parse("--play 20");
    cr_assert(options.still);
    parse("--play 20 --animate");
    cr_assert_not(options.still);
    parse("--still");
    cr_assert(options.still);
}

Test(demo_options, reads_lists_of_costs)
{
    const uint32_t expected[3] = {5, 0, 50};
    cr_assert_eq(parse("--down-cost 1 --key-cost 5,0,50 --paint-cost 2 --click-cost 3 "
                       "--release-cost 4 --wheel-cost 60000"),
                 UM_OK);
    cr_assert_eq(options.costs[UM_DEMO_OPTIONS_COST_KEY].count, 3);
    cr_assert_arr_eq(options.costs[UM_DEMO_OPTIONS_COST_KEY].ms, expected, sizeof expected);
    cr_assert_eq(options.costs[UM_DEMO_OPTIONS_COST_DOWN].ms[0], 1);
    cr_assert_eq(options.costs[UM_DEMO_OPTIONS_COST_PAINT].ms[0], 2);
    cr_assert_eq(options.costs[UM_DEMO_OPTIONS_COST_CLICK].ms[0], 3);
    cr_assert_eq(options.costs[UM_DEMO_OPTIONS_COST_RELEASE].ms[0], 4);
    cr_assert_eq(options.costs[UM_DEMO_OPTIONS_COST_WHEEL].ms[0], 60000);
    cr_assert_eq(options.costs[UM_DEMO_OPTIONS_COST_WHEEL].count, 1);
}

Test(demo_options, a_cost_is_for_the_plain_typing_area)
{
    parse("");
    cr_assert_not(options.plain);
    parse("--wheel-cost 5");
    cr_assert(options.plain);
    parse("--typing plain");
    cr_assert(options.plain);
    parse("--key-cost 5 --typing edit");
    cr_assert_not(options.plain);
}

Test(demo_options, reads_a_place)
{
    const int32_t expected[4] = {-10, 20, 640, 480};
    cr_assert_eq(parse("--pos -10,20,640,480"), UM_OK);
    cr_assert(options.has_pos);
    cr_assert_arr_eq(options.pos, expected, sizeof expected);
}

Test(demo_options, names_what_is_wrong)
{
    static const char *const bad[] = {"--what",
                                      "what",
                                      "--delay",
                                      "--delay x",
                                      "--delay -1",
                                      "--delay 3600001",
                                      "--play 20,spn:30",
                                      "--play",
                                      "--pos 1,2,3",
                                      "--pos 1,2,0,4",
                                      "--pos 1,2,3,4,5",
                                      "--pos 1,2,3,99999",
                                      "--title=",
                                      "--log",
                                      "--still=1",
                                      "-delay 5",
                                      "--key-cost 5,",
                                      "--key-cost ,5",
                                      "--key-cost 60001",
                                      "--key-cost 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
                                      "--typing",
                                      "--typing rich",
                                      "--a-very-long-name-of-an-option 1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_assert_eq(parse(bad[i]), UM_ERR_ARG, "'%s'", bad[i]);
        cr_assert_not_null(strstr(error, "see --help"), "%s", error);
        cr_assert_null(strchr(error, '\n'));
    }
}

Test(demo_options, help_names_every_option)
{
    static const char *const names[] = {
        "--log",       "--play",       "--delay",      "--pause",        "--repeat",
        "--exit",      "--seconds",    "--still",      "--animate",      "--key-cost",
        "--splash",    "--title",      "--class",      "--pos",          "--stall",
        "--down-cost", "--paint-cost", "--click-cost", "--release-cost", "--wheel-cost",
        "--typing"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_assert_not_null(strstr(um_demo_options_help(), names[i]), "%s", names[i]);
}
