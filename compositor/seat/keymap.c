/* SPDX-License-Identifier: MIT */
/* Keymaps: compiled, with a state, and as a read-only file for clients. */

#include "seat/keymap.h"
#include "seat/internal.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			return false;
		}
		data += n;
		size -= (size_t)n;
	}
	return true;
}

/*
 * Seals keep clients from writing to the shared file. They also forbid shared mappings of a
 * writable descriptor, which old clients make even to read: so the file is opened again for
 * reading.
 */
static int share(const char *string, size_t size)
{
	int fd = memfd_create("causeway-keymap", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0) {
		return -1;
	}
	if (!write_all(fd, string, size) ||
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) <
			0) {
		fd_close(&fd);
		return -1;
	}
	char path[32];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int read_only = open(path, O_RDONLY | O_CLOEXEC);
	if (read_only < 0) {
		return fd; /* no /proc: the sealed descriptor works for most clients */
	}
	fd_close(&fd);
	return read_only;
}

/* Takes over a reference of `keymap`; returns NULL if the file cannot be created. */
static struct seat_keymap *seat_keymap_create(struct xkb_keymap *keymap)
{
	struct seat_keymap *self = xcalloc(1, sizeof(*self));
	self->n_refs = 1;
	self->keymap = keymap;
	self->fd = -1;
	self->state = xkb_state_new(keymap);
	self->string = xkb_keymap_get_as_string(keymap, XKB_KEYMAP_FORMAT_TEXT_V1);
	if (!self->state || !self->string) {
		goto unref;
	}
	self->size = (uint32_t)strlen(self->string) + 1;
	self->fd = share(self->string, self->size);
	if (self->fd < 0) {
		log_error("cannot create a memory file for a keymap: %s", strerror(errno));
		goto unref;
	}
	return self;
unref:
	seat_keymap_unref(self);
	return NULL;
}

struct seat_keymap *seat_keymap_parse(struct xkb_context *context, const char *text)
{
	const char *fault = seat_keymap_text_fault(text);
	if (fault) {
		log_info("refusing a client's keymap: %s", fault);
		return NULL;
	}
	struct xkb_keymap *compiled = xkb_keymap_new_from_string(
		context, text, XKB_KEYMAP_FORMAT_TEXT_V1, XKB_KEYMAP_COMPILE_NO_FLAGS);
	return compiled ? seat_keymap_create(compiled) : NULL;
}

struct seat_keymap *seat_keymap_clone(const struct seat_keymap *keymap)
{
	struct seat_keymap *self = xcalloc(1, sizeof(*self));
	self->n_refs = 1;
	self->keymap = xkb_keymap_ref(keymap->keymap);
	self->state = xkb_state_new(keymap->keymap);
	self->string = xstrdup(keymap->string);
	self->size = keymap->size;
	self->fd = fcntl(keymap->fd, F_DUPFD_CLOEXEC, 0);
	if (!self->state || self->fd < 0) {
		seat_keymap_unref(self);
		return NULL;
	}
	return self;
}

struct input_modifiers_event seat_keymap_modifiers(const struct seat_keymap *keymap)
{
	struct xkb_state *state = keymap->state;
	return (struct input_modifiers_event){
		.depressed = xkb_state_serialize_mods(state, XKB_STATE_MODS_DEPRESSED),
		.latched = xkb_state_serialize_mods(state, XKB_STATE_MODS_LATCHED),
		.locked = xkb_state_serialize_mods(state, XKB_STATE_MODS_LOCKED),
		.group = xkb_state_serialize_layout(state, XKB_STATE_LAYOUT_EFFECTIVE),
	};
}

static char *join(const struct seat_keymap_names *names)
{
	return xasprintf("%s|%s|%s|%s|%s", names->rules ? names->rules : "",
		names->model ? names->model : "", names->layout ? names->layout : "",
		names->variant ? names->variant : "", names->options ? names->options : "");
}

struct seat_keymap *seat_keymap_compile(
	struct xkb_context *context, const struct seat_keymap_names *names)
{
	const struct xkb_rule_names rules = {
		.rules = names->rules,
		.model = names->model,
		.layout = names->layout,
		.variant = names->variant,
		.options = names->options,
	};
	struct xkb_keymap *compiled =
		xkb_keymap_new_from_names(context, &rules, XKB_KEYMAP_COMPILE_NO_FLAGS);
	struct seat_keymap *keymap = compiled ? seat_keymap_create(compiled) : NULL;
	if (keymap) {
		keymap->names = join(names);
	}
	return keymap;
}

bool seat_keymap_names_default(const struct seat_keymap_names *names)
{
	char *joined = join(names);
	bool none = strcmp(joined, "||||") == 0;
	free(joined);
	return none;
}

bool seat_keymap_is(const struct seat_keymap *keymap, const struct seat_keymap_names *names)
{
	char *joined = join(names);
	bool same = keymap && keymap->names && strcmp(keymap->names, joined) == 0;
	free(joined);
	return same;
}

void seat_keymap_unref(struct seat_keymap *keymap)
{
	if (!keymap || --keymap->n_refs > 0) {
		return;
	}
	free(keymap->names);
	fd_close(&keymap->fd);
	free(keymap->string);
	xkb_state_unref(keymap->state);
	xkb_keymap_unref(keymap->keymap);
	free(keymap);
}
