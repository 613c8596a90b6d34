/* SPDX-License-Identifier: MIT */
/*
 * Deferred copies: a buffer that the present copies cannot take over, since its size, format or
 * colour coding differs, is copied before its update applies. Until then the update is blocked, and
 * the previous content stays on screen.
 */

#include "content/device.h"
#include "copies.h"
#include "copy/copier.h"
#include "route_facts.h"

/*
 * An update waits at most for this time (ns), so that a GPU that hangs does not stop its windows
 * for good: engines that hang are replaced before, and refused copies tried again.
 */
#define WAIT_NS INT64_C(2000000000)

/* Ends the charge for the copy, and returns it. */
static struct source_copy *release_copy(struct content *content)
{
	struct content_next *next = &content->next;
	struct source_copy *copy = next->copy;
	next->copy = NULL;
	next->done = false;
	next->refused = NULL;
	next->bytes = 0;
	buffer_replace(&next->buffer, NULL);
	content_charge(content);
	return copy;
}

static void drop_copy(struct content *content)
{
	content_copy_destroy(release_copy(content));
}

static void destroy_blocker(struct blocker *blocker)
{
	struct content *content = wl_container_of(blocker, content, next.blocker);
	timer_disarm(&content->next.timer);
}

static const struct blocker_impl blocker_impl = {.destroy = destroy_blocker};

/* Lets the update apply without its copy: other sources may take its buffer, or later copies. */
static void give_up(struct content *content)
{
	content->next.given_up = true;
	blocker_clear(&content->next.blocker);
}

static void handle_arrived(struct content *content);

/* Starts to copy the update's buffer. */
static enum content_status begin(struct content *content, const struct update *update)
{
	struct content_next *next = &content->next;
	const struct surface_state *state = &update->state;
	const pixman_region32_t *damage = &state->buffer_damage;
	if (!next->copy || !content_copy_fits(next->copy, state)) {
		drop_copy(content);
		next->copy = content_copy_create(content, handle_arrived);
		damage = NULL;
	}
	if (next->buffer != state->buffer) {
		content_copy_expect(next->copy, state, damage);
		buffer_replace(&next->buffer, state->buffer);
	}
	const char *refused;
	enum content_status status = content_copy_whole(next->copy, next->buffer, &refused);
	next->done = status == CONTENT_READY;
	next->bytes = content_copy_memory(next->copy);
	content_charge(content);
	if (status == CONTENT_REFUSED) {
		drop_copy(content);
		next->refused = refused;
		buffer_replace(&next->buffer, state->buffer);
	}
	return status;
}

/*
 * Returns whether the update's buffer needs copies that replace the present content. A copy whose
 * buffer was refused has no pixels of it: the next frame would read that one in place.
 */
static bool needs_copy(const struct content *content, const struct surface_state *state)
{
	return state->buffer && state->buffer->home &&
	       content_choose_next(content, state->buffer) == SOURCE_COPY &&
	       !(content->copy && !content->refused && content_copy_fits(content->copy, state));
}

/* Continues after a change of the copies, or of the update by a newer one. */
static void go_on(struct content *content)
{
	struct content_next *next = &content->next;
	struct update *update = next->blocker.update;
	if (!needs_copy(content, &update->state)) {
		blocker_clear(&next->blocker);
		return;
	}
	switch (begin(content, update)) {
	case CONTENT_READY:
		frame_wait_begin(&next->shown, &update->state);
		blocker_clear(&next->blocker);
		break;
	case CONTENT_PENDING: break;
	default: give_up(content); break;
	}
}

static void handle_arrived(struct content *content)
{
	if (content->next.blocker.update && !content->next.done) {
		go_on(content);
	}
}

/*
 * Blocks an update that is about to apply, together with its tree, until its buffer is copied. A
 * copy starts after the previous one was presented, because a newer update may be merged by then.
 */
static void handle_ready(struct wl_listener *listener, void *data)
{
	struct content *content = wl_container_of(listener, content, next.ready);
	struct content_next *next = &content->next;
	struct surface *surface = content->surface;
	struct update *update = data;
	const struct surface_state *state = &update->state;
	if (!(state->fields & SURFACE_BUFFER) || !surface->current.has_content || !content->seen ||
		next->given_up || !needs_copy(content, state) ||
		(next->done && next->buffer == state->buffer)) {
		return;
	}
	/* A wait that began with a finished copy is for this update, without newer ones in it. */
	const bool waits = frame_wait_is_active(&next->shown) && !next->done;
	enum content_status status = waits ? CONTENT_PENDING : begin(content, update);
	if (status == CONTENT_READY) {
		frame_wait_begin(&next->shown, &update->state);
	} else if (status == CONTENT_PENDING) {
		blocker_init(&next->blocker, &blocker_impl, update, 0);
		if (!next->until) {
			next->until = clock_now(next->timer.clock) + WAIT_NS;
		}
		timer_arm(&next->timer, next->until);
	}
}

/* The previous copied update was presented: the waiting one may start its copy. */
static void handle_shown(struct frame_wait *wait)
{
	struct content *content = wl_container_of(wait, content, next.shown);
	struct update *update = content->next.blocker.update;
	if (update) {
		update_absorb(update);
		go_on(content);
	}
}

/* An update that waits for another device's copy waits again if the surface comes back. */
static void handle_timer(struct timer *timer, int64_t now)
{
	struct content *content = wl_container_of(timer, content, next.timer);
	struct content_next *next = &content->next;
	if (next->blocker.update && now >= next->until) {
		give_up(content);
	} else if (next->blocker.update) {
		blocker_clear(&next->blocker);
	}
}

void content_next_see(struct content *content)
{
	struct content_next *next = &content->next;
	if (next->blocker.update) {
		/*
		 * An update must not apply in the middle of a scene update, during which a surface
		 * that moves to another output may be on neither.
		 */
		timer_arm(&next->timer, content->seen ? next->until : clock_now(next->timer.clock));
	}
}

struct source_copy *content_next_take(struct content *content, const char **refused)
{
	struct content_next *next = &content->next;
	const bool is_current = next->buffer && next->buffer == content->surface->current.buffer;
	*refused = is_current ? next->refused : NULL;
	next->given_up = false;
	next->until = 0;
	if (is_current && next->done) {
		return release_copy(content);
	}
	if (next->buffer) {
		drop_copy(content);
	}
	return NULL;
}

void content_next_init(struct content *content)
{
	struct content_next *next = &content->next;
	struct surface *surface = content->surface;
	frame_wait_init(&next->shown, handle_shown);
	wl_list_init(&next->ready.link);
	if (content->device->copier) {
		timer_init(&next->timer, content->device->copier->clock, handle_timer);
		signal_add(&surface->events.ready_homed, &next->ready, handle_ready);
	}
}

void content_next_finish(struct content *content)
{
	struct content_next *next = &content->next;
	wl_list_remove(&next->ready.link);
	frame_wait_finish(&next->shown);
	if (next->blocker.update) {
		blocker_clear(&next->blocker);
	}
	if (next->timer.clock) {
		timer_finish(&next->timer);
	}
	if (next->buffer) {
		drop_copy(content);
	}
}
