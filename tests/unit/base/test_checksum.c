/* The digests of "abc" are the examples of RFC 1321 and of FIPS 180-2. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/checksum.h"

static const char *const of_abc[UM_CHECKSUM_KINDS] = {
    [UM_CHECKSUM_MD5] = "md5:900150983cd24fb0d6963f7d28e17f72",
    [UM_CHECKSUM_SHA1] = "sha1:a9993e364706816aba3e25717850c26c9cd0d89d",
    [UM_CHECKSUM_SHA256] =
        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
};

Test(checksum, is_what_the_standards_say)
{
    char text[UM_CHECKSUM_BYTES];
    for (unsigned kind = 0; kind < UM_CHECKSUM_KINDS; kind++) {
        cr_assert_eq(um_checksum_of((enum um_checksum_kind)kind, "abc", 3, text), UM_OK);
        cr_expect_str_eq(text, of_abc[kind]);
        cr_expect_eq(um_checksum_kind_of(text), kind);
    }
    cr_assert_eq(um_checksum_of(UM_CHECKSUM_SHA1, "", 0, text), UM_OK);
    cr_expect_str_eq(text, "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709", "of nothing");
}

Test(checksum, of_another_length_is_none)
{
    static const uint8_t digest[UM_CHECKSUM_DIGEST_BYTES] = {1};
    char text[UM_CHECKSUM_BYTES] = "as before";
    cr_expect_eq(um_checksum_put(UM_CHECKSUM_SHA1, digest, 19, text), UM_ERR_FORMAT);
    cr_expect_eq(um_checksum_put(UM_CHECKSUM_SHA1, digest, 32, text), UM_ERR_FORMAT);
    cr_expect_eq(um_checksum_put(UM_CHECKSUM_SHA1, digest, 0, text), UM_ERR_FORMAT);
    cr_expect_eq(um_checksum_put(UM_CHECKSUM_KINDS, digest, 20, text), UM_ERR_FORMAT);
    cr_expect_str_eq(text, "as before");
    cr_expect_eq(um_checksum_kind_of(""), UM_CHECKSUM_KINDS);
    cr_expect_eq(um_checksum_kind_of("sha1:a999"), UM_CHECKSUM_KINDS);
    cr_expect_eq(um_checksum_kind_of("sha384:a999"), UM_CHECKSUM_KINDS);
    cr_expect_eq(um_checksum_of(UM_CHECKSUM_KINDS, "abc", 3, text), UM_ERR_UNSUPPORTED);
}
