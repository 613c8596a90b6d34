/* SPDX-License-Identifier: MIT */
/*
 * Kinds of object floods: surfaces, trees, chains of popups and parents, regions, pools, sources
 * and more.
 */

#include "fuzz/flood.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <limits.h>
#include <stddef.h>
#include <unistd.h>
#include <wayland-client-protocol.h>

static uint32_t keep(struct flood *flood, uint32_t id, int rank, const char *destructor)
{
	if (!id) {
		return 0;
	}
	if (flood->n_ids == flood->capacity) {
		flood->capacity = flood->capacity ? flood->capacity * 2 : 1024;
		flood->ids = xrealloc(flood->ids, (size_t)flood->capacity, sizeof(*flood->ids));
	}
	flood->ids[flood->n_ids++] = (struct flood_id){id, rank, destructor};
	return id;
}

static uint32_t bind(struct flood *flood, const char *interface)
{
	return actor_bind(&flood->actor, interface);
}

void flood_begin(struct flood *flood)
{
	struct actor *actor = &flood->actor;
	flood->compositor = bind(flood, "wl_compositor");
	flood->subcompositor = bind(flood, "wl_subcompositor");
	flood->base = bind(flood, "xdg_wm_base");
	flood->shm = bind(flood, "wl_shm");
	flood->seat = bind(flood, "wl_seat");
	flood->viewporter = bind(flood, "wp_viewporter");
	flood->single = bind(flood, "wp_single_pixel_buffer_manager_v1");
	flood->pixel =
		ASK(actor, flood->single, "create_u32_rgba_buffer", ARGUMENT_ANY, -1, 0, 0, -1);
}

/** Returns the global of this interface, bound on first use. */
static uint32_t global(struct flood *flood, const char *interface)
{
	uint32_t id = actor_pick(&flood->actor, interface);
	return id ? id : bind(flood, interface);
}

static uint32_t add_surface(struct flood *flood)
{
	return keep(flood, ASK(&flood->actor, flood->compositor, "create_surface", ARGUMENT_ANY), 0,
		"destroy");
}

static void show(struct flood *flood, uint32_t surface)
{
	ASK(&flood->actor, surface, "attach", flood->pixel, 0, 0);
	ASK(&flood->actor, surface, "damage", 0, 0, INT32_MAX, INT32_MAX);
	ASK(&flood->actor, surface, "commit", 0);
}

/** Returns the xdg_surface; its configure event is acknowledged when it is read. */
static uint32_t add_toplevel(struct flood *flood, uint32_t *surface, uint32_t *toplevel)
{
	struct actor *actor = &flood->actor;
	*surface = add_surface(flood);
	uint32_t xdg = keep(flood,
		ASK(actor, flood->base, "get_xdg_surface", ARGUMENT_ANY, *surface), 1, "destroy");
	*toplevel = keep(flood, ASK(actor, xdg, "get_toplevel", ARGUMENT_ANY), 2, "destroy");
	ASK(actor, *surface, "commit", 0);
	return xdg;
}

static void make_surface(struct flood *flood, int index)
{
	show(flood, add_surface(flood));
}

static void make_toplevel(struct flood *flood, int index)
{
	uint32_t surface, toplevel;
	add_toplevel(flood, &surface, &toplevel);
}

static void add_subsurface(struct flood *flood, uint32_t parent)
{
	struct actor *actor = &flood->actor;
	uint32_t surface = add_surface(flood);
	uint32_t role = keep(flood,
		ASK(actor, flood->subcompositor, "get_subsurface", ARGUMENT_ANY, surface, parent),
		1, "destroy");
	ASK(actor, role, "set_position", random_between(flood->random, -40000, 40000),
		random_between(flood->random, 0, 200));
	if (random_chance(flood->random, 50)) {
		ASK(actor, role, "set_desync", 0);
	}
	show(flood, surface);
	flood->last = surface;
}

static void make_wide(struct flood *flood, int index)
{
	uint32_t toplevel;
	if (index == 0) {
		add_toplevel(flood, &flood->root, &toplevel);
		return;
	}
	add_subsurface(flood, flood->root);
}

static void make_deep(struct flood *flood, int index)
{
	uint32_t toplevel;
	if (index == 0) {
		add_toplevel(flood, &flood->root, &toplevel);
		flood->last = flood->root;
		return;
	}
	add_subsurface(flood, flood->last);
}

/** Maps the children with their parent. */
static void commit_root(struct flood *flood)
{
	for (int i = 0; i < 8; i++) {
		show(flood, flood->root);
	}
}

