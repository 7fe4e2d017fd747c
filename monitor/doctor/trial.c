#include "monitor/doctor/trial.h"

#include <stdlib.h>

#include "base/plain/message.h"

#define AGREE_MS 1

static struct um_trial_beat *find_beat(struct um_trial *trial, uint32_t seq)
{
    for (size_t i = trial->beat_count; i > 0; i--)
        if (trial->beats[i - 1].seq == seq)
            return &trial->beats[i - 1];
    return NULL;
}

static void take_sent(struct um_trial *trial, const struct um_wire_sent *sent)
{
    if (trial->beat_count == UM_TRIAL_BEATS)
        return;
    trial->beats[trial->beat_count++] =
        (struct um_trial_beat){.seq = sent->seq, .sent_ns = sent->time_ns};
    trial->skipped += sent->skipped;
    trial->rested += sent->rested_ns != 0;
}

static void take_seen(struct um_trial *trial, const struct um_wire_seen *seen, uint8_t flags)
{
    struct um_trial_beat *beat = find_beat(trial, seen->seq);
    if (!beat || beat->latency_ns)
        return;
    beat->latency_ns = seen->time_ns > beat->sent_ns ? seen->time_ns - beat->sent_ns : 1;
    trial->raw |= (flags & UM_WIRE_SEEN_RAW) != 0;
}

static void take_taken(struct um_trial *trial, const struct um_wire_taken *taken, uint8_t flags)
{
    /* Over a window the mouse message may come first, and then SEEN is about that alone. */
    trial->raw |= taken->message == UM_MESSAGE_INPUT && (flags & UM_WIRE_TAKEN_OURS);
    trial->moves += um_message_is_mouse_move(taken->message) && (flags & UM_WIRE_TAKEN_OURS);
    if (flags & UM_WIRE_TAKEN_PAINT)
        trial->paints++;
    if (!um_message_is_key_press(taken->message))
        return;
    if (!(flags & UM_WIRE_TAKEN_INPUT))
        trial->keys_unmarked++;
    else if (trial->keys_taken++ < UM_TRIAL_KEYS)
        trial->taken_ms[trial->keys_taken - 1] = taken->own_ms;
}

void um_trial_frame(struct um_trial *trial, const struct um_wire_frame *frame)
{
    switch (frame->type) {
    case UM_WIRE_SENT:
        take_sent(trial, &frame->as.sent);
        break;
    case UM_WIRE_SEEN:
        take_seen(trial, &frame->as.seen, frame->flags);
        break;
    case UM_WIRE_TAKEN:
        take_taken(trial, &frame->as.taken, frame->flags);
        break;
    case UM_WIRE_PROBE:
        trial->probe = frame->as.probe;
        trial->pointer_shown |= frame->as.probe.held == UM_PROBE_HELD_POINTER;
        break;
    default:
        break;
    }
}

void um_trial_control(struct um_trial *trial, uint32_t seq)
{
    if (trial->control_count < sizeof trial->controls / sizeof trial->controls[0])
        trial->controls[trial->control_count++] = seq;
}

void um_trial_arrival(struct um_trial *trial, const struct um_arrival *arrival)
{
    if (arrival->kind != UM_INTERACTION_KEY || arrival->release)
        return;
    if (trial->arrival_count++ < UM_TRIAL_KEYS)
        trial->arrival_ms[trial->arrival_count - 1] = arrival->own_ms;
}

bool um_trial_overdue(const struct um_trial *trial, uint64_t before_ns, uint32_t *seq)
{
    if (trial->beat_count == 0)
        return false;
    const struct um_trial_beat *last = &trial->beats[trial->beat_count - 1];
    *seq = last->seq;
    return last->latency_ns == 0 && last->sent_ns < before_ns;
}

static int compare_ns(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t um_trial_median_ns(uint64_t *values, size_t count)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof values[0], compare_ns);
    return values[(count - 1) / 2];
}

static uint32_t count_agreeing(const struct um_trial *trial)
{
    uint32_t count = 0;
    if (trial->keys_taken != trial->arrival_count)
        return 0;
    for (uint32_t i = 0; i < trial->keys_taken && i < UM_TRIAL_KEYS; i++) {
        uint32_t apart = trial->taken_ms[i] - trial->arrival_ms[i] + AGREE_MS;
        count += apart <= 2 * AGREE_MS;
    }
    return count;
}

static bool is_controlled(const struct um_trial *trial, uint32_t seq)
{
    for (size_t i = 0; i < trial->control_count; i++)
        if (trial->controls[i] == seq)
            return true;
    return false;
}

void um_trial_add_up(const struct um_trial *trial, struct um_trial_sum *sum)
{
    uint64_t latencies[UM_TRIAL_BEATS];
    size_t count = 0;

    *sum = (struct um_trial_sum){.sent = trial->beat_count};
    for (size_t i = 0; i < trial->beat_count; i++) {
        sum->control += is_controlled(trial, trial->beats[i].seq);
        if (trial->beats[i].latency_ns)
            latencies[count++] = trial->beats[i].latency_ns;
    }
    sum->target = count;
    sum->keys_agreeing = count_agreeing(trial);
    sum->p50_ns = um_trial_median_ns(latencies, count);
}
