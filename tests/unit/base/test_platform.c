#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "monitor/base/platform.h"

Test(platform, a_file_is_the_same_however_it_is_spelled)
{
    char folder[] = "/tmp/uimon-platform-XXXXXX";
    char one[64], spelled[64], linked[64], copy[64];

    cr_assert(mkdtemp(folder) != NULL);
    snprintf(one, sizeof one, "%s/one", folder);
    snprintf(spelled, sizeof spelled, "%s/.//one", folder);
    snprintf(linked, sizeof linked, "%s/linked", folder);
    snprintf(copy, sizeof copy, "%s/copy", folder);
    fclose(fopen(one, "wb"));
    fclose(fopen(copy, "wb"));
    cr_assert_eq(link(one, linked), 0);
    cr_expect(um_platform_same_file(one, one));
    cr_expect(um_platform_same_file(one, spelled));
    cr_expect(um_platform_same_file(linked, one));
    cr_expect_not(um_platform_same_file(one, copy));
    unlink(linked);
    unlink(copy);
    cr_expect_not(um_platform_same_file(one, copy), "one of them is not there");
    cr_expect_not(um_platform_same_file(copy, copy));
    unlink(one);
    rmdir(folder);
}
