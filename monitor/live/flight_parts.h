/* The processes that add to a bundle of the flight recorder: uimon.exe writes the page, as
 * `uimon report --html`, and uimon-names.exe the minidump, each below normal priority. Not on the
 * hot path.
 */
#ifndef UM_MONITOR_FLIGHT_PARTS_H
#define UM_MONITOR_FLIGHT_PARTS_H

#include "monitor/writers/flight.h"
#include "monitor/options/options.h"

/* Owner: the options must outlive the helper. */
struct um_flight_helper um_flight_parts(const struct um_options *options);

#endif
