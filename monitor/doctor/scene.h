/* What doctor asks the system about this machine, and the small scenes that it sets up: a window of
 * its own in front, a mouse that moves, a look at the overlay. Each system has one backend. Not on
 * the hot path. Thread: one.
 */
#ifndef UM_MONITOR_SCENE_H
#define UM_MONITOR_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UM_SCENE_DISPLAYS 8

struct um_scene_display {
    uint32_t width_px;
    uint32_t height_px;
    uint32_t dpi; /* 96 is 100 %; 0: not known */
};

enum um_scene_desktop {
    UM_SCENE_DESKTOP_NORMAL = 0,
    UM_SCENE_DESKTOP_SECURE = 1, /* locked, or a question of the system's: input goes elsewhere */
    UM_SCENE_DESKTOP_UNKNOWN = 2
};

struct um_scene_machine {
    bool remote; /* a remote desktop session */
    enum um_scene_desktop desktop;
    bool shielded;        /* the window in front is of a higher integrity level than uimon */
    size_t display_count; /* of all; the list may be shorter */
    struct um_scene_display displays[UM_SCENE_DISPLAYS];
};

/* What a process allows to be loaded into it. */
struct um_scene_policy {
    bool known;
    bool microsoft_only; /* images must be signed by Microsoft */
    bool no_low_images;  /* images of a low integrity label are refused; uimon's copy has none */
    bool guard_only;     /* images without control flow guard are refused (StrictMode) */
    bool cet_only;       /* images that are not marked for shadow stacks are refused */
    bool dll_has_guard;  /* uimon's DLL for this process has control flow guard, */
    bool dll_has_cet;    /* ... and is marked for shadow stacks */
};

/* The overlay on top of a window, as the system shows it. */
struct um_scene_overlay {
    bool found; /* a visible overlay lies over the window */
    /* Under the overlay's middle the system names the window, not the overlay. */
    bool click_through;
    int32_t x, y, width, height;
    uint64_t window;
};

struct um_scene_backend {
    void (*machine)(struct um_scene_machine *machine);

    /* Units: `bits` of the process, 32 or 64. */
    void (*policy)(uint32_t pid, uint8_t bits, struct um_scene_policy *policy);

    /* Where the pointer is, and to put it there. */
    void (*pointer)(int32_t *x, int32_t *y);
    void (*put_pointer)(int32_t x, int32_t y);

    /* Puts the pointer over the middle of a window. False if the window is gone. */
    bool (*point_at)(uint64_t hwnd);

    /* Moves the pointer by one pixel, and the next time back, as the user's mouse would. */
    void (*nudge)(void);

    /* A small window of this process, and whether the system let it come to the front. 0: there is
     * none. It must be pumped every few ms. Owner: close_window. */
    uint64_t (*open_window)(bool *in_front);
    void (*pump)(void);
    void (*close_window)(uint64_t hwnd);

    /* Puts the pointer over that window, which hides it, as a program does while somebody types.
     * False if the system does not say that it is hidden. */
    bool (*hide_pointer)(uint64_t hwnd);

    void (*overlay)(uint64_t hwnd, struct um_scene_overlay *overlay);

    /* Whether the pixels of the overlay's window, which is another process's, can be read from that
     * alone (overlay/cover_win32.h). Only for one that has been there for a while. */
    bool (*readable)(const struct um_scene_overlay *overlay);

    /* A hash of the picture in this part of the screen; false if the system gives none. `layered`
     * asks for layered windows expressly (CAPTUREBLT). The overlay itself does not do that, because
     * the pointer may flicker then. */
    bool (*picture)(const struct um_scene_overlay *part, bool layered, uint64_t *picture);
};

extern const struct um_scene_backend *um_scene; /* the system's */

#endif
