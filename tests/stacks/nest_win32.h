/* Functions that call each other in known ways, for tests of the unwinder: scenes, each of which
 * ends in `nest_bottom`. A thread of its own plays them over and over, or waits at the bottom of
 * one. */
#ifndef UM_TESTS_NEST_WIN32_H
#define UM_TESTS_NEST_WIN32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NEST_KNOWN 64

typedef void (*nest_function)(void);

struct nest_scene {
    const char *name;
    void (*play)(void);
    bool is_plain; /* it calls nothing of the system's, or only what does without its kernel */
    int rounds;    /* how often it is played in a row */
    /* The functions of this program that are called, the innermost first, without the bottom. */
    nest_function known[NEST_KNOWN];
};

extern const struct nest_scene nest_scenes[];
extern const size_t nest_scene_count;

/* The bottom of all scenes: work for a moment, or wait until nest_released is not 0, with
 * nest_waiting 1 meanwhile. */
void nest_work(void);
void nest_wait(void);
extern void (*volatile nest_bottom)(void);
extern volatile long nest_waiting;
extern volatile long nest_released;

/* The thread that plays. */
struct nest_thread {
    void *thread;        /* a HANDLE */
    uint64_t stack_base; /* the end of its stack */
};

/* Starts a thread that plays the scene over and over (`scene` NULL: all of them) until nest_stop.
 * The thread has a window. Ends the program if it cannot. */
void nest_start(struct nest_thread *thread, const struct nest_scene *scene);
void nest_stop(struct nest_thread *thread);

/* What the thread itself is in: the innermost first, behind the scene's own functions. */
extern const nest_function nest_outer[];
extern const size_t nest_outer_count;

#endif
