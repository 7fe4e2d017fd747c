/* The unwind data of a program of GCC (tests/golden/eh_frame.txt says which), against what binutils
 * say of the same bytes; and rows and expressions made by hand, from "DWARF Debugging Information
 * Format". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/sample/eh_frame.h"
#include "tests/written_golden.h"

#define BASE 0x400000U
#define RVA 0x3000U
#define WORDS 16
#define ESP 4
#define EBP 5

static struct um_eh_frame eh_frame;
static uint32_t memory[WORDS]; /* at 0 */

static void release(void)
{
    um_eh_frame_close(&eh_frame);
}

TestSuite(eh_frame, .fini = release);

static void open_bytes(const void *bytes, size_t len)
{
    uint8_t *copy = malloc(len);
    cr_assert(copy);
    memcpy(copy, bytes, len);
    cr_assert_eq(um_eh_frame_open(copy, len, BASE, RVA, &eh_frame), UM_OK);
}

static bool load(void *context, uint32_t address, uint32_t *value)
{
    (void)context;
    if (address % 4 != 0 || address / 4 >= WORDS)
        return false;
    *value = memory[address / 4];
    return true;
}

/* What binutils say ---------------------------------------------------------------------------- */

static const char *const registers[] = {"eax", "ecx", "edx", "ebx", "esp",
                                        "ebp", "esi", "edi", "ra"};

static int number_of(const char *name, size_t len)
{
    for (int i = 0; i < UM_EH_FRAME_PLACES; i++)
        if (strlen(registers[i]) == len && memcmp(registers[i], name, len) == 0)
            return i;
    return -1;
}

/* "u", "c-8" or "exp" */
static void assert_place(const struct um_eh_frame_place *place, const char *said, uint32_t at)
{
    if (strcmp(said, "u") == 0) {
        cr_assert_eq(place->how, UM_EH_FRAME_SAME, "at %x", at);
    } else if (strcmp(said, "exp") == 0) {
        cr_assert_eq(place->how, UM_EH_FRAME_STORED_AT, "at %x", at);
    } else {
        cr_assert_eq(said[0], 'c', "%s", said);
        cr_assert_eq(place->how, UM_EH_FRAME_STORED, "at %x", at);
        cr_assert_eq(place->offset, atoi(said + 1), "at %x", at);
    }
}

/* "ebp+8" or "exp" */
static void assert_cfa(const struct um_eh_frame_place *cfa, const char *said, uint32_t at)
{
    if (strcmp(said, "exp") == 0) {
        cr_assert_eq(cfa->how, UM_EH_FRAME_EXPRESSION, "at %x", at);
        return;
    }
    cr_assert_eq(cfa->how, UM_EH_FRAME_SUM, "at %x", at);
    cr_assert_eq(cfa->from, number_of(said, 3), "at %x", at);
    cr_assert_eq(cfa->offset, atoi(said + 3), "at %x", at);
}

/* A row, such as "00401041 esp+8    c-8   c-4", with the columns of the line above the first. */
static void assert_row(const char *line, const char *columns)
{
    char words[12][16];
    char names[12][16];
    struct um_eh_frame_row row;
    int count =
        sscanf(line, "%15s %15s %15s %15s %15s %15s %15s %15s %15s %15s", words[0], words[1],
               words[2], words[3], words[4], words[5], words[6], words[7], words[8], words[9]);
    sscanf(columns, "%15s %15s %15s %15s %15s %15s %15s %15s %15s %15s", names[0], names[1],
           names[2], names[3], names[4], names[5], names[6], names[7], names[8], names[9]);
    uint32_t at = (uint32_t)strtoul(words[0], NULL, 16);
    cr_assert(um_eh_frame_find(&eh_frame, at - BASE, &row), "nothing at %x", at);
    assert_cfa(&row.cfa, words[1], at);
    for (int i = 2; i < count; i++)
        assert_place(&row.places[number_of(names[i], strlen(names[i]))], words[i], at);
}

Test(eh_frame, has_the_rows_that_binutils_have)
{
    size_t len;
    char columns[128] = "";
    size_t rows = 0, functions = 0;
    const char *bytes = written_golden("eh_frame.bin", &len);
    open_bytes(bytes, len);
    char *text = written_golden("eh_frame.txt", &len);
    bool is_function = false;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned begin, end;
        const char *pc = strstr(line, " pc=");
        struct um_eh_frame_row row;
        if (strstr(line, " CIE ") || strstr(line, " FDE "))
            is_function = pc != NULL;
        if (pc && sscanf(pc, " pc=%x..%x", &begin, &end) == 2) {
            cr_assert(um_eh_frame_find(&eh_frame, begin - BASE, &row), "%s", line);
            cr_expect_eq(row.begin_rva, begin - BASE);
            cr_expect_eq(row.end_rva, end - BASE);
            cr_expect(um_eh_frame_find(&eh_frame, end - 1 - BASE, &row));
            functions++;
        } else if (strstr(line, "LOC")) {
            snprintf(columns, sizeof columns, "%s", line);
        } else if (is_function && strncmp(line, "004", 3) == 0) {
            assert_row(line, columns);
            rows++;
        }
    }
    cr_assert_gt(functions, 10);
    cr_assert_gt(rows, 40);
    cr_expect_not(um_eh_frame_find(&eh_frame, 0xfff, &(struct um_eh_frame_row){0}));
}