static void add_popup(struct flood *flood, uint32_t parent)
{
	struct actor *actor = &flood->actor;
	uint32_t positioner = ASK(actor, flood->base, "create_positioner", ARGUMENT_ANY);
	ASK(actor, positioner, "set_size", 10, 10);
	ASK(actor, positioner, "set_anchor_rect", 0, 0, 1, 1);
	uint32_t surface = add_surface(flood);
	uint32_t xdg = keep(flood,
		ASK(actor, flood->base, "get_xdg_surface", ARGUMENT_ANY, surface), 1, "destroy");
	keep(flood, ASK(actor, xdg, "get_popup", ARGUMENT_ANY, parent, positioner), 2, "destroy");
	ASK(actor, positioner, "destroy", 0);
	flood->last = xdg;
}

static void make_popup_chain(struct flood *flood, int index)
{
	uint32_t surface, toplevel;
	if (index == 0) {
		flood->last = add_toplevel(flood, &surface, &toplevel);
		return;
	}
	add_popup(flood, flood->last);
}

static void make_popup_fan(struct flood *flood, int index)
{
	uint32_t surface, toplevel;
	if (index == 0) {
		flood->root = add_toplevel(flood, &surface, &toplevel);
		return;
	}
	add_popup(flood, flood->root);
}

static void make_parent_chain(struct flood *flood, int index)
{
	uint32_t surface, toplevel;
	add_toplevel(flood, &surface, &toplevel);
	if (flood->last) {
		ASK(&flood->actor, toplevel, "set_parent", flood->last);
	}
	flood->last = toplevel;
}

static void make_region(struct flood *flood, int index)
{
	struct actor *actor = &flood->actor;
	uint32_t region = ASK(actor, flood->compositor, "create_region", ARGUMENT_ANY);
	keep(flood, region, 1, "destroy");
	for (int i = 0; i < 24; i++) {
		ASK(actor, region, "add", 7 * i, 13 * (index % 97) + 11 * i, 5, 5);
	}
	uint32_t surface = add_surface(flood);
	ASK(actor, surface, "set_input_region", region);
	ASK(actor, surface, "set_opaque_region", region);
	ASK(actor, surface, "commit", 0);
}

static uint32_t make_memory(struct flood *flood)
{
	struct wire *wire = &flood->actor.wire;
	uint32_t pool = wire_create(wire, &wl_shm_pool_interface, 1, 0);
	int fd = fd_create_memory("flood", 4096, false);
	struct wire_argument arguments[3] = {{.value = pool}, {.fd = fd}, {.value = 4096}};
	wire_send(wire, flood->shm, 0, "nhi", arguments);
	close(fd);
	return pool;
}

static uint32_t make_buffer(struct flood *flood, uint32_t pool)
{
	struct wire *wire = &flood->actor.wire;
	uint32_t buffer = wire_create(wire, &wl_buffer_interface, 1, 0);
	struct wire_argument arguments[6] = {{.value = buffer}, {.value = 0}, {.value = 8},
		{.value = 8}, {.value = 32}, {.value = WL_SHM_FORMAT_XRGB8888}};
	wire_send(wire, pool, 0, "niiiiu", arguments);
	return buffer;
}

static void make_pool(struct flood *flood, int index)
{
	struct actor *actor = &flood->actor;
	uint32_t pool = make_memory(flood);
	uint32_t buffer = make_buffer(flood, pool);
	uint32_t surface = add_surface(flood);
	ASK(actor, surface, "attach", buffer, 0, 0);
	ASK(actor, surface, "commit", 0);
	ASK(actor, buffer, "destroy", 0);
	ASK(actor, pool, "destroy", 0);
}

static void make_callback(struct flood *flood, int index)
{
	flood->root = flood->root ? flood->root : add_surface(flood);
	for (int i = 0; i < 16; i++) {
		ASK(&flood->actor, flood->root, "frame", ARGUMENT_ANY);
	}
	ASK(&flood->actor, flood->root, "commit", 0);
}

static void make_source(struct flood *flood, int index)
{
	uint32_t source = ASK(&flood->actor, global(flood, "wl_data_device_manager"),
		"create_data_source", ARGUMENT_ANY);
	keep(flood, source, 1, "destroy");
	for (int i = 0; i < 16; i++) {
		ASK(&flood->actor, source, "offer", ARGUMENT_ANY);
	}
}

static void make_keyboard(struct flood *flood, int index)
{
	static const char *const requests[] = {"get_keyboard", "get_pointer", "get_touch"};
	keep(flood, ASK(&flood->actor, flood->seat, requests[index % 3], ARGUMENT_ANY), 1,
		"release");
}

