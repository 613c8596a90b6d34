#pragma once

/**
 * A connection without a library: knows which objects the client has, by the tables of the
 * interfaces, and sends whatever it is told to, right or wrong.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wayland-server-core.h>

#define WIRE_MAX_GLOBALS 96
#define WIRE_MAX_ARGS 16
#define WIRE_N_SERIALS 16

enum wire_state {
	WIRE_FREE, /* no object has this id */
	WIRE_LIVE,
	WIRE_ZOMBIE, /* destroyed; the server has not said yet that its id is free */
};

struct wire_object {
	enum wire_state state;
	const struct wl_interface *interface;
	uint32_t version;
	bool shy; /* a wl_surface that must not have a buffer yet */
	uint32_t about; /* id of the wl_surface that it was made for, 0 if none */
};

struct wire_global {
	uint32_t name, version;
	const struct wl_interface *interface; /* NULL: unknown here */
};

/** One argument: a number, an id, bytes, or a descriptor (which stays the caller's). */
struct wire_argument {
	uint32_t value;
	const void *data; /* strings with their NUL, arrays; NULL: null string */
	uint32_t size;
	int fd;
};

struct wire {
	int fd;
	struct wl_client *client; /* NULL once the server has ended it */
	struct wl_listener client_destroy;
	bool ended; /* an error came or the other end is closed */
	char error[256]; /* interface, code and message; "" if none came */
	struct wire_object *objects, *servers; /* by id; by id - 0xff000000 */
	uint32_t n_objects, n_servers, capacity, servers_capacity;
	uint32_t *free_ids;
	uint32_t n_free;
	struct wire_global globals[WIRE_MAX_GLOBALS];
	int n_globals;
	uint32_t serials[WIRE_N_SERIALS]; /* numbers that events brought */
	uint32_t n_serials;
	char bytes[8192]; /* received, incomplete */
	size_t n_bytes;
	/** Events that ask for an answer; may be NULL. */
	void (*handle_event)(struct wire *wire, uint32_t id, const char *event,
		const uint32_t *arguments, void *data);
	void *data;
};

void wire_init(struct wire *wire, struct wl_display *display);
/** As if it had crashed. */
void wire_finish(struct wire *wire);
/** NULL if there is no such object, zombies included. */
const struct wire_object *wire_object(const struct wire *wire, uint32_t id);
/** A new object for a request to be sent; 0 if there are too many. */
uint32_t wire_create(
	struct wire *wire, const struct wl_interface *interface, uint32_t version, uint32_t about);
/** Whether a wl_surface may have a buffer. */
void wire_set_shy(struct wire *wire, uint32_t id, bool shy);
/** What the library does when a destructor is sent. */
void wire_forget(struct wire *wire, uint32_t id);
/** In the order of the signature. False if the connection does not take it now or ever. */
bool wire_send(struct wire *wire, uint32_t id, uint32_t opcode, const char *signature,
	const struct wire_argument *arguments);
/** Any bytes. */
bool wire_send_bytes(struct wire *wire, const void *bytes, size_t size);
/** Reads what there is. */
void wire_read(struct wire *wire);
