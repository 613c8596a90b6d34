/*
 * Planes: what goes on which, what the driver is asked, and that the picture is the same as if
 * everything were composed.
 */

#include "unit.h"

#include "buffer/allocator.h"
#include "frame/assign.h"
#include <math.h>
#include <string.h>

#define WIDTH 24
#define HEIGHT 16
#define MAX_LAYERS 7
#define MAX_PLANES 7
#define MS INT64_C(1000000)

/* One thing of the scene, in place of an entry of a list. */
struct layer {
	struct box box;
	bool opaque, movable, busy, cursor;
	float alpha;
	double color[4]; /* premultiplied */
	struct buffer *buffer;
};

/* A scene, a card with its planes, and a driver that says what it likes. */
struct world {
	struct layer layers[MAX_LAYERS]; /* top first */
	int n_layers;
	struct assign_entry entries[MAX_LAYERS];
	pixman_region32_t visible[MAX_LAYERS];
	pixman_region32_t uncovered;

	struct plane planes[MAX_PLANES];
	const struct plane *plane_list[MAX_PLANES];
	int n_planes;
	struct buffer *composed;
	bool composed_alpha;

	bool (*judge)(struct world *world, const struct output_state *state);
	int limit; /* of planes, for judge_limit() */
	unsigned salt; /* for judge_randomly() */
	int asked;

	struct assign_memory memory;
	struct assign_request request;
	int64_t now;
	uint64_t list;
	bool covered; /* what assign_planes() said */
};

static struct plane *add_plane(struct world *world, enum plane_type type, int min, int max)
{
	struct plane *plane = &world->planes[world->n_planes];
	*plane = (struct plane){
		.type = type, .index = world->n_planes, .zpos_min = min, .zpos_max = max};
	format_set_add(&plane->formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	format_set_add(&plane->formats, DRM_FORMAT_ARGB8888, DRM_FORMAT_MOD_LINEAR);
	world->plane_list[world->n_planes++] = plane;
	return plane;
}

static struct layer *add_layer(struct world *world, int x, int y, int width, int height)
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

static bool judge_yes(struct world *world, const struct output_state *state)
{
	return true;
}

static bool judge_no(struct world *world, const struct output_state *state)
{
	return false;
}

static bool judge_limit(struct world *world, const struct output_state *state)
{
	return state->n_planes <= world->limit;
}

static void begin(struct world *world)
{
	*world = (struct world){.judge = judge_yes, .composed_alpha = true};
	for (int i = 0; i < MAX_LAYERS; i++) {
		pixman_region32_init(&world->visible[i]);
	}
	pixman_region32_init(&world->uncovered);
}

static void end(struct world *world)
{
	for (int i = 0; i < MAX_LAYERS; i++) {
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

/* What holds of everything that a backend is handed, asked or told. */
static void check_state(const struct world *world, const struct output_state *state)
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
	struct world *world = data;
	world->asked++;
	check_state(world, state);
	return world->judge(world, state);
}

/* The list as scene/ makes it: opaque things take away from what lies under them. */
static void list(struct world *world)
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
			.barred = layer->movable ? REASON_BEST : REASON_FOREIGN,
			.cursor = layer->cursor,
			.busy = layer->busy,
			.src = {0, 0, layer->buffer->width, layer->buffer->height},
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

static void assign(struct world *world)
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
		.memory = &world->memory,
	};
	world->covered = assign_planes(&world->request);
	assert_int_equal(world->asked, world->request.n_tests);
	assert_true(world->asked <= ASSIGN_MAX_TESTS);
	check_state(world, &world->request.state);
}

/* Something lies elsewhere. */
static void assign_anew(struct world *world)
{
	world->list++;
	assign(world);
}

/* --- The picture that results. --- */

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

/* What a pixel of the composed picture is: what nothing is drawn to holds anything. */
static void compose_pixel(const struct world *world, int x, int y, double pixel[4])
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

static const struct layer *find_layer(const struct world *world, const struct buffer *buffer)
{
	for (int i = 0; i < world->n_layers; i++) {
		if (world->layers[i].buffer == buffer) {
			return &world->layers[i];
		}
	}
	return NULL;
}

static void show_pixel(const struct world *world, int x, int y, double pixel[4])
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