/* By hand -------------------------------------------------------------------------------------- */

/* A CIE like GCC's, and an FDE of the function from RVA 0x1000 to 0x1100 with these code bytes. */
#define FUNCTION_AT 0x1000

static struct um_eh_frame_row made;

static bool make(const uint8_t *code, size_t len, uint32_t offset)
{
    uint8_t bytes[256] = {20, 0,    0, 0, 0,    0,    0, 0, 1,    'z', 'R', 0,
                          1,  0x7c, 8, 1, 0x00, 0x0c, 4, 4, 0x88, 1,   0,   0};
    const size_t at = 24;
    uint32_t begin = BASE + FUNCTION_AT;
    size_t body = 4 + 4 + 4 + 1 + len;
    body = (body + 3) / 4 * 4;
    bytes[at] = (uint8_t)body;
    bytes[at + 4] = (uint8_t)(at + 4);
    memcpy(bytes + at + 8, &begin, 4);
    bytes[at + 13] = 1; /* 0x100 bytes */
    memcpy(bytes + at + 17, code, len);
    um_eh_frame_close(&eh_frame);
    open_bytes(bytes, at + 4 + body);
    return um_eh_frame_find(&eh_frame, FUNCTION_AT + offset, &made);
}

#define MAKE(offset, ...)                                                                          \
    make((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), offset)

static struct um_eh_frame_state state(void)
{
    return (struct um_eh_frame_state){
        .registers = {1, 2, 3, 4, 16, 32, 7, 8}, .known = 0xff, .load = load};
}

Test(eh_frame, a_row_holds_from_its_instruction_on)
{
    cr_assert(MAKE(4, 0x45, 0x0e, 12)); /* 5 bytes on: 12 */
    cr_expect_eq(made.cfa.offset, 4);
    cr_assert(MAKE(5, 0x45, 0x0e, 12));
    cr_expect_eq(made.cfa.offset, 12);
    cr_assert(MAKE(0x46, 0x02, 0x46, 0x0e, 12));
    cr_expect_eq(made.cfa.offset, 12);
    cr_assert(MAKE(0x45, 0x03, 0x46, 0, 0x0e, 12));
    cr_expect_eq(made.cfa.offset, 4);
    cr_assert(MAKE(0xff, 0x04, 0x46, 0, 0, 0, 0x0e, 12));
    cr_expect_eq(made.cfa.offset, 12);
}

Test(eh_frame, remembers_and_restores)
{
    cr_assert(MAKE(8, 0x0e, 12, 0x85, 2, 0x0a, 0x0e, 4, 0xc5, 0x48, 0x0b));
    cr_expect_eq(made.cfa.offset, 12);
    cr_expect_eq(made.places[EBP].how, UM_EH_FRAME_STORED);
    cr_expect_eq(made.places[EBP].offset, -8);
    cr_assert(MAKE(7, 0x0e, 12, 0x85, 2, 0x0a, 0x0e, 4, 0xc5, 0x48, 0x0b));
    cr_expect_eq(made.cfa.offset, 4);
    cr_expect_eq(made.places[EBP].how, UM_EH_FRAME_SAME);
    cr_expect_not(MAKE(8, 0x0b), "nothing was remembered");
}

Test(eh_frame, knows_the_extended_and_the_signed_forms)
{
    cr_assert(MAKE(0, 0x05, EBP, 3, 0x11, 3, 0x7e, 0x14, 6, 1, 0x07, 7, 0x12, EBP, 0x7e));
    cr_expect_eq(made.places[EBP].offset, -12);
    cr_expect_eq(made.places[3].offset, 8);
    cr_expect_eq(made.places[6].how, UM_EH_FRAME_SUM);
    cr_expect_eq(made.places[6].offset, -4);
    cr_expect_eq(made.places[7].how, UM_EH_FRAME_UNKNOWN);
    cr_expect_eq(made.cfa.from, EBP);
    cr_expect_eq(made.cfa.offset, 8);
    cr_assert(MAKE(0, 0x09, EBP, 1, 0x2e, 16, 0x05, 21, 4), "vector registers do not matter");
    cr_expect_eq(made.places[EBP].how, UM_EH_FRAME_MOVED);
    cr_expect_eq(made.places[EBP].from, 1);
    cr_expect_not(MAKE(0, 0x0d, 9), "there is no such register");
    cr_expect_not(MAKE(0, 0x3f), "there is no such instruction");
}

