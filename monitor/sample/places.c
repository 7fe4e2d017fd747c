#include "monitor/sample/places.h"

#include <stdlib.h>
#include <string.h>

#include "ipc/bytes.h"
#include "ipc/clock.h"
#include "monitor/sample/stopper.h"

#define MODULES 1024
#define LOOK_NS UM_CLOCK_NS_PER_S
#define HEADER_AT 0x3c /* of an image: where its header begins */
#define TIMESTAMP_AT 8 /* in the header */

struct um_places {
    struct um_stopper *stopper;
    uint64_t next_look_ns;
    size_t count;
    struct um_stopper_module modules[MODULES];
};

enum um_status um_places_open(uint32_t pid, uint32_t tid, struct um_places **out)
{
    struct um_places *places = calloc(1, sizeof *places);
    if (!places)
        return UM_ERR_MEMORY;
    enum um_status status = um_stopper_open(pid, tid, &places->stopper);
    if (status != UM_OK) {
        free(places);
        return status;
    }
    *out = places;
    return UM_OK;
}

void um_places_close(struct um_places *places)
{
    if (!places)
        return;
    um_stopper_close(places->stopper);
    free(places);
}

static const struct um_stopper_module *find(const struct um_places *places, uint64_t address)
{
    for (size_t i = 0; i < places->count; i++)
        if (address - places->modules[i].base < places->modules[i].image_bytes)
            return &places->modules[i];
    return NULL;
}

static uint32_t timestamp_of(const struct um_places *places, uint64_t base)
{
    uint8_t word[4];
    if (!um_stopper_read(places->stopper, base + HEADER_AT, word, sizeof word) ||
        !um_stopper_read(places->stopper, base + um_bytes_get32(word) + TIMESTAMP_AT, word,
                         sizeof word))
        return 0;
    return um_bytes_get32(word);
}

bool um_places_find(struct um_places *places, uint64_t address, uint64_t now_ns,
                    struct um_sampler_module *module, uint64_t *offset)
{
    const struct um_stopper_module *found = find(places, address);
    if (!found && now_ns >= places->next_look_ns) {
        places->next_look_ns = now_ns + LOOK_NS;
        places->count = um_stopper_modules(places->stopper, places->modules, MODULES);
        found = find(places, address);
    }
    if (!found)
        return false;
    memset(module, 0, sizeof *module);
    module->image_bytes = found->image_bytes;
    module->timestamp = timestamp_of(places, found->base);
    if (!um_stopper_path(places->stopper, found->base, module->path, sizeof module->path))
        um_wire_set_text(module->path, sizeof module->path, found->name);
    *offset = address - found->base;
    return true;
}
