/* SPDX-License-Identifier: MIT */
/* Hostile client: choice of its next request. */

#include "fuzz/actor.h"
#include "fuzz/argument.h"
#include "fuzz/interfaces.h"
#include "fuzz/sequence.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wayland-client-protocol.h>

#define FIXED_MAX 8
/** Random ids tried for an object of an interface before a search through all. */
#define N_TRIES 24

static bool is(const struct wire_object *object, const char *interface)
{
	return object && object->state == WIRE_LIVE && object->interface &&
	       (!interface || strcmp(object->interface->name, interface) == 0);
}

/** Returns the highest version that both sides support, or 0. */
static uint32_t most_of(const struct wire_global *global)
{
	uint32_t known = global->interface ? (uint32_t)global->interface->version : 0;
	return global->version < known ? global->version : known;
}

static uint32_t bind(struct actor *actor, const struct wire_global *global, uint32_t version)
{
	struct wire *wire = &actor->wire;
	uint32_t registry = actor_pick(actor, "wl_registry");
	uint32_t id = registry ? wire_create(wire, global->interface, version, 0) : 0;
	if (!id) {
		return 0;
	}
	struct wire_argument arguments[4] = {{.value = global->name},
		{.data = global->interface->name,
			.size = (uint32_t)strlen(global->interface->name) + 1},
		{.value = version}, {.value = id}};
	wire_send(wire, registry, 0, "usun", arguments);
	return id;
}

uint32_t actor_bind(struct actor *actor, const char *interface)
{
	struct wire *wire = &actor->wire;
	for (int i = 0; i < wire->n_globals; i++) {
		const struct wire_global *global = &wire->globals[i];
		if (global->interface && strcmp(global->interface->name, interface) == 0) {
			return bind(actor, global, most_of(global));
		}
	}
	return 0;
}

static uint32_t nth_id(const struct wire *wire, uint32_t n)
{
	return n < wire->n_objects ? n : 0xff000000u + n - wire->n_objects;
}

/** With a fuzzer's input, chooses one of the eight newest by one byte. */
static uint32_t pick_newest(struct actor *actor, const char *interface)
{
	struct wire *wire = &actor->wire;
	uint32_t found = 0;
	int skip = random_between(actor->random, 0, interface ? 7 : 255);
	for (uint32_t n = wire->n_objects + wire->n_servers; n > 0; n--) {
		uint32_t id = nth_id(wire, n - 1);
		if (is(wire_object(wire, id), interface)) {
			found = id;
			if (skip-- == 0) {
				break;
			}
		}
	}
	return !found && interface ? actor_bind(actor, interface) : found;
}

uint32_t actor_pick(struct actor *actor, const char *interface)
{
	struct wire *wire = &actor->wire;
	uint32_t total = wire->n_objects + wire->n_servers, start = 0;
	if (actor->random->data) {
		return pick_newest(actor, interface);
	}
	for (int i = 0; i < N_TRIES; i++) {
		uint32_t n = random_next(actor->random) % total;
		if (i % 2 && wire->n_objects > 12) {
			n = wire->n_objects - 1 - random_next(actor->random) % 12;
		}
		uint32_t id = nth_id(wire, n);
		if (is(wire_object(wire, id), interface)) {
			return id;
		}
		start = n;
	}
	for (uint32_t i = 0; interface && i < total; i++) {
		uint32_t id = nth_id(wire, (start + i) % total);
		if (is(wire_object(wire, id), interface)) {
			return id;
		}
	}
	return 0;
}

static int find_request(const struct wl_interface *interface, const char *name)
{
	for (int i = 0; i < interface->method_count; i++) {
		if (strcmp(interface->methods[i].name, name) == 0) {
			return i;
		}
	}
	abort();
}

static uint32_t send_request(
	struct actor *actor, uint32_t id, int opcode, const int64_t *fixed, int n_fixed);

/** Returns a surface, mostly one without a role. */
static uint32_t make_surface(struct actor *actor)
{
	uint32_t compositor = actor_pick(actor, "wl_compositor");
	return compositor ? send_request(actor, compositor, 0, NULL, 0) : 0;
}

static uint32_t pick_object(struct actor *actor, const char *interface, const char *request)
{
	if (interface && request && strcmp(interface, "wl_surface") == 0 &&
		request_wants_fresh(request) && random_chance(actor->random, 90)) {
		return make_surface(actor);
	}
	if (!actor->random->data && random_next(actor->random) % 3000 == 0) {
		return random_next(actor->random) % (actor->wire.n_objects + 4);
	}
	return actor_pick(actor, interface);
}

struct draft {
	struct wire_argument arguments[WIRE_ARGS_MAX];
	uint32_t about; /* last wl_surface among the arguments */
	bool has_surface;
	uint32_t created; /* of type `made` */
	const struct wl_interface *made;
	char bytes[4096];
};

