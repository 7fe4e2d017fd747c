/* Lines of methods by the PDBs of tests/golden/managed; points.txt there has what is expected. */
#include <string.h>

#include <criterion/criterion.h>

#include "names/lines.h"
#include "tests/written_golden.h"

#define HIDDEN 0x0600000au /* Program.Hidden of lines.cs */

static const uint8_t *pdb;
static size_t pdb_bytes;
static struct um_names_name name;

static void setup(void)
{
    pdb = (const uint8_t *)written_golden("managed/lines.pdb", &pdb_bytes);
    memset(&name, 0, sizeof name);
}

TestSuite(lines, .init = setup);

/* All points of the method, as code that was not optimised has them. */
static const uint32_t all[] = {0, 1, 6, 11, 16, 21, 26, 30};

/* Finds the line of a method's IL offset, where some instruction is known to be of each of `known`.
 */
static void find_line(uint32_t token, uint32_t il_offset, const uint32_t *known, size_t count)
{
    const struct um_runtime_place place = {
        .token = token, .il_offset = il_offset, .known = known, .known_count = count};
    memset(&name, 0, sizeof name);
    um_lines_find(pdb, pdb_bytes, &place, &name);
}

Test(lines, are_those_of_the_point_before)
{
    find_line(HIDDEN, 18, all, 8);
    cr_expect_eq(name.line, 4000);
    cr_expect_str_eq(name.file, "C:\\lines\\form.template");
    cr_expect_str_eq(name.checksum, "");
    cr_expect_eq(name.first_line, 3);
    cr_expect_eq(name.last_line, 4000);
}

Test(lines, of_the_whole_method_are_those_in_the_same_file)
{
    find_line(0x06000005, 7, NULL, 0);
    cr_expect_eq(name.line, 20);
    cr_expect_str_eq(name.checksum, "sha256:16547aeeefdc53d2afa6f9b40eda57aefb74b5c4af4109eb3f9ca7c"
                                    "29ee62002");
    cr_expect_eq(name.first_line, 17);
    cr_expect_eq(name.last_line, 24);
    find_line(HIDDEN, 1, all, 8);
    cr_expect_eq(name.first_line, 60);
    cr_expect_eq(name.last_line, 72);
}

Test(lines, are_marked_if_code_of_the_next_point_may_be_among_theirs)
{
    static const uint32_t some[] = {0, 1, 6, 16};
    for (size_t i = 0; i < 8; i++) {
        find_line(HIDDEN, all[i], all, 8);
        cr_expect_eq(name.is_nearest, i == 2, "%u", all[i]); /* the hidden one */
    }
    find_line(HIDDEN, 1, some, 4);
    cr_expect_not(name.is_nearest, "the next one is known");
    find_line(HIDDEN, 16, some, 4);
    cr_expect(name.line == 4000 && name.is_nearest);
    find_line(HIDDEN, 30, some, 4);
    cr_expect_not(name.is_nearest, "it is the last point");
    find_line(HIDDEN, UINT32_MAX, NULL, 0);
    cr_expect_not(name.is_nearest, "it is the method's end");
}

Test(lines, are_not_marked_for_an_instruction_that_is_known_itself)
{
    struct um_runtime_place place = {.token = HIDDEN, .il_offset = 16, .is_known = true};
    um_lines_find(pdb, pdb_bytes, &place, &name);
    cr_expect(name.line == 4000 && !name.is_nearest);
    place.il_offset = 6;
    um_lines_find(pdb, pdb_bytes, &place, &name);
    cr_expect(name.line == 61 && name.is_nearest, "the compiler has added it");
}

Test(lines, are_not_known_for_what_is_no_method)
{
    static const uint32_t tokens[] = {0x0200000a, 0x06ffffff, 0x06000000, HIDDEN};
    pdb_bytes = 100;
    for (size_t i = 0; i < 4; i++) {
        if (i < 3)
            setup();
        find_line(tokens[i], 18, all, 8);
        cr_expect(name.line == 0 && name.last_line == 0 && !name.is_nearest, "%zu", i);
        cr_expect_str_eq(name.file, "");
        pdb_bytes = 100;
    }
}

Test(lines, are_used_only_of_the_pdb_with_the_same_id)
{
    uint8_t id[UM_PPDB_ID_BYTES];
    struct um_ppdb opened;
    cr_assert_eq(um_ppdb_open(pdb, pdb_bytes, &opened), UM_OK);
    memcpy(id, opened.id, sizeof id);
    cr_expect_eq(um_lines_check(pdb, pdb_bytes, id), UM_NAMES_PDB_GOOD);
    id[UM_PPDB_ID_BYTES - 1] ^= 1; /* the stamp counts, too */
    cr_expect_eq(um_lines_check(pdb, pdb_bytes, id), UM_NAMES_PDB_OTHER);
    cr_expect_eq(um_lines_check(pdb, pdb_bytes - 400, id), UM_NAMES_PDB_DAMAGED);
    cr_expect_eq(um_lines_check((const uint8_t *)"Microsoft C/C++ MSF 7.00\r\n\x1a"
                                                 "DS\0\0",
                                32, id),
                 UM_NAMES_PDB_WINDOWS);
}
