/* Names of C++ as mingw-w64's GCC and Clang write them into symbol tables, made readable
 * (demangled): the name alone, without parameters, return type and template arguments. uimon built
 * by Visual C++ has no library for this: __cxa_demangle comes with the other compilers, and dbghelp
 * knows Visual C++'s names only. Pure. Not on the hot path.
 *
 *   _ZNK9Scintilla8Internal8EditView10LayoutLineEi   Scintilla::Internal::EditView::LayoutLine
 *   _ZNSt6vectorIiSaIiEE9push_backERKi               std::vector<...>::push_back
 *   _ZZN3Foo3runEvENKUliE_clEi                       Foo::run::{lambda#1}::operator()
 *
 * Source: Itanium C++ ABI, 5.1 "External Names (a.k.a. Mangling)". Where the ABI leaves open how a
 * name looks, it looks as in GNU c++filt.
 */
#ifndef UM_NAMES_ITANIUM_H
#define UM_NAMES_ITANIUM_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the readable name of a function, or of a clone of it that the compiler made
 * ("_Z3foov.cold"). False, and `plain` is empty: `mangled` is no function of C++, uses what is not
 * supported here, or does not fit. Units: `plain` has `cap_bytes`, at least 1, with the NUL. */
bool um_itanium_plain(const char *mangled, char *plain, size_t cap_bytes);

#endif