/** Draws the argument for one letter of the signature. Returns false if there is none. */
static bool draw(struct actor *actor, struct draft *draft, const struct wire_object *object,
	const struct wl_message *request, int index, char type, bool nullable)
{
	struct wire_argument *argument = &draft->arguments[index];
	const struct wl_interface *kind = request->types[index];
	switch (type) {
	case 'o':
		if (nullable && random_chance(actor->random, 25)) {
			return true;
		}
		argument->value = pick_object(
			actor, kind ? kind->name : NULL, draft->has_surface ? NULL : request->name);
		if (kind == &wl_surface_interface) {
			draft->has_surface = true;
			draft->about = argument->value;
		}
		return argument->value || nullable;
	case 'n': draft->made = kind; return kind;
	case 'h':
		argument->fd =
			actor->make_fd ? actor->make_fd(actor->data, object->interface->name) : -1;
		if (argument->fd < 0) {
			argument->fd = argument_fd(actor->random);
		}
		return true;
	case 's':
	case 'a':
		if (type == 's' && nullable && random_chance(actor->random, 20)) {
			return true;
		}
		if (strncmp(request->name, "import", 6) == 0 && random_chance(actor->random, 80)) {
			argument->data = actor->wire.handle;
			argument->size = (uint32_t)strlen(actor->wire.handle) + 1;
			return true;
		}
		argument->size = argument_bytes(actor->random, type == 's', draft->bytes);
		argument->data = draft->bytes;
		return true;
	default:
		argument->value = argument_number(actor->random, object->interface->name,
			request->name, type, actor->wire.serials);
		return true;
	}
}

/** Returns the id of the new object, or 0 if there is none or nothing was sent. */
static uint32_t send_request(
	struct actor *actor, uint32_t id, int opcode, const int64_t *fixed, int n_fixed)
{
	const struct wire_object object = *wire_object(&actor->wire, id);
	const struct wl_message *request = &object.interface->methods[opcode];
	if ((uint32_t)atoi(request->signature) > object.version) {
		return 0;
	}
	struct draft draft = {
		.about = object.interface == &wl_surface_interface ? id : object.about};
	int index = 0, created = -1;
	bool nullable = false, complete = true;
	for (int i = 0; i < WIRE_ARGS_MAX; i++) {
		draft.arguments[i].fd = -1;
	}
	for (const char *type = request->signature; *type && complete; type++) {
		if (*type == '?' || (*type >= '0' && *type <= '9')) {
			nullable = *type == '?';
			continue;
		}
		if (index < n_fixed && fixed[index] != ARGUMENT_ANY) {
			draft.arguments[index].value = (uint32_t)fixed[index];
			if (*type == 'o' && request->types[index] == &wl_surface_interface) {
				draft.about = (uint32_t)fixed[index];
			}
		} else {
			complete = draw(actor, &draft, &object, request, index, *type, nullable);
		}
		created = *type == 'n' ? index : created;
		nullable = false;
		index++;
	}
	uint32_t made = 0;
	if (complete && created >= 0) {
		made = wire_create(&actor->wire, draft.made, object.version, draft.about);
		draft.arguments[created].value = made;
		complete = made;
	}
	if (complete) {
		argument_fit(actor->random, object.interface->name, request->name, draft.arguments);
		wire_send(&actor->wire, id, (uint32_t)opcode, request->signature, draft.arguments);
		actor->n_requests++;
		if (request_is_destructor(request->name)) {
			wire_forget(&actor->wire, id);
		}
	}
	for (int i = 0; i < WIRE_ARGS_MAX; i++) {
		if (draft.arguments[i].fd >= 0) {
			close(draft.arguments[i].fd);
		}
	}
	return made;
}

uint32_t actor_ask(struct actor *actor, uint32_t id, const char *name, const int64_t *fixed, int n)
{
	const struct wire_object *object = wire_object(&actor->wire, id);
	return is(object, NULL)
		       ? send_request(actor, id, find_request(object->interface, name), fixed, n)
		       : 0;
}

/** Binds each global once, then random ones; with a fuzzer's input, random ones. */
static void bind_global(struct actor *actor)
{
	struct wire *wire = &actor->wire;
	uint32_t n = (uint32_t)wire->n_globals;
	if (n == 0) {
		return;
	}
	bool in_order = actor->n_bound < n && !actor->random->data;
	uint32_t i = in_order
			     ? actor->n_bound
			     : (uint32_t)random_between(actor->random, 0, WIRE_GLOBALS_MAX - 1) % n;
	const struct wire_global *global = &wire->globals[i];
	actor->n_bound++;
	uint32_t most = most_of(global);
	if (most > 0) {
		bind(actor, global,
			random_chance(actor->random, 85)
				? most
				: (uint32_t)random_between(actor->random, 1, (int32_t)most));
	}
}

