/* uimon-names.exe, asked as the monitor asks it. The truth about the demo's functions is what
 * addr2line of the cross compiler's binutils says. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <criterion/criterion.h>

#include "tests/e2e/harness.h"

#define ADDRESSES 800
#define DWARF 1 /* UM_NAMES_DEBUG */

/* A function, and the place in its source; `file` from the project's folder on. */
struct place {
    uint32_t rva;
    unsigned kind;
    uint32_t line;
    char name[128];
    char file[256];
    bool is_ours; /* the function is the project's, compiled in its folder build */
};

static struct place told[ADDRESSES], truths[ADDRESSES];

/* Addresses ------------------------------------------------------------------------------------ */

static uint32_t u32_at(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Where a 64-bit program wants to lie, and the place and length of its first section, the code. */
static uint64_t image_base(const char *path, uint32_t *code, uint32_t *code_bytes)
{
    uint8_t head[1024];
    FILE *file = open_file(path, "rb");
    cr_assert(file && fread(head, sizeof head, 1, file) == 1);
    fclose(file);
    uint32_t pe = u32_at(head + 60);
    cr_assert_lt(pe, 256);
    const uint8_t *section = head + pe + 24 + (u32_at(head + pe + 20) & 0xffff);
    *code = u32_at(section + 12);
    *code_bytes = u32_at(section + 8);
    return u32_at(head + pe + 24 + 24) | (uint64_t)u32_at(head + pe + 24 + 28) << 32;
}

/* Writes addresses from all over the code into a file, which it returns. */
static const char *choose_addresses(const char *path, uint64_t *base)
{
    uint32_t code, code_bytes;
    const char *list = test_file("addresses.txt");
    *base = image_base(path, &code, &code_bytes);
    FILE *file = open_file(list, "w");
    for (uint32_t i = 0; i < ADDRESSES; i++) {
        truths[i].rva = code + (uint32_t)((uint64_t)code_bytes * i / ADDRESSES);
        fprintf(file, "%x\n", truths[i].rva);
    }
    fclose(file);
    return list;
}

/* The truth ------------------------------------------------------------------------------------ */

static void set_place(struct place *place, const char *name, char *where)
{
    char *colon = strrchr(where, ':');
    cr_assert(colon, "%s", where);
    place->line = (uint32_t)strtoul(colon + 1, NULL, 10);
    *colon = '\0';
    snprintf(place->file, sizeof place->file, "%s", where);
    snprintf(place->name, sizeof place->name, "%s", name);
}

/* Reads what `addr2line -a -f -i` prints: for each address a line with it, and then two lines for
 * each function: name, and file:line. The first file:line is that of the instruction; the last
 * function is the one that the others are inlined into. */
static void read_truths(FILE *pipe, uint64_t base)
{
    char name[512], where[512];
    struct place *place = NULL;
    while (fgets(name, sizeof name, pipe)) {
        name[strcspn(name, "\r\n")] = '\0';
        if (strncmp(name, "0x", 2) == 0) {
            place = place ? place + 1 : truths;
            cr_assert_lt(place, truths + ADDRESSES);
            cr_assert_eq(strtoull(name, NULL, 16), base + place->rva);
            continue;
        }
        cr_assert(place && fgets(where, sizeof where, pipe));
        where[strcspn(where, " \r\n")] = '\0'; /* behind it may be a word on discriminators */
        place->is_ours = strcmp(name, "??") != 0 && strncmp(where, "build/", 6) == 0;
        if (place->name[0])
            snprintf(place->name, sizeof place->name, "%s", name);
        else
            set_place(place, name, where);
    }
    cr_assert_eq(place, truths + ADDRESSES - 1);
}

static void run_addr2line(const char *path, uint64_t base)
{
    const char *addresses = test_file("absolute.txt");
    char command[3 * PATH_BYTES];
    FILE *file = open_file(addresses, "w");
    for (size_t i = 0; i < ADDRESSES; i++)
        fprintf(file, "0x%llx\n", (unsigned long long)(base + truths[i].rva));
    fclose(file);
    snprintf(command, sizeof command, "x86_64-w64-mingw32-addr2line -a -f -i -e '%s' <'%s'", path,
             addresses);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe);
    read_truths(pipe, base);
    int code = pclose(pipe);
    cr_assert(WIFEXITED(code) && WEXITSTATUS(code) == 0);
}

/* uimon-names ---------------------------------------------------------------------------------- */

/* Runs names_win32 beside uimon-names.exe; what it prints (static). */
static const char *ask(const char *how, const char *module, const char *addresses)
{
    static const char *const programs[] = {"uimon-names.exe", "names_win32.exe"};
    char copies[2][PATH_BYTES], file[PATH_BYTES];
    const char *out, *err;

    snprintf(file, sizeof file, "%s",
             windows_path(module)); /* what it returns lives for some calls */

    for (int i = 0; i < 2; i++) {
        snprintf(copies[i], sizeof copies[i], "%s/%s", test_folder("parts"), programs[i]);
        copy_file(i == 0 ? dist_file(programs[i]) : test_program("names_win32"), copies[i]);
    }
    char list[PATH_BYTES];
    snprintf(list, sizeof list, "%s", windows_path(addresses));
    cr_assert_eq(run(&out, &err, windows_path(copies[1]), how, file, list, NULL), 0, "%s", err);
    return out;
}

