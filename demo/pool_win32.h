/* A flood of the process's default thread pool: items that all block, until all are let go on at
 * once. One at a time.
 */
#ifndef UM_DEMO_POOL_WIN32_H
#define UM_DEMO_POOL_WIN32_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

#include "demo/log.h"

/* Floods the pool from a thread of its own, and posts UM_DEMO_UI_CALM to the window when that
 * is over. False, and nothing is posted, if a flood lasts already or there is no memory or thread
 * for it. Units: `packed` is um_demo_play_pack of items and ms. Thread: any; does not block. */
bool um_demo_pool_flood(HWND hwnd, uint32_t packed);

/* The line for the log of a flood that is over, by lParam of its UM_DEMO_UI_CALM; once each. */
void um_demo_pool_over(LPARAM calm, struct um_demo_log_event *event);

#endif