static void expect_same_picture(const struct world *world, const char *what)
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
					fail_msg("%s: pixel %d,%d shows %f in place of %f", what, x,
						y, shown[i], expected[i]);
				}
			}
		}
	}
}

/* --- A fullscreen buffer on the primary plane. --- */

struct fullscreen_case {
	const char *what;
	void (*spoil)(struct world *world);
	bool (*judge)(struct world *world, const struct output_state *state);
	enum route_reason reason; /* REASON_BEST: it gets the plane */
	int asked;
};

static void spoil_nothing(struct world *world)
{
}

static void spoil_alpha(struct world *world)
{
	world->layers[0].alpha = 0.5f;
}

static void spoil_opaque(struct world *world)
{
	world->layers[0].opaque = false;
	world->layers[0].color[3] = 0.5;
}

static void spoil_position(struct world *world)
{
	world->layers[0].box.x = 1;
}

static void spoil_home(struct world *world)
{
	world->layers[0].movable = false;
}

static void spoil_format(struct world *world)
{
	world->layers[0].buffer->format = DRM_FORMAT_RGB565;
}

static void spoil_size(struct world *world)
{
	buffer_drop(world->layers[0].buffer);
	world->layers[0].buffer = memory_buffer_create(WIDTH / 2, HEIGHT / 2, DRM_FORMAT_XRGB8888);
}

static void spoil_company(struct world *world)
{
	add_layer(world, 2, 2, 4, 4);
	struct layer window = world->layers[1];
	world->layers[1] = world->layers[0];
	world->layers[0] = window;
}

static void fullscreen(void **state)
{
	static const struct fullscreen_case table[] = {
		{"as it should be", spoil_nothing, judge_yes, REASON_BEST, 1},
		{"the driver refuses", spoil_nothing, judge_no, REASON_REFUSED, 1},
		{"alpha", spoil_alpha, judge_yes, REASON_TRANSLUCENT, 0},
		{"translucent pixels", spoil_opaque, judge_yes, REASON_TRANSLUCENT, 0},
		{"position", spoil_position, judge_yes, REASON_NOT_FULL, 0},
		{"another GPU's", spoil_home, judge_yes, REASON_FOREIGN, 0},
		{"format", spoil_format, judge_yes, REASON_PLANE_FORMAT, 0},
		{"scaled by the plane", spoil_size, judge_yes, REASON_BEST, 1},
		{"the plane cannot scale", spoil_size, judge_no, REASON_TRANSFORM, 1},
		{"a window over it", spoil_company, judge_yes, REASON_NOT_ALONE, 0},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct world world;
		begin(&world);
		add_plane(&world, PLANE_PRIMARY, 0, 0);
		add_layer(&world, 0, 0, WIDTH, HEIGHT);
		world.judge = table[i].judge;
		table[i].spoil(&world);
		assign(&world);
		const struct assign_entry *entry = &world.entries[world.n_layers - 1];
		if (world.covered != (table[i].reason == REASON_BEST) ||
			entry->reason != table[i].reason || world.asked != table[i].asked) {
			fail_msg("%s: covered %d, reason %s, asked %d times", table[i].what,
				world.covered, route_reason_text(entry->reason), world.asked);
		}
		assert_int_equal(entry->place, world.covered ? PLACE_PRIMARY : PLACE_COMPOSED);
		expect_same_picture(&world, table[i].what);
		end(&world);
	}
}

/* --- Single things about overlays, underlays and cursors. --- */

/* A window, and a video in the midst of it that is drawn over by `n_over` more. */
static void begin_video(struct world *world)
{
	begin(world);
	add_plane(world, PLANE_PRIMARY, 1, 1);
	add_layer(world, 4, 4, 12, 8); /* the video */
	struct layer *window = add_layer(world, 2, 2, 16, 12);
	window->movable = window->busy = false;
}

static void insert_on_top(struct world *world, int x, int y, int width, int height, bool movable)
{
	struct layer *top = add_layer(world, x, y, width, height);
	struct layer added = *top;
	memmove(&world->layers[1], &world->layers[0],
		(size_t)(world->n_layers - 1) * sizeof(struct layer));
	added.movable = movable;
	world->layers[0] = added;
}

