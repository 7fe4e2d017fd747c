/* A comparison as JSON, with everything in it. Not on the hot path. */
#ifndef UM_MONITOR_COMPARE_JSON_H
#define UM_MONITOR_COMPARE_JSON_H

#include "ipc/status.h"
#include "monitor/compare/compare_text.h"

/* Everything. Owner: cJSON_free. Errors: UM_ERR_MEMORY. */
enum um_status um_compare_json(const struct um_compare_text *text, char **out);

#endif
