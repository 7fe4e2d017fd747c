#include "monitor/sample/module_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "monitor/sample/images.h"
#include "monitor/sample/stopper.h"

#define MODULES 1024
#define LOOK_NS UM_CLOCK_NS_PER_S

struct um_module_lookup {
    struct um_stopper *stopper;
    uint64_t next_look_ns;
    size_t count;
    struct um_stopper_module modules[MODULES];
};

enum um_status um_module_lookup_open(uint32_t pid, uint32_t tid, struct um_module_lookup **out)
{
    struct um_module_lookup *places = calloc(1, sizeof *places);
    if (!places)
        return UM_ERR_MEMORY;
    enum um_status status = um_stopper->open(pid, tid, &places->stopper);
    if (status != UM_OK) {
        free(places);
        return status;
    }
    *out = places;
    return UM_OK;
}

void um_module_lookup_close(struct um_module_lookup *places)
{
    if (!places)
        return;
    um_stopper->close(places->stopper);
    free(places);
}

static const struct um_stopper_module *find(const struct um_module_lookup *places, uint64_t address)
{
    for (size_t i = 0; i < places->count; i++)
        if (address - places->modules[i].base < places->modules[i].image_bytes)
            return &places->modules[i];
    return NULL;
}

bool um_module_lookup_find(struct um_module_lookup *places, uint64_t address, uint64_t now_ns,
                           struct um_sampler_module *module, uint64_t *offset)
{
    const struct um_stopper_module *found = find(places, address);
    if (!found && now_ns >= places->next_look_ns) {
        places->next_look_ns = now_ns + LOOK_NS;
        places->count = um_stopper->modules(places->stopper, places->modules, MODULES);
        found = find(places, address);
    }
    if (!found)
        return false;
    memset(module, 0, sizeof *module);
    module->image_bytes = found->image_bytes;
    (void)um_images_read_timestamp(places->stopper, found->base, &module->timestamp);
    if (!um_stopper->path(places->stopper, found->base, module->path, sizeof module->path))
        um_text_set(module->path, sizeof module->path, found->name);
    *offset = address - found->base;
    return true;
}
