/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Wayland connection without libwayland-client: tracks a client's objects by the interface tables,
 * and sends any request, valid or not.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wayland-server-core.h>

#define WIRE_GLOBALS_MAX 96
#define WIRE_ARGS_MAX 16
#define WIRE_N_SERIALS 16

enum wire_state {
	WIRE_FREE, /* no object has this id */
	WIRE_LIVE,
	WIRE_ZOMBIE, /* destroyed; the server has yet to confirm that its id is free */
};

struct wire_object {
	enum wire_state state;
	const struct wl_interface *interface;
	uint32_t version;
	bool bufferless; /* a wl_surface that must not have a buffer before it is configured */
	uint32_t about; /* id of the wl_surface that it was created for, 0: none */
};

struct wire_global {
	uint32_t name, version;
	const struct wl_interface *interface; /* NULL: unknown */
};

/** Argument: a number, an id, bytes, or a descriptor, which the caller still owns. */
struct wire_argument {
	uint32_t value;
	const void *data; /* strings with their NUL, or arrays; NULL: null string */
	uint32_t size;
	int fd;
};

struct wire {
	int fd;
	struct wl_client *client; /* NULL once the server has destroyed it */
	struct wl_listener client_destroy;
	bool ended; /* the server sent an error or closed the connection */
	char error[256]; /* interface, code and message; "": none */
	struct wire_object *objects, *servers; /* by id, and by id - 0xff000000 */
	uint32_t n_objects, n_servers, capacity, servers_capacity;
	uint32_t *free_ids;
	uint32_t n_free;
	struct wire_global globals[WIRE_GLOBALS_MAX];
	int n_globals;
	uint32_t serials[WIRE_N_SERIALS]; /* serials received in events */
	uint32_t n_serials;
	char handle[64]; /* of the last exported toplevel; "": none */
	char bytes[8192]; /* received but incomplete */
	size_t n_bytes;
	/** Called for events that need an answer; may be NULL. */
	void (*handle_event)(struct wire *wire, uint32_t id, const char *event,
		const uint32_t *arguments, void *data);
	void *data;
};

void wire_init(struct wire *wire, struct wl_display *display);
/** Closes the connection without cleanup, like a crash. */
void wire_finish(struct wire *wire);
/** Returns NULL if the object does not exist; zombies do. */
const struct wire_object *wire_object(const struct wire *wire, uint32_t id);
/** Allocates an object for a request. Returns 0 if there are too many. */
uint32_t wire_create(
	struct wire *wire, const struct wl_interface *interface, uint32_t version, uint32_t about);
/** Sets whether a wl_surface must not have a buffer. */
void wire_set_bufferless(struct wire *wire, uint32_t id, bool bufferless);
/** Marks an object as destroyed, as libwayland does for destructors. */
void wire_forget(struct wire *wire, uint32_t id);
/**
 * Sends a request with arguments in the order of its signature. Returns false if the connection is
 * full or closed.
 */
bool wire_send(struct wire *wire, uint32_t id, uint32_t opcode, const char *signature,
	const struct wire_argument *arguments);
/** Sends arbitrary bytes. */
bool wire_send_bytes(struct wire *wire, const void *bytes, size_t size);
/** Reads all received events. */
void wire_read(struct wire *wire);