static void overlay(void **state)
{
	struct world world;
	begin_video(&world);
	const struct plane *over = add_plane(&world, PLANE_OVERLAY, 2, 2);
	assign(&world);
	assert_false(world.covered);
	assert_ptr_equal(world.entries[0].plane, over);
	assert_int_equal(world.entries[0].place, PLACE_OVER);
	assert_int_equal(world.entries[1].reason, REASON_FOREIGN);
	assert_int_equal(world.asked, 1);
	expect_same_picture(&world, "a video on an overlay");

	/* New buffers of the same kind, and what lies elsewhere below: nobody is asked. */
	assign(&world);
	assert_int_equal(world.asked, 0);
	assert_ptr_equal(world.entries[0].plane, over);
	world.layers[1].box.width++;
	assign_anew(&world);
	assert_int_equal(world.asked, 0);
	assert_ptr_equal(world.entries[0].plane, over);

	/* It moves: the driver may think otherwise of that. */
	world.layers[0].box.x++;
	assign_anew(&world);
	assert_int_equal(world.asked, 1);
	expect_same_picture(&world, "a video that moves");

	/* Quiet content keeps no overlay. */
	world.layers[0].busy = false;
	assign(&world);
	assert_int_equal(world.entries[0].reason, REASON_QUIET);
	end(&world);
}

/* Something that must be composed comes over it, and goes. */
static void obstructed(void **state)
{
	struct world world;
	begin_video(&world);
	add_plane(&world, PLANE_OVERLAY, 2, 2);
	assign(&world);
	assert_int_equal(world.entries[0].place, PLACE_OVER);
	insert_on_top(&world, 6, 6, 4, 4, false);
	assign_anew(&world);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	assert_int_equal(world.entries[1].reason, REASON_NOT_ALONE);
	expect_same_picture(&world, "a window over the video");

	/* Away again: after a rest, so that a window that is dragged about makes no flicker. */
	world.layers[0].box.x = 18;
	world.layers[0].box.y = 0;
	world.now += 10 * MS;
	assign_anew(&world);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	assert_int_equal(world.entries[1].reason, REASON_NOT_ALONE);
	world.now += 300 * MS;
	assign(&world);
	assert_int_equal(world.entries[1].place, PLACE_OVER);

	/* The second time so soon, the rest is longer. */
	world.layers[0].box = (struct box){6, 6, 4, 4};
	assign_anew(&world);
	world.layers[0].box.x = 20;
	world.now += 300 * MS;
	assign_anew(&world);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	world.now += 300 * MS;
	assign(&world);
	assert_int_equal(world.entries[1].place, PLACE_OVER);
	expect_same_picture(&world, "a window beside the video");
	end(&world);
}

static void underlay(void **state)
{
	struct world world;
	begin_video(&world);
	const struct plane *under = add_plane(&world, PLANE_OVERLAY, 0, 0);
	insert_on_top(&world, 6, 6, 4, 4, false);
	world.layers[0].opaque = false;
	world.layers[0].color[3] = 0.5;
	assign(&world);
	assert_int_equal(world.entries[1].place, PLACE_UNDER);
	assert_ptr_equal(world.entries[1].plane, under);
	expect_same_picture(&world, "a video under its controls");

	/* Something shows through it: no hole can be made for that. */
	world.layers[1].opaque = false;
	assign_anew(&world);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	end(&world);

	begin_video(&world);
	add_plane(&world, PLANE_OVERLAY, 0, 0);
	world.composed_alpha = false;
	assign(&world);
	assert_int_equal(world.entries[0].place, PLACE_COMPOSED);
	assert_int_equal(world.entries[0].reason, REASON_NO_PLANE);
	assert_int_equal(world.asked, 0);
	end(&world);
}

/* The primary plane is moved up for what goes under it. */
static void mutable_zpos(void **state)
{
	struct world world;
	begin(&world);
	add_plane(&world, PLANE_PRIMARY, 0, 3);
	add_plane(&world, PLANE_OVERLAY, 0, 3);
	add_plane(&world, PLANE_OVERLAY, 0, 3);
	insert_on_top(&world, 2, 2, 16, 12, false);
	insert_on_top(&world, 4, 4, 10, 8, true);
	insert_on_top(&world, 6, 6, 3, 3, false);
	insert_on_top(&world, 10, 6, 4, 4, true);
	assign(&world);
	assert_int_equal(world.entries[0].place, PLACE_OVER);
	assert_int_equal(world.entries[2].place, PLACE_UNDER);
	assert_int_equal(world.entries[2].zpos, 0);
	assert_int_equal(world.request.state.planes[0].state.zpos, 1);
	assert_int_equal(world.entries[0].zpos, 2);
	expect_same_picture(&world, "one over and one under");
	end(&world);
}

