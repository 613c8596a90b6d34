/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the Wayland protocol, by three clients with input devices and outputs; see
 * clients.c.
 */

#include "fuzz/clients.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	clients_play(data, size, 0);
	return 0;
}
