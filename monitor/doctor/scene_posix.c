/* Nobody asks: on this system programs are only watched (um_target->why_watch_only). */
#include "monitor/doctor/scene.h"

const struct um_scene_backend *um_scene = NULL;