void actor_show(struct actor *actor, uint32_t surface)
{
	const struct wire_object *object = wire_object(&actor->wire, surface);
	if (!object || (object->bufferless && random_chance(actor->random, 97))) {
		return;
	}
	uint32_t pool = actor_pick(actor, "wl_shm_pool"), single;
	uint32_t buffer = actor_pick(actor, "wl_buffer");
	if (pool && random_chance(actor->random, 50)) {
		buffer = ASK(actor, pool, "create_buffer", ARGUMENT_ANY);
	} else if (!buffer && (single = actor_pick(actor, "wp_single_pixel_buffer_manager_v1"))) {
		buffer = ASK(actor, single, "create_u32_rgba_buffer", ARGUMENT_ANY);
	}
	if (buffer) {
		ASK(actor, surface, "attach", buffer, 0, 0);
		ASK(actor, surface, "damage", 0, 0, INT32_MAX, INT32_MAX);
	}
	ASK(actor, surface, "commit", 0);
}

static void make_popup(struct actor *actor, uint32_t parent)
{
	uint32_t base = actor_pick(actor, "xdg_wm_base");
	if (!base) {
		return;
	}
	uint32_t positioner = ASK(actor, base, "create_positioner", ARGUMENT_ANY);
	ASK(actor, positioner, "set_size", ARGUMENT_ANY);
	ASK(actor, positioner, "set_anchor_rect", ARGUMENT_ANY);
	uint32_t surface = make_surface(actor);
	uint32_t xdg_surface = ASK(actor, base, "get_xdg_surface", ARGUMENT_ANY, surface);
	uint32_t popup = ASK(actor, xdg_surface, "get_popup", ARGUMENT_ANY, parent, positioner);
	wire_set_bufferless(&actor->wire, surface, true);
	uint32_t seat = actor_pick(actor, "wl_seat");
	if (seat && random_chance(actor->random, 50)) {
		ASK(actor, popup, "grab", seat);
	}
	ASK(actor, surface, "commit", 0);
}

/** Exports a toplevel, or makes the window exported last its parent. */
static void export_window(struct actor *actor, uint32_t surface)
{
	uint32_t exporter = actor_pick(actor, "zxdg_exporter_v2");
	uint32_t imported = actor_pick(actor, "zxdg_imported_v2");
	if (exporter && random_chance(actor->random, 20)) {
		ASK(actor, exporter, "export_toplevel", ARGUMENT_ANY, surface);
	} else if (imported && random_chance(actor->random, 20)) {
		ASK(actor, imported, "set_parent_of", surface);
	}
}

uint32_t actor_make_window(struct actor *actor)
{
	uint32_t base = actor_pick(actor, "xdg_wm_base"),
		 shell = actor_pick(actor, "zwlr_layer_shell_v1");
	uint32_t parent = actor_pick(actor, "xdg_surface");
	uint32_t surface = 0;
	if (!actor_pick(actor, "wl_compositor")) {
		return 0;
	}
	if (parent && random_chance(actor->random, 40)) {
		make_popup(actor, parent);
	} else if (shell && random_chance(actor->random, 30)) {
		surface = make_surface(actor);
		uint32_t layer = ASK(actor, shell, "get_layer_surface", ARGUMENT_ANY, surface);
		wire_set_bufferless(&actor->wire, surface, true);
		ASK(actor, layer, "set_size", ARGUMENT_ANY);
		ASK(actor, surface, "commit", 0);
	} else if (base) {
		surface = make_surface(actor);
		uint32_t xdg_surface = ASK(actor, base, "get_xdg_surface", ARGUMENT_ANY, surface);
		wire_set_bufferless(&actor->wire, surface, true);
		uint32_t toplevel = ASK(actor, xdg_surface, "get_toplevel", ARGUMENT_ANY);
		uint32_t decorations = actor_pick(actor, "zxdg_decoration_manager_v1");
		if (decorations && random_chance(actor->random, 30)) {
			ASK(actor, decorations, "get_toplevel_decoration", ARGUMENT_ANY, toplevel);
		}
		export_window(actor, surface);
		uint32_t kde = actor_pick(actor, "org_kde_kwin_server_decoration_manager");
		if (kde && random_chance(actor->random, 20)) {
			ASK(actor, kde, "create", ARGUMENT_ANY, surface);
		}
		ASK(actor, surface, "commit", 0);
	}
	return surface;
}

static void make_keyboard(struct actor *actor)
{
	uint32_t manager = actor_pick(actor, "zwp_virtual_keyboard_manager_v1");
	if (manager && random_chance(actor->random, 20)) {
		uint32_t keyboard = ASK(actor, manager, "create_virtual_keyboard", ARGUMENT_ANY);
		ASK(actor, keyboard, "keymap", 1);
	}
}

