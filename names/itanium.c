#include "names/itanium.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 2048 /* of what is being read; a longer name is refused */
#define SEEN_BYTES 32768
#define SEEN_MAX 1024
#define DEPTH_MAX 128
#define UNKNOWN                                                                                    \
    '?' /* the text of a type that is parsed but not shown; no name has this character */

/* A substitution candidate: a part of the name that later parts can refer to by its number. */
struct seen {
    uint16_t at; /* of its text in seen_text */
    uint16_t len;
};

struct parser {
    const char *at;        /* what is left, up to its NUL */
    char text[TEXT_BYTES]; /* the readable name so far */
    size_t len;
    struct seen seen[SEEN_MAX];
    size_t seen_count;
    char seen_text[SEEN_BYTES];
    size_t seen_len;
    unsigned depth;
};

static bool read_type(struct parser *parser);
static bool read_name(struct parser *parser);
static bool read_encoding(struct parser *parser);
static bool read_expression(struct parser *parser);
static bool read_argument(struct parser *parser);

/* Reads one level deeper. Refuses names that are nested too deeply. */
static bool read_deeper(struct parser *parser, bool (*read)(struct parser *parser))
{
    if (parser->depth == DEPTH_MAX)
        return false;
    parser->depth++;
    bool is_read = read(parser);
    parser->depth--;
    return is_read;
}

/* Text ----------------------------------------------------------------------------------------- */

static bool append(struct parser *parser, const char *text, size_t len)
{
    if (len > TEXT_BYTES - parser->len)
        return false;
    memcpy(parser->text + parser->len, text, len);
    parser->len += len;
    return true;
}

