#include "monitor/recorded/profiled.h"

#include <string.h>

enum um_status um_profiled_init(struct um_profiled *profiled, const struct um_recorded *recorded,
                                const struct um_options *options)
{
    enum um_status status =
        um_functions_init(&profiled->functions, um_profile_look_up, recorded->profile);
    if (status != UM_OK)
        return status;
    um_view_init(&profiled->view, um_profile_samples(recorded->profile), &profiled->functions);
    profiled->view.only = options->only;
    profiled->view.hide = options->hide;
    profiled->view.profile = recorded->profile;
    return UM_OK;
}

void um_profiled_deinit(struct um_profiled *profiled)
{
    um_functions_deinit(&profiled->functions);
    memset(profiled, 0, sizeof *profiled);
}
