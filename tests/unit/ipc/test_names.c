#include <string.h>

#include <criterion/criterion.h>

#include "ipc/names.h"

static uint8_t bytes[UM_NAMES_MAX_BYTES];
static struct um_names_frame in, out;
static size_t consumed;

static size_t encode(uint8_t type)
{
    in.type = type;
    return um_names_encode(&in, bytes);
}

static enum um_status decode(size_t len_bytes)
{
    return um_names_decode(bytes, len_bytes, &out, &consumed);
}

/* Written by hand from the header's tables. */
static const uint8_t module_bytes[] = {
    19, 0, 2, 0, 0x78, 0x56, 0x34, 0x12, 0x00, 0x20, 0, 0, 0, 0, 0, 4, 0xf8, 0x7f, 0, 0, 1, 0, 'x',
};
static const uint8_t address_bytes[] = {
    12, 0, 3, 0, 7, 0, 0, 0, 0x34, 0x12, 0, 0, 5, 0, 0, 0,
};
static const uint8_t process_bytes[] = {4, 0, 5, 0, 0xe8, 0x03, 0, 0};
static const uint8_t name_bytes[] = {
    51,  0,   4,   0,   7, 0, 0,   0,   0x10, 0,    0,    0,    42,   0,    0,    0,   40,  0, 0,
    0,   50,  0,   0,   0, 3, 0,   2,   1,    0x78, 0x56, 0x34, 0x12, 0x00, 0x20, 0,   0,   4, 0,
    'm', 'a', 'i', 'n', 2, 0, 'a', 'c', 3,    0,    'a',  '.',  'd',  2,    0,    'm', 'd',
};

Test(names, are_written_as_the_header_says)
{
    in.as.module = (struct um_names_module){
        .timestamp = 0x12345678, .image_bytes = 0x2000, .base = 0x7ff804000000};
    strcpy(in.as.module.path, "x");
    cr_expect_eq(encode(UM_NAMES_MODULE), sizeof module_bytes);
    cr_expect_eq(memcmp(bytes, module_bytes, sizeof module_bytes), 0);
    in.as.address = (struct um_names_address){.number = 7, .rva = 0x1234, .round = 5};
    cr_expect_eq(encode(UM_NAMES_ADDRESS), sizeof address_bytes);
    cr_expect_eq(memcmp(bytes, address_bytes, sizeof address_bytes), 0);
    in.as.process.pid = 1000;
    cr_expect_eq(encode(UM_NAMES_PROCESS), sizeof process_bytes);
    cr_expect_eq(memcmp(bytes, process_bytes, sizeof process_bytes), 0);
    in.as.name = (struct um_names_name){.number = 7,
                                        .displacement = 16,
                                        .line = 42,
                                        .first_line = 40,
                                        .last_line = 50,
                                        .kind = UM_NAMES_MANAGED,
                                        .pdb = UM_NAMES_PDB_WINDOWS,
                                        .is_nearest = 1,
                                        .assembly_timestamp = 0x12345678,
                                        .assembly_bytes = 0x2000};
    strcpy(in.as.name.name, "main");
    strcpy(in.as.name.file, "ac");
    strcpy(in.as.name.assembly, "a.d");
    strcpy(in.as.name.checksum, "md");
    cr_expect_eq(encode(UM_NAMES_NAME), sizeof name_bytes);
    cr_expect_eq(memcmp(bytes, name_bytes, sizeof name_bytes), 0);
}

Test(names, are_read_as_the_header_says)
{
    memcpy(bytes, module_bytes, sizeof module_bytes);
    cr_assert_eq(decode(sizeof bytes), UM_OK);
    cr_expect_eq(consumed, sizeof module_bytes);
    cr_expect_eq(out.type, UM_NAMES_MODULE);
    cr_expect_eq(out.as.module.timestamp, 0x12345678);
    cr_expect_eq(out.as.module.image_bytes, 0x2000);
    cr_expect_eq(out.as.module.base, 0x7ff804000000);
    cr_expect_str_eq(out.as.module.path, "x");
    memcpy(bytes, address_bytes, sizeof address_bytes);
    cr_assert_eq(decode(sizeof address_bytes), UM_OK);
    cr_expect(out.as.address.number == 7 && out.as.address.rva == 0x1234);
    cr_expect_eq(out.as.address.round, 5);
    memcpy(bytes, process_bytes, sizeof process_bytes);
    cr_assert_eq(decode(sizeof process_bytes), UM_OK);
    cr_expect(out.type == UM_NAMES_PROCESS && out.as.process.pid == 1000);
    memcpy(bytes, name_bytes, sizeof name_bytes);
    cr_assert_eq(decode(sizeof name_bytes), UM_OK);
    cr_expect_eq(out.as.name.number, 7);
    cr_expect_eq(out.as.name.displacement, 16);
    cr_expect_eq(out.as.name.line, 42);
    cr_expect_eq(out.as.name.first_line, 40);
    cr_expect_eq(out.as.name.last_line, 50);
    cr_expect_eq(out.as.name.pdb, UM_NAMES_PDB_WINDOWS);
    cr_expect_str_eq(out.as.name.name, "main");
    cr_expect_str_eq(out.as.name.file, "ac");
    cr_expect_str_eq(out.as.name.assembly, "a.d");
    cr_expect_eq(out.as.name.assembly_timestamp, 0x12345678);
    cr_expect_eq(out.as.name.assembly_bytes, 0x2000);
    cr_expect_str_eq(out.as.name.checksum, "md");
}

