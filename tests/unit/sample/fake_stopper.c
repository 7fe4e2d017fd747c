#include "tests/unit/sample/fake_stopper.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/thread.h"

struct um_stopper_thread {
    size_t place;
};

struct um_stopper {
    _Atomic uint32_t taken;
    _Atomic uint32_t taken_of[FAKE_STOPPER_THREADS];
    _Atomic uint32_t open;
    uint32_t lists; /* of modules */
    const struct um_stopper_thread *chosen;
};

struct fake_stopper fake_stopper;
static struct um_stopper stopper;
static struct um_thread_mutex mutex; /* guards what follows */
static struct um_blocker chain;
static _Atomic uint64_t clock_ns;
static struct um_stopper_module loaded[STACK_FILE_MODULES];
static const uint8_t *loaded_images[STACK_FILE_MODULES];

uint64_t fake_stopper_clock_ns(void)
{
    return atomic_load(&clock_ns);
}

void fake_stopper_sleep_ns(uint64_t length_ns)
{
    atomic_fetch_add(&clock_ns, length_ns);
}

static uint64_t now_ns(void)
{
    return fake_stopper.now_ns ? fake_stopper.now_ns() : um_clock_now_ns();
}

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

static enum um_status stopper_open(uint32_t pid, uint32_t tid, struct um_stopper **out)
{
    (void)pid;
    (void)tid;
    if (fake_stopper.refusal != UM_OK)
        return fake_stopper.refusal;
    atomic_store(&stopper.taken, 0);
    for (size_t i = 0; i < FAKE_STOPPER_THREADS; i++)
        atomic_store(&stopper.taken_of[i], 0);
    atomic_store(&stopper.open, 0);
    stopper.lists = 0;
    stopper.chosen = NULL;
    *out = &stopper;
    return UM_OK;
}

static void stopper_claim(struct um_stopper *opened, const uint8_t nonce[16])
{
    (void)opened;
    (void)nonce;
}

static void stopper_close(struct um_stopper *opened)
{
    (void)opened;
}

uint32_t fake_stopper_taken(void)
{
    return atomic_load(&stopper.taken);
}