static void cursor(void **state)
{
	struct world world;
	begin_video(&world);
	add_plane(&world, PLANE_OVERLAY, 2, 2);
	const struct plane *plane = add_plane(&world, PLANE_CURSOR, 3, 3);
	insert_on_top(&world, 8, 6, 4, 4, true);
	world.layers[0].cursor = true;
	world.layers[0].busy = false;
	world.layers[0].opaque = false;
	assign(&world);
	assert_ptr_equal(world.entries[0].plane, plane);
	assert_int_equal(world.entries[1].place, PLACE_OVER);
	for (int i = 0; i < 12; i++) {
		world.layers[0].box.x = i - 2;
		world.layers[0].box.y = 14 - i;
		assign(&world);
		assert_int_equal(world.asked, 0);
		expect_same_picture(&world, "a cursor that moves");
	}

	/* Refused, it is composed, and with it what it lies over. */
	world.limit = 2;
	world.judge = judge_limit;
	assign_forget(&world.memory, world.now);
	world.now += 300 * MS;
	assign(&world);
	assert_ptr_equal(world.entries[0].plane, plane);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	assert_int_equal(world.entries[1].reason, REASON_REFUSED);
	end(&world);
}

/* A fullscreen game with the cursor over it: still nothing is composed. */
static void cursor_over_fullscreen(void **state)
{
	struct world world;
	begin(&world);
	add_plane(&world, PLANE_PRIMARY, 0, 0);
	add_plane(&world, PLANE_CURSOR, 1, 1);
	add_layer(&world, 8, 6, 4, 4)->cursor = true;
	add_layer(&world, 0, 0, WIDTH, HEIGHT);
	assign(&world);
	assert_true(world.covered);
	assert_int_equal(world.request.state.n_planes, 2);
	expect_same_picture(&world, "a cursor over a game");
	world.layers[0].movable = false;
	assign_anew(&world);
	assert_false(world.covered);
	assert_int_equal(world.entries[1].reason, REASON_NOT_ALONE);
	end(&world);
}

/* One plane, and two that want it: the larger, and the one that had it. */
static void scarce(void **state)
{
	struct world world;
	begin(&world);
	add_plane(&world, PLANE_PRIMARY, 0, 0);
	add_plane(&world, PLANE_OVERLAY, 1, 1);
	add_layer(&world, 0, 0, 6, 6);
	add_layer(&world, 8, 8, 8, 8);
	assign(&world);
	assert_int_equal(world.entries[0].reason, REASON_NO_PLANE);
	assert_int_equal(world.entries[1].place, PLACE_OVER);
	world.layers[0].box = (struct box){0, 0, 8, 9};
	assign_anew(&world);
	assert_int_equal(world.entries[1].place, PLACE_OVER);
	end(&world);
}

/* What was refused is asked for again later and later, and never twice for one frame. */
static void refused(void **state)
{
	struct world world;
	begin_video(&world);
	add_plane(&world, PLANE_OVERLAY, 2, 2);
	world.judge = judge_no;
	int asked = 0;
	for (int i = 0; i < 600; i++) {
		/* A window is dragged about all the time, ten seconds long. */
		world.layers[1].box.x ^= 1;
		world.now += 17 * MS;
		assign_anew(&world);
		asked += world.asked;
		assert_int_equal(world.entries[0].reason, REASON_REFUSED);
	}
	assert_in_range(asked, 4, 7);
	world.judge = judge_yes;
	world.now += 9000 * MS;
	assign(&world);
	assert_int_equal(world.entries[0].place, PLACE_OVER);
	end(&world);
}

/* The worst of drivers: the bound holds, and most of it is composed for a while. */
static void bounded(void **state)
{
	struct world world;
	begin(&world);
	add_plane(&world, PLANE_PRIMARY, 1, 1);
	for (int i = 0; i < 5; i++) {
		add_plane(&world, PLANE_OVERLAY, 0, 9);
		add_layer(&world, 4 * i, 0, 4, 4);
	}
	world.judge = judge_no;
	assign(&world);
	assert_int_equal(world.asked, ASSIGN_MAX_TESTS);
	assign(&world);
	assert_int_equal(world.asked, 0);
	end(&world);
}

