#include <criterion/criterion.h>

#include <math.h>

#include <cjson/cJSON.h>

#include "monitor/json/json.h"

Test(json, members_are_rounded_mended_or_left_out)
{
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_json_number(&json, root, "infinite", INFINITY);
    um_json_number(&json, root, "none", NAN);
    um_json_decimals(&json, root, "rounded", 1.23456, 2);
    um_json_ms(&json, root, "ms", 1234567);
    um_json_u64(&json, root, "all", UINT64_MAX);
    um_json_text(&json, root, "empty", "");
    um_json_text(&json, root, "null", NULL);
    um_json_text(&json, root, "mended",
                 "a\xff"
                 "b");
    um_json_append_text(&json, um_json_array(&json, root, "list"), "");
    char *text = um_json_print(&json, root, false);
    cr_expect_str_eq(text, "{\"rounded\":1.23,\"ms\":1.235,\"all\":18446744073709551615,"
                           "\"mended\":\"a\xef\xbf\xbd"
                           "b\",\"list\":[\"\"]}");
    cJSON_free(text);
}

Test(json, what_has_no_parent_is_a_failure)
{
    struct um_json json = {.failed = false};
    cJSON *root = cJSON_CreateObject();
    um_json_put(&json, root, "no item", NULL);
    cr_expect(json.failed);
    json.failed = false;
    um_json_number(&json, um_json_object(&json, NULL, "lost"), "number", 1);
    cr_expect(json.failed);
    cr_expect_null(um_json_print(&json, root, false));
}
