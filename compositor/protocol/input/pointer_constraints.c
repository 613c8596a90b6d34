/* SPDX-License-Identifier: MIT */
/* zwp_pointer_constraints: locked pointers, and pointers confined to a region. */

#include "pointer-constraints-unstable-v1-protocol.h"
#include "util/xalloc.h"
#include "wl_seat.h"
#include <assert.h>
#include <stdlib.h>

struct constraint_manager {
	struct protocols *protocols;
	struct seat *seat;
	struct wl_list constraints; /* constraint.link */
	struct wl_listener focus, moved, keyboard_focus, destroy;
};

/**
 * A locked or confined pointer. Active while its surface has the pointer focus and its tree the
 * keyboard focus.
 */
struct constraint {
	struct wl_list link;
	struct constraint_manager *manager;
	struct wl_resource *resource;
	/** its region is `region` intersected with the surface's input region */
	struct pointer_constraint base;
	struct surface *surface; /* NULL: destroyed, or created with an inert pointer */
	bool oneshot;
	bool defunct; /* ended, and cannot become active again */
	/**
	 * The keyboard focus left while the pointer was locked at `held_at`: the pointer returns
	 * there with the focus.
	 */
	bool resumes;
	struct coord_surface held_at;
	bool has_region; /* otherwise the whole surface */
	pixman_region32_t region;
	bool has_hint;
	struct coord_surface hint;
	struct surface_extension extension; /* struct pending */
	struct wl_listener applied, surface_destroy;
};

/** State that is applied with the next commit of the surface. */
struct pending {
	bool set_region, has_region, set_hint;
	pixman_region32_t region;
	struct coord_surface hint;
};

static void init_pending(void *state)
{
	struct pending *pending = state;
	*pending = (struct pending){0};
	pixman_region32_init(&pending->region);
}

static void finish_pending(void *state)
{
	struct pending *pending = state;
	pixman_region32_fini(&pending->region);
}

static void merge_pending(void *to_state, void *from_state)
{
	struct pending *to = to_state, *from = from_state;
	if (from->set_region) {
		to->set_region = true;
		to->has_region = from->has_region;
		pixman_region32_copy(&to->region, &from->region);
		from->set_region = false;
	}
	if (from->set_hint) {
		to->set_hint = true;
		to->hint = from->hint;
		from->set_hint = false;
	}
}

static const struct surface_extension_impl extension_impl = {
	.state_size = sizeof(struct pending),
	.init = init_pending,
	.finish = finish_pending,
	.merge = merge_pending,
};

/* Activation and deactivation */

static void update_region(struct constraint *constraint)
{
	const struct surface_state *current = &constraint->surface->current;
	pixman_region32_t *region = &constraint->base.region;
	pixman_region32_intersect_rect(region, (pixman_region32_t *)&current->input, 0, 0,
		(unsigned)current->width, (unsigned)current->height);
	if (constraint->has_region) {
		pixman_region32_intersect(region, region, &constraint->region);
	}
}

/*
 * Returns true if the constraint may act: the keyboard focus is in the same surface tree, or unset.
 */
static bool is_selected(const struct constraint *constraint)
{
	struct surface *keyboard = constraint->manager->seat->keyboard.focus;
	return !keyboard || surface_root(keyboard) == surface_root(constraint->surface);
}

static void maybe_activate(struct constraint *constraint)
{
	struct seat *seat = constraint->manager->seat;
	if (constraint->defunct || !constraint->surface || seat->pointer.constraint ||
		seat->pointer.focus != constraint->surface || !is_selected(constraint)) {
		return;
	}
	update_region(constraint);
	struct coord_surface at = seat->pointer.focus_at;
	if (!pixman_region32_contains_point(&constraint->base.region, (int)at.x, (int)at.y, NULL)) {
		return;
	}
	constraint->base.surface = constraint->surface;
	constraint->held_at = at;
	pointer_set_constraint(seat, &constraint->base);
	if (constraint->base.locked) {
		zwp_locked_pointer_v1_send_locked(constraint->resource);
	} else {
		zwp_confined_pointer_v1_send_confined(constraint->resource);
	}
}

static void deactivate(struct constraint *constraint)
{
	if (!constraint->base.active) {
		return;
	}
	pointer_set_constraint(constraint->manager->seat, NULL);
	constraint->defunct = constraint->oneshot;
	if (constraint->base.locked) {
		zwp_locked_pointer_v1_send_unlocked(constraint->resource);
	} else {
		zwp_confined_pointer_v1_send_unconfined(constraint->resource);
	}
}

/* Notes whether the pointer will be locked again when the keyboard returns. */
static void note_place(struct constraint *constraint)
{
	const struct seat *seat = constraint->manager->seat;
	const bool has_keyboard = seat->keyboard.focus && is_selected(constraint);
	constraint->resumes = constraint->base.locked && !has_keyboard;
}

