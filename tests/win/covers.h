/* The windows that cover_win32 shows, one at a time: a registered message UimonTestCover has the
 * number of the next one in wParam, and 1 in lParam. */
#ifndef UM_TESTS_WIN_COVERS_H
#define UM_TESTS_WIN_COVERS_H

enum cover {
    COVER_PLAIN,        /* can be seen as a whole */
    COVER_SOLID,        /* UpdateLayeredWindow, all opaque */
    COVER_CLEAR,        /* UpdateLayeredWindow, all transparent: what many overlays of games are */
    COVER_ALPHA_0,      /* UpdateLayeredWindow, opaque pixels with a constant alpha of 0 */
    COVER_FRAME,        /* UpdateLayeredWindow, a frame of 3 px around nothing */
    COVER_NEVER,        /* layered, but never given anything to show */
    COVER_ALPHA_1,      /* one alpha value of 1 of 255 */
    COVER_KEY,          /* all of the colour that is transparent */
    COVER_OTHER_KEY,    /* another colour is transparent than its own */
    COVER_SMALL,        /* a region of 20 x 20 px in its corner */
    COVER_FRAME_REGION, /* a region of 4 px around nothing */
    COVER_ROUND         /* a small round region, of many pieces */
};

#endif
