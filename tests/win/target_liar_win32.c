/* A target that speaks on the hook pipe itself before it lets the DLL in. It finds the pipe by what
 * the monitor posts to it. Writes the demo's log (demo/log.h).
 *
 *   target_liar_win32 [options of the demo]
 *
 * Until the monitor attaches it retrieves what every program does. Then it prints
 *   pipe NAME          the hook pipe; from here on it leaves the monitor's messages in the queue
 * and waits for a WM_CLOSE, so that others can use the pipe. Then it lies, and prints
 *   lie WHAT: ANSWER   for each lie; see tests/conformance/stranger.h for the answers
 *   done
 * and after another WM_CLOSE it is an ordinary program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "ipc/bootstrap.h"
#include "ipc/transport.h"
#include "tests/conformance/stranger.h"
#include "tests/target/target.h"

#define REGISTERED_FIRST 0xc000
#define LOOK_MS 5

static HWND main_window;
static char pipe_name[UM_TRANSPORT_NAME_BYTES];

static LRESULT CALLBACK window_proc(HWND hwnd, UINT message, WPARAM wparam, LPARAM lparam)
{
    if (um_demo_ui_handle(&target_ui, hwnd, message, wparam, lparam))
        return 0;
    if (message == WM_DESTROY) {
        um_demo_ui_log_window(&target_ui, UM_DEMO_LOG_GONE, hwnd, "main");
        PostQuitMessage(0);
    }
    return DefWindowProcW(hwnd, message, wparam, lparam);
}

/* Looking at a message without removing it: the DLL acts on those alone that are removed. */
static bool look_for(UINT message, MSG *msg)
{
    return PeekMessageW(msg, NULL, message, message, PM_NOREMOVE) != 0;
}

static void keep(uint8_t *nonce, const MSG *msg)
{
    uint32_t parts[] = {(uint32_t)msg->wParam, (uint32_t)msg->lParam};

    for (size_t i = 0; i < 8; i++)
        nonce[i] = (uint8_t)(parts[i / 4] >> (8 * (i % 4)));
}

static bool find_pipe(void)
{
    uint8_t nonce[UM_WIRE_NONCE_BYTES];
    MSG low, high;

    if (!look_for(RegisterWindowMessageA(UM_BOOTSTRAP_LOW_MESSAGE), &low) ||
        !look_for(RegisterWindowMessageA(UM_BOOTSTRAP_HIGH_MESSAGE), &high))
        return false;
    keep(nonce, &low);
    keep(nonce + 8, &high);
    return um_transport_name(UM_BOOTSTRAP_PIPE_PURPOSE, nonce, pipe_name) == UM_OK;
}

/* Takes all messages but the registered ones. True: one of them was WM_CLOSE. */
static bool take_messages(void)
{
    bool closed = false;
    MSG msg;

    while (PeekMessageW(&msg, NULL, 0, REGISTERED_FIRST - 1, PM_REMOVE)) {
        closed = closed || msg.message == WM_CLOSE;
        um_demo_ui_note(&target_ui, &msg);
        if (msg.message != WM_CLOSE)
            um_demo_ui_dispatch(&target_ui, NULL, &msg);
    }
    return closed;
}

static void say(const char *what, const char *answer)
{
    printf("lie %s: %s\n", what, answer);
    fflush(stdout);
}

static DWORD WINAPI lie(void *arg)
{
    static const uint8_t rubbish[4096] = {0xff, 0x00, 0x55};
    struct um_wire_frame truth = {.type = UM_WIRE_HELLO};
    struct um_wire_frame drained = {.type = UM_WIRE_DRAINED};
    uint8_t preamble[UM_WIRE_PREAMBLE_BYTES];

    (void)arg;
    stranger_nonce(pipe_name, truth.as.hello.nonce);
    truth.as.hello.pid = GetCurrentProcessId();
    truth.as.hello.tid = GetWindowThreadProcessId(main_window, NULL);
    struct um_wire_frame nonce = truth, pid = truth, tid = truth;
    nonce.as.hello.nonce[15] ^= 1;
    pid.as.hello.pid ^= 4;
    tid.as.hello.tid ^= 4;
    um_wire_put_preamble(preamble);
    preamble[sizeof preamble - 1] ^= 0x80;
    say("nonce", stranger_sends(pipe_name, &nonce));
    say("pid", stranger_sends(pipe_name, &pid));
    say("tid", stranger_sends(pipe_name, &tid));
    say("another-frame", stranger_sends(pipe_name, &drained));
    say("preamble", stranger_says(pipe_name, preamble, sizeof preamble));
    say("rubbish", stranger_says(pipe_name, rubbish, sizeof rubbish));
    say("nothing", stranger_says(pipe_name, "", 0));
    return 0;
}

static void wait_close(void)
{
    while (!take_messages())
        Sleep(LOOK_MS);
}

/* The thread keeps answering sent messages meanwhile, so that the monitor goes on waiting. */
static void lie_first(void)
{
    while (!find_pipe()) {
        take_messages();
        Sleep(LOOK_MS);
    }
    printf("pipe %s\n", pipe_name);
    fflush(stdout);
    wait_close();
    HANDLE thread = CreateThread(NULL, 0, lie, NULL, 0, NULL);
    while (thread && WaitForSingleObject(thread, LOOK_MS) == WAIT_TIMEOUT)
        take_messages();
    if (thread)
        CloseHandle(thread);
    puts("done");
    fflush(stdout);
    wait_close();
}

int main(int argc, char **argv)
{
    static const struct target_window window = {L"UimonLiar", L"liar", 640, 400, window_proc};

    main_window = target_open(argc, argv, &window);
    lie_first();
    return target_run();
}
