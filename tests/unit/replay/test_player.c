#include <criterion/criterion.h>
#include <math.h>

#include "monitor/replay/player.h"
#include "monitor/replay/player_keys.h"

#define S UINT64_C(1000000000)
#define MS UINT64_C(1000000)
#define NOW (77 * S) /* the local clock at the start */

static const struct um_player_freeze freezes[] = {
    {500 * MS, 900 * MS}, {20 * S, 21 * S}, {40 * S, 42 * S}};

static struct um_player player;

static void begin(void)
{
    um_player_init(&player, 60 * S, 1, freezes, 3, NOW);
}

static bool take(enum um_player_action action, double value, uint64_t now_ns)
{
    struct um_player_command command = {action, value};
    return um_player_take(&player, &command, now_ns);
}

TestSuite(player, .init = begin);

Test(player, plays_as_fast_as_the_clock)
{
    cr_expect_eq(um_player_advance(&player, NOW), 0);
    cr_expect_eq(um_player_advance(&player, NOW + 1500 * MS), 1500 * MS);
}

Test(player, changes_speed_where_it_is)
{
    take(UM_PLAYER_FASTER, 2, NOW + 2 * S);
    take(UM_PLAYER_FASTER, 2, NOW + 3 * S);
    cr_expect_eq(player.speed, 4);
    cr_expect_eq(um_player_advance(&player, NOW + 3 * S), 4 * S);
    cr_expect_eq(um_player_advance(&player, NOW + 4 * S), 8 * S);
    take(UM_PLAYER_SPEED, 0.25, NOW + 4 * S);
    cr_expect_eq(um_player_advance(&player, NOW + 8 * S), 9 * S);
}

Test(player, keeps_its_speed_within_limits)
{
    for (int i = 0; i < 20; i++)
        take(UM_PLAYER_FASTER, 2, NOW);
    cr_expect_eq(player.speed, 64);
    for (int i = 0; i < 20; i++)
        take(UM_PLAYER_FASTER, 0.5, NOW);
    cr_expect_eq(player.speed, 0.125);
}

Test(player, stands_still_while_paused)
{
    cr_expect_not(take(UM_PLAYER_PAUSE, 0, NOW + S));
    cr_expect_eq(um_player_advance(&player, NOW + 9 * S), S);
    cr_expect_not(take(UM_PLAYER_PAUSE, 0, NOW + 9 * S));
    cr_expect_eq(um_player_advance(&player, NOW + 10 * S), 2 * S);
}

Test(player, stays_at_the_end_and_begins_again)
{
    cr_expect_eq(um_player_advance(&player, NOW + 100 * S), 60 * S);
    cr_expect(um_player_at_end(&player));
    cr_expect(player.paused);
    cr_expect(take(UM_PLAYER_PAUSE, 0, NOW + 200 * S));
    cr_expect_not(player.paused);
    cr_expect_eq(um_player_advance(&player, NOW + 201 * S), S);
}

Test(player, is_due_when_the_position_is_reached_and_not_before)
{
    static const double speeds[] = {0.125, 0.3, 1, 3, 64};

    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        um_player_init(&player, 60 * S, speeds[i], NULL, 0, NOW);
        uint64_t due_ns = um_player_due(&player, 12345678901, NOW);
        cr_expect_geq(um_player_advance(&player, due_ns), 12345678901, "x%g", speeds[i]);
        cr_expect_lt(um_player_advance(&player, due_ns - 1), 12345678901, "x%g", speeds[i]);
    }
}

Test(player, knows_what_is_due_at_once_and_what_never)
{
    take(UM_PLAYER_SEEK, 10, NOW + S);
    cr_expect_eq(um_player_due(&player, 10 * S, NOW + 2 * S), NOW + 2 * S);
    cr_expect_eq(um_player_due(&player, 11 * S, NOW + 3 * S), NOW + 3 * S);
    take(UM_PLAYER_PAUSE, 0, NOW + S);
    cr_expect_eq(um_player_due(&player, 11 * S, NOW + 3 * S), UM_PLAYER_NEVER);
}

