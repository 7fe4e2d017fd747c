#include "monitor/target/machine.h"

uint16_t um_machine_of(uint16_t wow, uint16_t native, uint16_t reported)
{
    if (wow != UM_MACHINE_UNKNOWN)
        return wow;
    if (reported != UM_MACHINE_UNKNOWN)
        return reported;
    return native == UM_MACHINE_ARM64 ? UM_MACHINE_UNKNOWN : native;
}

uint8_t um_machine_bits(uint16_t machine)
{
    return machine == UM_MACHINE_X86 || machine == UM_MACHINE_ARM ? 32 : 64;
}

const char *um_machine_why_not(uint16_t machine)
{
    if (machine == UM_MACHINE_ARM || machine == UM_MACHINE_ARM64)
        return "an ARM program; this uimon watches programs for x86 and x64 (Intel and AMD)";
    return "";
}

const char *um_machine_why_no_stacks(uint16_t native)
{
    if (native == UM_MACHINE_ARM64)
        return "this is a Windows for ARM64, and uimon cannot read stacks through its libraries";
    return "";
}
