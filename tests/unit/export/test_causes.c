/* The stack of a freeze: the innermost call that at least half of its samples are in. The samples
 * of a fake program are 10 ms apart, from 0 on. */
#include <criterion/criterion.h>
#include <string.h>

#include "monitor/export/causes.h"
#include "tests/unit/profile/fake_program.h"

#define MS (int64_t) UM_CLOCK_NS_PER_MS

static struct fake_program fake;
static struct um_export export;
static struct um_causes causes;
static struct um_markers markers;
static const struct um_export_about about = {.pid = 4711, .thread = 7, .markers = &markers};

static void setup(void)
{
    fake_program_init(&fake);
    fake.view.thread = UM_VIEW_ALL;
    um_markers_thread(&markers, "7", "UI thread", "App.exe", 4711);
}

static void teardown(void)
{
    um_causes_deinit(&causes);
    um_export_end(&export);
    um_markers_deinit(&markers);
    fake_program_deinit(&fake);
}

TestSuite(causes, .init = setup, .fini = teardown);

static void freeze(int64_t start_ms, int64_t end_ms)
{
    um_markers_interval(&markers, 0, "Frozen", "freeze", start_ms * MS, end_ms * MS);
}

static void find(void)
{
    cr_assert_eq(um_export_begin_tree(&export, &fake.view), UM_OK);
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_assert_eq(um_causes_init(&causes, &export), UM_OK);
}

/* The stack of a marker, outermost first. */
static const char *stack_of(uint32_t marker)
{
    static char text[256];
    struct um_calltree_frame frames[UM_CALLTREE_DEPTH];
    const struct um_cause *cause = um_causes_of(&causes, &about, marker);
    bool cut = false;
    size_t count = cause ? um_calltree_stack(&export.tree, cause->node, frames, &cut) : 0;
    text[0] = '\0';
    while (count-- > 0) {
        strcat(text, text[0] ? ";" : "");
        strcat(text, um_export_label(&export, (uint32_t)frames[count].key).text);
    }
    return cause ? text : "none";
}

Test(causes, is_what_half_of_the_samples_have_in_common)
{
    fake_program_add(&fake, 1, "12356");
    fake_program_add(&fake, 1, "1235");
    fake_program_add(&fake, 1, "1235");
    fake_program_add(&fake, 1, "124");
    freeze(0, 35);
    find();
    cr_expect_str_eq(stack_of(0), "ntdll!start;App!main;USER32!SendMessageW;plug!parse_solution");
    cr_expect_eq(um_causes_of(&causes, &about, 0)->at_ns, 0);
    cr_expect(causes.is_one[um_causes_of(&causes, &about, 0)->node]);
}

Test(causes, each_freeze_has_its_own)
{
    fake_program_add(&fake, 1, "12");
    fake_program_add(&fake, 0, "1");
    fake_program_add(&fake, 2, "124");
    fake_program_add(&fake, 2, "124");
    freeze(0, 5);
    freeze(18, 35);
    find();
    cr_expect_str_eq(stack_of(0), "ntdll!start;App!main");
    cr_expect_str_eq(stack_of(1), "ntdll!start;App!main;App!window \"proc\"; 2");
}

Test(causes, without_a_sample_in_it_there_is_none)
{
    fake_program_add(&fake, 0, "12");
    fake_program_add(&fake, 1, "12");
    freeze(1, 5);
    freeze(11, 30);
    um_markers_interval(&markers, 0, "Key handled", "input", 0, 40 * MS);
    find();
    cr_expect_str_eq(stack_of(1), "none", "before the sample");
    cr_expect_str_eq(stack_of(2), "none", "behind the sample");
    cr_expect_str_eq(stack_of(0), "none", "no freeze");
}
