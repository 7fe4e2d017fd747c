/* Names of C++ against what GNU c++filt -p (binutils 2.40) makes of them, with "<...>" for what
 * that has in angle brackets, and without the parameters that it has within a name. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "names/itanium.h"

static const struct {
    const char *mangled;
    const char *plain;
} rows[] = {
    {"_Z3foov", "foo"},
    {"_ZL6hiddeni", "hidden"},
    {"_ZN3FooC2ERKS_", "Foo::Foo"},
    {"_ZN3FooD0Ev", "Foo::~Foo"},
    {"_ZN3FoocvbEv", "Foo::operator bool"},
    {"_ZN3FoocvPKcEv", "Foo::operator char const*"},
    {"_ZN3FoolsEi", "Foo::operator<<"},
    {"_ZN3FooixEm", "Foo::operator[]"},
    {"_ZN3FoonwEm", "Foo::operator new"},
    {"_ZN3FoossERKS_", "Foo::operator<=>"},
    {"_Zli3_kmy", "operator\"\" _km"},
    {"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<< <...>"},
    {"_ZStltIcSt11char_traitsIcESaIcEEbRKNSt7__cxx1112basic_stringIT_T0_T1_EES8_",
     "std::operator< <...>"},
    {"_ZNSt6vectorIN3FooESaIS0_EE9push_backERKS0_", "std::vector<...>::push_back"},
    {"_ZNSt6vectorIN5Alpha4Beta6WidgetESaIS2_EED1Ev", "std::vector<...>::~vector"},
    {"_ZNSs6appendEPKc", "std::basic_string<...>::append"},
    {"_ZNSsC1Ev", "std::basic_string<...>::basic_string"},
    {"_ZNSaIcEC1Ev", "std::allocator<...>::allocator"},
    {"_ZNSt8ios_base7failureB5cxx11C1EPKc", "std::ios_base::failure[abi:cxx11]::failure"},
    {"_ZNSt3__14moveIRiEEONS_16remove_referenceIT_E4typeEOS3_", "std::__1::move<...>"},
    {"_ZN12_GLOBAL__N_13runEv", "(anonymous namespace)::run"},
    {"_ZN3Foo12_GLOBAL__N_13barEv", "Foo::(anonymous namespace)::bar"},
    {"_ZZN3Foo3runEvENKUliE_clEi", "Foo::run::{lambda#1}::operator()"},
    {"_ZZZN3Foo3runEvENKUlvE_clEvENKUlvE0_clEv",
     "Foo::run::{lambda#1}::operator()::{lambda#2}::operator()"},
    {"_ZZ4mainEN5Local3runEv", "main::Local::run"},
    {"_ZNSt17_Function_handlerIFvvEZN3Foo3barEvEUlvE_E9_M_invokeERKSt9_Any_data",
     "std::_Function_handler<...>::_M_invoke"},
    {"_ZN9__gnu_cxx6__stoaIlicJiEEET0_PFT_PKT1_PPS3_DpT2_EPKcS5_PmS9_", "__gnu_cxx::__stoa<...>"},
    {"_ZN3FooILi3ELb1EXadL_Z3barvEEE3runEv", "Foo<...>::run"},
    {"_ZN3FooIA10_iE3runEv", "Foo<...>::run"},
    {"_ZN3FooIXplLi1ELi2EEE3runEv", "Foo<...>::run"},
    {"_ZN3FooIJEE3runEv", "Foo<...>::run"},
    {"_ZNK3FooIM3BarKFivEE3runEv", "Foo<...>::run"},
    {"_ZNKR3Foo3getEv", "Foo::get"},
    {"_ZNO3Foo3getEv", "Foo::get"},
    {"_ZThn16_N3Foo3runEv", "non-virtual thunk to Foo::run"},
    {"_ZTv0_n24_N3FooD1Ev", "virtual thunk to Foo::~Foo"},
    {"_ZTW3bar", "TLS wrapper function for bar"},
    {"_ZTH3bar", "TLS init function for bar"},
    {"_ZNSt25__unguarded_linear_insertIPiEEvT_", "std::__unguarded_linear_insert<...>"},
    {"_Z3foov.cold", "foo"},
    {"_ZN3Foo3runEi.constprop.0.isra.0", "Foo::run"},
    {"_ZN3FooaSEOS_", "Foo::operator="},
    {"_Z1fIiEDTplfp_Li1EET_", "f<...>"},
    {"_ZN1AIXsr3std7is_sameIiiEE5valueEE1fEv", "A<...>::f"},
    {"_ZN1AIJilPKcEE1fIJS2_EEEvDpT_", "A<...>::f<...>"},
    {"_ZNSt8functionIFvvEEC2IZ4mainEUlvE_vEEOT_", "std::function<...>::function<...>"},
    {"_Z3fooILDn0EEvv", "foo<...>"},
    {"_ZN3Foo4NameIiEC1Ev", "Foo::Name<...>::Name"},
    {"_ZNSt10filesystem7__cxx114pathC1ERKS1_", "std::filesystem::__cxx11::path::path"},
    {"_ZN1AcvNS_1BEEv", "A::operator A::B"},
    {"_ZN1AcvRKNS_1BEEv", "A::operator A::B const&"},
    {"_ZN4llvm10checkedAddIiEENSt9enable_ifIXsr3std9is_signedIT_EE5valueENS_8OptionalIS2_"
     "EEE4typeES2_S2_",
     "llvm::checkedAdd<...>"},
    {"_ZN1AIXsrSt7is_sameIiiE5valueEE1fEv", "A<...>::f"},
};

static const char *const refused[] = {
    "",
    "main",
    "_Z",
    "_Z?",
    "__Z3foov",
    "_Z3fo",
    "_Z99999999999999999999foov",
    "_ZN3Foo",
    "_ZNE",
    "_ZN3FooE3",
    "_Z3foovE",
    "_ZS_",
    "_ZNS_3fooEv",
    "_ZN3Foo3barES1_",
    "_Z3fooIiv",
    "_Z3fooIXEEvv",
    "_ZN3FooIXplLi1EEE3runEv",
    "_ZZ3foov",
    "_ZZ3foovEUl",
    "_ZNC1Ev",
    "_ZN3Foo",
    "_Z3foo!",
    "_ZTV3Foo",
    "_ZTS3Foo",
    "_ZGVZ3foovE1x", /* data */
    "_ZN1A1BcvT_IiEEv",
    "_ZN1AcvMS_FvvEEv", /* conversions to types that are not written out */
};

