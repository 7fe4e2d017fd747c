/* Names of files as the kernel has them, `\Device\HarddiskVolume3\folder\file`, and as programs
 * write them, `C:\folder\file`. Pure. Not on the hot path.
 */
#ifndef UM_IPC_NATIVE_PATH_H
#define UM_IPC_NATIVE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* Tells which device a drive letter stands for: `\Device\HarddiskVolume3`. False: for none. */
typedef bool um_native_path_device(void *context, wchar_t letter, wchar_t *device, size_t cap);

/* Writes the kernel's name of a file as programs do: with its drive letter, or as
 * `\\server\share\file` if it is on another machine. One that is neither stays as it is.
 * False: it does not fit. */
bool um_native_path_translate(const wchar_t *native, um_native_path_device *device, void *context,
                              wchar_t *path, size_t cap);

/* Whether a path is whole and of a drive, as `C:\folder\file`: on no other machine by its name, no
 * device, no stream of a file, and without steps to parents. */
bool um_native_path_has_drive(const wchar_t *path);

#endif
