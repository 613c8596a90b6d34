/* SPDX-License-Identifier: MIT */
/*
 * The locked event: sent once each output has presented a frame started after the lock. A frame
 * already in progress may still show the session.
 */

#include "frame/frame.h"
#include "session_lock.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct wait {
	struct wl_list link; /* session_lock_manager.waits */
	struct session_lock_manager *manager;
	struct scene_output *output;
	uint32_t commit; /* of the first frame started after the lock; 0: none started */
	struct wl_listener drawn, presented, destroy;
};

static void remove_wait(struct wait *wait)
{
	wl_list_remove(&wait->drawn.link);
	wl_list_remove(&wait->presented.link);
	wl_list_remove(&wait->destroy.link);
	wl_list_remove(&wait->link);
	free(wait);
}

static void end(struct wait *wait)
{
	struct session_lock_manager *manager = wait->manager;
	remove_wait(wait);
	if (wl_list_empty(&manager->waits)) {
		manager->presented(manager);
	}
}

static void handle_drawn(struct wl_listener *listener, void *data)
{
	struct wait *wait = wl_container_of(listener, wait, drawn);
	const struct frame_drawn *drawn = data;
	if (wait->commit == 0) {
		wait->commit = drawn->commit;
	}
}

/* Returns true if the output is off: it draws a new frame when it is enabled. */
static bool is_off(const struct output *output)
{
	return output->asleep || !output->enabled;
}

static void handle_presented(struct wl_listener *listener, void *data)
{
	struct wait *wait = wl_container_of(listener, wait, presented);
	const struct output_present *present = data;
	if (wait->commit == 0 || present->commit != wait->commit) {
		return;
	}
	if (present->presented || is_off(wait->output->output)) {
		end(wait);
	} else {
		wait->commit = 0;
		scene_output_damage_all(wait->output);
	}
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct wait *wait = wl_container_of(listener, wait, destroy);
	end(wait);
}

static void add_wait(struct session_lock_manager *manager, struct scene_output *output,
	struct frame_output *frame)
{
	struct wait *wait = xcalloc(1, sizeof(*wait));
	wait->manager = manager;
	wait->output = output;
	wl_list_insert(&manager->waits, &wait->link);
	signal_add(&frame_output_events(frame)->drawn, &wait->drawn, handle_drawn);
	signal_add(&frame_output_events(frame)->presented, &wait->presented, handle_presented);
	signal_add(&frame_output_events(frame)->destroy, &wait->destroy, handle_destroy);
}

void session_lock_stop_waiting(struct session_lock_manager *manager)
{
	struct wait *wait, *next;
	wl_list_for_each_safe (wait, next, &manager->waits, link) {
		remove_wait(wait);
	}
}

void session_lock_await_outputs(struct session_lock_manager *manager,
	void (*presented)(struct session_lock_manager *manager))
{
	const struct scene *scene = manager->protocols->server->scene;
	session_lock_stop_waiting(manager);
	manager->presented = presented;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct frame_output *frame =
			scene->outputs[i] ? frame_output_find(scene->outputs[i]) : NULL;
		if (frame && !is_off(scene->outputs[i]->output)) {
			add_wait(manager, scene->outputs[i], frame);
			scene_output_damage_all(scene->outputs[i]);
		}
	}
	if (wl_list_empty(&manager->waits)) {
		manager->presented(manager);
	}
}
