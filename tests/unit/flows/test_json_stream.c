/* Values of JSON one by one: numbers as strtod reads them, and texts as they are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include "base/double_bits.h"
#include "base/random.h"
#include "monitor/flows/json_stream.h"
#include "monitor/flows/unpack.h"

#define NUMBERS 20000
#define DIGITS 24

static double numbers[NUMBERS];
static char texts[16][64];
static size_t count;

static bool take(void *context, size_t path, const struct um_json_stream_value *value)
{
    (void)context;
    (void)path;
    if (value->is_number)
        numbers[count] = value->number;
    else
        snprintf(texts[count], sizeof texts[0], "%.*s", (int)value->len_bytes, value->text);
    count++;
    return true;
}

static enum um_status read_file(FILE *file)
{
    static const struct um_json_stream_path paths[] = {{"[]", UM_JSON_STREAM_VALUE},
                                                       {"a.b[]", UM_JSON_STREAM_VALUE}};
    const struct um_json_stream stream = {paths, 2, NULL, take};
    char error[256];
    rewind(file);
    enum um_status status = um_json_stream_read(&stream, file, error, sizeof error);
    fclose(file);
    return status;
}

static enum um_status read_text(const char *json)
{
    FILE *file = tmpfile();
    cr_assert(file && fputs(json, file) >= 0);
    return read_file(file);
}

/* Up to DIGITS digits, with a point among them or not. */
static void make_number(struct um_random *random, char *text)
{
    uint32_t digits = 1 + um_random_below(random, DIGITS);
    uint32_t point = 1 + um_random_below(random, 2 * digits);
    char *at = text;
    if (um_random_below(random, 3) == 0)
        *at++ = '-';
    *at++ = (char)('1' + um_random_below(random, 9));
    for (uint32_t i = 1; i < digits; i++) {
        if (i == point)
            *at++ = '.';
        *at++ = (char)('0' + um_random_below(random, 10));
    }
    *at = '\0';
    if (um_random_below(random, 8) == 0)
        snprintf(at, 8, "e%u", (unsigned)um_random_below(random, 40));
}

Test(json_stream, numbers_are_what_strtod_reads)
{
    struct um_random random = {.state = 5};
    static char written[NUMBERS][DIGITS + 12];
    FILE *file = tmpfile();
    cr_assert(file);
    for (size_t i = 0; i < NUMBERS; i++) {
        make_number(&random, written[i]);
        fprintf(file, "%c%s", i ? ',' : '[', written[i]);
    }
    fputc(']', file);
    cr_assert_eq(read_file(file), UM_OK);
    cr_assert_eq(count, NUMBERS);
    for (size_t i = 0; i < NUMBERS; i++)
        cr_expect_eq(um_double_bits_of(numbers[i]), um_double_bits_of(strtod(written[i], NULL)),
                     "%s", written[i]);
}

Test(json_stream, a_number_may_have_very_many_digits)
{
    char json[400] = "[0.";
    memset(json + 3, '0', 300);
    strcpy(json + 303, "25e302]");
    cr_assert_eq(read_text(json), UM_OK);
    cr_expect_eq(numbers[0], 25);
}

Test(json_stream, numbers_at_the_edges)
{
    cr_assert_eq(read_text("[0,-0,0.0,999999999999999,1000000000000001,0.000000000000001,1e400]"),
                 UM_OK);
    cr_assert_eq(count, 7);
    cr_expect_eq(um_double_bits_of(numbers[1]), um_double_bits_of(-0.0));
    cr_expect_eq(numbers[3], 999999999999999.0);
    cr_expect_eq(numbers[4], 1000000000000001.0);
    cr_expect_eq(numbers[5], 1e-15);
    cr_expect_eq(numbers[6], strtod("1e400", NULL));
}

Test(json_stream, only_what_is_asked_for_is_given)
{
    cr_assert_eq(read_text("{\"a\":{\"c\":[7],\"b\":[1,[2],{\"b\":3}]},\"b\":[5]}"), UM_OK);
    cr_assert_eq(count, 1);
    cr_expect_eq(numbers[0], 1);
}

static bool take_long(void *context, size_t path, const struct um_json_stream_value *value)
{
    const cJSON *member;
    char *lines = context;
    (void)path;
    cJSON_ArrayForEach(member, value->tree)
    {
        size_t len = strlen(lines);
        snprintf(lines + len, 256 - len, "%s%s ", cJSON_IsNumber(member) ? "number " : "text ",
                 member->valuestring ? member->valuestring : "-");
    }
    return true;
}

/* A double has not all of their digits. */
Test(json_stream, long_numbers_of_a_tree_have_their_text)
{
    static const struct um_json_stream_path paths[] = {{"a", UM_JSON_STREAM_TREE}};
    char found[256] = "", error[256];
    const struct um_json_stream stream = {paths, 1, found, take_long};
    FILE *file = tmpfile();
    cr_assert(file);
    fputs("{\"a\":[1.5,123456789012.345,1712345678901234.567,1712345678901234567,"
          "1.712345678901234567e15,0.00000000000000000000000000000000000000000000000000000000000001"
          "]}",
          file);
    rewind(file);
    cr_assert_eq(um_json_stream_read(&stream, file, error, sizeof error), UM_OK, "%s", error);
    fclose(file);
    cr_expect_str_eq(found,
                     "number - number 123456789012.345 number 1712345678901234.567 text "
                     "1712345678901234567 number 1.712345678901234567e15 number - ",
                     "%s", found);
}

