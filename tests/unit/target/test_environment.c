#include <stdlib.h>

#include <criterion/criterion.h>

#include "monitor/target/environment.h"

static const wchar_t before[] = L"=C:=C:\\x\0ALPHA=1\0dotnet_root=C:\\d\0Path=p;q\0";

/* Whether an environment is these strings, which '|' divides. */
static void expect_with(const wchar_t *all, const wchar_t *value, bool joins, const char *strings)
{
    char text[256];
    size_t len = 0;
    wchar_t *made = um_environment_with(all, L"DOTNET_DiagnosticPorts", value, joins);
    cr_assert(made);
    for (const wchar_t *at = made; *at; at++)
        for (; *at || (text[len++] = '|', false); at++)
            text[len++] = (char)*at;
    text[len] = '\0';
    cr_expect_str_eq(text, strings);
    free(made);
}

static void expect(const wchar_t *all, const wchar_t *value, const char *strings)
{
    expect_with(all, value, true, strings);
}

Test(environment, a_new_variable_comes_in_its_place)
{
    expect(before, L"pipe,nosuspend",
           "=C:=C:\\x|ALPHA=1|DOTNET_DiagnosticPorts=pipe,nosuspend|dotnet_root=C:\\d|Path=p;q|");
    expect(L"A=1\0", L"x", "A=1|DOTNET_DiagnosticPorts=x|");
    expect(L"Z=1\0", L"x", "DOTNET_DiagnosticPorts=x|Z=1|");
    expect(L"DOTNET=1\0DOTNET_DiagnosticPortsX=2\0", L"x",
           "DOTNET=1|DOTNET_DiagnosticPorts=x|DOTNET_DiagnosticPortsX=2|");
    expect(L"\0", L"x", "DOTNET_DiagnosticPorts=x|");
}

Test(environment, a_value_that_is_there_is_kept)
{
    expect(L"A=1\0dotnet_diagnosticports=mine,suspend\0Z=2\0", L"x",
           "A=1|DOTNET_DiagnosticPorts=mine,suspend;x|Z=2|");
    expect(L"DOTNET_DiagnosticPorts=\0", L"x", "DOTNET_DiagnosticPorts=x|");
}

Test(environment, a_value_that_is_there_is_replaced)
{
    expect_with(L"A=1\0dotnet_diagnosticports=mine,suspend\0Z=2\0", L"x", false,
                "A=1|DOTNET_DiagnosticPorts=x|Z=2|");
    expect_with(L"A=1\0", L"x", false, "A=1|DOTNET_DiagnosticPorts=x|");
}
