/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Fuzzed clients: an input is a sequence of actions of several hostile clients and input devices.
 */

#include <stddef.h>
#include <stdint.h>

/**
 * Plays an input against a server that persists across inputs. `n_control` of three clients connect
 * to the control socket. Fails the test if the clients leave objects behind.
 */
void clients_play(const uint8_t *data, size_t size, int n_control);
