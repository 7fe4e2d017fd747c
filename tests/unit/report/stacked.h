/* A recording with stacks, made up, for tests of what shows them. Two freezes:
 *
 *     freeze 1, at 1.0 s for 200 ms: 10 samples of main → send → proc → parse, 10 ms each
 *     freeze 2, at 2.0 s for 400 ms: 20 samples of main → draw, 10 ms each, of which 5 s CPU, and 4
 *                                    whose outer end was not read: draw
 *
 * The first sample of a freeze stands for no time. main, proc and draw are of C:\work\app.exe with
 * the file src\app.c, send of user32, parse of C:\work\plug.dll with src\plug.c.
 */
#ifndef UM_TESTS_STACKED_H
#define UM_TESTS_STACKED_H

#include "monitor/recorded/recorded.h"
#include "tests/recording_file.h"

#define STACKED_FUNCTIONS 5
enum stacked_function { STACKED_MAIN, STACKED_SEND, STACKED_PROC, STACKED_PARSE, STACKED_DRAW };

/* May be changed before stacked_read. */
struct stacked {
    struct recording_file file;
    const char *names[STACKED_FUNCTIONS];
    const char *files[STACKED_FUNCTIONS];
    const char *checksums[STACKED_FUNCTIONS]; /* of the files; NULL: not known */
    const char *modules[3];
    bool is_nearest[STACKED_FUNCTIONS]; /* the line is only the nearest one before */
    const struct um_wire_frame *more;   /* other frames of it */
    size_t more_count;
    unsigned guessed; /* in so many samples of freeze 1 it is a guess that send has called proc */
    struct um_recorded recorded;
};

void stacked_init(struct stacked *stacked);

/* Makes the recording and reads it. */
void stacked_read(struct stacked *stacked);

/* Reads it once more, into a struct that must not move afterwards. */
void stacked_read_into(struct stacked *stacked, struct um_recorded *recorded);
void stacked_deinit(struct stacked *stacked);

#endif
