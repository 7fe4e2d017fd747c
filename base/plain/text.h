/* UTF-8 from somewhere else: where its characters end, and how it gets into an array of fixed size.
 * What is shown of a text, and how texts are compared, is in base/utf8.h. Freestanding.
 */
#ifndef UM_BASE_PLAIN_TEXT_H
#define UM_BASE_PLAIN_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes the character at `at` has; 0 if there is none within the `left` bytes (at least
 * 1). Reads no further than the first byte that does not belong to it. */
size_t um_text_character_bytes(const uint8_t *at, size_t left);

/* Copies text into a field of `cap_bytes` (at least 1), up to a NUL, the end of the text or the
 * last character that fits. '?' stands for each byte that is not UTF-8, so the field always holds
 * valid UTF-8 and ends in a NUL. */
void um_text_copy(char *field, size_t cap_bytes, const uint8_t *text, size_t len_bytes);

/* The same of a text that ends in a NUL. `text` may be NULL: an empty text. */
void um_text_set(char *field, size_t cap_bytes, const char *text);

/* Goes on with a hash of a text's bytes, which begins with UM_TEXT_HASH. Source: FNV-1a. */
#define UM_TEXT_HASH UINT32_C(2166136261)
uint32_t um_text_hash(uint32_t hash, const char *bytes, size_t len_bytes);

/* Ends a text that was cut to a field of `cap_bytes` (at least 16) with "…#3f2a": four digits of
 * the hash of the whole text, so that texts that differ behind the cut stay different. The field
 * may end within a character. */
void um_text_mark_cut(char *field, size_t cap_bytes, uint32_t hash);

#endif
