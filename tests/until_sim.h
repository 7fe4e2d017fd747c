/* Sittings of pairs made up with seeded numbers, on machines that misbehave in five ways: how often
 * the same build is called different, how often a slowdown is found, and after how many pairs.
 * Shared by the unit test that holds the rates and the benchmark that prints them.
 */
#ifndef UM_TESTS_UNTIL_SIM_H
#define UM_TESTS_UNTIL_SIM_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/random.h"
#include "monitor/compare/until.h"

enum until_sim_noise {
    UNTIL_SIM_INDEPENDENT,
    UNTIL_SIM_DRIFT,  /* linear, by 3 standard deviations of a run over the sitting */
    UNTIL_SIM_WALK,   /* 0.5 standard deviations a run */
    UNTIL_SIM_STATES, /* two, 30 % apart, which change with probability 0.1 a run */
    UNTIL_SIM_SPIKES, /* each run takes three times as long with probability 1/12 */
    UNTIL_SIM_NOISES
};

static const char *const until_sim_names[UNTIL_SIM_NOISES] = {"independent", "drift", "random walk",
                                                              "two states", "spikes"};

/* A machine: each call is a run, and gives the time that it takes. */
struct until_sim_machine {
    struct um_random random;
    enum until_sim_noise noise;
    double spread; /* standard deviation of a run, as a share */
    uint32_t runs; /* of the whole sitting */
    uint32_t at;
    double walk;
    bool slow;
};

static inline double until_sim_run(struct until_sim_machine *machine)
{
    double level = machine->spread * um_random_normal(&machine->random);

    machine->walk += 0.5 * machine->spread * um_random_normal(&machine->random);
    if (um_random_unit(&machine->random) < 0.1)
        machine->slow = !machine->slow;
    bool spikes = um_random_unit(&machine->random) < 1.0 / 12;
    if (machine->noise == UNTIL_SIM_DRIFT)
        level += 3 * machine->spread * machine->at / machine->runs;
    if (machine->noise == UNTIL_SIM_WALK)
        level += machine->walk;
    double ms = 40 * exp(level);
    if (machine->noise == UNTIL_SIM_STATES && machine->slow)
        ms *= 1.3;
    if (machine->noise == UNTIL_SIM_SPIKES && spikes)
        ms *= 3;
    machine->at++;
    return ms;
}

/* What became of many sittings. */
struct until_sim_rates {
    double slower, faster, same, cannot_tell; /* shares */
    double pairs;                             /* on average */
};

/* A plan that looks once, after `most` pairs. */
static inline struct um_until until_sim_once(uint32_t most, double within)
{
    struct um_until once = {.within = within, .looks = 1, .pairs = {most}};
    if (um_alpha_spending_levels(once.pairs, 1, UM_UNTIL_ALPHA, once.levels) != UM_OK)
        abort();
    return once;
}

/* Whether a sitting ends after these pairs: the answer is known, or it was the last pair. */
static inline bool until_sim_ends(const struct um_until *until, const double *before,
                                  const double *after, uint32_t pairs, enum um_until_answer *answer)
{
    double level = um_until_level(until, pairs);
    double p;
    if (!(level > 0))
        return false;
    if (um_until_decide(before, after, pairs, level, until->within, answer, &p) != UM_OK)
        abort();
    return *answer != UM_UNTIL_CANNOT_TELL || pairs == until->pairs[until->looks - 1];
}

/* One sitting, whose sides take `before_factor` and `after_factor` times as long; the order of each
 * pair is drawn. `pairs` gets how many it took. */
static inline enum um_until_answer until_sim_sit(const struct um_until *until,
                                                 struct until_sim_machine *machine,
                                                 double before_factor, double after_factor,
                                                 uint32_t *pairs)
{
    double before[UM_PAIRED_MOST], after[UM_PAIRED_MOST];
    enum um_until_answer answer;

    *pairs = 0;
    do {
        bool after_first = um_random_below(&machine->random, 2);
        double first = until_sim_run(machine), second = until_sim_run(machine);
        before[*pairs] = before_factor * (after_first ? second : first);
        after[*pairs] = after_factor * (after_first ? first : second);
        ++*pairs;
    } while (!until_sim_ends(until, before, after, *pairs, &answer));
    return answer;
}

/* Sits `sittings` times, AFTER taking `factor` times as long, with the order of each pair drawn. */
static inline struct until_sim_rates until_sim(const struct um_until *until,
                                               enum until_sim_noise noise, double spread,
                                               double factor, uint32_t sittings, uint64_t seed)
{
    struct um_random seeds = {seed};
    uint32_t most = until->pairs[until->looks - 1];
    uint32_t counts[UM_UNTIL_CANNOT_TELL + 1] = {0};
    uint64_t pairs_in_all = 0;

    for (uint32_t i = 0; i < sittings; i++) {
        struct until_sim_machine machine = {
            .random = {um_random_next(&seeds)}, .noise = noise, .spread = spread, .runs = 2 * most};
        uint32_t pairs;
        counts[until_sim_sit(until, &machine, 1, factor, &pairs)]++;
        pairs_in_all += pairs;
    }
    return (struct until_sim_rates){.slower = (double)counts[UM_UNTIL_SLOWER] / sittings,
                                    .faster = (double)counts[UM_UNTIL_FASTER] / sittings,
                                    .same = (double)counts[UM_UNTIL_SAME] / sittings,
                                    .cannot_tell = (double)counts[UM_UNTIL_CANNOT_TELL] / sittings,
                                    .pairs = (double)pairs_in_all / sittings};
}

#endif
