/* SPDX-License-Identifier: MIT */
/* A scene on planes: checks of atomic tests, and a reference for the displayed pixels. */

#include "harness/plane_world.h"
#include "buffer/allocator.h"
#include <math.h>
#include <string.h>

struct plane *world_add_plane(struct plane_world *world, enum plane_type type, int min, int max)
{
	struct plane *plane = &world->planes[world->n_planes];
	*plane = (struct plane){
		.type = type, .index = world->n_planes, .zpos_min = min, .zpos_max = max};
	format_set_add(&plane->formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	format_set_add(&plane->formats, DRM_FORMAT_ARGB8888, DRM_FORMAT_MOD_LINEAR);
	world->plane_list[world->n_planes++] = plane;
	return plane;
}

struct layer *world_add_layer(struct plane_world *world, int x, int y, int width, int height)
{
	struct layer *layer = &world->layers[world->n_layers++];
	*layer = (struct layer){
		.box = {x, y, width, height},
		.opaque = true,
		.movable = true,
		.busy = true,
		.alpha = 1,
		.color = {(random_between(0, 255)) / 255.0, random_between(0, 255) / 255.0,
			random_between(0, 255) / 255.0, 1},
		.buffer = memory_buffer_create(width, height, DRM_FORMAT_XRGB8888),
	};
	assert_non_null(layer->buffer);
	return layer;
}

bool world_judge_yes(struct plane_world *world, const struct output_state *state)
{
	return true;
}

void world_begin(struct plane_world *world)
{
	*world = (struct plane_world){.judge = world_judge_yes, .composed_alpha = true};
	for (int i = 0; i < LAYERS_MAX; i++) {
		pixman_region32_init(&world->visible[i]);
	}
	pixman_region32_init(&world->uncovered);
}

void world_end(struct plane_world *world)
{
	for (int i = 0; i < LAYERS_MAX; i++) {
		pixman_region32_fini(&world->visible[i]);
	}
	pixman_region32_fini(&world->uncovered);
	for (int i = 0; i < world->n_layers; i++) {
		buffer_drop(world->layers[i].buffer);
	}
	for (int i = 0; i < world->n_planes; i++) {
		format_set_finish(&world->planes[i].formats);
	}
	buffer_drop(world->composed);
}

/* Checks the invariants of every state that the backend gets. */
static void check_state(const struct plane_world *world, const struct output_state *state)
{
	assert_int_equal(state->fields, OUTPUT_PLANES);
	assert_true(state->n_planes >= 1);
	assert_int_equal(state->planes[0].plane->type, PLANE_PRIMARY);
	for (int i = 0; i < state->n_planes; i++) {
		const struct plane *plane = state->planes[i].plane;
		const struct plane_state *shown = &state->planes[i].state;
		assert_non_null(shown->buffer);
		assert_true(shown->zpos >= plane->zpos_min && shown->zpos <= plane->zpos_max);
		for (int j = 0; j < i; j++) {
			assert_ptr_not_equal(plane, state->planes[j].plane);
			assert_int_not_equal(shown->zpos, state->planes[j].state.zpos);
		}
		for (int j = 0; j < world->n_layers; j++) {
			const struct layer *layer = &world->layers[j];
			if (layer->buffer == shown->buffer) {
				assert_true(layer->movable);
				assert_int_equal(layer->cursor, plane->type == PLANE_CURSOR);
			}
		}
	}
}

static bool test_state(void *data, const struct output_state *state)
{
	struct plane_world *world = data;
	world->asked++;
	check_state(world, state);
	return world->judge(world, state);
}

/* Fills the entries as scene/ does: visible regions exclude opaque layers above. */
static void list(struct plane_world *world)
{
	pixman_region32_t covered;
	pixman_region32_init(&covered);
	for (int i = 0; i < world->n_layers; i++) {
		const struct layer *layer = &world->layers[i];
		pixman_region32_t *visible = &world->visible[i];
		pixman_region32_fini(visible);
		pixman_region32_init_rect(visible, layer->box.x, layer->box.y,
			(unsigned)layer->box.width, (unsigned)layer->box.height);
		pixman_region32_intersect_rect(visible, visible, 0, 0, WIDTH, HEIGHT);
		if (!layer->cursor) {
			pixman_region32_subtract(visible, visible, &covered);
			if (layer->opaque && layer->alpha >= 1) {
				pixman_region32_union(&covered, &covered, visible);
			}
		}
		world->entries[i] = (struct assign_entry){
			.id = layer->buffer,
			.buffer = layer->movable ? layer->buffer : NULL,
			.coding = layer->coding,
			.barred = layer->movable ? REASON_BEST : REASON_FOREIGN,
			.cursor = layer->cursor,
			.busy = layer->busy,
			.src = {layer->x, layer->y, layer->buffer->width, layer->buffer->height},
			.dst = layer->box,
			.alpha = layer->alpha,
			.visible = visible,
			.all_opaque = layer->opaque,
		};
	}
	pixman_region32_fini(&world->uncovered);
	pixman_region32_init_rect(&world->uncovered, 0, 0, WIDTH, HEIGHT);
	pixman_region32_subtract(&world->uncovered, &world->uncovered, &covered);
	pixman_region32_fini(&covered);
}

void world_assign(struct plane_world *world)
{
	if (!world->composed) {
		world->composed = memory_buffer_create(WIDTH, HEIGHT,
			world->composed_alpha ? DRM_FORMAT_ARGB8888 : DRM_FORMAT_XRGB8888);
	}
	list(world);
	world->asked = 0;
	world->request = (struct assign_request){
		.now = world->now,
		.width = WIDTH,
		.height = HEIGHT,
		.planes = world->plane_list,
		.n_planes = world->n_planes,
		.entries = world->entries,
		.n_entries = world->n_layers,
		.complete = true,
		.list = world->list,
		.composed = world->composed,
		.allowed = true,
		.test = test_state,
		.data = world,
		.cache = &world->cache,
	};
	world->covered = assign_planes(&world->request);
	assert_int_equal(world->asked, world->request.n_tests);
	assert_true(world->asked <= ASSIGN_TESTS_MAX);
	check_state(world, &world->request.state);
}

void world_assign_anew(struct plane_world *world)
{
	world->list++;
	world_assign(world);
}

/* --- The displayed pixels. --- */

static bool inside(const struct box *box, int x, int y)
{
	return x >= box->x && y >= box->y && x < box->x + box->width && y < box->y + box->height;
}

static void blend(double pixel[4], const double color[4], double alpha)
{
	double over = 1 - color[3] * alpha;
	for (int i = 0; i < 4; i++) {
		pixel[i] = color[i] * alpha + pixel[i] * over;
	}
}

/* Computes a pixel of the composed buffer; pixels without composed content are garbage. */
static void compose_pixel(const struct plane_world *world, int x, int y, double pixel[4])
{
	const double garbage[4] = {0.9, 0.1, 0.8, 0.6}, background[4] = {0.1, 0.2, 0.3, 1};
	bool bare =
		pixman_region32_contains_point((pixman_region32_t *)&world->uncovered, x, y, NULL);
	memcpy(pixel, bare ? background : garbage, sizeof(garbage));
	for (int i = world->n_layers - 1; i >= 0; i--) {
		const struct layer *layer = &world->layers[i];
		enum scene_place place = world->entries[i].place;
		if (!pixman_region32_contains_point(
			    (pixman_region32_t *)&world->visible[i], x, y, NULL)) {
			continue;
		}
		if (place == PLACE_COMPOSED) {
			blend(pixel, layer->color, layer->alpha);
		} else if (place == PLACE_UNDER) {
			memset(pixel, 0, 4 * sizeof(*pixel));
		}
	}
}

static const struct layer *find_layer(const struct plane_world *world, const struct buffer *buffer)
{
	for (int i = 0; i < world->n_layers; i++) {
		if (world->layers[i].buffer == buffer) {
			return &world->layers[i];
		}
	}
	return NULL;
}

static void show_pixel(const struct plane_world *world, int x, int y, double pixel[4])
{
	const struct output_state *state = &world->request.state;
	memset(pixel, 0, 4 * sizeof(*pixel));
	int last = INT32_MIN;
	for (int n = 0; n < state->n_planes; n++) {
		int next = -1;
		for (int i = 0; i < state->n_planes; i++) {
			if (state->planes[i].state.zpos > last &&
				(next < 0 || state->planes[i].state.zpos <
						     state->planes[next].state.zpos)) {
				next = i;
			}
		}
		const struct plane_state *plane = &state->planes[next].state;
		const struct layer *layer = find_layer(world, plane->buffer);
		double composed[4];
		last = plane->zpos;
		if (!layer) {
			compose_pixel(world, x, y, composed);
			blend(pixel, composed, 1);
		} else if (inside(&plane->dst, x, y)) {
			blend(pixel, layer->color, (double)plane->alpha);
		}
	}
}

void world_expect_composition(const struct plane_world *world, const char *what)
{
	for (int y = 0; y < HEIGHT; y++) {
		for (int x = 0; x < WIDTH; x++) {
			double expected[4] = {0.1, 0.2, 0.3, 1}, shown[4];
			for (int i = world->n_layers - 1; i >= 0; i--) {
				const struct layer *layer = &world->layers[i];
				if (inside(&layer->box, x, y)) {
					blend(expected, layer->color, (double)layer->alpha);
				}
			}
			show_pixel(world, x, y, shown);
			for (int i = 0; i < 3; i++) {
				if (fabs(expected[i] - shown[i]) > 1e-6) {
					fail_msg("%s: pixel %d,%d is %f instead of %f", what, x, y,
						shown[i], expected[i]);
				}
			}
		}
	}
}
