#include "monitor/target/pings.h"

#include "base/ns.h"

void um_pings_sent(struct um_pings *pings, uint32_t tag, uint64_t now_ns)
{
    if (pings->sent_ns == 0) {
        *pings = (struct um_pings){.proven = pings->proven,
                                   .sent_ns = now_ns,
                                   .beat = tag,
                                   .awaited_ns = now_ns,
                                   .unnamed = pings->unnamed,
                                   .answered_ns = pings->answered_ns};
        pings->apart_ns = UM_PINGS_AGAIN_NS;
    } else {
        pings->apart_ns = um_ns_min(2 * pings->apart_ns, UM_PINGS_APART_NS);
    }
    pings->last = tag;
    pings->asked_ns = now_ns;
    pings->unanswered++;
}

/* Whether a tag comes after another one. They begin anew after the greatest number. */
static bool is_after(uint32_t tag, uint32_t other)
{
    return (int32_t)(tag - other) > 0;
}

static bool is_out(const struct um_pings *pings, uint32_t tag)
{
    if (pings->sent_ns == 0 || pings->unanswered == 0)
        return false;
    if (tag == 0)
        return true;
    bool is_known = !is_after(pings->beat, tag) && !is_after(tag, pings->last);
    return is_known && (pings->heard == 0 || is_after(tag, pings->heard));
}

bool um_pings_answer(struct um_pings *pings, uint32_t tag, uint64_t now_ns)
{
    if (!is_out(pings, tag))
        return false;
    if (pings->heard_ns == 0) {
        pings->answered_ns = now_ns;
        pings->first_answered = tag == 0 || tag == pings->beat;
    }
    pings->heard_ns = now_ns;
    pings->heard = tag;
    pings->unnamed |= tag == 0;
    pings->unanswered--;
    return true;
}

void um_pings_look(struct um_pings *pings, uint64_t waits, bool waiting)
{
    if (pings->looked && pings->heard_ns == 0)
        pings->wakes += waits - pings->waits;
    pings->waiting = waiting;
    pings->waits = waits;
    pings->looked = true;
}

void um_pings_stopped(struct um_pings *pings, uint64_t now_ns)
{
    pings->looked = false;
    pings->awaited_ns = pings->asked_ns = now_ns;
}

void um_pings_forget(struct um_pings *pings, uint64_t now_ns)
{
    if (pings->sent_ns != 0 && pings->unnamed && pings->unanswered > 0)
        pings->quiet_ns = now_ns + UM_PINGS_SILENT_NS;
    pings->sent_ns = 0;
    pings->unknown = pings->silent = false;
}

bool um_pings_is_quiet(const struct um_pings *pings, uint64_t now_ns)
{
    return now_ns < pings->quiet_ns;
}

bool um_pings_may_send(const struct um_pings *pings, uint64_t now_ns)
{
    return pings->sent_ns == 0 && !um_pings_is_quiet(pings, now_ns);
}

uint64_t um_pings_due_ns(const struct um_pings *pings)
{
    return pings->heard_ns != 0 ? pings->heard_ns + UM_PINGS_TOGETHER_NS
                                : pings->asked_ns + pings->apart_ns;
}

bool um_pings_goes_on(const struct um_pings *pings)
{
    return pings->sent_ns != 0 && pings->wakes >= UM_PINGS_WAKES;
}

/* What an answer means, if there is one. The thread wakes once more to give it. */
static enum um_pings_step poll_answers(const struct um_pings *pings, uint64_t now_ns)
{
    if (pings->heard_ns == 0)
        return UM_PINGS_WAIT;
    if (!pings->first_answered)
        return UM_PINGS_LOST;
    bool may_have_woken = pings->heard == 0 || pings->wakes + 1 >= UM_PINGS_WAKES;
    if (pings->unanswered == 0 || !may_have_woken)
        return UM_PINGS_ANSWERED;
    if (now_ns < um_pings_due_ns(pings))
        return UM_PINGS_WAIT;
    return pings->waiting ? UM_PINGS_LOST : UM_PINGS_ANSWERED;
}

/* What it means that there is none. */
static enum um_pings_step poll_silence(struct um_pings *pings, uint64_t now_ns)
{
    uint64_t waited_ns = now_ns - pings->awaited_ns;
    if (!pings->silent && waited_ns >= UM_PINGS_SILENT_NS && um_pings_goes_on(pings)) {
        pings->silent = pings->unknown = true;
        pings->proven = false;
        return UM_PINGS_SILENT;
    }
    if (!pings->proven && !pings->unknown && waited_ns >= UM_PINGS_AGAIN_NS) {
        pings->unknown = true;
        return UM_PINGS_LATE;
    }
    return UM_PINGS_WAIT;
}

enum um_pings_step um_pings_poll(struct um_pings *pings, bool open, uint64_t now_ns)
{
    if (pings->sent_ns == 0)
        return UM_PINGS_WAIT;
    enum um_pings_step step = poll_answers(pings, now_ns);
    if (step != UM_PINGS_WAIT) {
        pings->proven = step == UM_PINGS_ANSWERED;
        um_pings_forget(pings, now_ns);
        return step;
    }
    if (pings->heard_ns != 0)
        return UM_PINGS_WAIT; /* for the other answers */
    if (open)
        step = poll_silence(pings, now_ns);
    if (step != UM_PINGS_WAIT)
        return step;
    return now_ns >= um_pings_due_ns(pings) ? UM_PINGS_AGAIN : UM_PINGS_WAIT;
}
