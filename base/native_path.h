/* Names of files as the kernel has them, `\Device\HarddiskVolume3\folder\file`, and as programs
 * write them, `C:\folder\file`. Pure. Not on the hot path.
 */
#ifndef UM_BASE_NATIVE_PATH_H
#define UM_BASE_NATIVE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* Looks up which device a drive letter stands for: `\Device\HarddiskVolume3`. False: none. */
typedef bool um_native_path_device(void *context, wchar_t letter, wchar_t *device, size_t cap);

/* Translates the kernel's name of a file: to a path with a drive letter, or to
 * `\\server\share\file` if it is on another machine. Any other name stays as it is.
 * False: it does not fit. */
bool um_native_path_translate(const wchar_t *native, um_native_path_device *device, void *context,
                              wchar_t *path, size_t cap);

/* Whether a path is a whole one on a drive, as `C:\folder\file`: no network path, device or stream
 * of a file, and without `.` and `..`. */
bool um_native_path_has_drive(const wchar_t *path);

#endif
