#include "monitor/report/report_reading.h"

#include "monitor/report/report_flows.h"

static bool is_open_end(enum um_status status)
{
    return status == UM_ERR_CLOSED || status == UM_ERR_PARTIAL;
}

static void take(void *context, const struct um_recorded *recorded,
                 const struct um_wire_frame *frame)
{
    (void)recorded;
    um_recorded_markers_take(context, frame);
}

static void forget(struct um_report_reading *reading)
{
    um_recording_close(reading->recording);
    um_recorded_markers_close(reading->markers);
    um_recorded_deinit(&reading->recorded);
    reading->recording = NULL;
    reading->markers = NULL;
}

static enum um_status begin(struct um_report_reading *reading)
{
    struct um_recorded *recorded = &reading->recorded;
    forget(reading);
    enum um_status status = um_recording_open(reading->path, &reading->recording, recorded->problem,
                                              sizeof recorded->problem);
    if (status != UM_OK)
        return status;
    if (reading->wants_markers && um_recorded_markers_open(&reading->markers) == UM_OK) {
        recorded->take = take;
        recorded->take_context = reading->markers;
    }
    return um_recorded_read(reading->recording, recorded);
}

/* Where another recording has taken its place, nothing of it fits to what was read before. */
static enum um_status read_on(struct um_report_reading *reading)
{
    enum um_status status = um_recording_go_on(reading->recording, reading->path);
    if (status == UM_OK)
        status = um_recorded_read_on(reading->recording, &reading->recorded);
    bool fits = status == UM_OK ? reading->recorded.status != UM_ERR_FORMAT
                                : status == UM_ERR_PARTIAL || status == UM_ERR_MEMORY;
    return fits ? status : begin(reading);
}

enum um_status um_report_reading_go_on(struct um_report_reading *reading)
{
    if (!reading->recording)
        reading->status = begin(reading);
    else if (um_report_reading_can_grow(reading))
        reading->status = read_on(reading);
    if (reading->recording)
        um_recording_let_go(reading->recording);
    return reading->status;
}

bool um_report_reading_can_grow(const struct um_report_reading *reading)
{
    return reading->recording && is_open_end(reading->recorded.status);
}

enum um_status um_report_reading_markers(const struct um_report_reading *reading,
                                         struct um_markers *markers)
{
    if (!reading->markers)
        return UM_ERR_MEMORY;
    enum um_status status =
        um_recorded_markers_make(reading->markers, UM_REPORT_FLOWS_MARKERS, markers);
    return status == UM_OK ? um_markers_finish(markers) : status;
}

void um_report_reading_deinit(struct um_report_reading *reading)
{
    forget(reading);
}
