/* SPDX-License-Identifier: MIT */
/* Serials of the last events that allow a client to act. */

#include "seat/internal.h"

void seat_remember_serial(struct seat *seat, uint32_t serial)
{
	seat->serials[seat->next_serial] = serial;
	seat->next_serial = (seat->next_serial + 1) % SEAT_SERIALS_MAX;
	if (seat->n_serials < SEAT_SERIALS_MAX) {
		seat->n_serials++;
	}
}

bool seat_validate_serial(struct seat *seat, uint32_t serial)
{
	for (int i = 0; i < seat->n_serials; i++) {
		if (seat->serials[i] == serial) {
			return true;
		}
	}
	return false;
}
