/* SPDX-License-Identifier: MIT */
/* Request sequences of hostile clients that random requests alone rarely reach. */

#include "fuzz/sequence.h"
#include "ext-session-lock-v1-client-protocol.h"
#include "fuzz/argument.h"

#define MOST_SURFACES 24
/** Start of test clocks in s. */
#define EPOCH 1000

static bool chance(struct actor *actor, int percent)
{
	return random_chance(actor->random, percent);
}

static int32_t between(struct actor *actor, int32_t lo, int32_t hi)
{
	return random_between(actor->random, lo, hi);
}

/** Builds and destroys a tree of subsurfaces in random order, depth and width. */
static void grow_tree(struct actor *actor)
{
	uint32_t surfaces[MOST_SURFACES], roles[MOST_SURFACES], parents[MOST_SURFACES] = {0};
	uint32_t compositor = actor_pick(actor, "wl_compositor");
	uint32_t sub = actor_pick(actor, "wl_subcompositor");
	int n = between(actor, 2, MOST_SURFACES), depth = between(actor, 0, 100);
	surfaces[0] =
		chance(actor, 50) ? actor_pick(actor, "wl_surface") : actor_make_window(actor);
	if (!surfaces[0]) {
		return;
	}
	for (int i = 1; i < n; i++) {
		surfaces[i] = ASK(actor, compositor, "create_surface", ARGUMENT_ANY);
		uint32_t parent = surfaces[chance(actor, depth) ? i - 1 : between(actor, 0, i - 1)];
		parents[i] = parent;
		roles[i] = ASK(actor, sub, "get_subsurface", ARGUMENT_ANY, surfaces[i], parent);
		ASK(actor, roles[i], "set_position",
			between(actor, -40000, 40000) >> between(actor, 0, 16),
			between(actor, -100, 200));
		ASK(actor, roles[i], chance(actor, 50) ? "set_sync" : "set_desync", 0);
		if (chance(actor, 60)) {
			actor_show(actor, surfaces[i]);
		}
	}
	for (int i = between(actor, 0, n); i > 0; i--) {
		int one = between(actor, 1, n - 1), other = between(actor, 0, n - 1);
		switch (between(actor, 0, 3)) {
		case 0:
			ASK(actor, roles[one], "destroy", 0);
			/* A new parent, which may be one of its children. */
			if (chance(actor, 50)) {
				roles[one] = ASK(actor, sub, "get_subsurface", ARGUMENT_ANY,
					surfaces[one],
					surfaces[chance(actor, 95) ? between(actor, 0, one - 1)
								   : other]);
			}
			break;
		case 1:
			ASK(actor, roles[one], "destroy", 0);
			ASK(actor, surfaces[one], "destroy", 0);
			break;
		case 2:
			/* The parent, mostly; siblings in wide trees. */
			ASK(actor, roles[one], chance(actor, 50) ? "place_above" : "place_below",
				parents[chance(actor, 95) ? one : other]);
			break;
		default: ASK(actor, surfaces[other], "commit", 0); break;
		}
	}
}

static void drag(struct actor *actor)
{
	uint32_t manager = actor_pick(actor, "wl_data_device_manager");
	uint32_t seat = actor_pick(actor, "wl_seat"), origin = actor_pick(actor, "wl_surface");
	uint32_t source = 0, icon = 0;
	if (!origin || !seat) {
		return;
	}
	uint32_t device = chance(actor, 70) ? actor_pick(actor, "wl_data_device") : 0;
	if (!device) {
		device = ASK(actor, manager, "get_data_device", ARGUMENT_ANY, seat);
	}
	if (chance(actor, 85)) {
		source = ASK(actor, manager, "create_data_source", ARGUMENT_ANY);
		ASK(actor, source, "offer", ARGUMENT_ANY);
		ASK(actor, source, "set_actions", between(actor, 0, 7));
	}
	if (chance(actor, 60)) {
		icon = ASK(
			actor, actor_pick(actor, "wl_compositor"), "create_surface", ARGUMENT_ANY);
	}
	ASK(actor, device, "start_drag", source, origin, icon, actor->press);
	if (icon) {
		actor_show(actor, icon);
	}
	switch (between(actor, 0, 9)) {
	case 0: ASK(actor, source, "destroy", 0); break;
	case 1: ASK(actor, icon, "destroy", 0); break;
	case 2: ASK(actor, origin, "destroy", 0); break;
	case 3: actor->wire.ended = true; break;
	default: break;
	}
}

