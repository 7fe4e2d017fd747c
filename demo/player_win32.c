#include "demo/player_win32.h"

#include <stdlib.h>

#include "base/plain/clock.h"

#define POLL_NS (5 * UM_CLOCK_NS_PER_MS)

static void post(HWND hwnd, UINT message, uint32_t ms)
{
    PostMessageW(hwnd, message, ms, um_demo_ui_stamp());
}

LONG um_demo_player_trigger(HWND hwnd, const struct um_demo_play_item *item)
{
    static const UINT messages[] = {
        [UM_DEMO_PLAY_SLEEP] = UM_DEMO_UI_BLOCK, [UM_DEMO_PLAY_SPIN] = UM_DEMO_UI_SPIN,
        [UM_DEMO_PLAY_FLOOD] = UM_DEMO_UI_FLOOD, [UM_DEMO_PLAY_MODAL] = UM_DEMO_UI_MODAL,
        [UM_DEMO_PLAY_POOL] = UM_DEMO_UI_POOL,   [UM_DEMO_PLAY_PAINT] = UM_DEMO_UI_PAINT,
        [UM_DEMO_PLAY_NEST] = UM_DEMO_UI_NEST,   [UM_DEMO_PLAY_PANES] = UM_DEMO_UI_PANES};
    switch (item->kind) {
    case UM_DEMO_PLAY_WAIT:
        um_clock_sleep_ns(item->ms * UM_CLOCK_NS_PER_MS);
        return 0;
    case UM_DEMO_PLAY_SENT:
        SendMessageW(hwnd, UM_DEMO_UI_SENT, item->ms, 0);
        return 1;
    case UM_DEMO_PLAY_JANK:
        for (uint32_t i = 0; i < item->count; i++)
            post(hwnd, UM_DEMO_UI_JANK, item->ms);
        return (LONG)item->count;
    case UM_DEMO_PLAY_POOL:
    case UM_DEMO_PLAY_PAINT:
    case UM_DEMO_PLAY_NEST:
    case UM_DEMO_PLAY_PANES:
        post(hwnd, messages[item->kind], um_demo_play_pack(item->count, item->ms));
        return 1;
    default:
        post(hwnd, messages[item->kind], item->ms);
        return 1;
    }
}

/* Waits for the UI thread by polling: to wake this thread would be work for the UI thread in the
 * moments that are measured. False: the window is gone. */
static bool wait_done(const struct um_demo_player *player, LONG target)
{
    while (player->ui->done - target < 0) {
        if (!IsWindow(player->hwnd))
            return false;
        um_clock_sleep_ns(POLL_NS);
    }
    return IsWindow(player->hwnd) != 0;
}

/* Does an item, and returns what `done` is when that is over. */
static LONG trigger(const struct um_demo_player *player, const struct um_demo_play_item *item)
{
    LONG before = player->ui->done;
    return before + um_demo_player_trigger(player->hwnd, item);
}

/* Whether the first item is to be in the queue when the playing begins. A thread of its own may
 * come to that only when the window has been waiting for a while. */
static bool begins_at_once(const struct um_demo_player *player)
{
    enum um_demo_play_kind first = player->play.items[0].kind;
    return !player->delay_ms && !player->pause_ms && first != UM_DEMO_PLAY_SENT &&
           first != UM_DEMO_PLAY_WAIT;
}

static bool play_once(const struct um_demo_player *player, uint32_t *index)
{
    for (uint32_t i = 0; i < player->play.len; i++, (*index)++) {
        um_clock_sleep_ns(um_demo_play_pause_ns(player->pause_ms, *index));
        LONG until = *index == 0 ? player->begun : 0;
        if (!until)
            until = trigger(player, &player->play.items[i]);
        if (!wait_done(player, until))
            return false;
    }
    return true;
}

static DWORD WINAPI play(void *arg)
{
    struct um_demo_player *player = arg;
    uint32_t index = 0;
    um_clock_sleep_ns(player->delay_ms * UM_CLOCK_NS_PER_MS);
    for (uint32_t round = 0; !player->repeat || round < player->repeat; round++)
        if (!play_once(player, &index))
            break;
    /* Everything is logged by the UI thread, so that nothing is written once the log is closed. */
    PostMessageW(player->hwnd, UM_DEMO_UI_PLAYED, 0, 0);
    if (player->close) {
        um_clock_sleep_ns(player->pause_ms * UM_CLOCK_NS_PER_MS);
        PostMessageW(player->hwnd, WM_CLOSE, 0, 0);
    }
    free(player);
    return 0;
}

enum um_status um_demo_player_start(const struct um_demo_player *player)
{
    struct um_demo_player *copy = malloc(sizeof *copy);
    if (!copy)
        return UM_ERR_MEMORY;
    *copy = *player;
    if (InterlockedExchange(&player->ui->playing, 1)) {
        free(copy);
        return UM_ERR_BUSY;
    }
    if (begins_at_once(copy))
        copy->begun = trigger(copy, &copy->play.items[0]);
    HANDLE thread = CreateThread(NULL, 0, play, copy, 0, NULL);
    if (!thread) {
        InterlockedExchange(&player->ui->playing, 0);
        free(copy);
        return UM_ERR_MEMORY;
    }
    CloseHandle(thread);
    return UM_OK;
}

/* A message that another thread is to send or post after a while. */
struct errand {
    HWND hwnd;
    uint32_t seconds;
    UINT message;
    uint32_t wparam;
};

static DWORD WINAPI run_errand(void *arg)
{
    struct errand *errand = arg;
    if (errand->seconds)
        um_clock_sleep_ns(errand->seconds * UM_CLOCK_NS_PER_S);
    if (errand->message == UM_DEMO_UI_SENT)
        SendMessageW(errand->hwnd, errand->message, errand->wparam, 0);
    else
        PostMessageW(errand->hwnd, errand->message, errand->wparam, 0);
    free(errand);
    return 0;
}

static void start_errand(struct errand errand)
{
    struct errand *copy = malloc(sizeof *copy);
    if (!copy)
        return;
    *copy = errand;
    HANDLE thread = CreateThread(NULL, 0, run_errand, copy, 0, NULL);
    if (thread)
        CloseHandle(thread);
    else
        free(copy);
}

void um_demo_player_send(HWND hwnd, uint32_t ms)
{
    start_errand((struct errand){.hwnd = hwnd, .message = UM_DEMO_UI_SENT, .wparam = ms});
}

void um_demo_player_close_after(HWND hwnd, uint32_t seconds)
{
    start_errand((struct errand){.hwnd = hwnd, .message = WM_CLOSE, .seconds = seconds});
}
