#include "tests/unit/sample/fake_stopper.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "ipc/clock.h"
#include "ipc/thread.h"

struct um_stopper_thread {
    size_t place;
};

struct um_stopper {
    _Atomic uint32_t taken;
    _Atomic uint32_t taken_of[FAKE_STOPPER_THREADS];
    _Atomic uint32_t open;
    const struct um_stopper_thread *chosen;
};

struct fake_stopper fake_stopper;
static struct um_stopper stopper;
static struct um_thread_mutex mutex; /* guards what follows */
static struct um_blocker chain;

void fake_stopper_chain(const struct um_blocker *next)
{
    um_thread_lock(&mutex);
    chain = *next;
    um_thread_unlock(&mutex);
}

static bool get_chain(struct um_blocker *blocker)
{
    um_thread_lock(&mutex);
    bool is_there = chain.kind != UM_WIRE_WAIT_NONE;
    if (is_there)
        *blocker = chain;
    um_thread_unlock(&mutex);
    return is_there;
}

enum um_status um_stopper_open(uint32_t pid, uint32_t tid, struct um_stopper **out)
{
    (void)pid;
    (void)tid;
    if (fake_stopper.refusal != UM_OK)
        return fake_stopper.refusal;
    atomic_store(&stopper.taken, 0);
    for (size_t i = 0; i < FAKE_STOPPER_THREADS; i++)
        atomic_store(&stopper.taken_of[i], 0);
    atomic_store(&stopper.open, 0);
    stopper.chosen = NULL;
    *out = &stopper;
    return UM_OK;
}

void um_stopper_claim(struct um_stopper *opened, const uint8_t nonce[16])
{
    (void)opened;
    (void)nonce;
}

void um_stopper_close(struct um_stopper *opened)
{
    (void)opened;
}

uint32_t fake_stopper_taken(void)
{
    return atomic_load(&stopper.taken);
}

enum um_status um_stopper_take(struct um_stopper *opened, struct um_stopper_sample *sample)
{
    memset(sample, 0, sizeof *sample);
    sample->time_ns = um_clock_now_ns();
    sample->suspended_ns = fake_stopper.suspended_ns;
    sample->lost_ns = fake_stopper.lost_ns;
    if (fake_stopper.ends_after && atomic_load(&opened->taken) == fake_stopper.ends_after)
        return UM_ERR_CLOSED;
    if (atomic_load(&fake_stopper.refusals) > 0) {
        atomic_fetch_sub(&fake_stopper.refusals, 1);
        sample->suspended_ns = sample->lost_ns = 0;
        return fake_stopper.refuses_with;
    }
    uint32_t most = atomic_load(&fake_stopper.most);
    if (most && atomic_load(&opened->taken) >= most)
        return UM_ERR_IO;
    if (fake_stopper.registers)
        sample->registers = *fake_stopper.registers;
    sample->stack = fake_stopper.stack;
    if (opened->chosen) {
        const struct fake_stopper_thread *thread = &fake_stopper.threads[opened->chosen->place];
        sample->stood = thread->stood;
        if (thread->is_gone)
            return UM_ERR_CLOSED;
        atomic_fetch_add(&opened->taken_of[opened->chosen->place], 1);
    }
    atomic_fetch_add(&opened->taken, 1);
    return UM_OK;
}

uint32_t fake_stopper_taken_of(size_t thread)
{
    return atomic_load(&stopper.taken_of[thread]);
}

uint32_t fake_stopper_open_threads(void)
{
    return atomic_load(&stopper.open);
}

enum um_status um_stopper_thread_open(struct um_stopper *opened, uint32_t tid,
                                      struct um_stopper_thread **thread)
{
    static struct um_stopper_thread threads[FAKE_STOPPER_THREADS];
    for (size_t i = 0; i < fake_stopper.thread_count; i++) {
        if (fake_stopper.threads[i].tid != tid)
            continue;
        threads[i].place = i;
        *thread = &threads[i];
        atomic_fetch_add(&opened->open, 1);
        return UM_OK;
    }
    return UM_ERR_NOT_FOUND;
}

void um_stopper_thread_close(struct um_stopper_thread *thread)
{
    if (thread)
        atomic_fetch_sub(&stopper.open, 1);
}

