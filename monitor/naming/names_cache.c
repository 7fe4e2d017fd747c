#include "monitor/naming/names_cache.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define HEADS (2 * UM_NAMES_CACHE_COUNT) /* a power of two */
#define NONE (-1)

/* Entries are a ring by age. Those with the same hash also form a list. */
struct entry {
    uint32_t module;
    uint32_t rva;
    int32_t next; /* in its list, or NONE */
    bool used;
    char *texts; /* name, file, assembly and checksum, each with its NUL */
    size_t text_bytes;
    struct um_names_cached cached;
};

struct um_names_cache {
    struct entry entries[UM_NAMES_CACHE_COUNT];
    int32_t heads[HEADS]; /* of the lists, by hash */
    size_t oldest;
    size_t count;
    size_t text_bytes;
};

/* Source: D. Knuth, The Art of Computer Programming, vol. 3, 6.4: multiplicative hashing. */
static size_t hash(uint32_t module, uint32_t rva)
{
    uint64_t key = (uint64_t)module << 32 | rva;
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (HEADS - 1);
}

static int32_t find(const struct um_names_cache *cache, uint32_t module, uint32_t rva)
{
    int32_t at = cache->heads[hash(module, rva)];
    while (at != NONE && (cache->entries[at].module != module || cache->entries[at].rva != rva))
        at = cache->entries[at].next;
    return at;
}

/* Takes an entry out of its list, if it is in one, and releases its texts. */
static void drop(struct um_names_cache *cache, int32_t index)
{
    struct entry *entry = &cache->entries[index];
    if (!entry->used)
        return;
    int32_t *at = &cache->heads[hash(entry->module, entry->rva)];
    while (*at != index)
        at = &cache->entries[*at].next;
    *at = entry->next;
    cache->text_bytes -= entry->text_bytes;
    free(entry->texts);
    *entry = (struct entry){.next = NONE};
}

static void drop_oldest(struct um_names_cache *cache)
{
    drop(cache, (int32_t)cache->oldest);
    cache->oldest = (cache->oldest + 1) % UM_NAMES_CACHE_COUNT;
    cache->count--;
}

enum um_status um_names_cache_open(struct um_names_cache **cache)
{
    struct um_names_cache *opened = calloc(1, sizeof *opened);
    if (!opened)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < HEADS; i++)
        opened->heads[i] = NONE;
    *cache = opened;
    return UM_OK;
}

/* Puts the texts one after the other. */
static void fill(struct entry *entry, const struct um_names_name *name)
{
    char *file = entry->texts + strlen(name->name) + 1;
    char *assembly = file + strlen(name->file) + 1;
    char *checksum = assembly + strlen(name->assembly) + 1;
    strcpy(entry->texts, name->name);
    strcpy(file, name->file);
    strcpy(assembly, name->assembly);
    strcpy(checksum, name->checksum);
    entry->cached = (struct um_names_cached){
        .displacement = name->displacement,
        .line = name->line,
        .is_nearest = name->is_nearest,
        .first_line = name->first_line,
        .last_line = name->last_line,
        .kind = name->kind,
        .why = name->why,
        .pdb = name->pdb,
        .name = entry->texts,
        .file = file,
        .assembly = assembly,
        .checksum = checksum,
        .assembly_timestamp = name->assembly_timestamp,
        .assembly_bytes = name->assembly_bytes,
    };
}

enum um_status um_names_cache_put(struct um_names_cache *cache, uint32_t module, uint32_t rva,
                                  const struct um_names_name *name)
{
    size_t text_bytes = strlen(name->name) + strlen(name->file) + strlen(name->assembly) +
                        strlen(name->checksum) + 4;
    int32_t known = find(cache, module, rva);
    char *texts = malloc(text_bytes);

    if (!texts)
        return UM_ERR_MEMORY;
    if (known != NONE)
        drop(cache, known); /* its place in the ring stays empty until it is the oldest */
    while (cache->count == UM_NAMES_CACHE_COUNT ||
           (cache->count > 0 && cache->text_bytes + text_bytes > UM_NAMES_CACHE_TEXT_BYTES))
        drop_oldest(cache);
    size_t index = (cache->oldest + cache->count++) % UM_NAMES_CACHE_COUNT;
    struct entry *entry = &cache->entries[index];
    int32_t *head = &cache->heads[hash(module, rva)];
    *entry = (struct entry){.module = module,
                            .rva = rva,
                            .next = *head,
                            .used = true,
                            .texts = texts,
                            .text_bytes = text_bytes};
    fill(entry, name);
    *head = (int32_t)index;
    cache->text_bytes += text_bytes;
    return UM_OK;
}

const struct um_names_cached *um_names_cache_find(const struct um_names_cache *cache,
                                                  uint32_t module, uint32_t rva)
{
    int32_t at = find(cache, module, rva);
    return at != NONE ? &cache->entries[at].cached : NULL;
}

void um_names_cache_close(struct um_names_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < UM_NAMES_CACHE_COUNT; i++)
        free(cache->entries[i].texts);
    free(cache);
}