static char lines[1024];

static bool take_member(void *context, size_t path, const struct um_json_stream_value *value)
{
    size_t len = strlen(lines);
    (void)context;
    (void)path;
    if (value->key)
        len += (size_t)snprintf(lines + len, sizeof lines - len, "%.*s=", (int)value->key_len_bytes,
                                value->key);
    if (value->text)
        snprintf(lines + len, sizeof lines - len, "'%.*s' ", (int)value->len_bytes, value->text);
    else if (value->is_number)
        snprintf(lines + len, sizeof lines - len, "%g ", value->number);
    else
        snprintf(lines + len, sizeof lines - len, "end ");
    return true;
}

/* What is within a member is none of its object's. */
Test(json_stream, members_are_given_with_their_keys)
{
    static const struct um_json_stream_path paths[] = {{"a[]", UM_JSON_STREAM_MEMBERS}};
    const struct um_json_stream stream = {paths, 1, NULL, take_member};
    char error[256], key[400];
    FILE *file = tmpfile();
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    cr_assert(file);
    fprintf(file,
            "{\"a\":[{\"x\":1,\"y\":\"t\",\"z\":{\"x\":2,\"l\":[3]},\"w\":[4],\"v\":-5.5},null,"
            "{},[{\"x\":6}],7,{\"id\":12345678901234567890,\"%s\":8,\"n\":null}],\"x\":9}",
            key);
    rewind(file);
    cr_assert_eq(um_json_stream_read(&stream, file, error, sizeof error), UM_OK, "%s", error);
    fclose(file);
    cr_expect_str_eq(lines,
                     "x=1 y='t' v=-5.5 end end end end 7 id='12345678901234567890' n=end end ",
                     "%s", lines);
}

Test(json_stream, texts_that_are_no_utf8_are_given_as_they_are)
{
    cr_assert_eq(read_text("[\"a\xff\",\"b\xc3\"]"), UM_OK);
    cr_assert_eq(count, 2);
    cr_expect_str_eq(texts[0], "a\xff");
    cr_expect_str_eq(texts[1], "b\xc3");
}

/* How much may be unpacked --------------------------------------------------------------------- */

/* Reads it all, of which so much may come out. */
static enum um_status unpack_all(FILE *file, uint64_t most_bytes)
{
    static unsigned char bytes[4096];
    struct um_unpack unpack;
    size_t len_bytes = 1;
    enum um_status status;
    rewind(file);
    cr_assert_eq(um_unpack_init(&unpack, file, most_bytes), UM_OK);
    do
        status = um_unpack_read(&unpack, bytes, sizeof bytes, &len_bytes);
    while (status == UM_OK && len_bytes > 0);
    um_unpack_deinit(&unpack);
    return status;
}

/* Packs so many spaces as a file of its own, the first of which are instead this text. */
static size_t pack_spaces(const char *text, size_t count_bytes, unsigned char *packed,
                          size_t cap_bytes)
{
    z_stream stream = {0};
    unsigned char *spaces = malloc(count_bytes);
    cr_assert(spaces &&
              deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY) == Z_OK);
    memset(spaces, ' ', count_bytes);
    memcpy(spaces, text, strlen(text));
    stream.next_in = spaces;
    stream.avail_in = (uInt)count_bytes;
    stream.next_out = packed;
    stream.avail_out = (uInt)cap_bytes;
    cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t len_bytes = cap_bytes - stream.avail_out;
    deflateEnd(&stream);
    free(spaces);
    return len_bytes;
}

Test(json_stream, as_much_may_be_unpacked_as_is_said)
{
    static unsigned char packed[4096];
    FILE *plain = tmpfile(), *gzip = tmpfile();
    size_t len_bytes = pack_spaces("", 9999, packed, sizeof packed);
    cr_assert(plain && gzip && fwrite(packed, 1, len_bytes, gzip) == len_bytes);
    fprintf(plain, "%9999s", "");
    FILE *const files[] = {plain, gzip};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        cr_expect_eq(unpack_all(files[i], 9999), UM_OK);
        cr_expect_eq(unpack_all(files[i], 9998), UM_ERR_TOO_LARGE);
        fclose(files[i]);
    }
}

/* A megabyte of file that becomes a byte more than a gigabyte. */
Test(json_stream, a_file_that_becomes_longer_than_a_gigabyte_is_refused)
{
    const size_t piece_bytes = 8 << 20;
    static unsigned char packed[65536];
    const struct um_json_stream stream = {NULL, 0, NULL, take};
    char error[256];
    FILE *file = tmpfile();
    for (size_t i = 0; i < ((size_t)1 << 30) / piece_bytes; i++) {
        size_t len_bytes = pack_spaces(i ? ",1" : "[1", piece_bytes, packed, sizeof packed);
        cr_assert_eq(fwrite(packed, 1, len_bytes, file), len_bytes);
    }
    size_t len_bytes = pack_spaces("]", 1, packed, sizeof packed);
    cr_assert_eq(fwrite(packed, 1, len_bytes, file), len_bytes);
    rewind(file);
    cr_expect_eq(um_json_stream_read(&stream, file, error, sizeof error), UM_ERR_TOO_LARGE);
    cr_expect_str_eq(error, "is longer than a gigabyte");
    fclose(file);
}
