#include "monitor/history/history_html.h"

#include <cjson/cJSON.h>

#include "base/page.h"
#include "monitor/history/history_json.h"
#include "monitor/history/history_text.h"

static enum um_status write_text(FILE *out, const void *history)
{
    return um_history_text_write(out, history);
}

enum um_status um_history_html_write(FILE *file, const struct um_history *history)
{
    char *data;
    enum um_status status = um_history_json_make(history, &data);
    if (status != UM_OK)
        return status;
    status = um_page_write(file, um_history_page, data, write_text, history);
    cJSON_free(data);
    return status;
}
