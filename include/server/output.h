/* SPDX-License-Identifier: MIT */
#pragma once

/** Outputs of the server: their power, and settings by clients. */

#include "protocol/server_output.h"

/**
 * Powers an output in the scene off or on; it keeps its position and mode. If the backend refuses,
 * tries again later, until the next call.
 */
void server_output_set_power(struct server_output *output, bool on);
/**
 * Describes the current state as a section of the configuration, without name and list. While the
 * session is inactive, describes the state that its return sets: settings of clients add up.
 */
void server_output_config(const struct server_output *output, struct config_output *config);
/**
 * Returns the current mode, or the mode to set when the output is powered on or its session is
 * active again.
 */
struct output_mode server_output_mode(const struct server_output *output);
/**
 * Tests with the backend whether the changes are possible together; other outputs stay unchanged.
 */
bool server_outputs_test(const struct server_output_change *changes, size_t n);
/**
 * Applies the changes until a reload changes the outputs' sections. Returns false if one fails;
 * then the previous state is restored as far as the hardware allows.
 */
bool server_outputs_apply(const struct server_output_change *changes, size_t n);
/** Sets the debug overlay of all current and future outputs; hidden while the session is locked. */
void server_set_overlay(struct server *server, enum frame_overlay overlay);
