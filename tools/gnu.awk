# Finds what GCC and Clang alone have, outside an #if that asks which compiler it is: Visual C++ cannot
# compile it. A file of POSIX is none of its business, and neither are fuzzers, the bench and tests/x86.
FNR == 1 { depth = 0; skip = FILENAME ~ /_(posix|x11)\.[ch]$|^tests\/(fuzz|bench|script|x86)\// }
/^# *include *<(unistd|signal|sys\/[a-z]+)\.h>/ { skip = 1 }
/^# *if/ { asked[++depth] = /__GNUC__|_MSC_VER|__MINGW32__/ }
/^# *endif/ { delete asked[depth--] }
/__attribute__|__builtin_|__asm__|__thread |(^|[^A-Za-z0-9_])(typeof|strn?casecmp) *\(|[=(] *\(\{/ && !skip && !/^ *(\/\*|\*|\/\/)/ {
    for (i = 1; i <= depth; i++)
        if (asked[i]) next
    if (!/"[^"]*(__asm__|typeof)[^"]*"/) print FILENAME ":" FNR ":" $0 " [GCC alone has this]"
}
