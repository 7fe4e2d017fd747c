#include "tests/stacks/stack_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES (4 << 20)
#define MAX_IMAGE_BYTES (64 << 20)
#define REGISTER_COUNT (UM_UNWIND_REGISTERS + 1)
#define SAMPLE_BYTES ((REGISTER_COUNT + 2) * 8)

static uint64_t u64_of(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (unsigned i = 8; i > 0; i--)
        value = value << 8 | bytes[i - 1];
    return value;
}

static uint32_t u32_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static void take_name(char *name, size_t cap, const uint8_t *bytes, size_t len)
{
    len = len < cap ? len : cap - 1;
    memcpy(name, bytes, len);
    name[len] = '\0';
}

static bool add_module(struct stack_file *file, const uint8_t *bytes, size_t len)
{
    if (len < 12 || file->module_count == STACK_FILE_MODULES || u32_of(bytes + 8) > MAX_IMAGE_BYTES)
        return false;
    struct stack_file_module *module = &file->modules[file->module_count++];
    module->base = u64_of(bytes);
    module->image_bytes = u32_of(bytes + 8);
    take_name(module->name, sizeof module->name, bytes + 12, len - 12);
    module->image = calloc(1, module->image_bytes + 1U);
    return module->image;
}

/* Puts a block's bytes into the memory from `begin` on. */
static bool put(uint8_t *memory, uint64_t begin, size_t memory_len, const uint8_t *bytes,
                size_t len)
{
    if (len < 8 || u64_of(bytes) < begin || u64_of(bytes) - begin > memory_len ||
        len - 8 > memory_len - (u64_of(bytes) - begin))
        return false;
    memcpy(memory + (u64_of(bytes) - begin), bytes + 8, len - 8);
    return true;
}

static bool add_sample(struct stack_file *file, const uint8_t *bytes, size_t len)
{
    if (len < SAMPLE_BYTES || file->sample_count == STACK_FILE_SAMPLES ||
        u64_of(bytes + (REGISTER_COUNT + 1) * 8) > MAX_IMAGE_BYTES)
        return false;
    struct stack_file_sample *sample = &file->samples[file->sample_count++];
    sample->registers.pc = u64_of(bytes);
    for (size_t i = 0; i < UM_UNWIND_REGISTERS; i++)
        sample->registers.integer[i] = u64_of(bytes + 8 + i * 8);
    sample->stack.address = u64_of(bytes + REGISTER_COUNT * 8);
    sample->stack.len = (size_t)u64_of(bytes + (REGISTER_COUNT + 1) * 8);
    sample->stack_bytes = calloc(1, sample->stack.len + 1);
    sample->stack.bytes = sample->stack_bytes;
    take_name(sample->name, sizeof sample->name, bytes + SAMPLE_BYTES, len - SAMPLE_BYTES);
    return sample->stack_bytes;
}

static bool take_truth(struct stack_file_sample *sample, const uint8_t *bytes, size_t len)
{
    sample->truth_count = len / 16;
    if (len % 16 != 0 || sample->truth_count > STACK_FILE_FRAMES)
        return false;
    for (size_t i = 0; i < sample->truth_count; i++)
        sample->truth[i] =
            (struct stack_file_frame){u64_of(bytes + i * 16), u64_of(bytes + i * 16 + 8)};
    return true;
}

static bool take_list(uint64_t *list, size_t *count, const uint8_t *bytes, size_t len)
{
    *count = len / 8;
    if (len % 8 != 0 || *count > STACK_FILE_FRAMES)
        return false;
    for (size_t i = 0; i < *count; i++)
        list[i] = u64_of(bytes + i * 8);
    return true;
}

static bool take_block(struct stack_file *file, uint32_t kind, const uint8_t *bytes, size_t len)
{
    struct stack_file_sample *sample =
        file->sample_count > 0 ? &file->samples[file->sample_count - 1] : NULL;
    struct stack_file_module *module =
        file->module_count > 0 ? &file->modules[file->module_count - 1] : NULL;
    switch (kind) {
    case STACK_FILE_MODULE:
        return add_module(file, bytes, len);
    case STACK_FILE_BYTES:
        return module && put(module->image, module->base, module->image_bytes, bytes, len);
    case STACK_FILE_SAMPLE:
        return add_sample(file, bytes, len);
    case STACK_FILE_STACK:
        return sample &&
               put(sample->stack_bytes, sample->stack.address, sample->stack.len, bytes, len);
    case STACK_FILE_TRUTH:
        return sample && take_truth(sample, bytes, len);
    case STACK_FILE_KNOWN:
        return sample && take_list(sample->known, &sample->known_count, bytes, len);
    case STACK_FILE_OWN:
        return take_list(file->own, &file->own_count, bytes, len);
    default:
        return false;
    }
}

static bool take_blocks(struct stack_file *file, const uint8_t *bytes, size_t len)
{
    size_t at = strlen(STACK_FILE_MAGIC);
    if (len < at || memcmp(bytes, STACK_FILE_MAGIC, at) != 0)
        return false;
    while (at < len) {
        if (len - at < 8 || u32_of(bytes + at + 4) > len - at - 8)
            return false;
        size_t block_len = u32_of(bytes + at + 4);
        if (!take_block(file, u32_of(bytes + at), bytes + at + 8, block_len))
            return false;
        at += 8 + block_len;
    }
    return true;
}

bool stack_file_read(struct stack_file *file, const char *path)
{
    memset(file, 0, sizeof *file);
    FILE *stream = fopen(path, "rb");
    uint8_t *bytes = malloc(MAX_FILE_BYTES);
    bool good = stream && bytes;
    if (good)
        good = take_blocks(file, bytes, fread(bytes, 1, MAX_FILE_BYTES, stream));
    if (stream)
        fclose(stream);
    free(bytes);
    return good;
}

void stack_file_release(struct stack_file *file)
{
    for (size_t i = 0; i < file->module_count; i++)
        free(file->modules[i].image);
    for (size_t i = 0; i < file->sample_count; i++)
        free(file->samples[i].stack_bytes);
    memset(file, 0, sizeof *file);
}

static bool read_module(void *context, uint32_t rva, void *bytes, size_t len)
{
    const struct stack_file_module *module = context;
    if (rva > module->image_bytes || len > module->image_bytes - rva)
        return false;
    memcpy(bytes, module->image + rva, len);
    return true;
}

bool stack_file_modules(struct stack_file *file, struct um_modules *modules,
                        struct um_modules_entry *entries)
{
    um_modules_init(modules, entries, STACK_FILE_MODULES, NULL);
    for (size_t i = 0; i < file->module_count; i++) {
        const struct um_pdata_source source = {&file->modules[i], read_module};
        int32_t index;
        if (um_modules_add(modules, file->modules[i].base, &source, &index) != UM_OK)
            return false;
    }
    return true;
}

static bool is_own(const struct stack_file *file, uint64_t begin)
{
    for (size_t i = 0; i < file->own_count; i++)
        if (file->own[i] == begin)
            return true;
    return false;
}

size_t stack_file_own_functions(const struct stack_file *file, const struct um_unwind_code *code,
                                const struct um_unwind_frame *frames, size_t count,
                                uint64_t *begins)
{
    size_t own = 0;
    for (size_t i = 0; i < count && own < STACK_FILE_FRAMES; i++) {
        struct um_unwind_function function;
        if (code->find(code->context, frames[i].pc, &function) == UM_UNWIND_FOUND &&
            is_own(file, function.base + function.rva.begin_rva))
            begins[own++] = function.base + function.rva.begin_rva;
    }
    return own;
}