uint64_t um_stopper_thread_start(const struct um_stopper_thread *thread)
{
    return fake_stopper.threads[thread->place].start;
}

bool um_stopper_thread_name(const struct um_stopper_thread *thread, char *name, size_t cap)
{
    const char *known = fake_stopper.threads[thread->place].name;
    return known && snprintf(name, cap, "%s", known) > 0;
}

void um_stopper_choose(struct um_stopper *opened, struct um_stopper_thread *thread)
{
    opened->chosen = thread;
}

size_t um_stopper_threads(struct um_stopper *opened, uint32_t *tids, size_t cap)
{
    size_t count = 0;
    (void)opened;
    for (; count < fake_stopper.thread_count && count < cap; count++)
        tids[count] = fake_stopper.threads[count].tid;
    return count;
}

enum um_status um_waits_open(uint32_t pid, uint32_t tid, struct um_waits **waits)
{
    (void)pid;
    (void)tid;
    *waits = NULL;
    return UM_OK;
}

void um_waits_close(struct um_waits *waits)
{
    (void)waits;
}

bool um_waits_is_system(const char *module)
{
    struct um_blocker blocker;
    return get_chain(&blocker) || strcmp(module, "ntdll.dll") == 0;
}

enum um_blocker_call um_waits_call(const struct um_waits *waits, const char *module,
                                   uint32_t timestamp, uint64_t begin_rva)
{
    (void)waits;
    (void)module;
    (void)timestamp;
    (void)begin_rva;
    return UM_BLOCKER_NO_CALL;
}

bool um_waits_is_thread(const struct um_waits *waits, uint32_t tid)
{
    (void)waits;
    (void)tid;
    return false;
}

bool um_waits_window(const struct um_waits *waits, uint32_t window, struct um_blocker *blocker)
{
    (void)waits;
    (void)window;
    (void)blocker;
    return false;
}

bool um_waits_chain(struct um_waits *waits, struct um_blocker *blocker)
{
    (void)waits;
    return get_chain(blocker);
}

void um_waits_forget(struct um_waits *waits)
{
    (void)waits;
}

bool um_stopper_times(struct um_stopper *opened, uint64_t *user_ns, uint64_t *kernel_ns)
{
    uint32_t taken = atomic_load(&opened->taken);
    *user_ns = fake_stopper.runs ? um_clock_now_ns() : taken * fake_stopper.user_ns;
    *kernel_ns = taken * fake_stopper.kernel_ns;
    return fake_stopper.runs || fake_stopper.user_ns || fake_stopper.kernel_ns;
}

bool um_stopper_path(struct um_stopper *opened, uint64_t base, char *path, size_t cap)
{
    (void)opened;
    for (size_t i = 0; i < fake_stopper.module_count; i++)
        if (fake_stopper.modules[i].base == base)
            return snprintf(path, cap, "C:\\program\\%s", fake_stopper.modules[i].name) > 0;
    return false;
}

bool um_stopper_read(struct um_stopper *opened, uint64_t address, void *bytes, size_t len)
{
    (void)opened;
    for (size_t i = 0; i < fake_stopper.module_count; i++) {
        const struct um_stopper_module *module = &fake_stopper.modules[i];
        uint64_t rva = address - module->base;
        if (rva < module->image_bytes && len <= module->image_bytes - rva) {
            memcpy(bytes, fake_stopper.images[i] + rva, len);
            return true;
        }
    }
    return false;
}

size_t um_stopper_modules(struct um_stopper *opened, struct um_stopper_module *list, size_t cap)
{
    size_t count = fake_stopper.module_count < cap ? fake_stopper.module_count : cap;
    (void)opened;
    if (count > 0)
        memcpy(list, fake_stopper.modules, count * sizeof *list);
    return count;
}

bool um_stopper_is_module(struct um_stopper *opened, uint64_t address)
{
    (void)opened;
    for (size_t i = 0; i < fake_stopper.mapped_count; i++)
        if (address - fake_stopper.modules[i].base < fake_stopper.modules[i].image_bytes)
            return true;
    return false;
}

bool um_stopper_is_code(struct um_stopper *opened, uint64_t address, uint64_t *begin, uint64_t *end)
{
    (void)opened;
    (void)address;
    (void)begin;
    (void)end;
    return false;
}
