/* What the class of a window says about who creates the windows in it. Pure.
 *
 * A control is of one of the system's classes, or of one that was made of such a class; what it
 * creates, its program has not asked for. Dialogs and MDI clients are of the system's classes, too,
 * but they create the windows that the program has described.
 */
#ifndef UM_MONITOR_SYSTEM_CLASS_H
#define UM_MONITOR_SYSTEM_CLASS_H

#include <stdbool.h>

#include "monitor/target/target.h"

/* `by_system`: the module that registered the class is one of the system's. */
bool um_system_class_is_control(const struct um_target_about *about, bool by_system);

bool um_system_class_is_tooltip(const struct um_target_about *about);

#endif
