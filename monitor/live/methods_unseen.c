#include "monitor/live/methods_unseen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/module_list.h"
#include "base/nearest.h"
#include "base/plain/text.h"
#include "base/utf8.h"

#define OTHERS 8192

/* The length of the first parts of a name, so many as `like` has; 0: it has fewer. */
static size_t parts_like(const char *name, const char *like)
{
    size_t separators = 0, len = 0;
    for (; *like; like++)
        separators += *like == '.' || *like == '+';
    for (; name[len]; len++)
        if ((name[len] == '.' || name[len] == '+') && separators-- == 0)
            return len;
    return separators == 0 ? len : 0;
}

/* What an entry can be compared with: a part of one of the program's names. 0: nothing. */
static size_t comparable(const char *other, const char *entry)
{
    size_t stem, entry_stem;
    (void)um_module_list_stem(other, &stem);
    (void)um_module_list_stem(entry, &entry_stem);
    if (other[stem] == '\0')
        return parts_like(other, entry);
    return entry[entry_stem] == '\0' ? stem : strlen(other);
}

/* A name that ends with an entry, as a type does whose namespace was left out. */
static const char *ending_with(const struct um_texts *others, const char *entry)
{
    for (uint32_t i = 0; i < others->count; i++) {
        const char *other = um_texts_get(others, i);
        for (const char *at = other; (at = strpbrk(at, ".+"));)
            if (um_utf8_equal(++at, entry))
                return other;
    }
    return NULL;
}

static void find_meant(const struct um_texts *others, struct um_wire_method_unseen *entry)
{
    struct um_texts parts = {.count = 0};
    for (uint32_t i = 0; i < others->count; i++) {
        const char *other = um_texts_get(others, i);
        size_t len = comparable(other, entry->name);
        if (len > 0)
            (void)um_texts_add(&parts, other, len);
    }
    const char **list = calloc(parts.count + 1, sizeof *list);
    for (uint32_t i = 0; list && i < parts.count; i++)
        list[i] = um_texts_get(&parts, i);
    const char *meant = list ? um_nearest_find(entry->name, list) : NULL;
    um_text_set(entry->meant, sizeof entry->meant,
                meant ? meant : ending_with(others, entry->name));
    free(list);
    um_texts_deinit(&parts);
}

static void take_unseen(struct um_methods_unseen *unseen, const struct um_wire_method_unseen *told)
{
    struct um_wire_frame frame = {.type = UM_WIRE_METHOD_UNSEEN, .as.method_unseen = *told};
    if (told->entry >= UM_WIRE_METHOD_ENTRIES)
        return;
    find_meant(&unseen->others, &frame.as.method_unseen);
    unseen->entries[told->entry] = frame.as.method_unseen;
    unseen->told |= UINT32_C(1) << told->entry;
    unseen->publish(unseen->context, &frame);
}

void um_methods_unseen_take(struct um_methods_unseen *unseen, const struct um_wire_frame *frame)
{
    const char *other = frame->as.method_other.name;
    if (frame->type == UM_WIRE_METHOD_OTHER && unseen->others.count < OTHERS && other[0] != '\0')
        (void)um_texts_add(&unseen->others, other, strlen(other));
    else if (frame->type == UM_WIRE_METHOD_UNSEEN)
        take_unseen(unseen, &frame->as.method_unseen);
    else if (frame->type == UM_WIRE_METHODS)
        unseen->unseen = frame->as.methods.unseen;
}

bool um_methods_unseen_line(struct um_methods_unseen *unseen, bool is_end, char *line,
                            size_t cap_bytes)
{
    char text[256];
    for (unsigned i = 0; i < UM_WIRE_METHOD_ENTRIES; i++) {
        const struct um_wire_method_unseen *entry = &unseen->entries[i];
        uint32_t bit = UINT32_C(1) << i;
        if (!(unseen->told & unseen->unseen & ~unseen->said & bit) ||
            (!is_end && entry->meant[0] == '\0'))
            continue;
        unseen->said |= bit;
        um_nearest_text(entry->name, entry->meant, text, sizeof text);
        (void)snprintf(line, cap_bytes, "no traced method%s has %s", is_end ? "" : " so far", text);
        return true;
    }
    return false;
}

void um_methods_unseen_deinit(struct um_methods_unseen *unseen)
{
    um_texts_deinit(&unseen->others);
}
