/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the control protocol. Two clients use the control socket, another one has windows.
 */

#include "fuzz/clients.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	clients_play(data, size, 2);
	return 0;
}
