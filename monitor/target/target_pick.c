#include "monitor/target/target_pick.h"

#include <stdio.h>
#include <stdlib.h>

#include "monitor/target/target.h"

enum um_status um_target_pick(const struct um_target_spec *spec, bool newest,
                              struct um_target_info *found, char *error, size_t error_cap)
{
    struct um_target_info *list;
    size_t count;
    size_t index;
    enum um_status status = um_target->find(spec, &list, &count);

    if (status != UM_OK) {
        snprintf(error, error_cap, "uimon: the running programs cannot be listed: %s",
                 um_status_text(status));
        return status;
    }
    status = um_target_spec_match(spec, list, count, newest, &index, error, error_cap);
    if (status == UM_OK)
        *found = list[index];
    free(list);
    return status;
}