Test(names, take_the_longest_texts)
{
    memset(in.as.search.path, 'p', sizeof in.as.search.path - 1);
    cr_assert_eq(decode(encode(UM_NAMES_SEARCH)), UM_OK);
    cr_expect_str_eq(out.as.search.path, in.as.search.path);
    memset(&in, 0, sizeof in);
    in.as.name.kind = UM_NAMES_EXPORT;
    memset(in.as.name.name, 'n', sizeof in.as.name.name - 1);
    memset(in.as.name.file, 'f', sizeof in.as.name.file - 1);
    memset(in.as.name.assembly, 'a', sizeof in.as.name.assembly - 1);
    memset(in.as.name.checksum, 'c', sizeof in.as.name.checksum - 1);
    cr_assert_eq(decode(encode(UM_NAMES_NAME)), UM_OK);
    cr_expect_str_eq(out.as.name.checksum, in.as.name.checksum);
    cr_expect_str_eq(out.as.name.name, in.as.name.name);
    cr_expect_str_eq(out.as.name.file, in.as.name.file);
    cr_expect_str_eq(out.as.name.assembly, in.as.name.assembly);
}

Test(names, clean_texts)
{
    memcpy(bytes, module_bytes, sizeof module_bytes);
    bytes[22] = 0xff;
    cr_assert_eq(decode(sizeof module_bytes), UM_OK);
    cr_expect_str_eq(out.as.module.path, "?");
}

Test(names, ask_for_more_bytes)
{
    memcpy(bytes, name_bytes, sizeof name_bytes);
    for (size_t len = 0; len < sizeof name_bytes; len++)
        cr_expect_eq(decode(len), UM_ERR_PARTIAL, "%zu", len);
}

/* Puts one byte into the bytes of a NAME. */
static enum um_status decode_with(size_t at, uint8_t byte)
{
    memcpy(bytes, name_bytes, sizeof name_bytes);
    bytes[at] = byte;
    return decode(sizeof name_bytes);
}

Test(names, refuse_what_breaks_the_format)
{
    cr_expect_eq(decode_with(1, 0x11), UM_ERR_TOO_LARGE);
    cr_expect_eq(decode_with(2, 9), UM_ERR_FORMAT, "type");
    cr_expect_eq(decode_with(3, 1), UM_ERR_FORMAT, "flags");
    cr_expect_eq(decode_with(0, 50), UM_ERR_FORMAT, "the last text goes on behind the payload");
    cr_expect_eq(decode_with(0, 31), UM_ERR_FORMAT, "too short for its numbers");
    cr_expect_eq(decode_with(51, 1), UM_ERR_FORMAT, "a byte too many");
    cr_expect_eq(decode_with(36, 0xff), UM_ERR_FORMAT, "text");
    cr_expect_eq(decode_with(24, UM_NAMES_KIND_COUNT), UM_ERR_FORMAT, "kind");
    cr_expect_eq(decode_with(24, UM_NAMES_NOWHERE), UM_ERR_FORMAT, "no name and no reason");
    cr_expect_eq(decode_with(25, UM_NAMES_NO_FILE), UM_ERR_FORMAT, "a name and a reason");
    cr_expect_eq(decode_with(26, UM_NAMES_PDB_COUNT), UM_ERR_FORMAT, "PDB");
    cr_expect_eq(decode_with(24, UM_NAMES_DEBUG), UM_ERR_FORMAT, "a PDB of no method");
    cr_expect_eq(decode_with(27, 2), UM_ERR_FORMAT, "neither nearest nor not");
    cr_expect_eq(decode_with(12, 0), UM_ERR_FORMAT, "nearest, and no line");
    cr_expect_eq(decode_with(2, UM_NAMES_ADDRESS), UM_ERR_FORMAT, "length of an ADDRESS");
    in.type = 0;
    cr_expect_eq(um_names_encode(&in, bytes), 0);
}

Test(names, leave_the_frame_alone_on_failure)
{
    memset(&out, 0x55, sizeof out);
    cr_expect_eq(decode_with(24, UM_NAMES_KIND_COUNT), UM_ERR_FORMAT);
    cr_expect_eq(out.type, 0x55);
    cr_expect_eq(out.as.name.number, 0x55555555);
}

Test(names, check_the_preamble)
{
    um_names_preamble(bytes);
    cr_expect_eq(memcmp(bytes, "UINA\5\0\0\0", 8), 0);
    cr_expect_eq(um_names_check_preamble(bytes, 8), UM_OK);
    cr_expect_eq(um_names_check_preamble(bytes, 7), UM_ERR_PARTIAL);
    cr_expect_eq(um_names_check_preamble((const uint8_t *)"UIM", 3), UM_ERR_FORMAT);
    bytes[4] = 1;
    cr_expect_eq(um_names_check_preamble(bytes, 8), UM_ERR_VERSION);
}

Test(names, have_a_text_for_each_reason)
{
    for (unsigned why = 0; why < UM_NAMES_WHY_COUNT; why++)
        cr_expect(um_names_why_text(why) && strcmp(um_names_why_text(why), "unknown") != 0);
    cr_expect_str_eq(um_names_why_text(UM_NAMES_WHY_COUNT), "unknown");
    for (unsigned pdb = 0; pdb < UM_NAMES_PDB_COUNT; pdb++)
        cr_expect(um_names_pdb_text(pdb) && strcmp(um_names_pdb_text(pdb), "unknown") != 0);
    cr_expect_str_eq(um_names_pdb_text(UM_NAMES_PDB_COUNT), "unknown");
}

Test(names, are_doubtful_far_behind_an_export)
{
    cr_expect(um_names_is_doubtful(UM_NAMES_EXPORT, UM_NAMES_DOUBTFUL_BYTES));
    cr_expect_not(um_names_is_doubtful(UM_NAMES_EXPORT, UM_NAMES_DOUBTFUL_BYTES - 1));
    cr_expect_not(um_names_is_doubtful(UM_NAMES_DEBUG, UM_NAMES_DOUBTFUL_BYTES));
}
