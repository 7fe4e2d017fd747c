#include "monitor/measure/beat_load.h"

#include "base/ns.h"

/* How far apart beats must be that take so much in all. */
static uint64_t apart_ns(uint64_t beats, uint64_t own_ns)
{
    double apart = (double)own_ns / (double)beats / UM_BEAT_LOAD_SHARE;
    return apart < (double)UM_BEAT_LOAD_MOST_NS ? (uint64_t)apart : UM_BEAT_LOAD_MOST_NS;
}

bool um_beat_load_take(struct um_beat_load *load, uint64_t now_ns, uint64_t beats, uint64_t own_ns)
{
    uint64_t before_ns = load->spare_ns;
    uint64_t span_ns = um_ns_elapsed(load->from_ns, now_ns);
    uint64_t seen = beats - load->beats;
    uint64_t took_ns = um_ns_elapsed(load->own_ns, own_ns);

    if (load->from_ns && (span_ns < UM_BEAT_LOAD_NS || seen < UM_BEAT_LOAD_BEATS))
        return false;
    if (load->from_ns) {
        uint64_t needed_ns = apart_ns(seen, took_ns);
        bool heavy = (double)took_ns > UM_BEAT_LOAD_SHARE * (double)span_ns;
        if ((heavy && needed_ns > load->spare_ns) || needed_ns < load->spare_ns / 2)
            load->spare_ns = needed_ns;
    }
    load->from_ns = now_ns;
    load->beats = beats;
    load->own_ns = own_ns;
    return load->spare_ns != before_ns;
}