Test(eh_frame, finds_the_cfa_and_the_values)
{
    uint32_t value;
    struct um_eh_frame_state at = state();
    memory[4] = 77; /* at esp */
    memory[3] = 78;
    cr_assert(MAKE(0, 0x0e, 4, 0x85, 2)); /* ebp at CFA - 8 */
    cr_assert(um_eh_frame_cfa(&eh_frame, &made, &at, &value));
    cr_expect_eq(value, 20);
    cr_assert(um_eh_frame_value(&eh_frame, &made, &at, 20, UM_EH_FRAME_RETURN, &value));
    cr_expect_eq(value, 77);
    cr_assert(um_eh_frame_value(&eh_frame, &made, &at, 20, EBP, &value));
    cr_expect_eq(value, 78);
    cr_assert(um_eh_frame_value(&eh_frame, &made, &at, 20, 6, &value));
    cr_expect_eq(value, 7, "esi has not been changed");
    at.known &= ~(1U << 6 | 1U << ESP);
    cr_expect_not(um_eh_frame_value(&eh_frame, &made, &at, 20, 6, &value));
    cr_expect_not(um_eh_frame_cfa(&eh_frame, &made, &at, &value));
}

Test(eh_frame, evaluates_expressions)
{
    static const struct {
        const char *name;
        uint8_t code[12];
        uint32_t value;
    } rows[] = {
        {"breg5 - 16, deref", {0x75, 0x70, 0x06}, 55},
        {"lit 3", {0x33}, 3},
        {"const1u, const1s, plus", {0x08, 200, 0x09, 0xff, 0x22}, 199},
        {"const2u, const2s, minus", {0x0a, 1, 1, 0x0b, 0xff, 0xff, 0x1c}, 258},
        {"const4u, const4s, and", {0x0c, 0xff, 0, 0, 0, 0x0d, 0x0f, 1, 0, 0, 0x1a}, 0x0f},
        {"constu, plus_uconst", {0x10, 0x81, 1, 0x23, 4}, 133},
        {"consts", {0x11, 0x7f}, UINT32_MAX},
    };
    uint32_t value;
    memory[4] = 55; /* at ebp - 16 */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct um_eh_frame_state at = state();
        uint8_t code[16] = {0x0f};
        size_t len = sizeof rows[i].code;
        while (len > 1 && rows[i].code[len - 1] == 0)
            len--;
        code[1] = (uint8_t)len;
        memcpy(code + 2, rows[i].code, len);
        cr_assert(make(code, len + 2, 0), "%s", rows[i].name);
        cr_assert(um_eh_frame_cfa(&eh_frame, &made, &at, &value), "%s", rows[i].name);
        cr_expect_eq(value, rows[i].value, "%s: %x", rows[i].name, value);
    }
}

Test(eh_frame, an_expression_that_asks_for_too_much_has_no_value)
{
    uint32_t value;
    struct um_eh_frame_state at = state();
    cr_assert(MAKE(0, 0x0f, 1, 0x22)); /* plus, of nothing */
    cr_expect_not(um_eh_frame_cfa(&eh_frame, &made, &at, &value));
    cr_assert(MAKE(0, 0x0f, 3, 0x08, 1, 0x06)); /* a word at 1 */
    cr_expect_not(um_eh_frame_cfa(&eh_frame, &made, &at, &value));
    cr_assert(MAKE(0, 0x0f, 2, 0x79, 0)); /* a ninth register */
    cr_expect_not(um_eh_frame_cfa(&eh_frame, &made, &at, &value));
    cr_assert(MAKE(0, 0x0f, 1, 0xf0)); /* an unknown operation */
    cr_expect_not(um_eh_frame_cfa(&eh_frame, &made, &at, &value));
    cr_expect_not(MAKE(0, 0x0f, 100, 0x30), "it is longer than the record");
    cr_assert(MAKE(0, 0x0f, 17, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30,
                   0x30, 0x30, 0x30, 0x30, 0x30, 0x30));
    cr_expect_not(um_eh_frame_cfa(&eh_frame, &made, &at, &value));
}

Test(eh_frame, a_section_is_known_by_its_begin)
{
    size_t len;
    uint8_t probe[UM_EH_FRAME_PROBE_BYTES];
    memcpy(probe, written_golden("eh_frame.bin", &len), sizeof probe);
    cr_expect(um_eh_frame_is_one(probe));
    probe[4] = 1; /* an FDE */
    cr_expect_not(um_eh_frame_is_one(probe));
    cr_expect_not(um_eh_frame_is_one((const uint8_t[UM_EH_FRAME_PROBE_BYTES]){0}));
}

Test(eh_frame, a_section_that_is_cut_off_has_the_functions_before)
{
    size_t len;
    const char *bytes = written_golden("eh_frame.bin", &len);
    struct um_eh_frame_row row;
    for (size_t cut = 0; cut < len; cut++) {
        open_bytes(bytes, cut);
        cr_expect_eq(um_eh_frame_find(&eh_frame, 0x1000, &row), cut >= 0x2c, "%zu", cut);
        um_eh_frame_close(&eh_frame);
    }
}
