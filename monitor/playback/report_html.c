#include "monitor/playback/report_html.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "monitor/playback/report_data.h"
#include "monitor/playback/report_page.h"

/* Writes JSON with each '<' escaped, so that no text in it can end the script element. Outside of
 * strings JSON has no '<'. */
static void write_escaped(FILE *file, const char *text)
{
    while (*text != '\0') {
        size_t plain = strcspn(text, "<");
        (void)fwrite(text, 1, plain, file);
        text += plain;
        if (*text == '<') {
            (void)fputs("\\u003c", file);
            text++;
        }
    }
}

/* Where the data goes in the page. A test makes sure that the page has a marker. */
static size_t find_marker(void)
{
    size_t len = strlen(UM_REPORT_PAGE_MARKER);
    for (size_t i = 0; i + len <= um_report_page_len; i++)
        if (memcmp(um_report_page + i, UM_REPORT_PAGE_MARKER, len) == 0)
            return i;
    return um_report_page_len;
}

enum um_status um_report_html_write(FILE *file, const struct um_recorded *recorded)
{
    char *data = um_report_data_make(recorded);
    if (!data)
        return UM_ERR_MEMORY;
    size_t marker = find_marker();
    size_t rest = marker + strlen(UM_REPORT_PAGE_MARKER);
    (void)fwrite(um_report_page, 1, marker, file);
    write_escaped(file, data);
    (void)fwrite(um_report_page + rest, 1, um_report_page_len - rest, file);
    cJSON_free(data);
    return fflush(file) == 0 && ferror(file) == 0 ? UM_OK : UM_ERR_IO;
}
