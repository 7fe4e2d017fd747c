/* --editor-link: what opens a line of a source in an editor, as in vscode://file/{file}:{line}. The
 * page puts the file and the line in. Pure.
 */
#ifndef UM_MONITOR_EDITOR_LINK_H
#define UM_MONITOR_EDITOR_LINK_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the link can be used: it has {file}, and opens no script. NULL can. False, with the line
 * to print. */
bool um_editor_link_check(const char *link, char *error, size_t cap_bytes);

#endif
