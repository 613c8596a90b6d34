#pragma once

/** What the backend's outputs become: enabled, placed in the scene, with a frame loop each. */

struct output;
struct server;

/** The server's from now on, until it or the server goes. */
void server_outputs_add(struct server *server, struct output *output);
/** The configuration has changed. */
void server_outputs_configure(struct server *server);
/** Rates or times of [frame], [power] or the power supply have changed. */
void server_outputs_pace(struct server *server);
/** server.lid_closed has changed: panels go off, or come back. */
void server_outputs_cover(struct server *server);
/** Takes all of them out of the scene. */
void server_outputs_finish(struct server *server);