static const char *last_line(const char *out)
{
    const char *line = strstr(out, "starts ");
    cr_assert(line, "%s", out);
    return line;
}

/* Reads the lines of names_win32; paths become as addr2line has them. */
static void read_told(const char *out)
{
    for (size_t i = 0; i < ADDRESSES; i++) {
        char rest[512] = "";
        unsigned displacement;
        cr_assert_eq(sscanf(out, "%x %u %511[^\r\n]", &told[i].rva, &told[i].kind, rest), 3, "%s",
                     out);
        if (told[i].kind == DWARF)
            cr_assert_geq(sscanf(rest, "%u %u %127[^|]|%255[^\r\n]", &displacement, &told[i].line,
                                 told[i].name, told[i].file),
                          3, "%s", rest);
        for (char *at = told[i].file; *at; at++)
            if (*at == '\\')
                *at = '/';
        out = strchr(out, '\n') + 1;
    }
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/* Of the project's functions. Those of the compiler's libraries have their debug information in
 * DWARF 5, which Wine does not read. */
static size_t compare(bool with_lines)
{
    size_t count = 0;
    for (size_t i = 0; i < ADDRESSES; i++) {
        const struct place *place = &told[i], *truth = &truths[i];
        cr_assert_eq(place->rva, truth->rva);
        if (!truth->is_ours || (with_lines && !strstr(truth->file, "/demo/")))
            continue; /* what the demo shares with other programs is optimised */
        count++;
        cr_expect(place->kind == DWARF && strcmp(place->name, truth->name) == 0 &&
                      (!with_lines || place->line == truth->line) &&
                      ends_with(place->file, truth->file),
                  "%x: %s at %s:%u, and addr2line has %s at %s:%u", truth->rva, place->name,
                  place->file, place->line, truth->name, truth->file, truth->line);
    }
    return count;
}

static size_t compare_program(const char *program, bool with_lines)
{
    char path[PATH_BYTES];
    uint64_t base;

    snprintf(path, sizeof path, "%s", program);
    const char *addresses = choose_addresses(path, &base);
    run_addr2line(path, base);
    const char *out = ask("ask", path, addresses);
    cr_expect_eq(line_number(last_line(out), "starts"), 1);
    fprintf(stderr, "%s", last_line(out));
    read_told(out);
    return compare(with_lines);
}

/* Of optimised code the lines are left out: between the lines of functions that are inlined into
 * each other, Wine's library takes others than binutils' (a sixth of all). */
Test(names, are_those_that_addr2line_finds)
{
    size_t count = compare_program(dist_file("uimon-demo.exe"), false);
    cr_expect_geq(count, 300, "%zu of %d addresses compared", count, ADDRESSES);
}

/* The same program, not optimised. */
Test(names, have_the_lines_that_addr2line_finds)
{
    size_t count = compare_program(test_program("demo_plain"), true);
    cr_expect_geq(count, 300, "%zu of %d addresses compared", count, ADDRESSES);
}

/* Without debug information the symbol table has the names, and the unwind data says how far each
 * of them goes. That is how most programs of mingw-w64 are, and all that Windows' library for
 * symbols leaves to uimon, because it knows no DWARF. */
Test(names, come_from_the_symbol_table_where_there_is_no_debug_information)
{
    char path[PATH_BYTES], stripped[PATH_BYTES], command[3 * PATH_BYTES];
    uint64_t base;

    snprintf(path, sizeof path, "%s", dist_file("uimon-demo.exe"));
    snprintf(stripped, sizeof stripped, "%s", test_file("stripped.exe"));
    snprintf(command, sizeof command, "x86_64-w64-mingw32-strip --strip-debug -o '%s' '%s'",
             stripped, path);
    cr_assert_eq(system(command), 0);
    const char *addresses = choose_addresses(path, &base);
    run_addr2line(path, base);
    read_told(ask("ask", stripped, addresses));
    size_t count = 0;
    for (size_t i = 0; i < ADDRESSES; i++) {
        if (!truths[i].is_ours)
            continue;
        count++;
        cr_expect(told[i].kind == DWARF && strcmp(told[i].name, truths[i].name) == 0,
                  "%x: %u %s, and addr2line has %s", truths[i].rva, told[i].kind, told[i].name,
                  truths[i].name);
        cr_expect(told[i].line == 0 && told[i].file[0] == '\0');
    }
    cr_expect_geq(count, 300, "%zu of %d addresses compared", count, ADDRESSES);
}

/* Exports -------------------------------------------------------------------------------------- */

static struct {
    uint32_t rva;
    char name[128];
} exports[ADDRESSES];

/* Reads from what `objdump -p` prints the places of the exports and then, by the same numbers,
 * their names. Returns how many there are, ADDRESSES at the most. */
static size_t read_exports(const char *path)
{
    char command[2 * PATH_BYTES], line[512], name[128];
    unsigned index, base, rva;
    bool has_names = false;
    size_t count = 0;

    snprintf(command, sizeof command, "x86_64-w64-mingw32-objdump -p '%s'", path);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe);
    while (fgets(line, sizeof line, pipe)) {
        has_names = has_names || strstr(line, "[Ordinal/Name Pointer] Table");
        if (!has_names && strstr(line, " Export RVA") &&
            sscanf(line, " [ %u] +base[ %u] %x", &index, &base, &rva) == 3 && index < ADDRESSES)
            exports[index].rva = rva;
        else if (has_names && sscanf(line, " [ %u] %127s", &index, name) == 2 && index == count &&
                 index < ADDRESSES)
            snprintf(exports[count++].name, sizeof exports[0].name, "%s", name);
    }
    cr_assert_eq(pclose(pipe), 0);
    return count;
}

