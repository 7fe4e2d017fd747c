#include "monitor/replay/player_keys.h"

#include <math.h>
#include <string.h>

#include "base/decimal.h"

#define ESC '\x1b'
#define NEAR_S 5
#define FAR_S 60

struct key {
    const char *text;
    struct um_player_command command;
};

static bool find(const struct key *keys, size_t count, const char *text,
                 struct um_player_command *command)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].text, text) == 0) {
            *command = keys[i].command;
            return true;
        }
    }
    return false;
}

static bool take_character(char character, struct um_player_command *command)
{
    static const struct key keys[] = {
        {" ", {UM_PLAYER_PAUSE, 0}},      {".", {UM_PLAYER_STEP, 1}},
        {",", {UM_PLAYER_STEP, -1}},      {"l", {UM_PLAYER_MOVE, NEAR_S}},
        {"h", {UM_PLAYER_MOVE, -NEAR_S}}, {"n", {UM_PLAYER_FREEZE, 1}},
        {"p", {UM_PLAYER_FREEZE, -1}},    {"+", {UM_PLAYER_FASTER, 2}},
        {"=", {UM_PLAYER_FASTER, 2}}, /* the same key without Shift */
        {"-", {UM_PLAYER_FASTER, 0.5}},   {"q", {UM_PLAYER_QUIT, 0}},
    };
    char text[2] = {character, 0};
    return find(keys, sizeof keys / sizeof keys[0], text, command);
}

static bool take_sequence(const char *text, struct um_player_command *command)
{
    static const struct key keys[] = {
        {"[C", {UM_PLAYER_MOVE, NEAR_S}},   {"[D", {UM_PLAYER_MOVE, -NEAR_S}},
        {"[6~", {UM_PLAYER_MOVE, FAR_S}},   {"[5~", {UM_PLAYER_MOVE, -FAR_S}},
        {"[H", {UM_PLAYER_SEEK, 0}},        {"[1~", {UM_PLAYER_SEEK, 0}},
        {"[F", {UM_PLAYER_SEEK, INFINITY}}, {"[4~", {UM_PLAYER_SEEK, INFINITY}},
    };
    return find(keys, sizeof keys / sizeof keys[0], text, command);
}

/* Reads a line of a word and a number. False if it is another word, or the number is out of
 * range. */
static bool has_number(const char *text, const char *word, double min, double max, double *number)
{
    size_t len = strlen(word);

    if (strncmp(text, word, len) != 0 || text[len] != ' ')
        return false;
    const char *rest = um_decimal_read(text + len + 1, number);
    return rest && *rest == 0 && *number >= min && *number <= max;
}

static void take_line(const char *text, struct um_player_command *command)
{
    double number;

    *command = (struct um_player_command){UM_PLAYER_UNKNOWN, 0};
    if (has_number(text, "seek", 0, 1e9, &number))
        *command = (struct um_player_command){UM_PLAYER_SEEK, number};
    else if (has_number(text, "speed", UM_PLAYER_MIN_SPEED, UM_PLAYER_MAX_SPEED, &number))
        *command = (struct um_player_command){UM_PLAYER_SPEED, number};
}

static bool ends_sequence(const struct um_player_keys *keys, char character)
{
    return keys->len > 1 && character >= '@' && character <= '~';
}

bool um_player_keys_push(struct um_player_keys *keys, char character,
                         struct um_player_command *command)
{
    bool sequence = keys->len > 0 && keys->text[0] == ESC;
    bool line = keys->len > 0 && !sequence;

    if (character == ESC) {
        keys->text[0] = ESC;
        keys->len = 1;
        return false;
    }
    if (line && (character == '\n' || character == '\r')) {
        keys->text[keys->len] = 0;
        keys->len = 0;
        take_line(keys->text, command);
        return true;
    }
    if (sequence && keys->len == 1 && character != '[') { /* the key Esc itself */
        keys->len = 0;
        sequence = false;
    }
    if (!sequence && !line && character != 's')
        return take_character(character, command);
    bool whole = sequence && ends_sequence(keys, character);
    if (keys->len < sizeof keys->text - 1)
        keys->text[keys->len++] = character;
    if (!whole)
        return false;
    keys->text[keys->len] = 0;
    keys->len = 0;
    return take_sequence(keys->text + 1, command);
}