/* Deactivates a constraint before another one is activated. */
static void review(struct constraint_manager *manager)
{
	struct constraint *constraint;
	bool ended = false;
	wl_list_for_each (constraint, &manager->constraints, link) {
		if (constraint->base.active &&
			(manager->seat->pointer.focus != constraint->surface ||
				!is_selected(constraint))) {
			note_place(constraint);
			deactivate(constraint);
			ended = true;
		}
	}
	if (ended) {
		seat_refocus(manager->seat); /* a surface over the locked place gets the pointer */
	}
	wl_list_for_each (constraint, &manager->constraints, link) {
		maybe_activate(constraint);
	}
}

/* Moves the pointer to a point of a surface. */
static void warp(struct seat *seat, struct surface *surface, struct coord_surface to)
{
	struct coord_surface from;
	if (scene_to_surface(surface, seat->pointer.at, &from)) {
		const double density = surface->density;
		pointer_warp(
			seat, (struct coord_global){seat->pointer.at.x + (to.x - from.x) / density,
				      seat->pointer.at.y + (to.y - from.y) / density});
	}
}

/* Moves the pointer back to where a game had locked it, if the keyboard returns to the game. */
static void resume(struct constraint_manager *manager)
{
	struct seat *seat = manager->seat;
	struct constraint *constraint;
	wl_list_for_each (constraint, &manager->constraints, link) {
		if (!constraint->resumes || constraint->defunct || !constraint->surface ||
			!seat->keyboard.focus || !is_selected(constraint)) {
			continue;
		}
		constraint->resumes = false;
		if (seat->pointer.focus != constraint->surface && !seat->pointer.grab &&
			seat->pointer.n_buttons == 0) {
			warp(seat, constraint->surface, constraint->held_at);
			return; /* the constraints may have changed */
		}
	}
}

static void handle_focus(struct wl_listener *listener, void *data)
{
	struct constraint_manager *manager = wl_container_of(listener, manager, focus);
	review(manager);
}

static void handle_moved(struct wl_listener *listener, void *data)
{
	struct constraint_manager *manager = wl_container_of(listener, manager, moved);
	review(manager);
}

static void handle_keyboard_focus(struct wl_listener *listener, void *data)
{
	struct constraint_manager *manager = wl_container_of(listener, manager, keyboard_focus);
	review(manager);
	resume(manager);
}

/* The region shrank under the pointer: moves it to the nearest point of the remaining region. */
static void keep_inside(struct constraint *constraint)
{
	struct seat *seat = constraint->manager->seat;
	struct coord_surface at;
	if (!pixman_region32_not_empty(&constraint->base.region)) {
		deactivate(constraint);
	} else if (!constraint->base.locked &&
		   scene_to_surface(constraint->surface, seat->pointer.at, &at)) {
		struct coord_surface inside = constraint_walk(&constraint->base.region, at, at);
		if (inside.x != at.x || inside.y != at.y) {
			warp(seat, constraint->surface, inside);
		}
	}
}

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct constraint *constraint = wl_container_of(listener, constraint, applied);
	struct pending *current = surface_extension_current(&constraint->extension);
	if (current->set_region) {
		constraint->has_region = current->has_region;
		pixman_region32_copy(&constraint->region, &current->region);
		current->set_region = false;
	}
	if (current->set_hint) {
		constraint->has_hint = true;
		constraint->hint = current->hint;
		current->set_hint = false;
	}
	if (constraint->base.active) {
		update_region(constraint);
		keep_inside(constraint);
	} else {
		maybe_activate(constraint);
	}
}

static void detach(struct constraint *constraint)
{
	if (constraint->surface) {
		wl_list_remove(&constraint->applied.link);
		wl_list_remove(&constraint->surface_destroy.link);
		surface_extension_finish(&constraint->extension);
		constraint->surface = NULL;
	}
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct constraint *constraint = wl_container_of(listener, constraint, surface_destroy);
	deactivate(constraint);
	constraint->defunct = true;
	detach(constraint);
}

/* Requests of both kinds of constraints */

static void handle_set_hint(
	struct wl_client *client, struct wl_resource *resource, wl_fixed_t x, wl_fixed_t y)
{
	struct constraint *constraint = wl_resource_get_user_data(resource);
	if (constraint->surface) {
		struct pending *pending = surface_extension_pending(&constraint->extension);
		pending->set_hint = true;
		pending->hint =
			(struct coord_surface){wl_fixed_to_double(x), wl_fixed_to_double(y)};
	}
}

static void handle_set_region(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *region)
{
	struct constraint *constraint = wl_resource_get_user_data(resource);
	if (!constraint->surface) {
		return;
	}
	struct pending *pending = surface_extension_pending(&constraint->extension);
	pending->set_region = true;
	pending->has_region = region;
	if (region) {
		pixman_region32_copy(
			&pending->region, (pixman_region32_t *)region_from_resource(region));
	}
}

static const struct zwp_locked_pointer_v1_interface locked_impl = {
	.destroy = resource_handle_destroy,
	.set_cursor_position_hint = handle_set_hint,
	.set_region = handle_set_region,
};

static const struct zwp_confined_pointer_v1_interface confined_impl = {
	.destroy = resource_handle_destroy,
	.set_region = handle_set_region,
};

