#pragma once

/** All protocols that clients speak: the one home of wl_resource. */

#include <stdbool.h>

struct protocols;
struct seat_sink_impl;
struct server;

/** Makes every global; scene, seat, shell and renderer of the server must be there. */
struct protocols *protocols_create(struct server *server);
/** Lets clients in by a listening socket, which stays the caller's. False if it cannot be watched. */
bool protocols_listen(struct protocols *protocols, int fd);
/** Disconnects all clients. Before scene, seat and shell go. */
void protocols_destroy(struct protocols *protocols);

/** Sends clients what they were told: before the loop sleeps. */
void protocols_flush(struct protocols *protocols);

/** The rules for programs are others now: clients are told what they can follow. */
void protocols_rules_changed(struct protocols *protocols);

/** How a seat tells clients of its events; static. */
const struct seat_sink_impl *seat_sink(void);
/** A token for a program that the compositor starts, by which its window may take the focus; the caller
 * frees it. */
char *activation_token_create(struct protocols *protocols);
