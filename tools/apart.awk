# Finds local variables that are declared apart from their first assignment:
#     int x;             int x = f();
#     ...        where           would do.
#     x = f();
# A declaration counts if it stands alone, without a value, and the first line that mentions the name
# assigns it at the same depth.
FNR == 1 { open_count = 0 }
/^}/ { open_count = 0; next }
{
    indent = match($0, /[^ ]/) - 1
    for (i = 1; i <= open_count; i++) {
        if (name[i] == "" || $0 !~ ("(^|[^A-Za-z0-9_>.])" name[i] "([^A-Za-z0-9_]|$)")) continue
        if (indent == depth[i] && $0 ~ ("^ +" name[i] " = "))
            print FILENAME ":" line[i] ": declare " name[i] " where it gets its first value (line " FNR ")"
        name[i] = ""
    }
}
/^ +(const |unsigned |struct |enum |union )*[A-Za-z_][A-Za-z_0-9]* \**[a-z_][A-Za-z_0-9]*;$/ && !/^ +(return|goto|break|continue|typedef|extern) / {
    variable = $NF
    gsub(/[*;]/, "", variable)
    open_count++
    name[open_count] = variable
    depth[open_count] = indent
    line[open_count] = FNR
}