static enum um_status stopper_take(struct um_stopper *opened, struct um_stopper_sample *sample)
{
    memset(sample, 0, sizeof *sample);
    sample->time_ns = now_ns();
    sample->suspended_ns = fake_stopper.suspended_ns;
    if (atomic_load(&fake_stopper.long_ones) > 0) {
        atomic_fetch_sub(&fake_stopper.long_ones, 1);
        sample->suspended_ns = FAKE_STOPPER_LONG_NS;
    }
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
        sample->was_suspended = thread->was_suspended;
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

static enum um_status stopper_thread_open(struct um_stopper *opened, uint32_t tid,
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

static void stopper_thread_close(struct um_stopper_thread *thread)
{
    if (thread)
        atomic_fetch_sub(&stopper.open, 1);
}

static uint64_t stopper_thread_start(const struct um_stopper_thread *thread)
{
    return fake_stopper.threads[thread->place].start;
}

static bool stopper_thread_name(const struct um_stopper_thread *thread, char *name, size_t cap)
{
    const char *known = fake_stopper.threads[thread->place].name;
    return known && snprintf(name, cap, "%s", known) > 0;
}

static void stopper_choose(struct um_stopper *opened, struct um_stopper_thread *thread)
{
    opened->chosen = thread;
}

static size_t stopper_threads(struct um_stopper *opened, uint32_t *tids, size_t cap)
{
    size_t count = 0;
    (void)opened;
    for (; count < fake_stopper.thread_count && count < cap; count++)
        tids[count] = fake_stopper.threads[count].tid;
    return count;
}

static enum um_status waits_open(uint32_t pid, uint32_t tid, struct um_waits **waits)
{
    (void)pid;
    (void)tid;
    *waits = NULL;
    return UM_OK;
}

static void waits_close(struct um_waits *waits)
{
    (void)waits;
}

static bool waits_is_system(const char *module)
{
    struct um_blocker blocker;
    return get_chain(&blocker) || strcmp(module, "ntdll.dll") == 0;
}

static enum um_blocker_call waits_call(const struct um_waits *waits, const char *module,
                                       uint32_t timestamp, uint64_t begin_rva)
{
    (void)waits;
    (void)module;
    (void)timestamp;
    (void)begin_rva;
    return UM_BLOCKER_NO_CALL;
}

static bool waits_is_thread(const struct um_waits *waits, uint32_t tid)
{
    (void)waits;
    (void)tid;
    return false;
}

static bool waits_window(const struct um_waits *waits, uint32_t window, struct um_blocker *blocker)
{
    (void)waits;
    (void)window;
    (void)blocker;
    return false;
}

static bool waits_chain(struct um_waits *waits, struct um_blocker *blocker)
{
    (void)waits;
    return get_chain(blocker);
}

static void waits_forget(struct um_waits *waits)
{
    (void)waits;
}

static bool stopper_times(struct um_stopper *opened, uint64_t *user_ns, uint64_t *kernel_ns)
{
    uint32_t taken = atomic_load(&opened->taken);
    *user_ns = fake_stopper.runs ? now_ns() : taken * fake_stopper.user_ns;
    *kernel_ns = taken * fake_stopper.kernel_ns;
    return fake_stopper.runs || fake_stopper.user_ns || fake_stopper.kernel_ns;
}

static bool stopper_path(struct um_stopper *opened, uint64_t base, char *path, size_t cap)
{
    (void)opened;
    for (size_t i = 0; i < fake_stopper.module_count; i++)
        if (fake_stopper.modules[i].base == base)
            return snprintf(path, cap, "C:\\program\\%s", fake_stopper.modules[i].name) > 0;
    return false;
}

static bool stopper_read(struct um_stopper *opened, uint64_t address, void *bytes, size_t len)
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

static size_t stopper_modules(struct um_stopper *opened, struct um_stopper_module *list, size_t cap)
{
    size_t count = fake_stopper.module_count < cap ? fake_stopper.module_count : cap;
    if (opened->lists++ < fake_stopper.empty_lists)
        return 0;
    if (count > 0)
        memcpy(list, fake_stopper.modules, count * sizeof *list);
    return count;
}

static bool stopper_is_module(struct um_stopper *opened, uint64_t address)
{
    (void)opened;
    for (size_t i = 0; i < fake_stopper.mapped_count; i++)
        if (address - fake_stopper.modules[i].base < fake_stopper.modules[i].image_bytes)
            return true;
    return false;
}

static bool stopper_is_code(struct um_stopper *opened, uint64_t address, uint64_t *begin,
                            uint64_t *end)
{
    (void)opened;
    (void)address;
    (void)begin;
    (void)end;
    return false;
}

static bool stopper_is_x86(const struct um_stopper *opened)
{
    (void)opened;
    return fake_stopper.is_x86;
}

static const struct um_stopper_backend stops = {
    .open = stopper_open,
    .is_x86 = stopper_is_x86,
    .claim = stopper_claim,
    .close = stopper_close,
    .thread_open = stopper_thread_open,
    .thread_close = stopper_thread_close,
    .thread_start = stopper_thread_start,
    .thread_name = stopper_thread_name,
    .choose = stopper_choose,
    .threads = stopper_threads,
    .take = stopper_take,
    .times = stopper_times,
    .path = stopper_path,
    .read = stopper_read,
    .is_module = stopper_is_module,
    .is_code = stopper_is_code,
    .modules = stopper_modules,
};

static const struct um_waits_backend chains = {
    .open = waits_open,
    .close = waits_close,
    .is_system = waits_is_system,
    .call = waits_call,
    .is_thread = waits_is_thread,
    .window = waits_window,
    .chain = waits_chain,
    .forget = waits_forget,
};

void fake_stopper_start(void)
{
    um_stopper = &stops;
    um_waits = &chains;
    memset(&fake_stopper, 0, sizeof fake_stopper);
    atomic_store(&clock_ns, 1000 * UM_CLOCK_NS_PER_S);
}

void fake_stopper_load(const struct stack_file *file)
{
    for (size_t i = 0; i < file->module_count; i++) {
        loaded[i].base = file->modules[i].base;
        loaded[i].image_bytes = file->modules[i].image_bytes;
        snprintf(loaded[i].name, sizeof loaded[i].name, "%s", file->modules[i].name);
        loaded_images[i] = file->modules[i].image;
    }
    fake_stopper.module_count = file->module_count;
    fake_stopper.modules = loaded;
    fake_stopper.images = loaded_images;
    fake_stopper.suspended_ns = 1000;
}

const struct um_stopper_module *fake_stopper_module(size_t place)
{
    return &loaded[place];
}

void fake_stopper_play(const struct stack_file_sample *sample)
{
    fake_stopper.registers = &sample->registers;
    fake_stopper.stack = sample->stack;
}
