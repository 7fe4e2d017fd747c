/* The table of a benchmark, from its results: each number in the row that is its own. */
#include <string.h>

#include <criterion/criterion.h>

#include "monitor/bench/bench_report.h"
#include "monitor/compare/results.h"
#include "tests/written.h"

static const char json[] =
    "{\"schema\":1,\"kind\":\"bench\",\"runs\":[{"
    "\"startup\":{\"first_window_ms\":100,\"first_paint_ms\":200,\"first_ready_ms\":300,"
    "\"first_idle_ms\":400},"
    "\"layout\":{\"frames\":9,\"frame_ms\":7},"
    "\"measures\":[{\"name\":\"typing\",\"duration_ms\":1000,\"beats_ms\":[1,2,3,4,9],"
    "\"freezes\":[{\"duration_ms\":150},{\"duration_ms\":170}],"
    "\"interactions\":["
    "{\"kind\":\"key\",\"input_delay_ms\":1,\"processing_ms\":20,\"presentation_ms\":300,"
    "\"total_ms\":321},"
    "{\"kind\":\"key\",\"input_delay_ms\":2,\"processing_ms\":40,\"presentation_ms\":600,"
    "\"total_ms\":642}]}]}]}";

static const char *const rows[] = {
    "\n    arrival to painted               2    481.50    642.00    642.00\n",
    "\n      input delay                    2      1.50      2.00      2.00\n",
    "\n      processing                     2     30.00     40.00     40.00\n",
    "\n      presentation                   2    450.00    600.00    600.00\n",
    "\n    beats, until taken               5      3.00      9.00      9.00\n",
    "\n    freezes, sum of a run            1    320.00    320.00    320.00\n",
    "\n    duration                         1   1000.00   1000.00   1000.00\n",
    "\n    process start to window          1    100.00    100.00    100.00\n",
    "\n    process start to painted         1    200.00    200.00    200.00\n",
    "\n    process start to ready           1    300.00    300.00    300.00\n",
    "\n    process start to idle            1    400.00    400.00    400.00\n",
    "\n    layout of a layout frame         1      7.00      7.00      7.00\n"};

Test(bench_report, each_number_is_in_its_row)
{
    static struct um_results results;
    char error[256];
    cr_assert_eq(um_results_add(&results, json, strlen(json), "s", error, sizeof error), UM_OK,
                 "%s", error);
    FILE *out = written_open();
    cr_assert_eq(um_bench_report_write(out, &results), UM_OK);
    const char *text = written_read(out, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect(strstr(text, rows[i]), "'%s' is not in %s", rows[i], text);
    um_results_deinit(&results);
}
