#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_file.h"

Test(text_file, splits_lines_at_either_line_end)
{
    static const char text[] = "\xef\xbb\xbfone\r\n\ntwo\r";
    static const char *const expected[] = {"one", "", "two"};
    struct um_text_file_lines lines = um_text_file_lines(text, sizeof text - 1);
    const char *line;
    size_t len;

    for (size_t i = 0; i < 3; i++) {
        cr_assert(um_text_file_next_line(&lines, &line, &len));
        cr_assert_eq(lines.number, i + 1);
        cr_assert_eq(len, strlen(expected[i]));
        cr_assert_eq(memcmp(line, expected[i], len), 0);
    }
    cr_assert_not(um_text_file_next_line(&lines, &line, &len));
}

Test(text_file, a_text_without_lines_has_none)
{
    struct um_text_file_lines lines = um_text_file_lines("", 0);
    const char *line;
    size_t len;

    cr_assert_not(um_text_file_next_line(&lines, &line, &len));
}

Test(text_file, reads_up_to_its_limit)
{
    char path[] = "/tmp/uimon-text-file-XXXXXX";
    char error[256];
    char *text = NULL;
    size_t len = 0;
    FILE *file = fdopen(mkstemp(path), "wb");

    for (int i = 0; i < 100000; i++)
        fputc('x', file);
    fclose(file);
    cr_assert_eq(um_text_file_load(path, 100000, "a test", &text, &len, error, sizeof error), UM_OK,
                 "%s", error);
    cr_assert_eq(len, 100000);
    cr_assert_eq(text[99999], 'x');
    free(text);
    cr_assert_eq(um_text_file_load(path, 99999, "a test", &text, &len, error, sizeof error),
                 UM_ERR_TOO_LARGE);
    cr_assert_not_null(strstr(error, "more than 99999 bytes, too large for a test"), "%s", error);
    remove(path);
    cr_assert_eq(um_text_file_load(path, 9, "a test", &text, &len, error, sizeof error),
                 UM_ERR_NOT_FOUND);
}