static void destroy(struct wl_resource *resource)
{
	struct constraint *constraint = wl_resource_get_user_data(resource);
	struct seat *seat = constraint->manager->seat;
	struct surface *surface = constraint->surface;
	bool was_active = constraint->base.active;
	wl_list_remove(&constraint->link);
	if (was_active) {
		pointer_set_constraint(seat, NULL);
	}
	detach(constraint);
	if (was_active && surface && constraint->has_hint) {
		warp(seat, surface, constraint->hint);
	}
	pixman_region32_fini(&constraint->region);
	pixman_region32_fini(&constraint->base.region);
	free(constraint);
}

/* The manager */

/*
 * Searches the listeners of the surface, which are few: all clients together may have many
 * constraints.
 */
static bool check_free(struct wl_resource *resource, const struct surface *surface)
{
	const struct wl_listener *listener;
	wl_list_for_each (listener, &surface->events.destroy.listener_list, link) {
		if (listener->notify != handle_surface_destroy) {
			continue;
		}
		const struct constraint *other = wl_container_of(listener, other, surface_destroy);
		if (!other->defunct) {
			wl_resource_post_error(resource,
				ZWP_POINTER_CONSTRAINTS_V1_ERROR_ALREADY_CONSTRAINED,
				"the surface already has a pointer constraint");
			return false;
		}
	}
	return true;
}

static void create(struct wl_resource *manager_resource, uint32_t id,
	const struct wl_interface *interface, const void *impl, bool locked,
	struct surface *surface, struct wl_resource *pointer, struct wl_resource *region,
	uint32_t lifetime)
{
	struct constraint *constraint = xcalloc(1, sizeof(*constraint));
	struct wl_resource *created =
		resource_create_child(manager_resource, interface, id, impl, constraint, destroy);
	if (!created) {
		return;
	}
	constraint->manager = wl_resource_get_user_data(manager_resource);
	constraint->resource = created;
	constraint->base.locked = locked;
	/* An invalid lifetime counts as oneshot. */
	constraint->oneshot = lifetime != ZWP_POINTER_CONSTRAINTS_V1_LIFETIME_PERSISTENT;
	pixman_region32_init(&constraint->base.region);
	pixman_region32_init(&constraint->region);
	constraint->has_region = region;
	if (region) {
		pixman_region32_copy(
			&constraint->region, (pixman_region32_t *)region_from_resource(region));
	}
	wl_list_insert(&constraint->manager->constraints, &constraint->link);
	if (!seat_from_pointer_resource(pointer)) {
		constraint->defunct = true;
		return;
	}
	constraint->surface = surface;
	surface_extension_init(&constraint->extension, surface, &extension_impl);
	signal_add(&surface->events.applied, &constraint->applied, handle_applied);
	signal_add(&surface->events.destroy, &constraint->surface_destroy, handle_surface_destroy);
	maybe_activate(constraint);
}

static void handle_lock_pointer(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *surface_resource, struct wl_resource *pointer,
	struct wl_resource *region, uint32_t lifetime)
{
	struct surface *surface = surface_from_resource(surface_resource);
	if (check_free(resource, surface)) {
		create(resource, id, &zwp_locked_pointer_v1_interface, &locked_impl, true, surface,
			pointer, region, lifetime);
	}
}

static void handle_confine_pointer(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface_resource, struct wl_resource *pointer,
	struct wl_resource *region, uint32_t lifetime)
{
	struct surface *surface = surface_from_resource(surface_resource);
	if (check_free(resource, surface)) {
		create(resource, id, &zwp_confined_pointer_v1_interface, &confined_impl, false,
			surface, pointer, region, lifetime);
	}
}

static const struct zwp_pointer_constraints_v1_interface manager_impl = {
	.destroy = resource_handle_destroy,
	.lock_pointer = handle_lock_pointer,
	.confine_pointer = handle_confine_pointer,
};

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct constraint_manager *manager = wl_container_of(listener, manager, destroy);
	assert(wl_list_empty(&manager->constraints));
	wl_list_remove(&manager->focus.link);
	wl_list_remove(&manager->moved.link);
	wl_list_remove(&manager->keyboard_focus.link);
	wl_list_remove(&manager->destroy.link);
	free(manager);
}

void pointer_constraints_create(struct protocols *protocols)
{
	struct constraint_manager *manager = xcalloc(1, sizeof(*manager));
	struct seat *seat = protocols->server->seat;
	manager->protocols = protocols;
	manager->seat = seat;
	wl_list_init(&manager->constraints);
	signal_add(&seat->pointer.events.focus, &manager->focus, handle_focus);
	signal_add(&seat->pointer.events.moved, &manager->moved, handle_moved);
	signal_add(&seat->keyboard.events.focus, &manager->keyboard_focus, handle_keyboard_focus);
	signal_add(&protocols->events.destroy, &manager->destroy, handle_protocols_destroy);
	protocols_add_global(protocols, &zwp_pointer_constraints_v1_interface, 1, &manager_impl,
		manager, GLOBAL_PUBLIC);
}
