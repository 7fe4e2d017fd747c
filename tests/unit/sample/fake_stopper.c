#include "tests/unit/sample/fake_stopper.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "ipc/clock.h"

struct um_stopper {
    _Atomic uint32_t taken;
};

struct fake_stopper fake_stopper;
static struct um_stopper stopper;

enum um_status um_stopper_open(uint32_t pid, uint32_t tid, struct um_stopper **out)
{
    (void)pid;
    (void)tid;
    if (fake_stopper.refusal != UM_OK)
        return fake_stopper.refusal;
    atomic_store(&stopper.taken, 0);
    *out = &stopper;
    return UM_OK;
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
    if (fake_stopper.ends_after && atomic_load(&opened->taken) == fake_stopper.ends_after)
        return UM_ERR_CLOSED;
    if (fake_stopper.registers)
        sample->registers = *fake_stopper.registers;
    sample->stack = fake_stopper.stack;
    atomic_fetch_add(&opened->taken, 1);
    return UM_OK;
}

bool um_stopper_times(struct um_stopper *opened, uint64_t *user_ns, uint64_t *kernel_ns)
{
    uint32_t taken = atomic_load(&opened->taken);
    *user_ns = taken * fake_stopper.user_ns;
    *kernel_ns = taken * fake_stopper.kernel_ns;
    return fake_stopper.user_ns || fake_stopper.kernel_ns;
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

bool um_stopper_is_code(struct um_stopper *opened, uint64_t address, uint64_t *begin, uint64_t *end)
{
    (void)opened;
    (void)address;
    (void)begin;
    (void)end;
    return false;
}
