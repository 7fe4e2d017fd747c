/* Freezes against the demo's own log, at both thresholds and with both kinds of beat: how far their
 * begins and lengths are off, and how many are missing, are there twice, or are none. Their lengths
 * at a lower threshold, beside the ancestor's rule: accuracy.c. */
#include "tests/bench/measures.h"

#include <math.h>
#include <stdio.h>

#include "tests/bench/driver.h"
#include "tests/bench/freezes.h"

#define LIST                                                                                       \
    "20,sent:20,35,sent:35,50,sent:50,80,sent:80,120,sent:120,150,sent:150,250,sent:250,500,"      \
    "sent:500"
#define OFF_MS 2.0      /* after a retrieved message */
#define SENT_OFF_MS 1.0 /* after a sent one, beside what is reported as uncertain */
#define NEAR_MS 2.0     /* so near to the threshold a freeze may be reported or not */
#define SENT_NEAR_MS 6.0

static void report(const char *id, const char *what, const struct freezes *freezes, bool sent,
                   unsigned others)
{
    char name[40], budget[40], label[80];
    double most = sent ? SENT_OFF_MS : OFF_MS;
    unsigned wrong = freezes->missing + freezes->twice + others + (sent ? freezes->early : 0);

    snprintf(name, sizeof name, "%s_off", id);
    snprintf(label, sizeof label, "%s: off by", what);
    struct row row = row_of_series(name, label, "ms", &freezes->off);
    snprintf(budget, sizeof budget, "worst %.0f ms", most);
    row_budget(&row, ROW_AT_MOST, most, most, budget);
    row_note(&row, "beside a doubt of %.2f ms, %.2f ms at most", series_median(&freezes->doubt),
             series_max(&freezes->doubt));
    driver_row(&row);
    snprintf(name, sizeof name, "%s_wrong", id);
    row = row_of_number(name, "  missing, twice, too short, or none of the log's", "", wrong,
                        (unsigned)freezes->off.len);
    row_budget(&row, ROW_AT_MOST, 0, NAN, "none");
    row_note(&row, "%u, %u, %u and %u", freezes->missing, freezes->twice, freezes->early, others);
    driver_row(&row);
}

static void run(const char *threshold, const char *beat)
{
    static struct freezes retrieved, sent;
    struct target target;
    struct monitor monitor;
    char id[40], what[80];

    retrieved = sent = (struct freezes){0};
    driver_start_logged(&target, "uimon-demo", "--play", LIST, "--delay", "2500", "--pause", "150",
                        NULL);
    driver_watch(&monitor, target.pid, "--headless", "--threshold", threshold, "--beat", beat,
                 "--rest-heartbeat", "10", NULL);
    driver_wait_line(target.log, "played ");
    driver_sleep_ms(300);
    cJSON *summary = driver_finish(&monitor, true);
    freezes_add(&retrieved, summary, &target, false, NEAR_MS);
    freezes_add(&sent, summary, &target, true, SENT_NEAR_MS);
    snprintf(id, sizeof id, "freeze_%s_%s", threshold, beat);
    snprintf(what, sizeof what, "freezes at %s ms, beats %s", threshold, beat);
    report(id, what, &retrieved, false, freezes_others(summary, &target));
    snprintf(id, sizeof id, "freeze_sent_%s_%s", threshold, beat);
    report(id, "  in sent messages, beside the doubt", &sent, true, 0);
    cJSON_Delete(summary);
    driver_kill(&target.program);
}

void measure_thresholds(void)
{
    run("30", "zero");
    run("100", "zero");
    run("30", "pair");
    run("100", "pair");
}
