/*
 * When the session counts as locked: each output has shown a picture that was made since. A frame that
 * was under way before may still show the session.
 */

#include "frame/frame.h"
#include "session_lock.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct wait {
	struct wl_list link; /* session_lock_manager.waits */
	struct session_lock_manager *manager;
	struct scene_output *output;
	struct frame_output *frame;
	uint32_t commit; /* of the first frame that was drawn since; 0: none was yet */
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
		session_lock_settled(manager);
	}
}

static void handle_drawn(struct wl_listener *listener, void *data)
{
	struct wait *wait = wl_container_of(listener, wait, drawn);
	if (wait->commit == 0) {
		wait->commit = wait->frame->commit;
	}
}

/* Dark: whatever it shows when it wakes up is drawn then. */
static bool is_dark(const struct output *output)
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
	if (present->presented || is_dark(wait->frame->output)) {
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

static void add_wait(struct session_lock_manager *manager, struct frame_output *frame)
{
	struct wait *wait = xcalloc(1, sizeof(*wait));
	wait->manager = manager;
	wait->output = frame->scene_output;
	wait->frame = frame;
	wl_list_insert(&manager->waits, &wait->link);
	wait->drawn.notify = handle_drawn;
	wl_signal_add(&frame->events.drawn, &wait->drawn);
	wait->presented.notify = handle_presented;
	wl_signal_add(&frame->events.presented, &wait->presented);
	wait->destroy.notify = handle_destroy;
	wl_signal_add(&frame->events.destroy, &wait->destroy);
}

void session_lock_stop_waiting(struct session_lock_manager *manager)
{
	struct wait *wait, *next;
	wl_list_for_each_safe (wait, next, &manager->waits, link) {
		remove_wait(wait);
	}
}

void session_lock_await_outputs(struct session_lock_manager *manager)
{
	const struct scene *scene = manager->protocols->server->scene;
	session_lock_stop_waiting(manager);
	for (int i = 0; i < SCENE_MAX_OUTPUTS; i++) {
		struct frame_output *frame =
			scene->outputs[i] ? frame_output_find(scene->outputs[i]) : NULL;
		if (frame && !is_dark(frame->output)) {
			add_wait(manager, frame);
			scene_output_damage_all(scene->outputs[i]);
		}
	}
	if (wl_list_empty(&manager->waits)) {
		session_lock_settled(manager);
	}
}
