#include <string.h>

#include <criterion/criterion.h>

#include "monitor/live/trace_env.h"
#include "tests/written.h"

/* What is written for a variable A of this value. */
static const char *written(const char *value, bool as_script)
{
    const struct um_trace_env env = {.list = {{.name = "A", .value = value}}, .count = 1};
    FILE *file = written_open();
    cr_assert_eq(um_trace_env_write(&env, as_script, file), UM_OK);
    return written_read(file, NULL);
}

Test(trace_env, a_percent_sign_is_doubled_in_a_script_and_not_at_a_prompt)
{
    cr_expect_str_eq(written("100%, %PATH% %1", true), "set \"A=100%%, %%PATH%% %%1\"\n");
    cr_expect_str_eq(written("100%, %PATH% %1", false), "set \"A=100%, %PATH% %1\"\n");
}

Test(trace_env, between_quotes_the_characters_of_cmd_mean_nothing)
{
    cr_expect_str_eq(written("a&b|c<d>e^f(g)!", true), "set \"A=a&b|c<d>e^f(g)!\"\n");
}

Test(trace_env, a_quote_ends_that_until_the_next_one)
{
    cr_expect_str_eq(written("a\"&b|c\"&d", true), "set \"A=a\"^&b^|c\"&d\"\n");
    cr_expect_str_eq(written("a\"<>()^", true), "set \"A=a\"^<^>^(^)^^\"\n");
}

Test(trace_env, what_is_not_ascii_is_announced_to_a_script)
{
    cr_expect_str_eq(written("C:\\f\xc3\xb6", true),
                     "@for /f \"tokens=2 delims=:.\" %%c in ('chcp') do @set /a "
                     "UIMON_CODE_PAGE=%%c >nul\n"
                     "@chcp 65001 >nul\n"
                     "set \"A=C:\\f\xc3\xb6\"\n"
                     "@if defined UIMON_CODE_PAGE chcp %UIMON_CODE_PAGE% >nul 2>nul\n"
                     "@set \"UIMON_CODE_PAGE=\"\n");
    cr_expect_str_eq(written("C:\\f\xc3\xb6", false), "set \"A=C:\\f\xc3\xb6\"\n");
}

Test(trace_env, a_line_break_is_refused)
{
    const struct um_trace_env env = {
        .list = {{.name = "A", .value = "b"}, {.name = "C", .value = "d\ndel /q *"}}, .count = 2};
    FILE *file = written_open();
    cr_expect_eq(um_trace_env_write(&env, true, file), UM_ERR_FORMAT);
    cr_expect_str_eq(written_read(file, NULL), "");
}