/* --- Anything. --- */

static bool judge_randomly(struct world *world, const struct output_state *state)
{
	unsigned hash = world->salt;
	for (int i = 0; i < state->n_planes; i++) {
		hash = hash * 31 + (unsigned)state->planes[i].plane->index;
		hash = hash * 31 + (unsigned)state->planes[i].state.dst.width;
	}
	return hash % 4 != 0;
}

static void make_card(struct world *world)
{
	int n = random_between(0, 4);
	int primary = random_between(0, 3);
	bool movable = random_between(0, 2) == 0;
	add_plane(world, PLANE_PRIMARY, movable ? 0 : primary, movable ? 9 : primary);
	for (int i = 0; i < n; i++) {
		int at = random_between(0, 1) ? primary + 1 + i : primary - 1 - i;
		movable = random_between(0, 2) == 0;
		add_plane(world, PLANE_OVERLAY, movable ? 0 : at, movable ? 9 : at);
	}
	if (random_between(0, 1)) {
		add_plane(world, PLANE_CURSOR, 20, 20);
	}
}

static void make_layer(struct world *world, bool last)
{
	bool full = random_between(0, last ? 1 : 9) == 0;
	struct layer *layer = full ? add_layer(world, 0, 0, WIDTH, HEIGHT)
				   : add_layer(world, random_between(-4, WIDTH - 2),
					     random_between(-4, HEIGHT - 2), random_between(1, 16),
					     random_between(1, 12));
	layer->movable = random_between(0, 3) != 0;
	layer->busy = random_between(0, 3) != 0;
	layer->opaque = random_between(0, 2) != 0;
	layer->alpha = random_between(0, 5) ? 1 : 0.5f;
	if (!layer->opaque) {
		double alpha = random_between(0, 10) / 10.0;
		for (int i = 0; i < 4; i++) {
			layer->color[i] *= alpha;
		}
	}
}

static void change(struct world *world)
{
	struct layer *layer = &world->layers[random_between(0, world->n_layers - 1)];
	switch (random_between(0, 3)) {
	case 0: layer->box.x += random_between(-3, 3); break;
	case 1: layer->box.y += random_between(-3, 3); break;
	case 2: layer->movable = !layer->movable; break;
	case 3: layer->busy = !layer->busy; break;
	}
	world->now += random_between(1, 400) * MS;
	world->salt += random_between(0, 9) == 0;
}

static void anything(void **state)
{
	int placed[4] = {0};
	for (int i = 0; i < 600; i++) {
		struct world world;
		begin(&world);
		world.judge = judge_randomly;
		world.salt = (unsigned)random_between(0, 1000);
		world.composed_alpha = random_between(0, 3) != 0;
		make_card(&world);
		int n = random_between(1, MAX_LAYERS);
		for (int l = 0; l < n; l++) {
			make_layer(&world, l == n - 1);
		}
		world.layers[0].cursor = random_between(0, 1);
		for (int step = 0; step < 12; step++) {
			assign_anew(&world);
			expect_same_picture(&world, "anything");
			for (int l = 0; l < n; l++) {
				placed[world.entries[l].place]++;
				assert_int_equal(world.entries[l].plane == NULL,
					world.entries[l].place == PLACE_COMPOSED);
			}
			struct assign_entry before[MAX_LAYERS];
			memcpy(before, world.entries, sizeof(before));
			assign(&world);
			assert_int_equal(world.asked, 0);
			for (int l = 0; l < n; l++) {
				assert_ptr_equal(world.entries[l].plane, before[l].plane);
				assert_int_equal(world.entries[l].reason, before[l].reason);
			}
			change(&world);
		}
		end(&world);
	}
	for (int i = 0; i < 4; i++) {
		assert_true(placed[i] > 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fullscreen),
		cmocka_unit_test(overlay),
		cmocka_unit_test(obstructed),
		cmocka_unit_test(underlay),
		cmocka_unit_test(mutable_zpos),
		cmocka_unit_test(cursor),
		cmocka_unit_test(cursor_over_fullscreen),
		cmocka_unit_test(scarce),
		cmocka_unit_test(refused),
		cmocka_unit_test(bounded),
		cmocka_unit_test(anything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