Test(player, moves_and_seeks_within_the_recording)
{
    cr_expect(take(UM_PLAYER_MOVE, -5, NOW + 2 * S));
    cr_expect_eq(um_player_advance(&player, NOW + 2 * S), 0);
    cr_expect(take(UM_PLAYER_SEEK, 12.5, NOW + 2 * S));
    cr_expect_eq(um_player_advance(&player, NOW + 3 * S), 13500 * MS);
    cr_expect(take(UM_PLAYER_MOVE, 5, NOW + 3 * S));
    cr_expect_eq(um_player_advance(&player, NOW + 3 * S), 18500 * MS);
    cr_expect_not(player.paused);
    cr_expect(take(UM_PLAYER_MOVE, 60, NOW + 3 * S));
    cr_expect(um_player_at_end(&player));
    cr_expect(take(UM_PLAYER_SEEK, INFINITY, NOW + 3 * S));
    cr_expect_eq(um_player_advance(&player, NOW + 9 * S), 60 * S);
    cr_expect(take(UM_PLAYER_SEEK, 0, NOW + 9 * S));
    cr_expect_eq(um_player_advance(&player, NOW + 10 * S), 0, "it stays paused");
}

Test(player, steps_from_slice_to_slice)
{
    cr_expect_not(take(UM_PLAYER_STEP, 1, NOW + 250 * MS), "a step forward is played");
    cr_expect(player.paused);
    cr_expect_eq(um_player_advance(&player, NOW + S), 300 * MS);
    take(UM_PLAYER_STEP, 1, NOW + S);
    cr_expect_eq(um_player_advance(&player, NOW + S), 400 * MS);
    cr_expect(take(UM_PLAYER_STEP, -1, NOW + S));
    cr_expect_eq(um_player_advance(&player, NOW + S), 300 * MS);
    take(UM_PLAYER_SEEK, 0.25, NOW + S);
    take(UM_PLAYER_STEP, -1, NOW + S);
    cr_expect_eq(um_player_advance(&player, NOW + S), 200 * MS);
    take(UM_PLAYER_SEEK, 0, NOW + S);
    take(UM_PLAYER_STEP, -1, NOW + S);
    cr_expect_eq(um_player_advance(&player, NOW + S), 0);
}

Test(player, goes_from_freeze_to_freeze_while_it_plays)
{
    cr_expect(take(UM_PLAYER_FREEZE, 1, NOW));
    cr_expect_eq(um_player_advance(&player, NOW), 19 * S);
    take(UM_PLAYER_FREEZE, 1, NOW + 300 * MS);
    cr_expect_eq(um_player_advance(&player, NOW + 300 * MS), 39 * S);
    cr_expect_not(take(UM_PLAYER_FREEZE, 1, NOW + 400 * MS), "there is no other");
    take(UM_PLAYER_FREEZE, -1, NOW + 600 * MS);
    cr_expect_eq(um_player_advance(&player, NOW + 600 * MS), 19 * S);
    take(UM_PLAYER_FREEZE, -1, NOW + 900 * MS);
    cr_expect_eq(um_player_advance(&player, NOW + 900 * MS), 0, "one that begins at once");
    cr_expect_not(take(UM_PLAYER_FREEZE, -1, NOW + S));
}

Test(player, goes_to_the_ends_of_freezes_while_paused)
{
    take(UM_PLAYER_PAUSE, 0, NOW);
    take(UM_PLAYER_FREEZE, 1, NOW);
    cr_expect_eq(um_player_advance(&player, NOW + S), 900 * MS);
    take(UM_PLAYER_FREEZE, 1, NOW);
    cr_expect_eq(um_player_advance(&player, NOW + S), 21 * S);
    take(UM_PLAYER_FREEZE, -1, NOW);
    cr_expect_eq(um_player_advance(&player, NOW + S), 900 * MS);
    cr_expect_not(take(UM_PLAYER_FREEZE, -1, NOW));
}

Test(player, takes_a_recording_of_no_length)
{
    um_player_init(&player, 0, 1, NULL, 0, NOW);
    cr_expect_eq(um_player_advance(&player, NOW + S), 0);
    cr_expect(um_player_at_end(&player));
    cr_expect(take(UM_PLAYER_MOVE, 5, NOW + S));
    cr_expect_eq(um_player_advance(&player, NOW + 2 * S), 0);
}

