#include "monitor/playback/report_html.h"

#include <cjson/cJSON.h>

#include "monitor/base/page.h"
#include "monitor/playback/report_data.h"
#include "monitor/playback/report_page.h"

enum um_status um_report_html_write(FILE *file, const struct um_recorded *recorded,
                                    const struct um_options *options)
{
    char *data = um_report_data_make(recorded, options);
    if (!data)
        return UM_ERR_MEMORY;
    enum um_status status = um_page_write(file, um_report_page, um_report_page_len, data);
    cJSON_free(data);
    return status;
}
