/* Plays a scripted feed to an overlay, in real time, so that it can be tried without a monitor.
 *
 *   feed_server_win32 PIPE CLASS SCRIPT SECONDS
 *
 * CLASS is the window class of the target ("Notepad"); SCRIPT is quiet, mixed, frozen, idle. Prints
 * "listening" when an overlay may connect and "connected" when one has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/plain/clock.h"
#include "ipc/transport.h"
#include "tests/feed_script.h"

struct player {
    struct um_conn *conn;
    struct feed_script script;
    uint64_t end_ns;
};

static void say(const char *word)
{
    puts(word);
    fflush(stdout);
}

static void send_bytes(struct player *player, const uint8_t *bytes, size_t len_bytes)
{
    enum um_status status = um_transport_system()->write(player->conn, bytes, len_bytes, 1000);

    if (status == UM_OK)
        return;
    printf("lost: %s\n", um_status_text(status));
    exit(1);
}

static void emit(void *context, const struct um_wire_frame *frame)
{
    struct player *player = context;
    uint8_t bytes[UM_WIRE_MAX_BYTES];
    size_t len_bytes = 0;
    uint64_t now_ns = um_clock_now_ns();

    if (player->script.now_ns > now_ns)
        um_clock_sleep_ns(player->script.now_ns - now_ns);
    if (um_wire_encode(frame, bytes, sizeof bytes, &len_bytes) == UM_OK)
        send_bytes(player, bytes, len_bytes);
}

static void play_mixed(struct feed_script *script)
{
    feed_lag(script, 2000, 12);
    feed_freeze(script, 300, UM_STATE_FROZEN, true);
    feed_lag(script, 1500, 80);
    feed_freeze(script, 1250, UM_STATE_FROZEN, true);
    feed_lag(script, 1000, 30);
    feed_freeze(script, 440, UM_STATE_STARVED, true);
    feed_lag(script, 1000, 30);
    feed_unmeasured(script, 1200, UM_STATE_SUSPENDED, true);
}

static void play(struct player *player, const char *name)
{
    struct feed_script *script = &player->script;

    while (script->now_ns < player->end_ns)
        if (strcmp(name, "mixed") == 0)
            play_mixed(script);
        else if (strcmp(name, "frozen") == 0)
            feed_freeze(script, 60000, UM_STATE_FROZEN, true);
        else if (strcmp(name, "idle") == 0)
            feed_unmeasured(script, 60000, UM_STATE_IDLE, true);
        else
            feed_lag(script, 1000, 3);
}

static HWND wait_for_window(const char *class_name)
{
    HWND window = NULL;

    for (int i = 0; i < 600 && !window; i++) {
        window = FindWindowA(class_name, NULL);
        if (!window)
            Sleep(100);
    }
    return window;
}

int main(int argc, char **argv)
{
    struct player player = {.script = {.emit = emit}};
    struct um_wire_frame end = {.type = UM_WIRE_END};
    struct um_listener *listener;
    uint8_t preamble[UM_WIRE_PREAMBLE_BYTES];

    if (argc != 5) {
        fprintf(stderr, "usage: feed_server_win32 PIPE CLASS SCRIPT SECONDS\n");
        return 2;
    }
    HWND target = wait_for_window(argv[2]);
    if (!target || um_transport_system()->listen(argv[1], 0, &listener) != UM_OK) {
        fprintf(stderr, "feed_server_win32: no window of class %s, or no pipe\n", argv[2]);
        return 1;
    }
    say("listening");
    if (um_transport_system()->accept(listener, 60000, &player.conn) != UM_OK)
        return 1;
    say("connected");
    um_wire_put_preamble(preamble);
    send_bytes(&player, preamble, sizeof preamble);
    player.script.context = &player;
    player.end_ns = um_clock_now_ns() + (uint64_t)atoi(argv[4]) * UM_CLOCK_NS_PER_S;
    feed_begin(&player.script, um_clock_now_ns(), (uint64_t)(uintptr_t)target, "notepad.exe",
               "a scripted feed");
    play(&player, argv[3]);
    emit(&player, &end);
    um_transport_system()->close(player.conn);
    um_transport_system()->close_listener(listener);
    return 0;
}
