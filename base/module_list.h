/* Lists of modules as a user writes them: devenv,mymodule.dll,C:\work\. An entry with a comma in it
 * stands in double quotes: "a, b.dll",devenv. Pure. */
#ifndef UM_BASE_MODULE_LIST_H
#define UM_BASE_MODULE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a module, given as its file's path or name, is in a list of entries with commas between.
 * An entry without a slash is the name of a file; it or the module may lack ".exe" or ".dll". An
 * entry with a slash is a folder, and stands for all in it. Case, the direction of slashes and
 * blanks around an entry do not matter. The lists "" and NULL are empty, and the module "" is in no
 * list. */
bool um_module_list_has(const char *list, const char *module);

/* Whether the name of a managed method, "Namespace.Type.Method(arguments)", is in the list. Here an
 * entry without a slash is a namespace, a type or a method, and stands for all in it. */
bool um_module_list_has_name(const char *list, const char *name);

/* Whether a method is in the list, by its module or by its name; "" is in no list. */
bool um_module_list_has_method(const char *list, const char *module, const char *name);

#define UM_MODULE_LIST_BITS 32

/* Which of a list's first UM_MODULE_LIST_BITS entries a method is in, as above: bit i stands for
 * entry i, from 0. */
uint32_t um_module_list_which(const char *list, const char *module, const char *name);

/* The first entry of a list, without blanks and quotes around it: where it begins, and its length.
 * Returns the rest of the list; NULL: there is no entry. */
const char *um_module_list_next(const char *list, const char **entry, size_t *len_bytes);

/* Where the name of a module's file begins in its path; it is the path if there is no folder. */
const char *um_module_list_file(const char *module);

/* The name of a module without its folder and ".exe" or ".dll": where it begins, and its length. */
const char *um_module_list_stem(const char *module, size_t *len_bytes);

#endif
