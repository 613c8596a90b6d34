#pragma once

/** Fuzzed clients: an input is a sequence of what several hostile clients and input devices do. */

#include <stddef.h>
#include <stdint.h>

/**
 * Plays an input against a server that is kept from one input to the next. `n_control` clients of
 * three come through the control socket. Fails the test unless the clients leave nothing behind.
 */
void clients_play(const uint8_t *data, size_t size, int n_control);
