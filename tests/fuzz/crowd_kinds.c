/* Crowds: surfaces, trees, chains of popups and parents, regions, pools, sources and more. */

#include "fuzz/crowd.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <limits.h>
#include <stddef.h>
#include <unistd.h>
#include <wayland-client-protocol.h>

static uint32_t keep(struct crowd *crowd, uint32_t id, int rank, const char *destructor)
{
	if (!id) {
		return 0;
	}
	if (crowd->n_ids == crowd->capacity) {
		crowd->capacity = crowd->capacity ? crowd->capacity * 2 : 1024;
		crowd->ids = xrealloc(crowd->ids, (size_t)crowd->capacity, sizeof(*crowd->ids));
	}
	crowd->ids[crowd->n_ids++] = (struct crowd_id){id, rank, destructor};
	return id;
}

static uint32_t bind(struct crowd *crowd, const char *interface)
{
	return actor_bind(&crowd->actor, interface);
}

void crowd_begin(struct crowd *crowd)
{
	struct actor *actor = &crowd->actor;
	crowd->compositor = bind(crowd, "wl_compositor");
	crowd->subcompositor = bind(crowd, "wl_subcompositor");
	crowd->base = bind(crowd, "xdg_wm_base");
	crowd->shm = bind(crowd, "wl_shm");
	crowd->seat = bind(crowd, "wl_seat");
	crowd->viewporter = bind(crowd, "wp_viewporter");
	crowd->single = bind(crowd, "wp_single_pixel_buffer_manager_v1");
	crowd->pixel =
		ASK(actor, crowd->single, "create_u32_rgba_buffer", ARGUMENT_ANY, -1, 0, 0, -1);
}

/** A bound global of this interface, made when it is first needed. */
static uint32_t global(struct crowd *crowd, const char *interface)
{
	uint32_t id = actor_pick(&crowd->actor, interface);
	return id ? id : bind(crowd, interface);
}

static uint32_t add_surface(struct crowd *crowd)
{
	return keep(crowd, ASK(&crowd->actor, crowd->compositor, "create_surface", ARGUMENT_ANY), 0,
		"destroy");
}

static void show(struct crowd *crowd, uint32_t surface)
{
	ASK(&crowd->actor, surface, "attach", crowd->pixel, 0, 0);
	ASK(&crowd->actor, surface, "damage", 0, 0, INT32_MAX, INT32_MAX);
	ASK(&crowd->actor, surface, "commit", 0);
}

/** Returns its xdg_surface; its configure event is acknowledged when it is read. */
static uint32_t add_toplevel(struct crowd *crowd, uint32_t *surface, uint32_t *toplevel)
{
	struct actor *actor = &crowd->actor;
	*surface = add_surface(crowd);
	uint32_t xdg = keep(crowd,
		ASK(actor, crowd->base, "get_xdg_surface", ARGUMENT_ANY, *surface), 1, "destroy");
	*toplevel = keep(crowd, ASK(actor, xdg, "get_toplevel", ARGUMENT_ANY), 2, "destroy");
	ASK(actor, *surface, "commit", 0);
	return xdg;
}

static void make_surface(struct crowd *crowd, int index)
{
	show(crowd, add_surface(crowd));
}

static void make_toplevel(struct crowd *crowd, int index)
{
	uint32_t surface, toplevel;
	add_toplevel(crowd, &surface, &toplevel);
}

static void add_subsurface(struct crowd *crowd, uint32_t parent)
{
	struct actor *actor = &crowd->actor;
	uint32_t surface = add_surface(crowd);
	uint32_t role = keep(crowd,
		ASK(actor, crowd->subcompositor, "get_subsurface", ARGUMENT_ANY, surface, parent),
		1, "destroy");
	ASK(actor, role, "set_position", random_between(crowd->random, -40000, 40000),
		random_between(crowd->random, 0, 200));
	if (random_chance(crowd->random, 50)) {
		ASK(actor, role, "set_desync", 0);
	}
	show(crowd, surface);
	crowd->last = surface;
}

static void make_wide(struct crowd *crowd, int index)
{
	uint32_t toplevel;
	if (index == 0) {
		add_toplevel(crowd, &crowd->root, &toplevel);
		return;
	}
	add_subsurface(crowd, crowd->root);
}

static void make_deep(struct crowd *crowd, int index)
{
	uint32_t toplevel;
	if (index == 0) {
		add_toplevel(crowd, &crowd->root, &toplevel);
		crowd->last = crowd->root;
		return;
	}
	add_subsurface(crowd, crowd->last);
}

