#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"

static char error[256];
static char seen[1024];

/* Writes each setting as "key[value]" and a key alone as "key;". */
static enum um_status note(void *context, const char *key, const char *value, char *what,
                           size_t what_cap)
{
    size_t used = strlen(seen);

    (void)context;
    if (strcmp(key, "bad") == 0) {
        snprintf(what, what_cap, "bad is bad");
        return UM_ERR_ARG;
    }
    if (value)
        snprintf(seen + used, sizeof seen - used, "%s[%s]", key, value);
    else
        snprintf(seen + used, sizeof seen - used, "%s;", key);
    return UM_OK;
}

static enum um_status parse(const char *text, size_t len)
{
    seen[0] = '\0';
    error[0] = '\0';
    return um_config_parse(text, len, "f.conf", note, NULL, error, sizeof error);
}

static void assert_reads(const char *text, const char *expected)
{
    cr_assert_eq(parse(text, strlen(text)), UM_OK, "%s", error);
    cr_assert_str_eq(seen, expected);
}

static void assert_refused(const char *text, const char *expected)
{
    cr_assert_eq(parse(text, strlen(text)), UM_ERR_FORMAT, "'%s' is accepted", text);
    cr_assert_str_eq(error, expected);
}

Test(config, reads_keys_with_and_without_values)
{
    assert_reads("a=1\nb\nc-d=x y\n", "a[1]b;c-d[x y]");
    assert_reads("", "");
    assert_reads("a=", "a[]");
    assert_reads("a=b=c", "a[b=c]");
}

Test(config, blanks_do_not_matter)
{
    assert_reads("  \t\n\n \ta \t= \t1\t \n  b \t\n", "a[1]b;");
}

Test(config, reads_every_line_end)
{
    assert_reads("a=1\r\nb\r\n\r\nc=2", "a[1]b;c[2]");
}

Test(config, skips_a_byte_order_mark)
{
    assert_reads("\xef\xbb\xbf"
                 "a=1\n",
                 "a[1]");
}

Test(config, a_comment_needs_a_blank_before_it)
{
    assert_reads("# a=1\n  # b\n#c=2\na=1 # one\nb\t#two\nc=C#\nd=#1\n", "a[1]b;c[C#]d[#1]");
    assert_reads("a #=1\n", "a;");
}

Test(config, quotes_keep_what_would_be_cut)
{
    assert_reads("a=\" #1 \"\nb = \"\" # none\nc=say \"x\"\n", "a[ #1 ]b[]c[say \"x\"]");
    assert_reads("a=\"b=c\"", "a[b=c]");
}

Test(config, refuses_broken_quotes)
{
    assert_refused("\na=\"x\n", "f.conf:2: the closing quote is missing");
    assert_refused("a=\"x\"y\n", "f.conf:1: there is text after the closing quote");
    assert_refused("a=\"x\"#y\n", "f.conf:1: there is text after the closing quote");
}

Test(config, refuses_a_value_without_a_key)
{
    assert_refused("a=1\n =2\n", "f.conf:2: there is no key before the '='");
}

Test(config, refuses_what_is_not_utf8)
{
    assert_refused("a=1\nb=f\xfcr\n", "f.conf:2: the text is not UTF-8; save the file as UTF-8");
    cr_assert_eq(parse("a\0b", 3), UM_ERR_FORMAT);
    cr_assert_eq(parse("\xff\xfe"
                       "a\0=\0"
                       "1\0",
                       8),
                 UM_ERR_FORMAT);
}

Test(config, refuses_a_line_over_the_limit_and_no_shorter_one)
{
    char text[UM_CONFIG_MAX_LINE_BYTES + 2];

    memset(text, 'x', sizeof text);
    text[UM_CONFIG_MAX_LINE_BYTES] = '\r';
    text[UM_CONFIG_MAX_LINE_BYTES + 1] = '\n';
    cr_assert_eq(parse(text, sizeof text), UM_OK, "%s", error);
    text[UM_CONFIG_MAX_LINE_BYTES] = 'x';
    cr_assert_eq(parse(text, sizeof text), UM_ERR_FORMAT);
    cr_assert_str_eq(error, "f.conf:1: the line is longer than 1024 bytes");
}

Test(config, stops_at_what_the_reader_refuses)
{
    cr_assert_eq(parse("a\nbad\nc\n", 8), UM_ERR_ARG);
    cr_assert_str_eq(error, "f.conf:2: bad is bad");
    cr_assert_str_eq(seen, "a;");
}

Test(config, loads_a_file_as_it_is)
{
    char path[] = "/tmp/uimon-config-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "wb");
    char *text = NULL;
    size_t len = 0;

    cr_assert_not_null(file);
    fputs("a=1\r\n", file);
    fclose(file);
    cr_assert_eq(um_config_load(path, &text, &len, error, sizeof error), UM_OK, "%s", error);
    cr_assert_eq(len, 5);
    cr_assert_arr_eq(text, "a=1\r\n", 5);
    free(text);
    remove(path);
}

Test(config, says_that_a_file_is_missing)
{
    char *text = NULL;
    size_t len = 0;

    cr_assert_eq(um_config_load("/nowhere/uimon.conf", &text, &len, error, sizeof error),
                 UM_ERR_NOT_FOUND);
    cr_assert_str_eq(error, "uimon: /nowhere/uimon.conf: there is no such file");
    cr_assert_null(text);
}

Test(config, refuses_what_cannot_be_a_configuration)
{
    char *text = NULL;
    size_t len = 0;

    cr_assert_eq(um_config_load("/dev/zero", &text, &len, error, sizeof error), UM_ERR_TOO_LARGE);
    cr_assert_eq(um_config_load("/", &text, &len, error, sizeof error), UM_ERR_IO);
    cr_assert_null(text);
}
