/* The thread that asks for names, with the threads of fake_names.h in place of uimon-names.exe. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/naming/namer.h"
#include "monitor/naming/names_process.h"
#include "tests/unit/live/fake_target.h"
#include "tests/unit/naming/fake_names.h"
#include "tests/unit/wait_until.h"

static struct um_namer *namer;

static void setup(void)
{
    cr_assert_eq(um_namer_open(0, "c:\\symbols", fake_names_start(), &namer), UM_OK);
}

static void teardown(void)
{
    um_namer_close(namer);
    fake_names_end();
}

TestSuite(namer, .init = setup, .fini = teardown, .threads = true);

static uint32_t module(const char *path)
{
    struct um_names_module seen = {0};
    uint32_t number;
    snprintf(seen.path, sizeof seen.path, "%s", path);
    cr_assert_eq(um_namer_module(namer, &seen, &number), UM_OK);
    return number;
}

/* The next answer, whenever it comes. */
static struct um_names_name wait_answer(uint64_t key)
{
    struct um_namer_address address;
    struct um_names_name name;
    WAIT_UNTIL(um_namer_next(namer, &address, &name), "no answer came");
    cr_assert_eq(address.key, key, "answers come in the order of the questions");
    return name;
}

static bool ask(uint64_t key, uint32_t module, uint32_t rva)
{
    struct um_namer_address address = {.key = key, .module = module, .rva = rva};
    return um_namer_ask(namer, &address);
}

Test(namer, answers_all_in_their_order)
{
    uint32_t modules[2] = {module("a"), module("b")};
    uint32_t asked = 0;
    for (uint32_t answered = 0; answered < 3000; answered++) {
        while (asked < 3000 && ask(asked, modules[asked % 2], asked))
            asked++;
        char text[32];
        struct um_names_name name = wait_answer(answered);
        snprintf(text, sizeof text, "%c+%u", answered % 2 ? 'b' : 'a', answered);
        cr_assert_str_eq(name.name, text);
        cr_assert_str_eq(name.file, "c:\\symbols");
        cr_assert_eq(name.line, answered + 1);
        cr_assert_eq(name.kind, UM_NAMES_DEBUG);
    }
    cr_expect_eq(atomic_load(&fake_names_asked), 3000);
}

/* Code that was generated is named at once, however long the symbols of modules take. While all
 * answers wait to be taken, the thread takes no questions. */
Test(namer, generated_code_is_answered_first)
{
    uint32_t fine = module("a"), slow = module("slow"), generated = module("");
    for (uint32_t i = 0; i < UM_NAMER_QUEUE; i++)
        WAIT_UNTIL(ask(i, fine, i), "there is no room");
    WAIT_UNTIL(atomic_load(&fake_names_asked) >= UM_NAMER_QUEUE, "not all are asked for");
    cr_assert(ask(1000, slow, 1));
    cr_assert(ask(1001, generated, 5));
    for (uint32_t i = 0; i < UM_NAMER_QUEUE; i++)
        wait_answer(i);
    struct um_names_name name = wait_answer(1001);
    cr_expect_eq(name.kind, UM_NAMES_MANAGED);
    cr_expect_str_eq(name.name, "My.Type0.Method+5 in 0");
    cr_expect_str_eq(name.checksum, "md5:900150983cd24fb0d6963f7d28e17f72");
}

Test(namer, has_room_for_so_many_questions_and_no_more)
{
    uint32_t slow = module("slow");
    uint32_t asked = 0;
    while (asked < 10 * UM_NAMER_QUEUE && ask(asked, slow, asked))
        asked++;
    /* The thread takes some of them out, once, and waits for the first one's answer. */
    WAIT_UNTIL(atomic_load(&fake_names_asked) > 0, "it does not take them");
    while (asked < 10 * UM_NAMER_QUEUE && ask(asked, slow, asked))
        asked++;
    cr_expect_gt(asked, UM_NAMER_QUEUE);
    cr_expect_leq(asked, 2 * UM_NAMER_QUEUE);
}

Test(namer, each_question_has_an_answer_when_processes_end)
{
    uint32_t dies = module("dies");
    uint32_t fine = module("a");
    ask(1, fine, 1);
    ask(2, dies, 2);
    ask(3, fine, 3);
    cr_expect_str_eq(wait_answer(1).name, "a+1");
    struct um_names_name ended = wait_answer(2);
    cr_expect_eq(ended.kind, UM_NAMES_NOWHERE);
    cr_expect_eq(ended.why, UM_NAMES_ENDED);
    cr_expect_str_eq(wait_answer(3).name, "a+3");
}

Test(namer, says_why_there_is_no_process)
{
    char why[96] = "?";
    um_namer_why(namer, why, sizeof why);
    cr_expect_str_eq(why, "");
    fake_names_refuse();
    ask(1, module("a"), 1);
    cr_expect_eq(wait_answer(1).why, UM_NAMES_ENDED);
    um_namer_why(namer, why, sizeof why);
    cr_expect_str_eq(why, "uimon-names.exe cannot be started: no such thing");
}

/* Its answer never comes, so that waiting for it would be for ever. */
Test(namer, closes_while_a_module_takes_its_time, .timeout = 60)
{
    ask(1, module("slow"), 1);
    WAIT_UNTIL(atomic_load(&fake_names_asked) > 0, "it is not asked for");
    um_namer_close(namer);
    namer = NULL;
}

Test(namer, has_a_limit_for_modules)
{
    struct um_names_module seen = {0};
    uint32_t number;
    for (uint32_t i = 0; i < UM_NAMES_PROCESS_MODULES; i++) {
        cr_assert_eq(um_namer_module(namer, &seen, &number), UM_OK);
        cr_assert_eq(number, i);
    }
    cr_expect_eq(um_namer_module(namer, &seen, &number), UM_ERR_TOO_LARGE);
}
