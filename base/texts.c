#include "base/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

/* Text that is looked for. */
struct wanted {
    const struct um_texts *texts;
    const char *text;
    size_t len_bytes;
};

static bool is_wanted(const void *context, uint32_t number)
{
    const struct wanted *wanted = context;
    const char *text = um_texts_get(wanted->texts, number);
    return strncmp(text, wanted->text, wanted->len_bytes) == 0 && text[wanted->len_bytes] == '\0';
}

static size_t length_of(const char *text, size_t most_bytes)
{
    const char *end = memchr(text, '\0', most_bytes);
    return end ? (size_t)(end - text) : most_bytes;
}

static uint32_t find(const struct um_texts *texts, const char *text, size_t len_bytes,
                     uint64_t *hash)
{
    const struct wanted wanted = {texts, text, len_bytes};
    *hash = um_intern_mix_bytes(0, text, len_bytes);
    return um_intern_find(&texts->index, *hash, is_wanted, &wanted);
}

uint32_t um_texts_find(const struct um_texts *texts, const char *text)
{
    uint64_t hash;
    return find(texts, text, strlen(text), &hash);
}

uint32_t um_texts_add(struct um_texts *texts, const char *text, size_t len_bytes)
{
    uint64_t hash;
    size_t len = length_of(text, len_bytes);
    uint32_t known = find(texts, text, len, &hash);
    if (known != UM_INTERN_NONE)
        return known;
    if (!um_list_reserve(&texts->starts, &texts->room, texts->count + 1, UM_TEXTS_NONE,
                         sizeof *texts->starts) ||
        !um_list_reserve(&texts->bytes, &texts->room_bytes, texts->len_bytes + len + 1, SIZE_MAX,
                         1) ||
        !um_intern_reserve(&texts->index, 1))
        return UM_TEXTS_NONE;
    uint32_t number = (uint32_t)texts->count++;
    texts->starts[number] = texts->len_bytes;
    memcpy(texts->bytes + texts->len_bytes, text, len);
    texts->bytes[texts->len_bytes + len] = '\0';
    texts->len_bytes += len + 1;
    um_intern_add(&texts->index, hash, number);
    return number;
}

const char *um_texts_get(const struct um_texts *texts, uint32_t number)
{
    return number < texts->count ? texts->bytes + texts->starts[number] : "";
}

void um_texts_deinit(struct um_texts *texts)
{
    um_intern_deinit(&texts->index);
    free(texts->bytes);
    free(texts->starts);
    *texts = (struct um_texts){0};
}
