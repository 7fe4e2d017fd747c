/* A program to watch that exists in memory alone: its process and window, the hook DLL in it, the
 * control, and what the monitor asks the system for. It is a backend of
 * monitor/target/{frame_source,control,target}.h and base/hotkeys.h, and keeps their contracts.
 *
 * The DLL is a thread and talks over the transport in memory. It sends a beat each FAKE_PERIOD_MS
 * or so and answers it with the next one, unless it was told otherwise here. One target at a time.
 * All functions: Thread: any.
 */
#ifndef UM_TESTS_FAKE_TARGET_H
#define UM_TESTS_FAKE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/frame_reader.h"
#include "ipc/transport.h"
#include "ipc/wire.h"
#include "monitor/target/target.h"

#define FAKE_PID 7
#define FAKE_TID 8
#define FAKE_WINDOW 9
#define FAKE_BUTTON 10          /* a window inside it, of class Button */
#define FAKE_HELPER 11          /* a message-only window */
#define FAKE_MESSAGE 12         /* the system's window that it lies in */
#define FAKE_MODULE 0x140000000 /* of all these windows' classes */
#define FAKE_PERIOD_MS 4
#define FAKE_FREEZES_AT 0x202 /* WM_LBUTTONUP: what it takes before it freezes */
#define FAKE_HANG_MS 60000    /* nothing takes so long: the test hangs */

/* One end of a connection, and the frames that come out of it. */
struct fake_stream {
    const struct um_transport *transport;
    struct um_conn *conn; /* NULL: none yet */
    struct um_frame_reader frames;
    uint8_t bytes[8192];
};

/* Begins with a connection of that transport. Owner: `conn` stays the caller's. */
void fake_stream_begin(struct fake_stream *stream, const struct um_transport *transport,
                       struct um_conn *conn);

/* Reads once. Errors: as um_transport.read. */
enum um_status fake_stream_read(struct fake_stream *stream, uint32_t timeout_ms);

/* A program with a window that answers at once; and nothing is left of an earlier one. */
void fake_target_start(void);

/* What um_watch_open wants of it. Owner: static. */
struct um_target_process *fake_target_process(void);
struct um_target_info fake_target_info(void);

/* From now on its UI thread takes nothing, or takes everything again. */
void fake_target_freeze(bool frozen);

/* Its process ends. */
void fake_target_exit(void);

/* It has started another program, which goes on after its end. What that has for a window is what
 * fake_target_show says from then on. */
void fake_target_start_another(void);

/* It has this window, of this thread, and no other; `hwnd` 0: none. */
void fake_target_show(uint64_t hwnd, uint32_t tid);

/* The toolkit of its windows, as in um_target_info. Owner: static text. */
void fake_target_toolkit(const char *toolkit);

/* It has loaded a module of this name; NULL: none that anybody asks for. Owner: static text. */
void fake_target_module(const char *name);

/* The DLL leaves once. With `always` it leaves as soon as it has come, each time. */
void fake_target_leave(bool always);

/* The DLL sends once what is no frame. */
void fake_target_babble(void);

/* Attaching fails from now on. */
void fake_target_refuse(enum um_status status, const char *error);

/* The system gives no stacks. `why` must live on. */
void fake_target_no_stacks(const char *why);

/* A window of a higher integrity level comes to the front, so that the system drops beats; or it
 * goes. */
void fake_target_shield(bool shielded);

/* The system drops beats that move nothing. */
void fake_target_drop_zero(void);

/* There is no raw input for the control. */
void fake_target_without_control(void);

/* The user presses a key: the control sees it arrive, and the UI thread takes it. Returns when it
 * arrived. Units: ns. */
uint64_t fake_target_press(void);

/* How often the DLL has come into it. */
unsigned fake_target_attachments(void);

/* Waits until the DLL was sent this command with this value (0 for STOP), and forgets it. False if
 * that does not come within FAKE_HANG_MS. */
bool fake_target_got(enum um_wire_type command, uint32_t value);

/* How often uimon-overlay.exe was started; what starting it answers; and its end. */
unsigned fake_overlay_launches(void);
void fake_overlay_launch_status(enum um_status status);
void fake_overlay_exit(uint32_t code);

/* What is called with the handle that a part of uimon inherits when one is started; its answer is
 * that of the start. */
void fake_part_is(enum um_status (*part)(intptr_t handle));

/* Whether other programs have all hotkeys. Set it before the watching begins. */
extern bool fake_hotkeys_taken;

/* Presses the hotkey of this place; false if nobody has taken that. */
bool fake_hotkeys_press(size_t which);

#endif