static void select_something(struct actor *actor)
{
	static const char *const kinds[][3] = {
		{"wl_data_device_manager", "wl_data_device", "create_data_source"},
		{"zwp_primary_selection_device_manager_v1", "zwp_primary_selection_device_v1",
			"create_source"},
		{"ext_data_control_manager_v1", "ext_data_control_device_v1", "create_data_source"},
	};
	const char *const *kind = kinds[between(actor, 0, 2)];
	uint32_t manager = actor_pick(actor, kind[0]), device = actor_pick(actor, kind[1]);
	if (!device) {
		device = ASK(actor, manager, kind == kinds[1] ? "get_device" : "get_data_device",
			ARGUMENT_ANY);
	}
	uint32_t source = ASK(actor, manager, kind[2], ARGUMENT_ANY);
	ASK(actor, source, "offer", ARGUMENT_ANY);
	if (kind != kinds[2]) {
		ASK(actor, device, "set_selection", source, actor->press);
	} else {
		ASK(actor, device, chance(actor, 50) ? "set_selection" : "set_primary_selection",
			source);
	}
	if (chance(actor, 30)) {
		ASK(actor, source, "destroy", 0);
	}
}

/**
 * Nested grabbing popups, destroyed from the top, from the bottom, or with the parent's surface.
 */
static void stack_popups(struct actor *actor)
{
	uint32_t base = actor_pick(actor, "xdg_wm_base"), seat = actor_pick(actor, "wl_seat");
	uint32_t compositor = actor_pick(actor, "wl_compositor");
	uint32_t parent = actor_pick(actor, "xdg_surface"), made[8][3];
	int n = between(actor, 1, 4);
	for (int i = 0; i < n; i++) {
		uint32_t positioner = ASK(actor, base, "create_positioner", ARGUMENT_ANY);
		ASK(actor, positioner, "set_size", between(actor, 1, 90), between(actor, 1, 90));
		ASK(actor, positioner, "set_anchor_rect", ARGUMENT_ANY);
		made[i][0] = ASK(actor, compositor, "create_surface", ARGUMENT_ANY);
		made[i][1] = ASK(actor, base, "get_xdg_surface", ARGUMENT_ANY, made[i][0]);
		made[i][2] = ASK(actor, made[i][1], "get_popup", ARGUMENT_ANY, parent, positioner);
		wire_set_bufferless(&actor->wire, made[i][0], true);
		if (chance(actor, 80)) {
			ASK(actor, made[i][2], "grab", seat, actor->press);
		}
		ASK(actor, made[i][0], "commit", 0);
		parent = made[i][1];
	}
	for (int i = n - 1; i >= 0 && chance(actor, 50); i--) {
		int at = chance(actor, 90) ? i : between(actor, 0, n - 1);
		ASK(actor, made[at][2], "destroy", 0);
		ASK(actor, made[at][1], "destroy", 0);
		ASK(actor, made[at][0], "destroy", 0);
	}
}

static void capture(struct actor *actor)
{
	uint32_t manager = actor_pick(actor, "ext_image_copy_capture_manager_v1");
	uint32_t outputs = actor_pick(actor, "ext_output_image_capture_source_manager_v1");
	uint32_t windows =
		actor_pick(actor, "ext_foreign_toplevel_image_capture_source_manager_v1");
	uint32_t pointer = actor_pick(actor, "wl_pointer");
	uint32_t handle = actor_pick(actor, "ext_foreign_toplevel_handle_v1");
	uint32_t source = handle && chance(actor, 60)
				  ? ASK(actor, windows, "create_source", ARGUMENT_ANY, handle)
				  : ASK(actor, outputs, "create_source", ARGUMENT_ANY);
	uint32_t session, buffer = actor_pick(actor, "wl_buffer");
	if (!source || !buffer) {
		return;
	}
	if (pointer && chance(actor, 40)) {
		uint32_t cursor = ASK(actor, manager, "create_pointer_cursor_session", ARGUMENT_ANY,
			source, pointer);
		session = ASK(actor, cursor, "get_capture_session", ARGUMENT_ANY);
	} else {
		session = ASK(actor, manager, "create_session", ARGUMENT_ANY, source,
			between(actor, 0, 1));
	}
	for (int i = between(actor, 0, 3); i >= 0; i--) {
		uint32_t frame = ASK(actor, session, "create_frame", ARGUMENT_ANY);
		ASK(actor, frame, "attach_buffer", actor_pick(actor, "wl_buffer"));
		ASK(actor, frame, "damage_buffer", 0, 0, between(actor, 1, 300),
			between(actor, 1, 300));
		ASK(actor, frame, "capture", 0);
		if (i > 0 || chance(actor, 70)) {
			ASK(actor, frame, "destroy", 0);
		}
	}
	ASK(actor, chance(actor, 50) ? source : session, "destroy", 0);
}

