/* The costs of layout as text for people and as JSON: a part of the summary (summary.h). Not on the
 * hot path.
 */
#ifndef UM_MONITOR_LAID_OUT_WRITE_H
#define UM_MONITOR_LAID_OUT_WRITE_H

#include <stdio.h>

#include "monitor/json/json.h"
#include "monitor/stats/laid_out.h"

struct cJSON;

/* Writes the ten components that cost most, at most 80 columns wide. Writes nothing if no layout
 * was measured. `laid_out` may be NULL. */
void um_laid_out_write_text(FILE *file, const struct um_laid_out *laid_out);

/* Adds the components that cost most, at most 1,000, as "layout", and the number of layout
 * frames as "layout_frames"; nothing if no layout was measured. `laid_out` may be NULL. */
void um_laid_out_write_json(struct um_json *json, struct cJSON *root,
                            const struct um_laid_out *laid_out);

#endif
