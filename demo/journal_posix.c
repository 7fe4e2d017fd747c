#include "demo/journal_system.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/plain/clock.h"
#include "base/thread.h"
#include "demo/log.h"

bool um_demo_journal_system_make(const char *path, intptr_t *file)
{
    int made = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    *file = made;
    return made >= 0;
}

void um_demo_journal_system_write(intptr_t file, const char *text, size_t len_bytes)
{
    (void)!write((int)file, text, len_bytes);
}

void um_demo_journal_system_close(intptr_t file)
{
    close((int)file);
}

void um_demo_journal_system_begin(void)
{
    um_thread_set_high_priority();
}

void um_demo_journal_system_end(void)
{
}

void um_demo_journal_system_tick(void)
{
    um_clock_sleep_ns(UM_DEMO_LOG_TICK_NS);
}