/** Children are mapped and then taken along. */
static void commit_root(struct crowd *crowd)
{
	for (int i = 0; i < 8; i++) {
		show(crowd, crowd->root);
	}
}

static void add_popup(struct crowd *crowd, uint32_t parent)
{
	struct actor *actor = &crowd->actor;
	uint32_t positioner = ASK(actor, crowd->base, "create_positioner", ARGUMENT_ANY);
	ASK(actor, positioner, "set_size", 10, 10);
	ASK(actor, positioner, "set_anchor_rect", 0, 0, 1, 1);
	uint32_t surface = add_surface(crowd);
	uint32_t xdg = keep(crowd,
		ASK(actor, crowd->base, "get_xdg_surface", ARGUMENT_ANY, surface), 1, "destroy");
	keep(crowd, ASK(actor, xdg, "get_popup", ARGUMENT_ANY, parent, positioner), 2, "destroy");
	ASK(actor, positioner, "destroy", 0);
	crowd->last = xdg;
}

static void make_popup_chain(struct crowd *crowd, int index)
{
	uint32_t surface, toplevel;
	if (index == 0) {
		crowd->last = add_toplevel(crowd, &surface, &toplevel);
		return;
	}
	add_popup(crowd, crowd->last);
}

static void make_popup_fan(struct crowd *crowd, int index)
{
	uint32_t surface, toplevel;
	if (index == 0) {
		crowd->root = add_toplevel(crowd, &surface, &toplevel);
		return;
	}
	add_popup(crowd, crowd->root);
}

static void make_parent_chain(struct crowd *crowd, int index)
{
	uint32_t surface, toplevel;
	add_toplevel(crowd, &surface, &toplevel);
	if (crowd->last) {
		ASK(&crowd->actor, toplevel, "set_parent", crowd->last);
	}
	crowd->last = toplevel;
}

static void make_region(struct crowd *crowd, int index)
{
	struct actor *actor = &crowd->actor;
	uint32_t region = ASK(actor, crowd->compositor, "create_region", ARGUMENT_ANY);
	keep(crowd, region, 1, "destroy");
	for (int i = 0; i < 24; i++) {
		ASK(actor, region, "add", 7 * i, 13 * (index % 97) + 11 * i, 5, 5);
	}
	uint32_t surface = add_surface(crowd);
	ASK(actor, surface, "set_input_region", region);
	ASK(actor, surface, "set_opaque_region", region);
	ASK(actor, surface, "commit", 0);
}

static uint32_t make_memory(struct crowd *crowd)
{
	struct wire *wire = &crowd->actor.wire;
	uint32_t pool = wire_create(wire, &wl_shm_pool_interface, 1, 0);
	int fd = fd_create_memory("crowd", 4096, false);
	struct wire_argument arguments[3] = {{.value = pool}, {.fd = fd}, {.value = 4096}};
	wire_send(wire, crowd->shm, 0, "nhi", arguments);
	close(fd);
	return pool;
}

static uint32_t make_buffer(struct crowd *crowd, uint32_t pool)
{
	struct wire *wire = &crowd->actor.wire;
	uint32_t buffer = wire_create(wire, &wl_buffer_interface, 1, 0);
	struct wire_argument arguments[6] = {{.value = buffer}, {.value = 0}, {.value = 8},
		{.value = 8}, {.value = 32}, {.value = WL_SHM_FORMAT_XRGB8888}};
	wire_send(wire, pool, 0, "niiiiu", arguments);
	return buffer;
}

static void make_pool(struct crowd *crowd, int index)
{
	struct actor *actor = &crowd->actor;
	uint32_t pool = make_memory(crowd);
	uint32_t buffer = make_buffer(crowd, pool);
	uint32_t surface = add_surface(crowd);
	ASK(actor, surface, "attach", buffer, 0, 0);
	ASK(actor, surface, "commit", 0);
	ASK(actor, buffer, "destroy", 0);
	ASK(actor, pool, "destroy", 0);
}

static void make_callback(struct crowd *crowd, int index)
{
	crowd->root = crowd->root ? crowd->root : add_surface(crowd);
	for (int i = 0; i < 16; i++) {
		ASK(&crowd->actor, crowd->root, "frame", ARGUMENT_ANY);
	}
	ASK(&crowd->actor, crowd->root, "commit", 0);
}

static void make_source(struct crowd *crowd, int index)
{
	uint32_t source = ASK(&crowd->actor, global(crowd, "wl_data_device_manager"),
		"create_data_source", ARGUMENT_ANY);
	keep(crowd, source, 1, "destroy");
	for (int i = 0; i < 16; i++) {
		ASK(&crowd->actor, source, "offer", ARGUMENT_ANY);
	}
}

