/* The end of a C++ function's name, for lines that have no room for all of it. Pure. Not on the hot
 * path. */
#ifndef UM_BASE_SHORT_NAME_H
#define UM_BASE_SHORT_NAME_H

/* The name with its class or the innermost of its namespaces, as "EditView::LayoutLine" in
 * "Scintilla::Internal::EditView::LayoutLine"; of a lambda with the function that it is in. Names
 * without such parts are returned as they are. Owner: a part of `name`. */
const char *um_short_name(const char *name);

#endif
