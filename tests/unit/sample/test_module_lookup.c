/* Addresses in the modules of a fake process. */
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/sample/module_lookup.h"
#include "tests/unit/sample/fake_stopper.h"

#define S UINT64_C(1000000000)

static uint8_t image[128];
static const uint8_t *const images[] = {image, image};
static struct um_stopper_module modules[] = {{0x10000, sizeof image, "a.exe"},
                                             {0x20000, sizeof image, "b.dll"}};
static struct um_module_lookup *places;
static struct um_sampler_module module;
static uint64_t offset;

static void setup(void)
{
    image[0x3c] = 16;
    image[16 + 8] = 0x78;
    fake_stopper_start();
    fake_stopper.module_count = 1;
    fake_stopper.modules = modules;
    fake_stopper.images = images;
    cr_assert_eq(um_module_lookup_open(1, 2, &places), UM_OK);
}

static void teardown(void)
{
    um_module_lookup_close(places);
}

TestSuite(module_lookup, .init = setup, .fini = teardown);

Test(module_lookup, address_is_in_its_module)
{
    cr_assert(um_module_lookup_find(places, 0x10007, S, &module, &offset));
    cr_expect_eq(offset, 7);
    cr_expect_str_eq(module.path, "C:\\program\\a.exe");
    cr_expect_eq(module.timestamp, 0x78);
    cr_expect_eq(module.image_bytes, sizeof image);
    cr_expect(!um_module_lookup_find(places, 0x10000 + sizeof image, S, &module, &offset));
    cr_expect(!um_module_lookup_find(places, 0xffff, S, &module, &offset));
}

Test(module_lookup, modules_that_come_later_are_found_after_a_second)
{
    cr_assert(um_module_lookup_find(places, 0x10007, S, &module, &offset));
    fake_stopper.module_count = 2;
    cr_expect(!um_module_lookup_find(places, 0x20000, S + S / 2, &module, &offset));
    cr_assert(um_module_lookup_find(places, 0x20001, 2 * S, &module, &offset));
    cr_expect_str_eq(module.path, "C:\\program\\b.dll");
    cr_expect_eq(offset, 1);
}

Test(module_lookup, refusal_is_handed_on)
{
    struct um_module_lookup *other = NULL;
    fake_stopper.refusal = UM_ERR_UNSUPPORTED;
    cr_expect_eq(um_module_lookup_open(1, 2, &other), UM_ERR_UNSUPPORTED);
    cr_expect_null(other);
    um_module_lookup_close(NULL);
}
