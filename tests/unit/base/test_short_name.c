#include <criterion/criterion.h>

#include "base/short_name.h"

static void expect(const char *name, const char *shown)
{
    cr_expect_str_eq(um_short_name(name), shown, "%s: %s", name, um_short_name(name));
}

Test(short_name, has_the_class)
{
    expect("Scintilla::Internal::EditView::LayoutLine", "EditView::LayoutLine");
    expect("Foo::run", "Foo::run");
    expect("std::vector<a::b, c::d>::push_back<(e::f)1>", "vector<a::b, c::d>::push_back<(e::f)1>");
    expect("Foo::(anonymous namespace)::bar", "(anonymous namespace)::bar");
    expect("a::b::(c::d)::e", "(c::d)::e");
}

Test(short_name, is_whole_where_there_is_no_class)
{
    expect("", "");
    expect("main", "main");
    expect("Uimon.Works.Form.OnPaint", "Uimon.Works.Form.OnPaint");
    expect("mymodule+0x1234", "mymodule+0x1234");
    expect("a::", "a::");
}

Test(short_name, of_an_operator_has_its_brackets)
{
    expect("a::Foo::operator()", "Foo::operator()");
    expect("a::Foo::operator<", "Foo::operator<");
    expect("a::Foo::operator->", "Foo::operator->");
    expect("a::Foo::operator<::Local::run", "Local::run");
    expect("a::operator<< <b::c>", "a::operator<< <b::c>");
}

Test(short_name, of_a_lambda_has_its_function)
{
    expect("a::Foo::run::{lambda#1}::operator()", "Foo::run::{lambda#1}::operator()");
    expect("a::Foo::run::{lambda#1}::operator()::{lambda#2}::operator()",
           "Foo::run::{lambda#1}::operator()::{lambda#2}::operator()");
}
