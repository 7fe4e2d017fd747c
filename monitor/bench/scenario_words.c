#include "monitor/bench/scenario_words.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

struct splitter {
    const char *at;
    um_scenario_words_lookup *lookup;
    void *context;
    struct um_scenario_words *out;
    char *error;
    size_t error_cap;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

size_t um_scenario_words_name_bytes(const char *text)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char rest[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return strspn(text, first) ? strspn(text, rest) : 0;
}

static bool refuse(struct splitter *splitter, const char *what)
{
    snprintf(splitter->error, splitter->error_cap, "%s", what);
    return false;
}

static bool put(struct splitter *splitter, const char *bytes, size_t len)
{
    struct um_scenario_words *out = splitter->out;
    if (len >= sizeof out->bytes - out->used)
        return refuse(splitter, "the line is too long with the values of its variables");
    memcpy(out->bytes + out->used, bytes, len);
    out->used += len;
    return true;
}

/* Called after "${": writes the variable's value in its place. */
static bool put_variable(struct splitter *splitter)
{
    char name[UM_SCENARIO_NAME_BYTES];
    size_t len = um_scenario_words_name_bytes(splitter->at);

    if (len == 0 || splitter->at[len] != '}')
        return refuse(splitter, "'${' needs a variable's name and '}', as in ${NAME}; in quotes, "
                                "\\$ is a dollar sign");
    if (len >= sizeof name)
        return refuse(splitter, "a variable's name is longer than 63 bytes");
    memcpy(name, splitter->at, len);
    name[len] = 0;
    splitter->at += len + 1;
    const char *value = splitter->lookup(splitter->context, name);
    if (value)
        return put(splitter, value, strlen(value));
    snprintf(splitter->error, splitter->error_cap,
             "there is no variable '%s'; give it a value above this line: set %s VALUE", name,
             name);
    return false;
}

/* Called after a backslash in quotes: writes the character that it stands for. */
static bool put_escape(struct splitter *splitter)
{
    static const char codes[] = "nt\"\\$";
    static const char values[] = "\n\t\"\\$";
    const char *code = *splitter->at ? strchr(codes, *splitter->at) : NULL;

    if (code) {
        splitter->at++;
        return put(splitter, &values[code - codes], 1);
    }
    const char *after = splitter->at;
    um_utf8_next(&after);
    char wrong_code[8] = "";
    memcpy(wrong_code, splitter->at, (size_t)(after - splitter->at)); /* at most 4 bytes */
    snprintf(
        splitter->error, splitter->error_cap,
        "'\\%s' is not an escape; the escapes are \\n \\t \\\" \\\\ \\$, and \\\\ is one backslash",
        um_utf8_show(wrong_code, 2).text);
    return false;
}

/* Called after an opening quote: writes what follows, up to the closing one. */
static bool put_quoted(struct splitter *splitter)
{
    bool good = true;
    while (good && *splitter->at && *splitter->at != '"') {
        const char *at = splitter->at;
        splitter->at += at[0] == '$' && at[1] == '{' ? 2 : 1;
        if (at[0] == '\\')
            good = put_escape(splitter);
        else if (splitter->at == at + 2)
            good = put_variable(splitter);
        else
            good = put(splitter, at, 1);
    }
    if (!good)
        return false;
    if (*splitter->at != '"')
        return refuse(splitter, "the closing quote is missing");
    splitter->at++;
    return true;
}

static bool put_word(struct splitter *splitter)
{
    struct um_scenario_words *out = splitter->out;
    bool good = true;

    if (out->count == UM_SCENARIO_MAX_WORDS)
        return refuse(splitter, "there are more than 64 words in the line");
    struct um_scenario_word *word = &out->list[out->count++];
    word->text = out->bytes + out->used;
    word->quoted = false;
    while (good && *splitter->at && !is_blank(*splitter->at)) {
        const char *at = splitter->at;
        splitter->at += at[0] == '$' && at[1] == '{' ? 2 : 1;
        if (at[0] == '"') {
            word->quoted = true;
            good = put_quoted(splitter);
        } else if (splitter->at == at + 2) {
            good = put_variable(splitter);
        } else {
            good = put(splitter, at, 1);
        }
    }
    return good && put(splitter, "", 1);
}

enum um_status um_scenario_words_split(const char *line, um_scenario_words_lookup *lookup,
                                       void *context, struct um_scenario_words *out, char *error,
                                       size_t error_cap)
{
    struct splitter splitter = {line, lookup, context, out, error, error_cap};

    out->count = 0;
    out->used = 0;
    for (;;) {
        while (is_blank(*splitter.at))
            splitter.at++;
        if (!*splitter.at || *splitter.at == '#')
            return UM_OK;
        if (!put_word(&splitter))
            return UM_ERR_FORMAT;
    }
}
