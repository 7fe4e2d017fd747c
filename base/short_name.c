#include "base/short_name.h"

#include <stddef.h>
#include <string.h>

/* Behind the name of an operator, whose "<" and "(" open nothing; else `at`. */
static const char *behind_operator(const char *at)
{
    static const char word[] = "operator";
    if (strncmp(at, word, sizeof word - 1) != 0)
        return at;
    at += sizeof word - 1;
    if (strncmp(at, "()", 2) == 0)
        return at + 2;
    return at + strspn(at, "<>=-");
}

/* The next "::" that is in no brackets, or the end. */
static const char *next_colons(const char *at)
{
    int depth = 0;
    for (at = behind_operator(at); *at && (depth > 0 || strncmp(at, "::", 2) != 0); at++)
        depth += strchr("<({[", *at) ? 1 : strchr(">)}]", *at) && depth > 0 ? -1 : 0;
    return at;
}

const char *um_short_name(const char *name)
{
    const char *parent = name, *last = name;
    for (const char *at = next_colons(name); *at; at = next_colons(last)) {
        if (at[2] != '{') /* a lambda or a class without a name says nothing alone */
            parent = *last == '{' ? parent : last;
        last = at + 2;
    }
    return parent;
}