/** Commits that wait for each other, for time, for barriers and for presentation. */
static void pace(struct actor *actor)
{
	/* A second object of these types would be a protocol error. */
	uint32_t surface =
		chance(actor, 90) ? actor_make_window(actor) : actor_pick(actor, "wl_surface");
	uint32_t fifo = ASK(
		actor, actor_pick(actor, "wp_fifo_manager_v1"), "get_fifo", ARGUMENT_ANY, surface);
	uint32_t timer = ASK(actor, actor_pick(actor, "wp_commit_timing_manager_v1"), "get_timer",
		ARGUMENT_ANY, surface);
	uint32_t presentation = actor_pick(actor, "wp_presentation");
	for (int i = between(actor, 1, 12); i > 0; i--) {
		if (chance(actor, 50)) {
			ASK(actor, fifo, "set_barrier", 0);
		}
		if (chance(actor, 50)) {
			ASK(actor, fifo, "wait_barrier", 0);
		}
		if (chance(actor, 40)) {
			ASK(actor, timer, "set_timestamp", 0, EPOCH + between(actor, -1, 9),
				between(actor, 0, 999999999));
		}
		if (chance(actor, 50)) {
			ASK(actor, presentation, "feedback", surface);
		}
		if (chance(actor, 50)) {
			ASK(actor, surface, "frame", ARGUMENT_ANY);
		}
		actor_show(actor, surface);
		ASK(actor, surface, "commit", 0);
	}
	ASK(actor, chance(actor, 3) ? surface : chance(actor, 50) ? fifo : timer, "destroy", 0);
}

static void lock(struct actor *actor)
{
	uint32_t lock =
		ASK(actor, actor_pick(actor, "ext_session_lock_manager_v1"), "lock", ARGUMENT_ANY);
	for (int i = between(actor, 0, 3); i > 0; i--) {
		uint32_t surface = ASK(
			actor, actor_pick(actor, "wl_compositor"), "create_surface", ARGUMENT_ANY);
		ASK(actor, lock, "get_lock_surface", ARGUMENT_ANY, surface);
		wire_set_bufferless(&actor->wire, surface, true);
		if (chance(actor, 20)) {
			ASK(actor, surface, "destroy", 0);
		}
	}
	if (chance(actor, 30)) {
		ASK(actor, lock, "unlock_and_destroy", 0);
		wire_forget(&actor->wire, lock);
	}
}

void sequence_unlock(struct actor *actor)
{
	uint32_t lock = chance(actor, 97) ? actor->lock : actor_pick(actor, "ext_session_lock_v1");
	actor->lock = 0;
	const struct wire_object *object = wire_object(&actor->wire, lock);
	if (!object || object->interface != &ext_session_lock_v1_interface) {
		uint32_t manager = actor_pick(actor, "ext_session_lock_manager_v1");
		if (!manager) {
			manager = actor_bind(actor, "ext_session_lock_manager_v1");
		}
		ASK(actor, manager, "lock", ARGUMENT_ANY);
		return;
	}
	ASK(actor, lock, "unlock_and_destroy", 0);
	wire_forget(&actor->wire, lock);
}

static void arrange_outputs(struct actor *actor)
{
	uint32_t manager = actor_pick(actor, "zwlr_output_manager_v1");
	uint32_t configuration =
		ASK(actor, manager, "create_configuration", ARGUMENT_ANY, actor->configured);
	uint32_t last = 0;
	for (int i = between(actor, 1, 3); i > 0; i--) {
		uint32_t head = actor_pick(actor, "zwlr_output_head_v1");
		if (head == last) {
			break;
		}
		last = head;
		if (chance(actor, 20)) {
			ASK(actor, configuration, "disable_head", head);
			continue;
		}
		uint32_t change = ASK(actor, configuration, "enable_head", ARGUMENT_ANY, head);
		if (chance(actor, 40)) {
			ASK(actor, change, "set_custom_mode", between(actor, 1, 700),
				between(actor, 1, 500), between(actor, 0, 90000));
		}
		if (chance(actor, 40)) {
			ASK(actor, change, "set_position", between(actor, -500, 500),
				between(actor, -500, 500));
		}
		if (chance(actor, 40)) {
			ASK(actor, change, "set_transform", between(actor, 0, 7));
		}
		if (chance(actor, 40)) {
			ASK(actor, change, "set_scale", between(actor, 64, 800));
		}
	}
	ASK(actor, configuration, chance(actor, 70) ? "apply" : "test", 0);
	ASK(actor, configuration, "destroy", 0);
}

