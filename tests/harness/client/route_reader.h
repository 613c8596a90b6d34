/* SPDX-License-Identifier: MIT */
#pragma once

/** Routes of surfaces and their reasons, read through the control protocol. */

#include "causeway-control-v1-client-protocol.h"
#include "harness/peer.h"

#define ROUTE_TEXT 160

/** Fields of one surface on its first output. Empty: the field is missing. */
struct route_report {
	char key[ROUTE_TEXT]; /* value of the field that selects the surface */
	char route[ROUTE_TEXT], reason[ROUTE_TEXT], engine[ROUTE_TEXT];
	char runner_up[ROUTE_TEXT], runner_up_refused[ROUTE_TEXT];
};

struct route_reader {
	struct peer *peer;
	struct causeway_control_v1 *control;
	const char *name, *value; /* of the field that selects the surface */
	struct route_report current, found;
	bool listed, done;
};

void route_reader_init(struct route_reader *reader, struct fixture *fixture);
/** Reads the surface whose field has this value. Fails the test if none is listed. */
const struct route_report *route_read(
	struct route_reader *reader, const char *name, const char *value);
/** The same; returns NULL if none is listed. */
const struct route_report *route_find(
	struct route_reader *reader, const char *name, const char *value);
