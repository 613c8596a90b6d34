/* SPDX-License-Identifier: MIT */
#pragma once

/** Reloading the server's configuration from a text. */

#include "harness/fixture.h"

/** Reloads `text` by way of a temporary file, and pumps. Returns false if it is invalid. */
bool reload_text(struct fixture *fixture, const char *text);
