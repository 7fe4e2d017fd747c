/* In uimon_scripted, which is uimon with a backend of its own: the one program that it can watch,
 * fake.exe (pid 7), does what a script says. So all of uimon runs without another system's target:
 * the hook pipe, the session, its feed, and who listens to it.
 *
 * The environment's UIMON_SCRIPT is the file of the script. It begins when the frames of the first
 * attachment come, and each line is one of these:
 *
 *   wait MS     the program answers at once for so long
 *   until FILE  the program answers at once until there is such a file
 *   freeze MS   its UI thread takes nothing for so long
 *   press       the user presses a key
 *   exit        the program ends
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain/clock.h"
#include "base/thread.h"
#include "tests/unit/live/fake_target.h"

static struct um_thread player;
static FILE *script;
static _Atomic int over; /* the process ends */

static void rest(unsigned ms)
{
    for (unsigned passed = 0; passed < ms && !atomic_load(&over); passed += FAKE_PERIOD_MS)
        um_clock_sleep_ns(FAKE_PERIOD_MS * UM_CLOCK_NS_PER_MS);
}

static void play(void *unused)
{
    char line[64];
    char file[64];
    unsigned ms;

    (void)unused;
    while (fake_target_attachments() == 0 && !atomic_load(&over))
        rest(FAKE_PERIOD_MS);
    while (!atomic_load(&over) && fgets(line, sizeof line, script)) {
        if (sscanf(line, "wait %u", &ms) == 1) {
            rest(ms);
        } else if (sscanf(line, "until %63s", file) == 1) {
            while (access(file, F_OK) != 0 && !atomic_load(&over))
                rest(FAKE_PERIOD_MS);
        } else if (sscanf(line, "freeze %u", &ms) == 1) {
            fake_target_freeze(true);
            rest(ms);
            fake_target_freeze(false);
        } else if (strcmp(line, "press\n") == 0) {
            fake_target_press();
        } else if (strcmp(line, "exit\n") == 0) {
            fake_target_exit();
        } else {
            fprintf(stderr, "uimon_scripted: no such line in a script: %s", line);
            abort();
        }
    }
}

/* Before main, which then finds the backend in the system's place. */
__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("UIMON_SCRIPT");
    script = path ? fopen(path, "r") : NULL;
    if (!script)
        return; /* what needs no target works all the same */
    fake_target_start();
    fake_target_no_stacks("a script has none");
    um_thread_start(play, NULL, &player);
}

__attribute__((destructor)) static void end(void)
{
    atomic_store(&over, 1);
    um_thread_join(&player);
}
