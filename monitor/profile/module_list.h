/* Lists of modules as a user writes them: "devenv,mymodule.dll,C:\work\". Pure. */
#ifndef UM_MONITOR_MODULE_LIST_H
#define UM_MONITOR_MODULE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a module, given as its file's path or name, is in a list with commas. An entry without a
 * slash is the name of a file, with or without ".exe" or ".dll". An entry with one is a folder, and
 * stands for all in it. Neither case nor the direction of slashes matters, nor do blanks around an
 * entry. Nothing is in "" and NULL, and a module "" is in no list. */
bool um_module_list_has(const char *list, const char *module);

/* Whether the name of a managed method, "Namespace.Type.Method(arguments)", is in the list: there
 * an entry without a slash is a namespace, a type or a method, and stands for all in it. */
bool um_module_list_has_name(const char *list, const char *name);

/* The name of a module without its folder and ".exe" or ".dll": where it begins, and its length. */
const char *um_module_list_stem(const char *module, size_t *len_bytes);

#endif