/* Keys ----------------------------------------------------------------------------------------- */

/* Pushes a text and returns how many commands it made; the last one is in `command`. */
static int push(struct um_player_keys *keys, const char *text, struct um_player_command *command)
{
    int count = 0;

    for (; *text; text++)
        count += um_player_keys_push(keys, *text, command);
    return count;
}

Test(player_keys, knows_every_key)
{
    static const struct {
        const char *text;
        enum um_player_action action;
        double value;
    } cases[] = {
        {" ", UM_PLAYER_PAUSE, 0},
        {".", UM_PLAYER_STEP, 1},
        {",", UM_PLAYER_STEP, -1},
        {"h", UM_PLAYER_MOVE, -5},
        {"l", UM_PLAYER_MOVE, 5},
        {"\x1b[D", UM_PLAYER_MOVE, -5},
        {"\x1b[C", UM_PLAYER_MOVE, 5},
        {"\x1b[5~", UM_PLAYER_MOVE, -60},
        {"\x1b[6~", UM_PLAYER_MOVE, 60},
        {"\x1b[H", UM_PLAYER_SEEK, 0},
        {"\x1b[1~", UM_PLAYER_SEEK, 0},
        {"\x1b[F", UM_PLAYER_SEEK, INFINITY},
        {"\x1b[4~", UM_PLAYER_SEEK, INFINITY},
        {"+", UM_PLAYER_FASTER, 2},
        {"=", UM_PLAYER_FASTER, 2},
        {"-", UM_PLAYER_FASTER, 0.5},
        {"n", UM_PLAYER_FREEZE, 1},
        {"p", UM_PLAYER_FREEZE, -1},
        {"q", UM_PLAYER_QUIT, 0},
        {"seek 12.5\n", UM_PLAYER_SEEK, 12.5},
        {"seek 0\r\n", UM_PLAYER_SEEK, 0},
        {"speed 4\n", UM_PLAYER_SPEED, 4},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct um_player_keys keys = {0};
        struct um_player_command command;
        cr_assert_eq(push(&keys, cases[i].text, &command), 1, "case %zu", i);
        cr_expect_eq((int)command.action, (int)cases[i].action, "case %zu", i);
        cr_expect_eq(command.value, cases[i].value, "case %zu", i);
        cr_expect_eq(keys.len, 0, "case %zu", i);
    }
}

Test(player_keys, refuses_lines_that_are_no_commands)
{
    static const char *const lines[] = {"seek\n",      "seek \n",    "seek x\n",   "seek 1 2\n",
                                        "seek -1\n",   "seek nan\n", "speed 0\n",  "speed 65\n",
                                        "speed 0.1\n", "s\n",        "speeds 2\n", "seek inf\n",
                                        "start\n"};

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct um_player_keys keys = {0};
        struct um_player_command command;
        cr_assert_eq(push(&keys, lines[i], &command), 1, "%s", lines[i]);
        cr_expect_eq((int)command.action, UM_PLAYER_UNKNOWN, "%s", lines[i]);
        cr_expect_eq(strncmp(keys.text, lines[i], strlen(lines[i]) - 1), 0, "%s", lines[i]);
    }
}

Test(player_keys, goes_on_after_what_it_does_not_know)
{
    struct um_player_keys keys = {0};
    struct um_player_command command;

    cr_expect_eq(push(&keys, "xyz\n\x1b[Z\x1b[200~", &command), 0);
    cr_expect_eq(push(&keys, "seek 3\x1b", &command), 0, "taken back");
    cr_expect_eq(push(&keys, "q", &command), 1);
    cr_expect_eq((int)command.action, UM_PLAYER_QUIT);
}

Test(player_keys, survives_a_line_without_end)
{
    struct um_player_keys keys = {0};
    struct um_player_command command;

    for (int i = 0; i < 1000; i++)
        cr_assert_not(um_player_keys_push(&keys, i == 0 ? 's' : '1', &command));
    cr_expect(um_player_keys_push(&keys, '\n', &command));
    cr_expect_eq((int)command.action, UM_PLAYER_UNKNOWN);
    cr_expect(um_player_keys_push(&keys, 'n', &command));
}
