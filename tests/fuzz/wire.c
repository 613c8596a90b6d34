/* SPDX-License-Identifier: MIT */
/*
 * Wayland connection without libwayland-client: encodes requests, decodes events, and tracks object
 * ids.
 */

#include "fuzz/wire.h"
#include "fuzz/interfaces.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wayland-client-protocol.h>

#define SERVER_IDS 0xff000000u
/** Of client and server each. */
#define OBJECTS_MAX 200000
#define FIRST_OBJECTS 256

static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct wire *wire = wl_container_of(listener, wire, client_destroy);
	wire->client = NULL;
}

static void set_object(struct wire_object *object, const struct wl_interface *interface,
	uint32_t version, uint32_t about)
{
	*object = (struct wire_object){
		.state = interface ? WIRE_LIVE : WIRE_FREE,
		.interface = interface,
		.version = version,
		.about = about,
	};
}

static void grow(struct wire_object **objects, uint32_t *capacity, uint32_t n)
{
	uint32_t old = *capacity;
	if (n <= old) {
		return;
	}
	while (*capacity < n) {
		*capacity = *capacity ? *capacity * 2 : FIRST_OBJECTS;
	}
	*objects = xrealloc(*objects, *capacity, sizeof(**objects));
	memset(*objects + old, 0, (*capacity - old) * sizeof(**objects));
}

/** Each id is free once at most, so there are at most as many free ids as objects. */
static void grow_objects(struct wire *wire, uint32_t n)
{
	uint32_t old = wire->capacity;
	grow(&wire->objects, &wire->capacity, n);
	if (wire->capacity != old) {
		wire->free_ids = xrealloc(wire->free_ids, wire->capacity, sizeof(*wire->free_ids));
	}
}

void wire_init(struct wire *wire, struct wl_display *display)
{
	int fds[2];
	*wire = (struct wire){0};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) < 0) {
		abort();
	}
	wire->fd = fds[1];
	wire->client = wl_client_create(display, fds[0]);
	if (!wire->client) {
		abort();
	}
	wire->client_destroy.notify = handle_client_destroy;
	wl_client_add_destroy_listener(wire->client, &wire->client_destroy);
	grow_objects(wire, 2);
	grow(&wire->servers, &wire->servers_capacity, 1);
	set_object(&wire->objects[1], &wl_display_interface, 1, 0);
	wire->n_objects = 2;
}

void wire_finish(struct wire *wire)
{
	if (wire->client) {
		wl_list_remove(&wire->client_destroy.link);
	}
	close(wire->fd);
	free(wire->objects);
	free(wire->servers);
	free(wire->free_ids);
}

static struct wire_object *find(const struct wire *wire, uint32_t id)
{
	if (id >= SERVER_IDS) {
		id -= SERVER_IDS;
		return id < wire->n_servers ? &wire->servers[id] : NULL;
	}
	return id < wire->n_objects ? &wire->objects[id] : NULL;
}

const struct wire_object *wire_object(const struct wire *wire, uint32_t id)
{
	const struct wire_object *object = find(wire, id);
	return object && object->state != WIRE_FREE ? object : NULL;
}

uint32_t wire_create(
	struct wire *wire, const struct wl_interface *interface, uint32_t version, uint32_t about)
{
	uint32_t id;
	if (wire->n_free > 0) {
		id = wire->free_ids[--wire->n_free];
	} else if (wire->n_objects < OBJECTS_MAX) {
		id = wire->n_objects++;
		grow_objects(wire, wire->n_objects);
	} else {
		return 0;
	}
	set_object(&wire->objects[id], interface, version, about);
	return id;
}

void wire_set_bufferless(struct wire *wire, uint32_t id, bool bufferless)
{
	struct wire_object *object = find(wire, id);
	if (object) {
		object->bufferless = bufferless;
	}
}

void wire_forget(struct wire *wire, uint32_t id)
{
	struct wire_object *object = find(wire, id);
	if (object && object->state == WIRE_LIVE) {
		object->state = WIRE_ZOMBIE;
	}
}

static bool send_all(struct wire *wire, const void *bytes, size_t size, const int *fds, int n_fds)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int) * WIRE_ARGS_MAX)];
	} control = {0};
	struct iovec vector = {.iov_base = (void *)bytes, .iov_len = size};
	struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
	if (n_fds > 0) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)n_fds);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int) * (size_t)n_fds);
		memcpy(CMSG_DATA(&control.header), fds, sizeof(int) * (size_t)n_fds);
	}
	ssize_t n = sendmsg(wire->fd, &message, MSG_NOSIGNAL);
	if (n != (ssize_t)size) {
		/* After half a message, the connection is useless. */
		wire->ended = true;
		return false;
	}
	return true;
}

bool wire_send_bytes(struct wire *wire, const void *bytes, size_t size)
{
	return send_all(wire, bytes, size, NULL, 0);
}