static void shape_pointer(struct actor *actor)
{
	uint32_t pointer = actor_pick(actor, "wl_pointer"), seat = actor_pick(actor, "wl_seat");
	uint32_t surface =
		chance(actor, 80) ? actor_make_window(actor) : actor_pick(actor, "wl_surface");
	uint32_t constraints = actor_pick(actor, "zwp_pointer_constraints_v1");
	if (!pointer) {
		pointer = ASK(actor, seat, "get_pointer", ARGUMENT_ANY);
	}
	uint32_t made =
		ASK(actor, constraints, chance(actor, 50) ? "lock_pointer" : "confine_pointer",
			ARGUMENT_ANY, surface, pointer);
	ASK(actor, made, "set_region", ARGUMENT_ANY);
	ASK(actor, surface, "commit", 0);
	uint32_t image =
		ASK(actor, actor_pick(actor, "wl_compositor"), "create_surface", ARGUMENT_ANY);
	ASK(actor, pointer, "set_cursor", ARGUMENT_ANY, image);
	actor_show(actor, image);
	if (chance(actor, 20)) {
		ASK(actor, image, "destroy", 0);
	} else if (chance(actor, 20)) {
		ASK(actor, pointer, "release", 0);
	}
}

/** Creates a wl_buffer of a dma-buf. */
static uint32_t import(struct actor *actor)
{
	uint32_t dmabuf = actor_pick(actor, "zwp_linux_dmabuf_v1");
	uint32_t params = ASK(actor, dmabuf, "create_params", ARGUMENT_ANY);
	ASK(actor, params, "add", ARGUMENT_ANY);
	uint32_t buffer = ASK(actor, params, "create_immed", ARGUMENT_ANY);
	ASK(actor, params, "destroy", 0);
	return buffer;
}

/** Returns a surface that may have a buffer, or 0. */
static uint32_t pick_configured(struct actor *actor)
{
	for (int i = 0; i < 8; i++) {
		uint32_t surface = actor_pick(actor, "wl_surface");
		const struct wire_object *object = wire_object(&actor->wire, surface);
		if (object && !object->bufferless) {
			return surface;
		}
	}
	return 0;
}

/** Buffers of a GPU with acquire and release points of timelines. */
static void render(struct actor *actor)
{
	uint32_t manager = actor_pick(actor, "wp_linux_drm_syncobj_manager_v1");
	uint32_t surface = pick_configured(actor);
	if (!surface) {
		actor_make_window(actor);
		return;
	}
	uint32_t timeline = ASK(actor, manager, "import_timeline", ARGUMENT_ANY);
	uint32_t sync = manager && chance(actor, 60)
				? ASK(actor, manager, "get_surface", ARGUMENT_ANY, surface)
				: 0;
	for (int i = between(actor, 1, 6); i > 0; i--) {
		uint32_t buffer = import(actor);
		int point = 1 + 4 * i + between(actor, 0, 2);
		ASK(actor, sync, "set_acquire_point", timeline, 0, point);
		ASK(actor, sync, "set_release_point", timeline, 0,
			point + (chance(actor, 95) ? 1 : 0));
		ASK(actor, surface, "attach", buffer, 0, 0);
		ASK(actor, surface, "damage", 0, 0, between(actor, 1, 300), between(actor, 1, 300));
		ASK(actor, surface, "commit", 0);
		if (chance(actor, 30)) {
			ASK(actor, buffer, "destroy", 0);
		}
	}
	if (chance(actor, 30)) {
		ASK(actor, chance(actor, 50) ? timeline : sync, "destroy", 0);
	}
}

static void lease(struct actor *actor)
{
	uint32_t device = actor_pick(actor, "wp_drm_lease_device_v1");
	uint32_t request = ASK(actor, device, "create_lease_request", ARGUMENT_ANY);
	for (int i = between(actor, 1, 2); i > 0; i--) {
		ASK(actor, request, "request_connector",
			actor_pick(actor, "wp_drm_lease_connector_v1"));
	}
	uint32_t leased = ASK(actor, request, "submit", ARGUMENT_ANY);
	wire_forget(&actor->wire, request);
	if (chance(actor, 50)) {
		ASK(actor, leased, "destroy", 0);
	}
}

/** Ends the connection in the middle of a request. */
static void break_off(struct actor *actor)
{
	const uint32_t half[] = {actor_pick(actor, NULL), 64 << 16 | 1, 0};
	wire_send_bytes(&actor->wire, half, sizeof(half));
	actor->wire.ended = true;
}

void sequence_play(struct actor *actor)
{
	static void (*const sequences[])(struct actor * actor) = {grow_tree, grow_tree, drag, drag,
		select_something, stack_popups, stack_popups, capture, capture, pace, pace,
		arrange_outputs, shape_pointer, shape_pointer, render, render, lease};
	static const int last = sizeof(sequences) / sizeof(sequences[0]) - 1;
	if (chance(actor, 2)) {
		break_off(actor);
	} else if (chance(actor, 3)) {
		lock(actor);
	} else if (actor->make_fd && chance(actor, 40)) {
		(chance(actor, 60) ? render : lease)(actor);
	} else {
		sequences[between(actor, 0, last)](actor);
	}
}
