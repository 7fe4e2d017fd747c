/* The tag of a beat: SendInput carries it in dwExtraInfo, and raw input and mouse hooks find it
 * there again.
 *
 * Only 32 bits survive raw input (RAWMOUSE.ulExtraInformation). Bits 31 to 20 are the magic. Bit 7
 * is 0 and (tag & 0xffffff00) is never 0xff515700, because these would mark pen and touch input.
 * The other 19 bits are a sequence number that starts at random and wraps. On the hot path;
 * freestanding.
 */
#ifndef UM_BASE_TAG_H
#define UM_BASE_TAG_H

#include <stdint.h>

#define UM_TAG_MAGIC UINT32_C(0xb3a)
#define UM_TAG_SEQ_MASK UINT32_C(0x7ffff)

/* The tag of sequence number `seq`, of which only the low 19 bits count; never 0. */
static inline uint32_t um_tag_make(uint32_t seq)
{
    return UM_TAG_MAGIC << 20 | (seq & UINT32_C(0x7ff80)) << 1 | (seq & UINT32_C(0x7f));
}

/* Whether this input is a beat of any uimon. Such input is never the user's. */
static inline int um_tag_is_beat(uint64_t extra)
{
    return (extra & UINT32_C(0xfff00080)) == UM_TAG_MAGIC << 20;
}

/* The sequence number in a tag. */
static inline uint32_t um_tag_seq(uint32_t tag)
{
    return (tag >> 1 & UINT32_C(0x7ff80)) | (tag & UINT32_C(0x7f));
}

#endif
