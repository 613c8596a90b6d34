/* SPDX-License-Identifier: MIT */
/* Programs that drag and drop, at known places of the screen. */

#include "x_drag_world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pump(struct drag_world *world)
{
	wayland_peer_dispatch(&world->wayland);
	x_peer_dispatch(&world->x);
	x_peer_dispatch(&world->other);
}

void settle(struct drag_world *world)
{
	pump(world);
	x_settle(world->x.client);
	pump(world);
}

/* Moves the pointer into the X program's window, by two steps since the first may be no motion. */
void point_at_x(struct drag_world *world)
{
	if (world->wayland.devices) {
		wayland_peer_point(&world->wayland, AT_X);
		return;
	}
	for (int step = 1; step >= 0; step--) {
		const int x = X_LEFT + 60 + step, y = X_TOP + 90;
		AWAIT(world,
			(wayland_peer_point(&world->wayland, x, y), x_peer_is_at(&world->x, x, y)));
	}
}

void start_x_drag(struct drag_world *world)
{
	point_at_x(world);
	wayland_peer_press(&world->wayland, true);
	AWAIT(world, world->x.n_presses == 1);
	x_peer_drag(&world->x);
}

void drag_x_over_wayland(struct drag_world *world)
{
	const int before = world->wayland.n_enter;
	start_x_drag(world);
	wayland_peer_point(&world->wayland, AT_WAYLAND);
	AWAIT_FOLLOWING(world, world->wayland.n_enter == before + 1);
}

void accept_offer(struct drag_world *world, uint32_t actions, uint32_t preferred)
{
	struct wayland_peer *wayland = &world->wayland;
	wl_data_offer_accept(wayland->offer, wayland->enter_serial, UTF8);
	wl_data_offer_set_actions(wayland->offer, actions, preferred);
	AWAIT(world, world->x.accepted);
}

void release(struct drag_world *world)
{
	const int before = world->x.n_releases;
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->x.n_releases == before + 1);
	x_peer_drop(&world->x);
}

char *read_offer(struct drag_world *world, const char *type)
{
	char *data = calloc(1, DATA_SIZE + 1);
	size_t size = 0;
	const int fd = wayland_peer_receive(&world->wayland, type);
	X_CHECK(data);
	for (int i = 0;; i++) {
		pump(world);
		const ssize_t n = read(fd, data + size, DATA_SIZE - size);
		if (n == 0) {
			break;
		}
		size += n > 0 ? (size_t)n : 0;
		if (n < 0) {
			x_pause(i, "the data arrives", __FILE__, __LINE__);
		}
	}
	close(fd);
	return data;
}

void finish_offer(struct drag_world *world)
{
	wl_data_offer_finish(world->wayland.offer);
	AWAIT(world, world->x.n_finished == 1);
}

void check_pointer(struct drag_world *world)
{
	const int enters = world->wayland.n_pointer_enters, presses = world->x.n_presses;
	const int wayland_presses = world->wayland.n_presses;
	wayland_peer_point(&world->wayland, AT_X);
	if (world->x.client) {
		point_at_x(world);
		wayland_peer_press(&world->wayland, true);
		wayland_peer_press(&world->wayland, false);
		AWAIT(world, world->x.n_presses == presses + 1);
	}
	wayland_peer_point(&world->wayland, AT_WAYLAND);
	if (world->wayland.devices) {
		wayland_peer_press(&world->wayland, true);
		wayland_peer_press(&world->wayland, false);
		AWAIT(world, world->wayland.n_presses == wayland_presses + 1);
	} else {
		AWAIT(world, world->wayland.n_pointer_enters > enters);
	}
}

void drag_wayland_over_x(struct drag_world *world, uint32_t actions)
{
	wayland_peer_point(&world->wayland, AT_WAYLAND);
	const int before = world->wayland.n_presses;
	wayland_peer_press(&world->wayland, true);
	AWAIT(world, world->wayland.n_presses == before + 1);
	wayland_peer_drag(&world->wayland, actions);
	wayland_peer_point(&world->wayland, AT_X);
}

static void run(const struct rule *rule, const char *press)
{
	struct drag_world world = {.press = press};
	fprintf(stderr, "%s\n", rule->name);
	wayland_peer_start(&world.wayland);
	wayland_peer_point(&world.wayland, AT_NOTHING);
	x_peer_start(&world.x, X_LEFT, X_TOP);
	rule->check(&world);
	x_peer_stop(&world.x);
	x_peer_stop(&world.other);
	wayland_peer_stop(&world.wayland);
}

int run_rules(const struct rule *rules, size_t n, int argc, char **argv)
{
	struct wayland_peer keeper;
	X_CHECK(argc > 1);
	wayland_peer_connect(&keeper); /* X servers do not lose their pointer between functions */
	for (size_t i = 0; i < n; i++) {
		if (argc == 2 || strcmp(argv[2], rules[i].name) == 0) {
			run(&rules[i], argv[1]);
		}
	}
	wayland_peer_stop(&keeper);
	return EXIT_SUCCESS;
}
