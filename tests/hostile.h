/* Texts that a watched program, a file or a neighbour may have chosen to do harm, and what no
 * output for people may have in it. */
#ifndef UM_TESTS_HOSTILE_H
#define UM_TESTS_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

static const char *const hostile_texts[] = {
    "\x1b]0;owned\x07", /* the terminal's title */
    "\x1b[2J\x1b[1;1H", /* clears the screen */
    "\xc2\x9b"
    "31m red", /* CSI as one character, */
    "\x9b"
    "31m red",            /* and as one byte, which is no UTF-8 */
    "a\nuimon: forged",   /* a line of its own */
    "a\r\nuimon: forged", /* and with a carriage return */
    "\x08\x08\x7f over what stands there",
    "\xe2\x80\xae"
    "exe.gpj",              /* written from right to left, */
    "\xe2\x81\xa7isolated", /* and isolated so */
    "a\xe2\x80\xa8"
    "b\xe2\x80\xa9"
    "c",                        /* lines and paragraphs of Unicode's own */
    "\xed\xa0\x80 half a pair", /* a lone surrogate */
    "</script><img src=x onerror=alert(1)>",
    "![x](http://example.com/x.png)",
    "@everyone look at #1",
    "`code` | cell | **bold**",
    "=HYPERLINK(\"http://example.com\")",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "\t=1+1",
    "a;=1+1", /* Excel cuts at semicolons in some countries, */
    "a;\"=1", /* also between quotes, and takes this for one as well */
    "\xef\xbc\x9d"
    "1+1", /* a full-width equals sign */
    "a\xc2\x85"
    "b", /* C1 */
};
#define HOSTILE_TEXTS (sizeof hostile_texts / sizeof hostile_texts[0])

/* What must not come out: said here once more, so that the product's own list is not the judge. */
static inline bool hostile_is_harmful(uint32_t c)
{
    return (c < 0x20 && c != '\n') || (c >= 0x7f && c <= 0x9f) || c == 0x061c || c == 0x200e ||
           c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Whether the text is UTF-8 without such characters. */
static inline bool hostile_is_harmless(const char *text)
{
    if (!um_utf8_valid(text, strlen(text)))
        return false;
    for (uint32_t c; (c = um_utf8_next(&text)) != 0;)
        if (hostile_is_harmful(c))
            return false;
    return true;
}

static inline size_t hostile_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

#endif