static void make_registry(struct flood *flood, int index)
{
	ASK(&flood->actor, 1, "get_registry", ARGUMENT_ANY);
}

static void make_token(struct flood *flood, int index)
{
	uint32_t token = ASK(&flood->actor, global(flood, "xdg_activation_v1"),
		"get_activation_token", ARGUMENT_ANY);
	keep(flood, token, 1, "destroy");
	ASK(&flood->actor, token, "commit", 0);
}

static void make_layer(struct flood *flood, int index)
{
	struct actor *actor = &flood->actor;
	uint32_t surface = add_surface(flood);
	uint32_t layer = keep(flood,
		ASK(actor, global(flood, "zwlr_layer_shell_v1"), "get_layer_surface", ARGUMENT_ANY,
			surface, 0, index % 4),
		1, "destroy");
	ASK(actor, layer, "set_anchor", 1 + index % 15);
	ASK(actor, layer, "set_size", 10, 10);
	ASK(actor, layer, "set_exclusive_zone", index % 3);
	ASK(actor, surface, "commit", 0);
}

static int32_t extreme(struct flood *flood)
{
	static const int32_t numbers[] = {INT32_MAX, INT32_MIN, INT32_MAX - 1, INT32_MIN + 1, 0, 1,
		-1, 1 << 30, 1 << 24, 65536, 32768, -32769};
	return numbers[random_between(
		flood->random, 0, (int32_t)(sizeof(numbers) / sizeof(numbers[0])) - 1)];
}

static int32_t large(struct flood *flood)
{
	static const int32_t numbers[] = {
		INT32_MAX, INT32_MAX - 1, 1 << 30, 1 << 24, 65536, 32768, 1};
	return numbers[random_between(
		flood->random, 0, (int32_t)(sizeof(numbers) / sizeof(numbers[0])) - 1)];
}

/** Combines numbers that are valid by themselves. */
static void make_extreme(struct flood *flood, int index)
{
	struct actor *actor = &flood->actor;
	uint32_t surface, toplevel;
	uint32_t xdg = add_toplevel(flood, &surface, &toplevel);
	if (random_chance(flood->random, 50)) {
		keep(flood,
			ASK(actor, global(flood, "zxdg_decoration_manager_v1"),
				"get_toplevel_decoration", ARGUMENT_ANY, toplevel),
			3, "destroy");
	}
	if (random_chance(flood->random, 70)) {
		uint32_t viewport = keep(flood,
			ASK(actor, flood->viewporter, "get_viewport", ARGUMENT_ANY, surface), 1,
			"destroy");
		ASK(actor, viewport, "set_destination", large(flood), large(flood));
	}
	ASK(actor, xdg, "set_window_geometry", extreme(flood), extreme(flood), large(flood),
		large(flood));
	ASK(actor, toplevel, "set_min_size", large(flood), large(flood));
	ASK(actor, toplevel, random_chance(flood->random, 50) ? "set_maximized" : "set_fullscreen",
		0);
	ASK(actor, surface, "offset", extreme(flood), extreme(flood));
	ASK(actor, surface, "damage", extreme(flood), extreme(flood), extreme(flood),
		extreme(flood));
	if (index > 0) {
		uint32_t child = add_surface(flood);
		uint32_t role = keep(flood,
			ASK(actor, flood->subcompositor, "get_subsurface", ARGUMENT_ANY, child,
				surface),
			1, "destroy");
		ASK(actor, role, "set_position", extreme(flood), extreme(flood));
		show(flood, child);
	}
	flood->last = surface;
}

const struct flood_kind *flood_kind_at(int index)
{
	static const struct flood_kind kinds[] = {
		{"surfaces", make_surface, NULL, 0},
		{"toplevels", make_toplevel, NULL, 0},
		{"wide-tree", make_wide, commit_root, 0},
		{"deep-tree", make_deep, commit_root, 0},
		{"popup-chain", make_popup_chain, NULL, 0},
		{"popup-fan", make_popup_fan, NULL, 0},
		{"parent-chain", make_parent_chain, NULL, 0},
		{"regions", make_region, NULL, 0},
		{"pools", make_pool, NULL, 0},
		{"callbacks", make_callback, NULL, 0},
		{"sources", make_source, NULL, 0},
		{"keyboards", make_keyboard, NULL, 0},
		{"registries", make_registry, NULL, 0},
		{"tokens", make_token, NULL, 0},
		/* destroying one arranges all others of its output */
		{"layers", make_layer, NULL, 500},
		{"extremes", make_extreme, NULL, 300},
	};
	return index < (int)(sizeof(kinds) / sizeof(kinds[0])) ? &kinds[index] : NULL;
}