static void handle_event(
	struct wire *wire, uint32_t id, const char *event, const uint32_t *arguments, void *data)
{
	struct actor *actor = data;
	const struct wire_object object = *wire_object(wire, id);
	const char *name = object.interface->name;
	bool willing = random_chance(actor->random, 92);
	if ((strcmp(event, "button") == 0 || strcmp(event, "down") == 0 ||
		    strcmp(event, "key") == 0)) {
		actor->press = arguments[0];
	} else if (strcmp(event, "done") == 0 && strcmp(name, "zwlr_output_manager_v1") == 0) {
		actor->configured = arguments[0];
	}
	actor->n_leases += strcmp(event, "lease_fd") == 0;
	if (strcmp(event, "locked") == 0 && strcmp(name, "ext_session_lock_v1") == 0) {
		actor->lock = id;
	}
	if (strcmp(event, "ping") == 0 && strcmp(name, "xdg_wm_base") == 0 && willing) {
		ASK(actor, id, "pong", arguments[0]);
	} else if (strcmp(event, "configure") == 0 && willing &&
		   (strcmp(name, "xdg_surface") == 0 ||
			   strcmp(name, "zwlr_layer_surface_v1") == 0 ||
			   strcmp(name, "ext_session_lock_surface_v1") == 0)) {
		ASK(actor, id, "ack_configure", arguments[0]);
		wire_set_bufferless(wire, object.about, false);
		if (is(wire_object(wire, object.about), "wl_surface") &&
			random_chance(actor->random, 80)) {
			actor_show(actor, object.about);
		}
	}
}

/** Sends a random request of a plausible object's version. */
static void act_at_random(struct actor *actor)
{
	uint32_t id = actor_pick(actor, NULL);
	const struct wire_object *object = wire_object(&actor->wire, id);
	if (!is(object, NULL) || object->interface->method_count == 0) {
		return;
	}
	int opcode = random_between(actor->random, 0, object->interface->method_count - 1);
	const struct wl_message *request = &object->interface->methods[opcode];
	if (object->interface == &wl_registry_interface) {
		bind_global(actor);
		return;
	}
	if (object->bufferless && opcode == 1 && random_chance(actor->random, 97)) {
		return;
	}
	if (request_is_rash(object->interface->name, request->name) &&
		random_chance(actor->random, 95)) {
		return;
	}
	/* Managers are few, and most requests need them. */
	if (request_is_destructor(request->name) &&
		!random_chance(
			actor->random, strstr(object->interface->name, "manager") ? 3 : 30)) {
		return;
	}
	send_request(actor, id, opcode, NULL, 0);
}

static void make_noise(struct actor *actor)
{
	uint32_t words[8];
	for (int i = 0; i < 8; i++) {
		words[i] = random_next(actor->random);
	}
	words[0] = random_next(actor->random) % (actor->wire.n_objects + 2);
	words[1] = (random_next(actor->random) % 9 * 4) << 16 | random_next(actor->random) % 24;
	wire_send_bytes(&actor->wire, words, sizeof(words));
}

void actor_init(struct actor *actor, struct wl_display *display, struct random *random)
{
	*actor = (struct actor){.random = random};
	wire_init(&actor->wire, display);
	actor->wire.handle_event = handle_event;
	actor->wire.data = actor;
	actor->deaf = random_chance(random, 3);
	ASK(actor, 1, "get_registry", ARGUMENT_ANY);
}

void actor_finish(struct actor *actor)
{
	wire_finish(&actor->wire);
}

bool actor_alive(const struct actor *actor)
{
	return actor->wire.client && !actor->wire.ended;
}

/** By seed, a client binds all globals first. */
static bool actor_binds(const struct actor *actor)
{
	return !actor->random->data && actor->n_bound < (uint32_t)actor->wire.n_globals;
}

void actor_act(struct actor *actor)
{
	if (!actor->deaf || actor->wire.n_globals == 0) {
		wire_read(&actor->wire);
	}
	uint32_t surface = actor_pick(actor, "wl_surface");
	int die = random_between(actor->random, 0, 999);
	if (!actor_alive(actor)) {
		return;
	}
	if (die < 1) {
		make_noise(actor);
	} else if (actor_binds(actor) || die < 20) {
		for (int i = actor->random->data ? 1 : 10; i > 0; i--) {
			bind_global(actor);
		}
	} else if (die < 120) {
		actor_make_window(actor);
	} else if (die < 170 && surface) {
		actor_show(actor, surface);
	} else if (die < 175) {
		make_keyboard(actor);
	} else if (die < 230) {
		sequence_play(actor);
	} else if (die < 245) {
		uint32_t shm = actor_pick(actor, "wl_shm");
		if (shm) {
			ASK(actor, shm, "create_pool", ARGUMENT_ANY);
		}
	} else {
		act_at_random(actor);
	}
}
