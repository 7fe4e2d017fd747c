/* A histogram as HdrHistogram writes it: version 2 of its encoding, compressed, in base64, as in a
 * line of its log. Not on the hot path. Thread: one at a time.
 *
 * Source: AbstractHistogram.encodeIntoByteBuffer, encodeIntoCompressedByteBuffer and ZigZagEncoding
 * of HdrHistogram 2.1.12. All numbers are big-endian; bytes before a field are its offset.
 *
 *   compressed   0 u32 cookie 0x1c849314   4 i32 length of what follows   8 as zlib packs it:
 *   encoding     0 u32 cookie 0x1c849313   4 i32 length of the counts    8 i32 index offset (0)
 *                12 i32 digits   16 i64 lowest value   24 i64 highest value
 *                32 f64 ratio of integers to doubles (1)   40 counts
 *   counts       a varint each, folded as in base/pack.h, up to the last that is not 0; a negative
 *                one is so many zeros, where there are two or more
 */
#ifndef UM_MONITOR_HDR_ENCODE_H
#define UM_MONITOR_HDR_ENCODE_H

#include "monitor/stats/histogram.h"

/* Owner: free. NULL without memory. */
char *um_hdr_encode(const struct um_histogram *histogram);

#endif
