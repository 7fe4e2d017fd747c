#include <criterion/criterion.h>

#include "ipc/transport.h"
#include "tests/conformance/transport_memory.h"
#include "tests/conformance/transport_suite.h"

TestSuite(transport_memory, .threads = true);
TestSuite(transport_system, .threads = true);

#define TRANSPORT_SUITE_TEST(name)                                                                 \
    Test(transport_memory, name)                                                                   \
    {                                                                                              \
        const char *problem = transport_suite_##name(um_transport_memory());                       \
        cr_assert_null(problem, "%s", problem);                                                    \
    }                                                                                              \
    Test(transport_system, name)                                                                   \
    {                                                                                              \
        const char *problem = transport_suite_##name(um_transport_system());                       \
        cr_assert_null(problem, "%s", problem);                                                    \
    }
TRANSPORT_SUITE(TRANSPORT_SUITE_TEST)

Test(transport, names_carry_purpose_and_nonce)
{
    const uint8_t nonce[16] = {0x00, 0x01, 0x9a, 0xff, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xf0};
    char name[UM_TRANSPORT_NAME_BYTES];
    cr_assert_eq(um_transport_name("hook", nonce, name), UM_OK);
    cr_assert_str_eq(name, "uimon-hook-00019aff0405060708090a0b0c0d0ef0");
}

Test(transport, random_name_belongs_to_its_nonce)
{
    uint8_t nonce[16] = {0};
    char name[UM_TRANSPORT_NAME_BYTES];
    char again[UM_TRANSPORT_NAME_BYTES];
    cr_assert_eq(um_transport_random_name("feed", name, nonce), UM_OK);
    cr_assert_eq(um_transport_name("feed", nonce, again), UM_OK);
    cr_assert_str_eq(name, again);
}

Test(transport, random_names_differ)
{
    char one[UM_TRANSPORT_NAME_BYTES];
    char other[UM_TRANSPORT_NAME_BYTES];
    cr_assert_eq(um_transport_random_name("feed", one, NULL), UM_OK);
    cr_assert_eq(um_transport_random_name("feed", other, NULL), UM_OK);
    cr_assert_str_neq(one, other);
}

Test(transport, longest_purpose_makes_a_valid_name)
{
    const uint8_t nonce[16] = {0};
    char purpose[UM_TRANSPORT_NAME_BYTES + 1] = "";
    char name[UM_TRANSPORT_NAME_BYTES];
    size_t longest = 0;
    for (size_t i = 0; i < UM_TRANSPORT_NAME_BYTES; i++) {
        purpose[i] = 'p';
        if (um_transport_name(purpose, nonce, name) == UM_OK)
            longest = i + 1;
    }
    cr_assert_eq(longest, UM_TRANSPORT_NAME_BYTES - 1 - strlen("uimon--") - 32);
    cr_assert(um_transport_name_is_valid(name));
}

Test(transport, purpose_that_is_no_name_is_refused)
{
    const uint8_t nonce[16] = {0};
    char name[UM_TRANSPORT_NAME_BYTES] = "kept";
    cr_assert_eq(um_transport_name("a/b", nonce, name), UM_ERR_ARG);
    cr_assert_str_eq(name, "kept");
}