static void make_keyboard(struct crowd *crowd, int index)
{
	static const char *const requests[] = {"get_keyboard", "get_pointer", "get_touch"};
	keep(crowd, ASK(&crowd->actor, crowd->seat, requests[index % 3], ARGUMENT_ANY), 1,
		"release");
}

static void make_registry(struct crowd *crowd, int index)
{
	ASK(&crowd->actor, 1, "get_registry", ARGUMENT_ANY);
}

static void make_token(struct crowd *crowd, int index)
{
	uint32_t token = ASK(&crowd->actor, global(crowd, "xdg_activation_v1"),
		"get_activation_token", ARGUMENT_ANY);
	keep(crowd, token, 1, "destroy");
	ASK(&crowd->actor, token, "commit", 0);
}

static void make_layer(struct crowd *crowd, int index)
{
	struct actor *actor = &crowd->actor;
	uint32_t surface = add_surface(crowd);
	uint32_t layer = keep(crowd,
		ASK(actor, global(crowd, "zwlr_layer_shell_v1"), "get_layer_surface", ARGUMENT_ANY,
			surface, 0, index % 4),
		1, "destroy");
	ASK(actor, layer, "set_anchor", 1 + index % 15);
	ASK(actor, layer, "set_size", 10, 10);
	ASK(actor, layer, "set_exclusive_zone", index % 3);
	ASK(actor, surface, "commit", 0);
}

static int32_t extreme(struct crowd *crowd)
{
	static const int32_t numbers[] = {INT32_MAX, INT32_MIN, INT32_MAX - 1, INT32_MIN + 1, 0, 1,
		-1, 1 << 30, 1 << 24, 65536, 32768, -32769};
	return numbers[random_between(
		crowd->random, 0, (int32_t)(sizeof(numbers) / sizeof(numbers[0])) - 1)];
}

static int32_t large(struct crowd *crowd)
{
	static const int32_t numbers[] = {
		INT32_MAX, INT32_MAX - 1, 1 << 30, 1 << 24, 65536, 32768, 1};
	return numbers[random_between(
		crowd->random, 0, (int32_t)(sizeof(numbers) / sizeof(numbers[0])) - 1)];
}

/** Numbers that no request forbids by itself, combined. */
static void make_extreme(struct crowd *crowd, int index)
{
	struct actor *actor = &crowd->actor;
	uint32_t surface, toplevel;
	uint32_t xdg = add_toplevel(crowd, &surface, &toplevel);
	if (random_chance(crowd->random, 50)) {
		keep(crowd,
			ASK(actor, global(crowd, "zxdg_decoration_manager_v1"),
				"get_toplevel_decoration", ARGUMENT_ANY, toplevel),
			3, "destroy");
	}
	if (random_chance(crowd->random, 70)) {
		uint32_t viewport = keep(crowd,
			ASK(actor, crowd->viewporter, "get_viewport", ARGUMENT_ANY, surface), 1,
			"destroy");
		ASK(actor, viewport, "set_destination", large(crowd), large(crowd));
	}
	ASK(actor, xdg, "set_window_geometry", extreme(crowd), extreme(crowd), large(crowd),
		large(crowd));
	ASK(actor, toplevel, "set_min_size", large(crowd), large(crowd));
	ASK(actor, toplevel, random_chance(crowd->random, 50) ? "set_maximized" : "set_fullscreen",
		0);
	ASK(actor, surface, "offset", extreme(crowd), extreme(crowd));
	ASK(actor, surface, "damage", extreme(crowd), extreme(crowd), extreme(crowd),
		extreme(crowd));
	if (index > 0) {
		uint32_t child = add_surface(crowd);
		uint32_t role = keep(crowd,
			ASK(actor, crowd->subcompositor, "get_subsurface", ARGUMENT_ANY, child,
				surface),
			1, "destroy");
		ASK(actor, role, "set_position", extreme(crowd), extreme(crowd));
		show(crowd, child);
	}
	crowd->last = surface;
}

const struct crowd_kind *crowd_kind_at(int index)
{
	static const struct crowd_kind kinds[] = {
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
		/* Destroying one arranges all others of its output. */
		{"layers", make_layer, NULL, 500},
		{"extremes", make_extreme, NULL, 300},
	};
	return index < (int)(sizeof(kinds) / sizeof(kinds[0])) ? &kinds[index] : NULL;
}