bool wire_send(struct wire *wire, uint32_t id, uint32_t opcode, const char *signature,
	const struct wire_argument *arguments)
{
	static const char zeros[4];
	uint32_t words[2048];
	size_t n = 2;
	int fds[WIRE_ARGS_MAX], n_fds = 0;
	for (int i = 0; *signature; signature++) {
		if (*signature == '?' || (*signature >= '0' && *signature <= '9')) {
			continue;
		}
		const struct wire_argument *argument = &arguments[i++];
		if (*signature == 'h') {
			fds[n_fds++] = argument->fd;
		} else if (*signature == 's' || *signature == 'a') {
			size_t padded = (argument->size + 3) / 4;
			assert(n + 1 + padded < 2048);
			words[n++] = argument->size;
			if (padded > 0) {
				memcpy(&words[n + padded - 1], zeros, 4);
				memcpy(&words[n], argument->data, argument->size);
			}
			n += padded;
		} else {
			words[n++] = argument->value;
		}
	}
	words[0] = id;
	words[1] = (uint32_t)(n * 4) << 16 | opcode;
	return send_all(wire, words, n * 4, fds, n_fds);
}

static void handle_global(struct wire *wire, uint32_t name, const char *interface, uint32_t version)
{
	if (wire->n_globals < WIRE_GLOBALS_MAX) {
		wire->globals[wire->n_globals++] = (struct wire_global){
			.name = name,
			.version = version,
			.interface = interface_find(interface),
		};
	}
}

static void handle_delete(struct wire *wire, uint32_t id)
{
	struct wire_object *object = find(wire, id);
	if (object && object->state != WIRE_FREE && id < SERVER_IDS) {
		object->state = WIRE_FREE;
		wire->free_ids[wire->n_free++] = id;
	}
}

static void add_server_object(
	struct wire *wire, uint32_t id, const struct wl_interface *interface, uint32_t version)
{
	uint32_t index = id - SERVER_IDS;
	if (index < OBJECTS_MAX && interface) {
		wire->n_servers = index >= wire->n_servers ? index + 1 : wire->n_servers;
		grow(&wire->servers, &wire->servers_capacity, wire->n_servers);
		set_object(&wire->servers[index], interface, version, 0);
	}
}

/** Decodes the arguments of an event; strings become offsets into its body. */
static void decode(struct wire *wire, uint32_t id, uint32_t opcode, const uint32_t *body)
{
	struct wire_object object = *find(wire, id);
	if ((int)opcode >= object.interface->event_count) {
		abort();
	}
	const struct wl_message *event = &object.interface->events[opcode];
	uint32_t values[WIRE_ARGS_MAX] = {0};
	uint32_t at = 0;
	int i = 0;
	for (const char *type = event->signature; *type; type++) {
		if (*type == '?' || (*type >= '0' && *type <= '9')) {
			continue;
		}
		if (*type == 's' || *type == 'a') {
			values[i] = at + 1;
			at += 1 + (body[at] + 3) / 4;
		} else if (*type != 'h') {
			values[i] = body[at++];
		}
		if (*type == 'u') {
			wire->serials[wire->n_serials++ % WIRE_N_SERIALS] = values[i];
		} else if (*type == 'n') {
			add_server_object(wire, values[i], event->types[i], object.version);
		}
		i++;
	}
	if (strcmp(event->name, "handle") == 0 && strcmp(event->signature, "s") == 0) {
		snprintf(
			wire->handle, sizeof(wire->handle), "%s", (const char *)(body + values[0]));
	}
	if (id == 1 && opcode == 0) {
		const struct wire_object *wrong = find(wire, values[0]);
		wire->ended = true;
		snprintf(wire->error, sizeof(wire->error), "%s %u: %s",
			wrong && wrong->interface ? wrong->interface->name : "?", values[1],
			(const char *)(body + values[2]));
	} else if (id == 1) {
		handle_delete(wire, values[0]);
	} else if (object.interface == &wl_registry_interface && opcode == 0) {
		handle_global(wire, values[0], (const char *)(body + values[1]), values[2]);
	}
	if (wire->handle_event && object.state == WIRE_LIVE) {
		wire->handle_event(wire, id, event->name, values, wire->data);
	}
}

static void close_descriptors(struct msghdr *message)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
			size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
			for (size_t i = 0; i < n; i++) {
				int fd;
				memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
				close(fd);
			}
		}
	}
}

static void decode_all(struct wire *wire)
{
	size_t at = 0;
	while (!wire->ended && wire->n_bytes - at >= 8) {
		uint32_t words[1024];
		memcpy(words, wire->bytes + at, 8);
		size_t size = words[1] >> 16;
		if (size > wire->n_bytes - at) {
			break;
		}
		assert(size >= 8 && size <= sizeof(words));
		memcpy(words, wire->bytes + at, size);
		at += size;
		const struct wire_object *object = find(wire, words[0]);
		if (object && object->state != WIRE_FREE) {
			decode(wire, words[0], words[1] & 0xffff, words + 2);
		}
	}
	memmove(wire->bytes, wire->bytes + at, wire->n_bytes - at);
	wire->n_bytes -= at;
}

void wire_read(struct wire *wire)
{
	while (!wire->ended) {
		char control[CMSG_SPACE(sizeof(int) * 28)];
		struct iovec vector = {
			wire->bytes + wire->n_bytes, sizeof(wire->bytes) - wire->n_bytes};
		struct msghdr message = {.msg_iov = &vector,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control)};
		ssize_t n = recvmsg(wire->fd, &message, MSG_CMSG_CLOEXEC);
		if (n <= 0) {
			wire->ended |= n == 0 || errno != EAGAIN;
			return;
		}
		close_descriptors(&message);
		wire->n_bytes += (size_t)n;
		decode_all(wire);
	}
}
