/* SPDX-License-Identifier: MIT */
/* Invariants: flags, timers and charges of contents, and the lists of the scene. */

#include "harness/invariants.h"
#include "content/copies.h"
#include "content/internal.h"
#include "content/route_facts.h"
#include "frame/internal.h"
#include "harness/fixture.h"
#include "surface/transaction.h"
#include "util/list.h"

/* The expression is the message. */
#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fail_msg("invariant: %s", #condition);                                     \
		}                                                                                  \
	} while (0)

static bool lacks_pixels(const struct content *content)
{
	return content->stale || content->copy ||
	       pixman_region32_not_empty((pixman_region32_t *)&content->missing);
}

static void check_pool(const struct content *content)
{
	const struct content_pool *pool = &content->pool;
	CHECK(pool->buffer || (pool->updates == 0 && !pool->quiet.armed && !pool->read));
	CHECK(!pool->buffer || (pool->updates > 0 && pool->quiet.armed));
}

static void check_deferred(const struct content *content)
{
	const struct content_deferred *deferred = &content->deferred;
	const struct surface *surface = content->surface;
	CHECK(!deferred->finished || (deferred->upload && surface->n_queued > 0));
}

/* Deferred copies, and the wait for them, end with the update that they are for. */
static void check_next(const struct content *content)
{
	const struct content_next *next = &content->next;
	const bool waits = content->surface->n_queued > 0;
	CHECK(waits || (!next->buffer && !next->copy && !next->given_up && next->until == 0));
	CHECK(next->copy || next->bytes == 0);
	CHECK(next->buffer || (!next->refused && !next->done));
	CHECK(!next->timer.clock || next->timer.armed == (next->blocker.update != NULL));
}

static void check_copy(const struct content *content)
{
	const struct source_copy *copy = content->copy;
	CHECK(!copy || content->source == &content_source_copy);
	CHECK(!copy || (copy->read == 0 && !copy->arrived && !content->texture));
	CHECK(!copy || copy->due == 0 || content->seen);
	CHECK(!content->waits || content->refused);
}

static void check_content(const struct content *content)
{
	const struct surface *surface = content->surface;
	const struct buffer *buffer = surface->current.buffer;
	CHECK(!content->left || !content->seen);
	CHECK(!content->unseen.armed || (!content->seen && !content->left));
	CHECK(list_is_empty(&content->reading_link));
	CHECK(!buffer || color_coding_equal(content->coding, surface->current.coding));
	CHECK(content->retry.n == 0 || lacks_pixels(content));
	CHECK(!content->unneeded || !buffer || content_choose(content) == SOURCE_NONE);
	check_pool(content);
	check_deferred(content);
	check_next(content);
	check_copy(content);
}

static void check_store(const struct backing_store *store)
{
	const struct buffer *buffer = store->surface->current.buffer;
	const struct gpu_copy *gpu = &store->gpu;
	/* A first copy has released the buffer, or is being made. */
	CHECK(!store->copy || store->eager || !buffer || store->timer.armed);
	CHECK((store->copy != NULL) == (store->charged > 0));
	CHECK(gpu->chain || gpu->charged == 0);
	CHECK(!gpu->shown || gpu->shown == buffer);
	CHECK(!gpu->of || gpu->of == buffer);
}

static void check_device(const struct content_device *device)
{
	const struct content *content;
	int64_t due = 0;
	wl_list_for_each (content, &device->contents, link) {
		check_content(content);
		check_store(content->store);
		due += content->copy ? content->copy->due : 0;
	}
	CHECK(device->base.copies_due == due);
	CHECK((device->base.scanout_outputs & ~device->base.outputs) == 0);
	CHECK((device->base.cpu_outputs & ~device->base.outputs) == 0);
}

static void check_surface(const struct scene_surface *content)
{
	CHECK(content->surface->visible == (content->primary_output >= 0));
	CHECK(content->primary_output < 0 || content->pace_output == content->primary_output);
	CHECK(content->look.shown || content->pace_output < 0 || content->node.scene->dirty);
}

static void check_tree(struct scene_tree *tree)
{
	struct scene_node *node;
	wl_list_for_each (node, &tree->children, link) {
		if (node->type == SCENE_TREE) {
			check_tree(scene_tree_from_node(node));
		} else if (node->type == SCENE_SURFACE) {
			check_surface(scene_surface_from_node(node));
		}
	}
}

static void check_output(const struct scene_output *output)
{
	const struct scene_surface *content;
	wl_list_for_each (content, &output->waiting, waiting_link) {
		CHECK(content->pace_output == output->index);
		CHECK(content->callback_due == 0 && content->barrier_due == 0);
	}
	wl_list_for_each (content, &output->unshown, unshown_link) {
		CHECK(content->primary_output == output->index);
	}
	for (int i = 0; i < output->n_entries; i++) {
		const struct scene_node *node = output->entries[i].node;
		CHECK(!node || node->entry_index[output->index] == i);
	}
}

static void check_frame(const struct frame_output *frame)
{
	CHECK(frame->state != FRAME_IDLE || !frame->timer.armed);
	CHECK(frame->waits_until == 0 || frame->state == FRAME_QUEUED);
	CHECK(frame->refusals == 0 || frame->state != FRAME_FLIPPING);
	CHECK(!frame->estimated || frame->due.armed);
	CHECK(frame->state != FRAME_ESTIMATED || frame->estimated);
}

void invariants_check(struct server *server)
{
	struct scene *scene = server->scene;
	const struct content_device *first = content_device_from(server->device), *peer;
	const struct scene_surface *content;
	check_device(first);
	wl_list_for_each (peer, &first->peers, peers) {
		check_device(peer);
	}
	check_tree(&scene->root);
	check_tree(&scene->cursor);
	wl_list_for_each (content, &scene->hidden, waiting_link) {
		CHECK(content->primary_output < 0);
	}
	wl_list_for_each (content, &scene->unshown, unshown_link) {
		CHECK(content->primary_output < 0);
	}
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = scene->outputs[i];
		if (output) {
			check_output(output);
		}
		if (output && frame_output_find(output)) {
			check_frame(frame_output_find(output));
		}
	}
}