static bool say(struct parser *parser, const char *text)
{
    return append(parser, text, strlen(text));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool skip(struct parser *parser, char c)
{
    if (*parser->at != c)
        return false;
    parser->at++;
    return true;
}

static bool skip_pair(struct parser *parser, const char *pair)
{
    if (strncmp(parser->at, pair, 2) != 0)
        return false;
    parser->at += 2;
    return true;
}

static bool is_in(char c, const char *set)
{
    return c != '\0' && strchr(set, c);
}

/* Adds the text from `start` on to the substitution candidates. */
static bool remember(struct parser *parser, size_t start)
{
    size_t len = parser->len - start;
    if (parser->seen_count == SEEN_MAX || len > SEEN_BYTES - parser->seen_len)
        return false;
    parser->seen[parser->seen_count++] =
        (struct seen){.at = (uint16_t)parser->seen_len, .len = (uint16_t)len};
    memcpy(parser->seen_text + parser->seen_len, parser->text + start, len);
    parser->seen_len += len;
    return true;
}

/* Removes the text from `start` on; returns `is_read`. */
static bool leave_out(struct parser *parser, size_t start, bool is_read)
{
    parser->len = start;
    return is_read;
}

/* Numbers and identifiers ---------------------------------------------------------------------- */

static bool read_number(struct parser *parser, size_t *number)
{
    if (!is_digit(*parser->at))
        return false;
    for (*number = 0; is_digit(*parser->at); parser->at++) {
        if (*number > UINT16_MAX)
            return false;
        *number = *number * 10 + (size_t)(*parser->at - '0');
    }
    return true;
}

/* "_" is 0, "0_" is 1, "1_" is 2, to the base of 10 or 36. */
static bool read_index(struct parser *parser, unsigned base, size_t *index)
{
    size_t number = 0;
    if (skip(parser, '_')) {
        *index = 0;
        return true;
    }
    for (; *parser->at != '_'; parser->at++) {
        char c = *parser->at;
        unsigned digit = is_digit(c) ? (unsigned)(c - '0') : (unsigned)(c - 'A') + 10;
        if (!(is_digit(c) || (c >= 'A' && c <= 'Z')) || digit >= base || number > UINT16_MAX)
            return false;
        number = number * base + digit;
    }
    parser->at++;
    *index = number + 1;
    return true;
}

static bool read_identifier(struct parser *parser)
{
    size_t len;
    if (!read_number(parser, &len) || len == 0 || memchr(parser->at, 0, len))
        return false;
    const char *name = parser->at;
    parser->at += len;
    if (len >= 10 && strncmp(name, "_GLOBAL_", 8) == 0 && is_in(name[8], "_.$") && name[9] == 'N')
        return say(parser, "(anonymous namespace)");
    return append(parser, name, len);
}

/* Substitutions -------------------------------------------------------------------------------- */

/* The abbreviations of the standard library. */
static const struct {
    char letter;
    const char *text;
} standard[] = {
    {'a', "std::allocator"},          {'b', "std::basic_string"},
    {'s', "std::basic_string<...>"},  {'i', "std::basic_istream<...>"},
    {'o', "std::basic_ostream<...>"}, {'d', "std::basic_iostream<...>"},
};

/* Behind "S"; "St" is not among them. */
static bool read_substitution(struct parser *parser)
{
    size_t index;
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
        if (skip(parser, standard[i].letter))
            return say(parser, standard[i].text);
    if (!read_index(parser, 36, &index) || index >= parser->seen_count)
        return false;
    const struct seen *seen = &parser->seen[index];
    return append(parser, parser->seen_text + seen->at, seen->len);
}

/* Template arguments --------------------------------------------------------------------------- */

/* Behind "L". */
static bool read_literal(struct parser *parser)
{
    if (skip_pair(parser, "_Z") || skip(parser, 'Z'))
        return read_encoding(parser) && skip(parser, 'E');
    if (!read_type(parser))
        return false;
    while (*parser->at && *parser->at != 'E')
        parser->at++;
    return skip(parser, 'E');
}

/* Behind "J": a pack of arguments. */
static bool read_pack(struct parser *parser)
{
    while (!skip(parser, 'E'))
        if (!read_argument(parser))
            return false;
    return true;
}

static bool read_argument(struct parser *parser)
{
    if (skip(parser, 'L'))
        return read_literal(parser);
    if (skip(parser, 'X'))
        return read_expression(parser) && skip(parser, 'E');
    if (skip(parser, 'J'))
        return read_deeper(parser, read_pack);
    return read_type(parser);
}

/* Template arguments, if there are any; "<...>" stands for all of them. */
static bool read_arguments(struct parser *parser)
{
    size_t start = parser->len;
    if (!skip(parser, 'I'))
        return true;
    while (!skip(parser, 'E'))
        if (!leave_out(parser, start, read_argument(parser)))
            return false;
    bool is_operator = parser->len > 0 && parser->text[parser->len - 1] == '<';
    return say(parser, is_operator ? " <...>" : "<...>");
}

/* Parses types up to "E", and writes nothing. */
static bool skip_types(struct parser *parser)
{
    size_t start = parser->len;
    while (!skip(parser, 'E'))
        if (!leave_out(parser, start, read_type(parser)))
            return false;
    return true;
}

/* Expressions ---------------------------------------------------------------------------------- */

/* Expressions up to "E". */
static bool read_expressions(struct parser *parser)
{
    while (!skip(parser, 'E'))
        if (!read_expression(parser))
            return false;
    return true;
}

/* Operators by the number of their operands. */
static const char unary[] = "ps ng ad de co nt pp mm nx sz az te sp aw tw";
static const char binary[] = "pl mi ml dv rm an or eo aS pL mI mL dV rM aN oR eO ls rs lS rS eq ne "
                             "lt gt le ge ss aa oo cm pm ix ds";

static bool is_listed(const char *list, const char *pair)
{
    for (; *list; list += list[2] ? 3 : 2)
        if (strncmp(list, pair, 2) == 0)
            return true;
    return false;
}

static bool read_simple(struct parser *parser)
{
    return read_identifier(parser) && read_arguments(parser);
}

/* Parts of a name, up to "E". */
static bool read_levels(struct parser *parser)
{
    while (!skip(parser, 'E'))
        if (!read_simple(parser))
            return false;
    return true;
}

/* Behind "sr": the scope of a name. */
static bool read_scope(struct parser *parser)
{
    if (is_digit(*parser->at))
        return read_levels(parser);
    if (skip(parser, 'N'))
        return read_type(parser) && read_levels(parser);
    return read_type(parser);
}

/* A name in an expression: of a function that the compiler has not resolved, or of a member. */
static bool read_unresolved(struct parser *parser)
{
    return (!skip_pair(parser, "sr") || read_scope(parser)) && read_simple(parser);
}

static bool read_conversion(struct parser *parser)
{
    if (!read_type(parser))
        return false;
    return skip(parser, '_') ? read_expressions(parser) : read_expression(parser);
}

/* A parameter of the function: "fp_", "fpK0_". */
static bool read_parameter(struct parser *parser)
{
    size_t index;
    while (is_in(*parser->at, "rVK"))
        parser->at++;
    return read_index(parser, 10, &index);
}

static bool read_operation(struct parser *parser)
{
    if (is_listed(unary, parser->at)) {
        parser->at += 2;
        return read_expression(parser);
    }
    if (is_listed(binary, parser->at)) {
        parser->at += 2;
        return read_expression(parser) && read_expression(parser);
    }
    if (skip_pair(parser, "qu"))
        return read_expression(parser) && read_expression(parser) && read_expression(parser);
    if (skip_pair(parser, "dt") || skip_pair(parser, "pt"))
        return read_expression(parser) && read_unresolved(parser);
    if (skip_pair(parser, "st") || skip_pair(parser, "at") || skip_pair(parser, "ti"))
        return read_type(parser);
    if (skip_pair(parser, "sZ"))
        return skip_pair(parser, "fp") ? read_parameter(parser) : read_type(parser);
    if (skip_pair(parser, "cl") || skip_pair(parser, "il"))
        return read_expressions(parser);
    if (skip_pair(parser, "tl"))
        return read_type(parser) && read_expressions(parser);
    return skip_pair(parser, "cv") && read_conversion(parser);
}

/* Parses an expression, and writes nothing. Supports those that occur in names of functions. */
static bool read_any_expression(struct parser *parser)
{
    if (skip(parser, 'L'))
        return read_literal(parser);
    if (*parser->at == 'T')
        return read_type(parser);
    if (skip_pair(parser, "fp"))
        return read_parameter(parser);
    if (is_digit(*parser->at) || strncmp(parser->at, "sr", 2) == 0)
        return read_unresolved(parser);
    return read_operation(parser);
}

static bool read_expression(struct parser *parser)
{
    size_t start = parser->len;
    return leave_out(parser, start, read_deeper(parser, read_any_expression));
}

/* Types ---------------------------------------------------------------------------------------- */

static const struct {
    char letter;
    const char *text;
} builtin[] = {
    {'v', "void"},        {'w', "wchar_t"},
    {'b', "bool"},        {'c', "char"},
    {'a', "signed char"}, {'h', "unsigned char"},
    {'s', "short"},       {'t', "unsigned short"},
    {'i', "int"},         {'j', "unsigned int"},
    {'l', "long"},        {'m', "unsigned long"},
    {'x', "long long"},   {'y', "unsigned long long"},
    {'n', "__int128"},    {'o', "unsigned __int128"},
    {'f', "float"},       {'d', "double"},
    {'e', "long double"}, {'g', "__float128"},
    {'z', "..."},
};

static bool read_builtin(struct parser *parser)
{
    for (size_t i = 0; i < sizeof builtin / sizeof *builtin; i++)
        if (skip(parser, builtin[i].letter))
            return say(parser, builtin[i].text);
    return false;
}

/* Writes the text of a type that is parsed but not shown. */
static bool say_unknown(struct parser *parser)
{
    const char text[] = {UNKNOWN};
    return append(parser, text, 1);
}

static bool read_qualified(struct parser *parser)
{
    const char *qualifiers = parser->at;
    while (is_in(*parser->at, "rVK"))
        parser->at++;
    const char *end = parser->at;
    if (!read_type(parser))
        return false;
    while (end > qualifiers) {
        char c = *--end;
        if (!say(parser, c == 'K' ? " const" : c == 'V' ? " volatile" : " __restrict"))
            return false;
    }
    return true;
}

/* Behind "F". */
static bool read_function(struct parser *parser)
{
    skip(parser, 'Y');
    while (!skip(parser, 'E'))
        if ((*parser->at == 'R' || *parser->at == 'O') && parser->at[1] == 'E')
            parser->at++;
        else if (!read_type(parser))
            return false;
    return say_unknown(parser);
}

/* Behind "A". */
static bool read_array(struct parser *parser)
{
    size_t count;
    if (*parser->at != '_' &&
        !(is_digit(*parser->at) ? read_number(parser, &count) : read_expression(parser)))
        return false;
    return skip(parser, '_') && read_type(parser) && say_unknown(parser);
}

/* "T_", "T0_"; with arguments if it is a template itself. */
static bool read_template_parameter(struct parser *parser)
{
    size_t start = parser->len, index;
    parser->at++;
    if (is_in(*parser->at, "sue")) { /* an elaborated type: "struct X" */
        parser->at++;
        return read_name(parser);
    }
    if (!read_index(parser, 10, &index) || !say_unknown(parser))
        return false;
    return *parser->at != 'I' || (remember(parser, start) && read_arguments(parser));
}

/* Behind "D". Types that are a word of the language are no substitution candidates. */
static bool read_d_type(struct parser *parser, bool *is_candidate)
{
    static const struct {
        char letter;
        const char *text;
    } words[] = {
        {'n', "decltype(nullptr)"}, {'a', "auto"},    {'c', "decltype(auto)"}, {'i', "char32_t"},
        {'s', "char16_t"},          {'u', "char8_t"}, {'d', "decimal64"},      {'e', "decimal128"},
        {'f', "decimal32"},         {'h', "half"},
    };
    size_t number;

    *is_candidate = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (skip(parser, words[i].letter))
            return say(parser, words[i].text);
    if (skip(parser, 'F'))
        return read_number(parser, &number) &&
               (skip(parser, '_') || skip(parser, 'x') || skip(parser, 'b')) && say_unknown(parser);
    *is_candidate = true;
    if (skip(parser, 'p'))
        return read_type(parser) && say_unknown(parser);
    if (skip(parser, 'o')) /* noexcept */
        return read_type(parser);
    if (skip(parser, 'v'))
        return read_number(parser, &number) && skip(parser, '_') && read_type(parser) &&
               say_unknown(parser);
    return (skip(parser, 't') || skip(parser, 'T')) && read_expression(parser) &&
           skip(parser, 'E') && say_unknown(parser);
}

/* Pointers and references. */
static bool read_compound(struct parser *parser)
{
    char c = *parser->at++;
    return read_type(parser) && say(parser, c == 'P'   ? "*"
                                            : c == 'R' ? "&"
                                            : c == 'O' ? "&&"
                                                       : "?");
}

/* A substitution that is the whole type, or the template of the type. */
static bool read_substituted(struct parser *parser, bool *is_candidate)
{
    parser->at++;
    *is_candidate = false;
    if (!read_substitution(parser))
        return false;
    if (*parser->at != 'I')
        return true;
    *is_candidate = true;
    return read_arguments(parser);
}

static bool read_other_type(struct parser *parser, bool *is_candidate)
{
    char c = *parser->at;

    if (is_in(c, "rVK"))
        return read_qualified(parser);
    if (is_in(c, "PROCG"))
        return read_compound(parser);
    if (c == 'T')
        return read_template_parameter(parser);
    if (c == 'S' && parser->at[1] != 't')
        return read_substituted(parser, is_candidate);
    if (skip(parser, 'D'))
        return read_d_type(parser, is_candidate);
    if (skip(parser, 'F'))
        return read_function(parser);
    if (skip(parser, 'A'))
        return read_array(parser);
    if (skip(parser, 'M'))
        return read_type(parser) && read_type(parser) && say_unknown(parser);
    if (skip(parser, 'u'))
        return read_identifier(parser) && read_arguments(parser);
    if (skip(parser, 'U'))
        return read_identifier(parser) && read_arguments(parser) && read_type(parser) &&
               say_unknown(parser);
    return read_name(parser);
}

static bool read_type(struct parser *parser)
{
    size_t start = parser->len;
    bool is_candidate = true, is_read;

    if (parser->depth == DEPTH_MAX)
        return false;
    if (read_builtin(parser))
        return true;
    parser->depth++;
    is_read = read_other_type(parser, &is_candidate);
    parser->depth--;
    return is_read && (!is_candidate || remember(parser, start));
}

/* Names ---------------------------------------------------------------------------------------- */

static const struct {
    char code[3];
    const char *text;
} operators[] = {
    {"nw", " new"}, {"na", " new[]"}, {"dl", " delete"}, {"da", " delete[]"}, {"aw", " co_await"},
    {"ps", "+"},    {"ng", "-"},      {"ad", "&"},       {"de", "*"},         {"co", "~"},
    {"pl", "+"},    {"mi", "-"},      {"ml", "*"},       {"dv", "/"},         {"rm", "%"},
    {"an", "&"},    {"or", "|"},      {"eo", "^"},       {"aS", "="},         {"pL", "+="},
    {"mI", "-="},   {"mL", "*="},     {"dV", "/="},      {"rM", "%="},        {"aN", "&="},
    {"oR", "|="},   {"eO", "^="},     {"ls", "<<"},      {"rs", ">>"},        {"lS", "<<="},
    {"rS", ">>="},  {"eq", "=="},     {"ne", "!="},      {"lt", "<"},         {"gt", ">"},
    {"le", "<="},   {"ge", ">="},     {"ss", "<=>"},     {"nt", "!"},         {"aa", "&&"},
    {"oo", "||"},   {"pp", "++"},     {"mm", "--"},      {"cm", ","},         {"pm", "->*"},
    {"pt", "->"},   {"cl", "()"},     {"ix", "[]"},
};

static bool read_operator(struct parser *parser)
{
    if (skip_pair(parser, "cv"))
        return say(parser, "operator ") && read_type(parser);
    if (skip_pair(parser, "li"))
        return say(parser, "operator\"\" ") && read_identifier(parser);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (skip_pair(parser, operators[i].code))
            return say(parser, "operator") && say(parser, operators[i].text);
    return false;
}

/* Behind "U": a lambda, or a class without a name. */
static bool read_unnamed(struct parser *parser)
{
    bool is_lambda = *parser->at == 'l';
    size_t index;
    char number[24];

    if (!skip(parser, 't') && !(skip(parser, 'l') && skip_types(parser)))
        return false;
    if (!read_index(parser, 10, &index))
        return false;
    char *digit = number + sizeof number - 1;
    *digit = '\0';
    for (index++; index > 0; index /= 10)
        *--digit = (char)('0' + index % 10);
    return say(parser, is_lambda ? "{lambda#" : "{unnamed type#") && say(parser, digit) &&
           say(parser, "}");
}

/* Writes the name of a class once more, as the name of its constructor or destructor. The class is
 * the text from `start` to `end`; its name stands behind the last "::", before tags and
 * arguments. */
static bool repeat_class(struct parser *parser, size_t start, size_t end)
{
    const char *text = parser->text;
    size_t at = end, len = 0;
    while (at > start && !(at >= start + 2 && text[at - 1] == ':' && text[at - 2] == ':'))
        at--;
    while (at + len < end && !is_in(text[at + len], "<["))
        len++;
    return len > 0 && append(parser, text + at, len);
}

/* A constructor or destructor of the class in the text from `start` to `end`. */
static bool read_special_member(struct parser *parser, size_t start, size_t end)
{
    bool is_destructor = *parser->at++ == 'D';
    bool inherits = !is_destructor && skip(parser, 'I');
    if (!is_digit(*parser->at))
        return false;
    parser->at++;
    if (is_destructor && !say(parser, "~"))
        return false;
    if (!repeat_class(parser, start, end))
        return false;
    size_t len = parser->len;
    return !inherits || leave_out(parser, len, read_type(parser)); /* the base class */
}

/* "B5cxx11": ABI tags. */
static bool read_tags(struct parser *parser)
{
    while (skip(parser, 'B'))
        if (!say(parser, "[abi:") || !read_identifier(parser) || !say(parser, "]"))
            return false;
    return true;
}

/* A name without its scope, which is the text from `start` to `end`. */
static bool read_unqualified(struct parser *parser, size_t start, size_t end)
{
    bool is_read;
    char c = *parser->at;

    if ((c == 'C' && (is_digit(parser->at[1]) || parser->at[1] == 'I')) ||
        (c == 'D' && is_digit(parser->at[1]))) {
        is_read = read_special_member(parser, start, end);
    } else if (c == 'U' && is_in(parser->at[1], "tl")) {
        parser->at++;
        is_read = read_unnamed(parser);
    } else {
        skip(parser, 'L'); /* internal linkage */
        is_read = is_digit(*parser->at) ? read_identifier(parser) : read_operator(parser);
    }
    return is_read && read_tags(parser);
}

/* One step of a nested name; the text up to here begins at `start`. */
static bool read_step(struct parser *parser, size_t start)
{
    size_t end = parser->len;

    if (*parser->at == 'I')
        return end > start && read_arguments(parser);
    if (end == start) {
        if (skip_pair(parser, "St"))
            return say(parser, "std");
        if (skip(parser, 'S'))
            return read_substitution(parser);
        if (*parser->at == 'T')
            return read_template_parameter(parser);
        if (strncmp(parser->at, "Dt", 2) == 0 || strncmp(parser->at, "DT", 2) == 0)
            return read_type(parser);
    } else if (!say(parser, "::")) {
        return false;
    }
    if (!read_unqualified(parser, start, end))
        return false;
    skip(parser, 'M'); /* a variable: a lambda in its initializer follows */
    return true;
}

/* Behind "N". All steps but the last are substitution candidates, except "std" and
 * substitutions. */
static bool read_nested(struct parser *parser)
{
    size_t start = parser->len;
    bool has_steps = false;

    while (is_in(*parser->at, "rVK"))
        parser->at++;
    if (is_in(*parser->at, "RO"))
        parser->at++;
    while (!skip(parser, 'E')) {
        bool is_reference = *parser->at == 'S' || (*parser->at == 'D' && !has_steps);
        if (!read_step(parser, start))
            return false;
        if (*parser->at != 'E' && !is_reference && !remember(parser, start))
            return false;
        has_steps = true;
    }
    return has_steps;
}

/* Behind a local name: "_0", "__10_". */
static void skip_discriminator(struct parser *parser)
{
    size_t number;
    if (*parser->at != '_')
        return;
    if (is_digit(parser->at[1])) {
        parser->at += 2;
    } else if (parser->at[1] == '_' && is_digit(parser->at[2])) {
        parser->at += 2;
        read_number(parser, &number);
        skip(parser, '_');
    }
}

/* Behind "Z": a function, and a name in it. */
static bool read_local(struct parser *parser)
{
    size_t index;
    if (!read_encoding(parser) || !skip(parser, 'E'))
        return false;
    if (skip(parser, 's')) {
        skip_discriminator(parser);
        return say(parser, "::string literal");
    }
    if (skip(parser, 'd') && !(read_index(parser, 10, &index) && say(parser, "::{default arg}")))
        return false;
    if (!say(parser, "::") || !read_name(parser))
        return false;
    skip_discriminator(parser);
    return true;
}

/* A name in no class and in no namespace other than std. */
static bool read_unscoped(struct parser *parser)
{
    size_t start = parser->len;
    bool is_substitution = false;

    if (skip_pair(parser, "St")) {
        if (!say(parser, "std::") || !read_unqualified(parser, start, start))
            return false;
    } else if (skip(parser, 'S')) {
        is_substitution = true;
        if (!read_substitution(parser))
            return false;
    } else if (!read_unqualified(parser, start, start)) {
        return false;
    }
    if (*parser->at != 'I')
        return !is_substitution;
    return (is_substitution || remember(parser, start)) && read_arguments(parser);
}

static bool read_any_name(struct parser *parser)
{
    if (skip(parser, 'N'))
        return read_nested(parser);
    return skip(parser, 'Z') ? read_local(parser) : read_unscoped(parser);
}

static bool read_name(struct parser *parser)
{
    return read_deeper(parser, read_any_name);
}

/* Functions ------------------------------------------------------------------------------------ */

/* The offsets of a thunk: "n16_", and "16_n24_" for two. */
static bool skip_offsets(struct parser *parser, int count)
{
    size_t number;
    for (; count > 0; count--) {
        skip(parser, 'n');
        if (!read_number(parser, &number) || !skip(parser, '_'))
            return false;
    }
    return true;
}

/* Behind "T": a function that the compiler made. Tables (vtables, type info) are refused. */
static bool read_special(struct parser *parser)
{
    if (skip(parser, 'h'))
        return say(parser, "non-virtual thunk to ") && skip_offsets(parser, 1) && read_name(parser);
    if (skip(parser, 'v'))
        return say(parser, "virtual thunk to ") && skip_offsets(parser, 2) && read_name(parser);
    if (skip(parser, 'H'))
        return say(parser, "TLS init function for ") && read_name(parser);
    return skip(parser, 'W') && say(parser, "TLS wrapper function for ") && read_name(parser);
}

/* A function. The types of its parameters are parsed and not shown, up to the end of the name or to
 * the "E" of an enclosing one. */
static bool read_function_name(struct parser *parser)
{
    bool is_read = skip(parser, 'T') ? read_special(parser) : read_name(parser);
    while (is_read && *parser->at && !is_in(*parser->at, "E.")) {
        size_t start = parser->len;
        is_read = leave_out(parser, start, read_type(parser));
    }
    return is_read;
}

static bool read_encoding(struct parser *parser)
{
    return read_deeper(parser, read_function_name);
}

bool um_itanium_plain(const char *mangled, char *plain, size_t cap_bytes)
{
    bool fits = false;

    plain[0] = '\0';
    if (strncmp(mangled, "_Z", 2) != 0)
        return false;
    struct parser *parser = calloc(1, sizeof *parser);
    if (!parser)
        return false;
    parser->at = mangled + 2;
    if (read_encoding(parser) && *parser->at != 'E' && parser->len < cap_bytes &&
        !memchr(parser->text, UNKNOWN, parser->len)) {
        memcpy(plain, parser->text, parser->len);
        plain[parser->len] = '\0';
        fits = true;
    }
    free(parser);
    return fits;
}