Test(itanium, reads_names_as_cxxfilt_does)
{
    char plain[256];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect(um_itanium_plain(rows[i].mangled, plain, sizeof plain), "%s", rows[i].mangled);
        cr_expect_str_eq(plain, rows[i].plain, "%s: %s", rows[i].mangled, plain);
    }
}

Test(itanium, refuses_what_it_does_not_know)
{
    char plain[256];
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cr_expect_not(um_itanium_plain(refused[i], plain, sizeof plain), "%s: %s", refused[i],
                      plain);
        cr_expect_str_eq(plain, "", "%s", refused[i]);
    }
}

Test(itanium, refuses_a_name_that_does_not_fit)
{
    char plain[9] = "........";
    cr_expect(um_itanium_plain("_ZN3Foo3runEv", plain, sizeof plain));
    cr_expect_str_eq(plain, "Foo::run");
    cr_expect_not(um_itanium_plain("_ZN3Foo4runsEv", plain, sizeof plain));
    cr_expect_str_eq(plain, "");
    cr_expect_not(um_itanium_plain("_Z3foov", plain, 1));
}

/* So many levels would overflow the stack. */
Test(itanium, refuses_what_is_nested_without_end)
{
    static const char *const levels[][2] = {
        {"_Z1f", "P"},  {"_Z1f", "1aI"},  {"_Z1f", "N1aI"},  {"_Z1f", "Z1aI"},     {"_Z1f", "UlP"},
        {"_Z1fI", "J"}, {"_Z1fIX", "ng"}, {"_Z1fIX", "Xng"}, {"_Z1fIL", "_Z1fIL"},
    };
    const size_t cap_bytes = 1 << 20;
    char *mangled = malloc(cap_bytes);
    char plain[256];
    cr_assert(mangled != NULL);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        strcpy(mangled, levels[i][0]);
        for (size_t at = strlen(mangled); at + 8 < cap_bytes; at += strlen(levels[i][1]))
            strcpy(mangled + at, levels[i][1]);
        cr_expect_not(um_itanium_plain(mangled, plain, sizeof plain), "%s", levels[i][1]);
    }
    free(mangled);
}
