/* --editor-link: what opens a line of a source in an editor, as in vscode://file/{file}:{line}. The
 * page puts the file and the line in. Pure.
 */
#ifndef UM_MONITOR_EDITOR_LINK_H
#define UM_MONITOR_EDITOR_LINK_H

#include <stdbool.h>
#include <stddef.h>

/* Whether it can be one: it names the file, and what it opens is no script. False, with the line to
 * print. NULL can be. */
bool um_editor_link_check(const char *link, char *error, size_t cap_bytes);

#endif
