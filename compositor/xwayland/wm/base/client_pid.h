/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The processes of X clients, as the X server knows them from their connections. _NET_WM_PID is
 * what a program says: in a process namespace, the number of another process.
 */

#include <stdint.h>
#include <sys/types.h>

struct xwm;

/** Called by the thread that connects. */
void xwm_client_pids_connect(struct xwm *wm);
/**
 * Asks for the process whose client has made a resource. Returns the number of the request, for
 * xwm_reply_expect(), or 0 if the X server cannot tell.
 */
unsigned xwm_client_pid_ask(struct xwm *wm, uint32_t resource);
/** Returns the process that a reply names; 0: unknown. Accepts NULL, for an error. */
pid_t xwm_client_pid_read(const void *reply);
