/* With input and output in memory, and symbols that say what they were asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "names/serve.h"

#define INPUT_BYTES (1 << 20)
#define OUTPUT_BYTES (4 << 20)

static uint8_t *input; /* of INPUT_BYTES */
static size_t input_bytes, read_bytes, step_bytes;
static uint8_t *output; /* of OUTPUT_BYTES */
static size_t output_bytes;
static char searched[64];
static uint32_t process;
static char module[64];
static enum um_status write_status;

static enum um_status read_input(void *context, uint8_t *bytes, size_t cap_bytes, size_t *len_bytes)
{
    size_t left = input_bytes - read_bytes;
    (void)context;
    size_t len = left < cap_bytes ? left : cap_bytes;
    len = len < step_bytes ? len : step_bytes;
    memcpy(bytes, input + read_bytes, len);
    read_bytes += len;
    *len_bytes = len;
    return len > 0 ? UM_OK : UM_ERR_CLOSED;
}

static enum um_status write_output(void *context, const uint8_t *bytes, size_t len_bytes)
{
    (void)context;
    cr_assert_leq(len_bytes, OUTPUT_BYTES - output_bytes);
    memcpy(output + output_bytes, bytes, len_bytes);
    output_bytes += len_bytes;
    return write_status;
}

static void take_search(void *context, const char *path)
{
    (void)context;
    snprintf(searched, sizeof searched, "%s", path);
}

static void take_module(void *context, const struct um_names_module *asked)
{
    (void)context;
    snprintf(module, sizeof module, "%s", asked->path);
}

static void take_process(void *context, uint32_t pid)
{
    (void)context;
    process = pid;
}

static void find(void *context, const struct um_names_address *address, struct um_names_name *name)
{
    uint32_t rva = address->rva;
    (void)context;
    name->kind = UM_NAMES_DEBUG;
    name->displacement = rva & 0xff;
    snprintf(name->name, sizeof name->name, "%s %u", module, rva);
    memset(name->file, 'f', rva % UM_NAMES_PATH_BYTES);
}

static const struct um_serve_io io = {NULL, read_input, write_output};
static const struct um_serve_symbols symbols = {NULL, take_search, take_module, find, take_process};

static void put(const struct um_names_frame *frame)
{
    input_bytes += um_names_encode(frame, input + input_bytes);
}

static void put_module(const char *path)
{
    struct um_names_frame frame = {.type = UM_NAMES_MODULE};
    snprintf(frame.as.module.path, sizeof frame.as.module.path, "%s", path);
    put(&frame);
}

static void put_address(uint32_t number, uint32_t rva)
{
    put(&(struct um_names_frame){.type = UM_NAMES_ADDRESS, .as.address = {number, rva, 0}});
}

static void setup(void)
{
    input = calloc(1, INPUT_BYTES);
    output = calloc(1, OUTPUT_BYTES);
    cr_assert(input && output);
    um_names_preamble(input);
    input_bytes = UM_NAMES_PREAMBLE_BYTES;
    step_bytes = INPUT_BYTES;
}

static void teardown(void)
{
    free(input);
    free(output);
}

TestSuite(serve, .init = setup, .fini = teardown);

/* The next answer in the output, from `*at` on. */
static struct um_names_name next_name(size_t *at)
{
    struct um_names_frame frame;
    size_t consumed;
    if (*at == 0) {
        cr_assert_eq(um_names_check_preamble(output, output_bytes), UM_OK);
        *at = UM_NAMES_PREAMBLE_BYTES;
    }
    cr_assert_eq(um_names_decode(output + *at, output_bytes - *at, &frame, &consumed), UM_OK);
    cr_assert_eq(frame.type, UM_NAMES_NAME);
    *at += consumed;
    return frame.as.name;
}

static void ask_many(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char path[16];
        snprintf(path, sizeof path, "m%u", i / 100);
        if (i % 100 == 0)
            put_module(path);
        put_address(i, i * 7);
    }
}

static void expect_many(unsigned count)
{
    size_t at = 0;
    for (unsigned i = 0; i < count; i++) {
        char text[32];
        struct um_names_name name = next_name(&at);
        snprintf(text, sizeof text, "m%u %u", i / 100, i * 7);
        cr_assert_eq(name.number, i);
        cr_assert_str_eq(name.name, text);
        cr_assert_eq(strlen(name.file), i * 7 % UM_NAMES_PATH_BYTES);
    }
    cr_expect_eq(at, output_bytes);
}

Test(serve, answers_in_order)
{
    ask_many(1000);
    cr_expect_eq(um_serve(&io, &symbols), UM_OK);
    expect_many(1000);
}

Test(serve, takes_frames_however_they_are_cut)
{
    ask_many(300);
    step_bytes = 1;
    cr_expect_eq(um_serve(&io, &symbols), UM_OK);
    expect_many(300);
}

Test(serve, hands_the_search_path_on)
{
    struct um_names_frame frame = {.type = UM_NAMES_SEARCH, .as.search = {"srv*c:\\symbols"}};
    put(&frame);
    cr_expect_eq(um_serve(&io, &symbols), UM_OK);
    cr_expect_str_eq(searched, "srv*c:\\symbols");
}

Test(serve, has_no_names_before_the_first_module)
{
    size_t at = 0;
    put_address(9, 16);
    cr_expect_eq(um_serve(&io, &symbols), UM_OK);
    struct um_names_name name = next_name(&at);
    cr_expect_eq(name.number, 9);
    cr_expect_eq(name.kind, UM_NAMES_NOWHERE);
    cr_expect_eq(name.why, UM_NAMES_NO_FILE);
}

Test(serve, ends_at_what_a_monitor_does_not_send)
{
    struct um_names_frame frame = {.type = UM_NAMES_NAME, .as.name = {.kind = UM_NAMES_DEBUG}};
    put(&frame);
    cr_expect_eq(um_serve(&io, &symbols), UM_ERR_FORMAT);
    read_bytes = 0;
    input[4] = UM_NAMES_VERSION + 1;
    cr_expect_eq(um_serve(&io, &symbols), UM_ERR_VERSION);
    read_bytes = 0;
    input[0] = 'x';
    cr_expect_eq(um_serve(&io, &symbols), UM_ERR_FORMAT);
}

Test(serve, says_that_the_input_ended_within_a_frame)
{
    put_address(1, 2);
    input_bytes--;
    cr_expect_eq(um_serve(&io, &symbols), UM_ERR_PARTIAL);
    read_bytes = 0;
    input_bytes = 3;
    cr_expect_eq(um_serve(&io, &symbols), UM_ERR_PARTIAL);
}

Test(serve, ends_when_nobody_reads)
{
    write_status = UM_ERR_IO;
    cr_expect_eq(um_serve(&io, &symbols), UM_ERR_IO);
}
