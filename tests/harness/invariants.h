/* SPDX-License-Identifier: MIT */
#pragma once

/** Invariants of a server between two turns of its loop, checked by the fixture in all tests. */

struct server;

/** Fails the test if the state of contents, scene or frame loops contradicts itself. */
void invariants_check(struct server *server);
