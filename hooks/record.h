/* The records of the hook DLL's two rings: how one is packed where something is observed, and how
 * the worker unpacks it into the frame of ipc/wire.h that it sends.
 *
 * Each um_record_<type> packs what um_record_unpack finds again. A record is four words:
 *
 *   word   TAKEN               SEEN   SENT            PROBE
 *   0      counter ticks, in all of them
 *   1      bits 0-7 the type, bits 8-15 the frame's flags, bits 16-23 of TAKEN whether it was
 *          promoted, and in bits 32-63:
 *          message             seq    seq             error
 *   2      bits 0-31 hwnd,     0      counter ticks   bits 0-7 probe, 8-15 status,
 *          bits 32-63 own_ms          of rested_ns    16-31 reason, 32-39 held
 *   3      bits 0-31 age_ms,   0      bits 0-31       0
 *          bits 32-63 key             skipped, 32-39
 *                                     beat_kind, 40-47
 *                                     left_out
 *
 * A window's handle has 32 significant bits in 64-bit programs too, because 32-bit programs use the
 * same handles ("Interprocess Communication Between 32-bit and 64-bit Applications", Microsoft).
 *
 * Times stay ticks until the worker unpacks them, because a division is too dear for a hook
 * procedure. Packing is on the hot path. Freestanding and portable.
 */
#ifndef UM_HOOKS_RECORD_H
#define UM_HOOKS_RECORD_H

#include <stdint.h>

#include "base/plain/clock.h"
#include "base/plain/ring.h"
#include "ipc/wire.h"

static inline uint64_t um_record_word1(enum um_wire_type type, uint8_t flags, uint32_t value)
{
    return (uint64_t)type | (uint64_t)flags << 8 | (uint64_t)value << 32;
}

/* A message was removed from the queue: `taken`, except its time_ns. Flags: UM_WIRE_TAKEN_*. */
static inline struct um_ring_record um_record_taken(uint64_t ticks, uint8_t flags,
                                                    const struct um_wire_taken *taken)
{
    return (struct um_ring_record){
        {ticks,
         um_record_word1(UM_WIRE_TAKEN, flags, taken->message) | (uint64_t)taken->promoted << 16,
         (uint32_t)taken->hwnd | (uint64_t)taken->own_ms << 32,
         (uint64_t)taken->age_ms | (uint64_t)taken->key << 32}};
}

/* The question about a beat was taken. Units: `asked` counter ticks. */
static inline struct um_ring_record um_record_asked(uint64_t ticks, uint64_t asked, uint32_t seq)
{
    return (struct um_ring_record){{ticks, um_record_word1(UM_WIRE_ASKED, 0, seq), asked}};
}

/* A beat was dequeued. `flags` are UM_WIRE_SEEN_*. */
static inline struct um_ring_record um_record_seen(uint64_t ticks, uint8_t flags, uint32_t seq)
{
    return (struct um_ring_record){{ticks, um_record_word1(UM_WIRE_SEEN, flags, seq)}};
}

/* A beat is about to be sent: `sent`, except its times. Units: `rested` counter ticks, 0: not
 * known. */
static inline struct um_ring_record um_record_sent(uint64_t ticks, uint64_t rested,
                                                   const struct um_wire_sent *sent)
{
    return (struct um_ring_record){
        {ticks, um_record_word1(UM_WIRE_SENT, 0, sent->seq), rested,
         sent->skipped | (uint64_t)sent->beat_kind << 32 | (uint64_t)sent->left_out << 40}};
}

/* The DLL measures in another way from now on, or cannot. `error` is the system's, 0 for none. */
static inline struct um_ring_record um_record_probe(uint64_t ticks, enum um_probe probe,
                                                    enum um_probe_status status,
                                                    enum um_probe_reason reason,
                                                    enum um_probe_held held, uint32_t error)
{
    return (struct um_ring_record){
        {ticks, um_record_word1(UM_WIRE_PROBE, 0, error),
         (uint64_t)probe | (uint64_t)status << 8 | (uint64_t)reason << 16 | (uint64_t)held << 32}};
}

/* When it happened. Units: counter ticks. */
static inline uint64_t um_record_ticks(const struct um_ring_record *record)
{
    return record->word[0];
}

/* Writes the record as a frame. If none of the above made the record, the frame gets only its type
 * and flags.
 * Units: `ticks_per_s` (not 0) of the counter that the record's ticks are of. */
static inline void um_record_unpack(const struct um_ring_record *record, uint64_t ticks_per_s,
                                    struct um_wire_frame *frame)
{
    const uint64_t *word = record->word;
    uint64_t time_ns = um_clock_ticks_to_ns(um_record_ticks(record), ticks_per_s);
    uint32_t value = (uint32_t)(word[1] >> 32);

    frame->type = (uint8_t)word[1];
    frame->flags = (uint8_t)(word[1] >> 8);
    switch (frame->type) {
    case UM_WIRE_TAKEN:
        frame->as.taken.time_ns = time_ns;
        frame->as.taken.hwnd = (uint32_t)word[2];
        frame->as.taken.message = value;
        frame->as.taken.age_ms = (uint32_t)word[3];
        frame->as.taken.key = (uint32_t)(word[3] >> 32);
        frame->as.taken.own_ms = (uint32_t)(word[2] >> 32);
        frame->as.taken.promoted = (uint8_t)(word[1] >> 16);
        break;
    case UM_WIRE_ASKED:
        frame->as.asked.time_ns = time_ns;
        frame->as.asked.asked_ns = um_clock_ticks_to_ns(word[2], ticks_per_s);
        frame->as.asked.seq = value;
        break;
    case UM_WIRE_SEEN:
        frame->as.seen.time_ns = time_ns;
        frame->as.seen.seq = value;
        break;
    case UM_WIRE_SENT:
        frame->as.sent.time_ns = time_ns;
        frame->as.sent.seq = value;
        frame->as.sent.rested_ns = um_clock_ticks_to_ns(word[2], ticks_per_s);
        frame->as.sent.skipped = (uint32_t)word[3];
        frame->as.sent.beat_kind = (uint8_t)(word[3] >> 32);
        frame->as.sent.left_out = (uint8_t)(word[3] >> 40);
        break;
    case UM_WIRE_PROBE:
        frame->as.probe.time_ns = time_ns;
        frame->as.probe.probe = (uint8_t)word[2];
        frame->as.probe.status = (uint8_t)(word[2] >> 8);
        frame->as.probe.reason = (uint16_t)(word[2] >> 16);
        frame->as.probe.error = value;
        frame->as.probe.held = (uint8_t)(word[2] >> 32);
        break;
    default:
        break;
    }
}

#endif