/* A library without debug information. */
Test(names, are_exports_where_there_is_nothing_else)
{
    char path[PATH_BYTES], list[PATH_BYTES], expected[256];

    snprintf(path, sizeof path, "%s", dist_file("SDL2.dll"));
    snprintf(list, sizeof list, "%s", test_file("exports.txt"));
    size_t count = read_exports(path);
    cr_assert_geq(count, 300, "%zu exports", count);
    FILE *file = open_file(list, "w");
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%x\n", exports[i].rva + 1);
    fclose(file);
    const char *out = ask("ask", path, list);
    for (size_t i = 0; i < count; i++) {
        snprintf(expected, sizeof expected, "%x 2 1 0 %s|", exports[i].rva + 1, exports[i].name);
        cr_expect_eq(strncmp(out, expected, strlen(expected)), 0, "%s, and it is %.80s", expected,
                     out);
        out = strchr(out, '\n') + 1;
    }
}

Test(names, come_though_the_process_is_killed_in_the_middle)
{
    char demo[PATH_BYTES], list[PATH_BYTES];
    uint64_t base;

    snprintf(demo, sizeof demo, "%s", dist_file("uimon-demo.exe"));
    snprintf(list, sizeof list, "%s", choose_addresses(demo, &base));
    const char *out = ask("ask", demo, list);
    size_t len = (size_t)(last_line(out) - out);
    char *whole = malloc(len + 1);
    memcpy(whole, out, len);
    whole[len] = '\0';
    out = ask("kill", demo, list);
    cr_expect_eq(line_number(last_line(out), "starts"), 2);
    cr_expect_eq(strncmp(out, whole, len), 0, "%s\n%s", out, whole);
    free(whole);
}

/* Each address gets this reason, and the process lives. */
static void expect_reason(const char *module, const char *reason)
{
    const char *addresses = test_file("some.txt");
    char expected[256];
    FILE *file = open_file(addresses, "w");
    fprintf(file, "1000\n2345\n");
    fclose(file);
    const char *out = ask("ask", module, addresses);
    snprintf(expected, sizeof expected, "1000 0 %s", reason);
    cr_expect_eq(strncmp(out, expected, strlen(expected)), 0, "%s", out);
    cr_expect(strstr(out, "\n2345 0 "), "%s", out);
    cr_expect_eq(line_number(last_line(out), "starts"), 1);
}

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = open_file(path, "wb");
    cr_assert(file && fwrite(bytes, 1, len, file) == len);
    fclose(file);
}

Test(names, are_refused_with_a_reason)
{
    char path[PATH_BYTES], demo[20000];

    snprintf(path, sizeof path, "%s", test_file("module.dll"));
    expect_reason(path, "the module's file is not there");
    write_file(path, "MZ? No, a text.", 15);
    expect_reason(path, "the module's file is cut off");
    write_file(path, "Just a text, as long as it takes.", 33);
    expect_reason(path, "the file is no program or DLL");
    FILE *file = open_file(dist_file("uimon-demo.exe"), "rb");
    cr_assert(file && fread(demo, sizeof demo, 1, file) == 1);
    fclose(file);
    write_file(path, demo, sizeof demo);
    expect_reason(path, "the module's file is cut off");
}

Test(names, are_not_given_to_hostile_bytes)
{
    char text[2000], command[3 * PATH_BYTES], line[256];
    const char *path = test_file("hostile.bin");

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 31 + i / 7);
    memcpy(text, "UINA\1\0\0\0", 8);
    write_file(path, text, sizeof text);
    snprintf(command, sizeof command, "wine '%s' <'%s' 2>&1 >/dev/null",
             dist_file("uimon-names.exe"), path);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe && fgets(line, sizeof line, pipe));
    cr_expect(strstr(line, "uimon-names: the input ended: "), "%s", line);
    cr_expect(!fgets(line, sizeof line, pipe), "more than a line: %s", line);
    int code = pclose(pipe);
    cr_expect(WIFEXITED(code) && WEXITSTATUS(code) == 1);
}
