#include "monitor/target/machine.h"

#include <criterion/criterion.h>
#include <string.h>

/* What IsWow64Process2 and ProcessMachineTypeInfo are documented to say of a process, on systems
 * for x64 and for ARM64, and what is to be made of it. */
Test(machine, is_told_from_what_the_system_says)
{
    static const struct {
        const char *what;
        uint16_t wow, native, told;
        uint8_t bits;
        const char *why_not;
    } cases[] = {
        {"x64 on x64", 0, 0x8664, 0x8664, 64, ""},
        {"x64 on x64, Windows 10", 0, 0x8664, 0, 64, ""},
        {"x86 on x64", 0x14c, 0x8664, 0x14c, 32, ""},
        {"x86 on x64, Windows 10", 0x14c, 0x8664, 0, 32, ""},
        {"ARM64 on ARM64", 0, 0xaa64, 0xaa64, 64, "ARM"},
        {"emulated x64 on ARM64", 0, 0xaa64, 0x8664, 64, ""},
        {"emulated x86 on ARM64", 0x14c, 0xaa64, 0x14c, 32, ""},
        {"32-bit ARM on ARM64", 0x1c4, 0xaa64, 0x1c4, 32, "ARM"},
        {"ARM64, and no word of the process", 0, 0xaa64, 0, 64, ""},
        {"nothing is told", 0, 0, 0, 64, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint16_t machine = um_machine_of(cases[i].wow, cases[i].native, cases[i].told);
        const char *why_not = um_machine_why_not(machine);
        cr_expect_eq(um_machine_bits(machine), cases[i].bits, "%s", cases[i].what);
        cr_expect_eq((cases[i].why_not[0] == '\0'), (why_not[0] == '\0'), "%s: %s", cases[i].what,
                     why_not);
        cr_expect(strstr(why_not, cases[i].why_not), "%s: %s", cases[i].what, why_not);
    }
}

Test(machine, has_no_stacks_where_the_systems_code_is_another_machines)
{
    cr_expect_str_eq(um_machine_why_no_stacks(UM_MACHINE_X64), "");
    cr_expect_str_eq(um_machine_why_no_stacks(UM_MACHINE_X86), "");
    cr_expect_str_eq(um_machine_why_no_stacks(UM_MACHINE_UNKNOWN), "");
    cr_expect(strstr(um_machine_why_no_stacks(UM_MACHINE_ARM64), "ARM64"));
}
