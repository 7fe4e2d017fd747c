/* Reads what a test writes as a file of markers. The markers are released behind each test. */
#ifndef UM_TESTS_READ_MARKERS_H
#define UM_TESTS_READ_MARKERS_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "monitor/flows/flows.h"
#include "monitor/flows/marker_file.h"
#include "tests/unit/flows/marker_text.h"

static char path[] = "/tmp/uimon-markers-XXXXXX";
static struct um_markers markers;
static char error[1280];
static char text[8192];

static inline void setup(void)
{
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
}

static inline void teardown(void)
{
    unlink(path);
    um_markers_deinit(&markers);
}

/* Begins a suite of such tests. */
#define MARKER_SUITE(suite) TestSuite(suite, .init = setup, .fini = teardown)

static inline void write_bytes(const void *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes, 1, len, file) == len && fclose(file) == 0);
}

static inline enum um_status read_text(const char *json)
{
    write_bytes(json, strlen(json));
    return um_marker_file_read(path, &markers, error, sizeof error);
}

static inline void expect(const char *json, const char *lines)
{
    cr_assert_eq(read_text(json), UM_OK, "%s", error);
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_expect_str_eq(error, "");
    cr_expect_str_eq(marker_text(&markers, text, sizeof text), lines, "%s", text);
}

/* The flow of each id and its markers, as "ID: NAME NAME\n". */
static inline void expect_flows(const char *json, const char *lines)
{
    struct um_flows flows;
    size_t len = 0;
    cr_assert_eq(read_text(json), UM_OK, "%s", error);
    cr_assert_eq(um_markers_finish(&markers), UM_OK);
    cr_assert_eq(um_flows_init(&flows, &markers), UM_OK);
    for (size_t i = 0; i < flows.count; i++) {
        const struct um_flow *flow = &flows.list[i];
        len += (size_t)snprintf(text + len, sizeof text - len,
                                "%s:", um_texts_get(&markers.flow_ids, flow->id));
        for (uint32_t k = 0; k < flow->count; k++)
            len += (size_t)snprintf(
                text + len, sizeof text - len, " %s",
                um_markers_get_text(&markers, markers.list[flows.members[flow->first + k]].name));
        len += (size_t)snprintf(text + len, sizeof text - len, "\n");
    }
    cr_expect_str_eq(text, lines, "%s", text);
    um_flows_deinit(&flows);
}

#endif
