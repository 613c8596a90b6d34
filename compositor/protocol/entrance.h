#pragma once

/** An entrance: a listening socket by which clients come in. */

#include <stdbool.h>

struct entrance;
struct protocols;
struct wl_client;

/**
 * `came` is called for each client before it has sent anything, and with NULL, as the last, when the socket was
 * shut down; then it may destroy the entrance. It may be NULL itself. The socket must not block, and is its
 * owner's, who keeps it open until entrance_destroy(). NULL if it cannot be watched.
 */
struct entrance *entrance_create(struct protocols *protocols, int fd,
	void (*came)(void *data, struct wl_client *client), void *data);
/** Who comes by it is let in as long as there is any descriptor: it is for those who help. */
void entrance_use_reserve(struct entrance *entrance);
/** NULL is legal. */
void entrance_destroy(struct entrance *entrance);
