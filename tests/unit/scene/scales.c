/* SPDX-License-Identifier: MIT */
/*
 * Fractional scales: buffers with the pixels of their size are shown pixel by pixel wherever they
 * are, what adjoins them stays adjacent, and input reaches the pixels that are seen.
 */

#include "harness/surface.h"

#include "buffer/color.h"
#include "scene/scene.h"
#include "util/region.h"
#include <math.h>
#include <stdlib.h>

#define WIDTH 1366
#define HEIGHT 768
#define ROUNDS 2000

struct fixture {
	struct wl_event_loop *loop;
	struct output output;
	struct scene *scene;
	struct scene_output *shown;
	/* A window with a geometry inside of its surface, and a frame around its origin. */
	struct scene_tree *window, *content;
	struct scene_rect *sides[4]; /* left, right, top, bottom */
	struct surface *surface;
	int steps, width, height; /* of the scale in 1/120; logical size of the surface */
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	const float color[4] = {0, 0, 1, 1};
	fixture->loop = wl_event_loop_create();
	output_init(&fixture->output, &dark_output_impl, "TEST-1");
	fixture->output.enabled = true;
	fixture->output.mode = (struct output_mode){WIDTH, HEIGHT, 60000, true};
	fixture->scene = scene_create();
	fixture->shown = scene_output_create(fixture->scene, &fixture->output);
	fixture->window = scene_tree_create(&fixture->scene->root);
	scene_tree_snap(fixture->window);
	for (int i = 0; i < 4; i++) {
		fixture->sides[i] = scene_rect_create(fixture->window, 0, 0, color);
		fixture->sides[i]->node.data = fixture;
	}
	fixture->surface = surface_create(fixture->loop, NULL);
	fixture->content = scene_surface_tree_create(fixture->window, fixture->surface);
	surface_map(fixture->surface);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	surface_destroy(fixture->surface);
	scene_node_destroy(&fixture->window->node);
	scene_output_destroy(fixture->shown);
	scene_destroy(fixture->scene);
	output_finish(&fixture->output);
	wl_event_loop_destroy(fixture->loop);
	free(fixture);
	return 0;
}

/* Rounds half away from zero, in integers as clients do. */
static int scaled(int length, int steps)
{
	return (length * steps + 60) / 120;
}

/* Attaches a buffer with exactly the pixels of this size. */
static void show(struct surface *surface, int width, int height, int steps,
	enum wl_output_transform transform)
{
	struct surface_state *pending = &surface->pending;
	int pixels[2] = {scaled(width, steps), scaled(height, steps)};
	const bool swaps = transform_swaps(transform);
	struct test_buffer *buffer = test_buffer_create(pixels[swaps], pixels[!swaps]);
	pending->viewport =
		(struct viewport){.has_dst = true, .dst_width = width, .dst_height = height};
	pending->transform = transform;
	pending->fields |= SURFACE_VIEWPORT | SURFACE_TRANSFORM;
	attach(surface, buffer);
	assert_true(derive_and_commit(surface));
	buffer_drop(&buffer->base);
}

static void place_side(struct fixture *fixture, int i, int x, int y, int width, int height)
{
	scene_node_set_position(&fixture->sides[i]->node, x, y);
	scene_rect_set_size(fixture->sides[i], width, height);
}

/* Gives output and window another scale, transform, place and size. */
static void shuffle(struct fixture *fixture, bool margins)
{
	static const int usual[] = {150, 160, 180, 210};
	const int steps =
		random_between(0, 1) ? random_between(120, 360) : usual[random_between(0, 3)];
	const int border = random_between(1, 3), title = random_between(10, 40);
	const int width = random_between(1, 300), height = random_between(1, 200);
	fixture->steps = steps;
	fixture->width = width;
	fixture->height = height;
	scene_output_set_scale(fixture->shown, steps / 120.0);
	scene_output_set_transform(fixture->shown, (enum wl_output_transform)random_between(0, 7));
	scene_output_set_position(
		fixture->shown, random_between(-999, 999), random_between(-999, 999));
	scene_node_set_position(&fixture->window->node,
		fixture->shown->x + random_between(-20, 200),
		fixture->shown->y + random_between(-20, 100));
	scene_node_set_position(&fixture->content->node, margins ? random_between(-30, 0) : 0,
		margins ? random_between(-30, 0) : 0);
	place_side(fixture, 0, -border, 0, border, height);
	place_side(fixture, 1, width, 0, border, height);
	place_side(fixture, 2, -border, -title, width + 2 * border, title);
	place_side(fixture, 3, -border, height, width + 2 * border, border);
	show(fixture->surface, width, height, steps,
		(enum wl_output_transform)random_between(0, 7));
	scene_update(fixture->scene);
}

static const struct scene_entry *find(const struct fixture *fixture, const struct scene_node *node)
{
	const int index = node->entry_index[fixture->shown->index];
	return index < 0 ? NULL : &fixture->shown->entries[index];
}

static const struct scene_entry *find_surface(
	const struct fixture *fixture, const struct surface *surface)
{
	return find(fixture, &scene_surface_find(surface)->node);
}

/* Returns the box of an entry as a viewer sees it. */
static struct box upright(const struct fixture *fixture, const struct scene_entry *entry)
{
	const enum wl_output_transform transform = fixture->shown->transform;
	struct box box;
	transform_box(&box, &entry->dst, transform_invert(transform), WIDTH, HEIGHT);
	return box;
}

static void fail_at(const struct fixture *fixture, const char *what)
{
	fail_msg("%s: scale %d/120, output at %d,%d, window at %d,%d, content at %d,%d, %dx%d",
		what, fixture->steps, fixture->shown->x, fixture->shown->y, fixture->window->node.x,
		fixture->window->node.y, fixture->content->node.x, fixture->content->node.y,
		fixture->width, fixture->height);
}

static void exact_buffers_are_shown_pixel_by_pixel(void **state)
{
	struct fixture *fixture = *state;
	for (int i = 0; i < ROUNDS; i++) {
		shuffle(fixture, true);
		const struct scene_entry *entry = find_surface(fixture, fixture->surface);
		if (!entry) {
			continue; /* outside of the output */
		}
		const struct box box = upright(fixture, entry);
		if (!entry->unscaled || entry->padded ||
			box.width != scaled(fixture->width, fixture->steps) ||
			box.height != scaled(fixture->height, fixture->steps)) {
			fail_at(fixture, "the window is resampled");
		}
	}
}

static void captured_windows_are_shown_pixel_by_pixel(void **state)
{
	struct fixture *fixture = *state;
	for (int i = 0; i < ROUNDS; i++) {
		shuffle(fixture, true);
		const struct scene_view view = {
			.x = fixture->window->node.x + fixture->content->node.x +
			     random_between(0, 30),
			.y = fixture->window->node.y + fixture->content->node.y +
			     random_between(0, 30),
			.scale = fixture->shown->scale,
			.width = 300,
			.height = 300,
		};
		struct scene_snapshot snapshot;
		scene_snapshot_init(&snapshot, fixture->scene, fixture->content, &view, false);
		const struct scene_entry *entry = snapshot.entries;
		if (snapshot.n_entries > 0 &&
			(!entry->unscaled || entry->padded ||
				entry->dst.width != scaled(fixture->width, fixture->steps) ||
				entry->dst.height != scaled(fixture->height, fixture->steps))) {
			fail_at(fixture, "the captured window is resampled");
		}
		scene_snapshot_finish(&snapshot);
	}
}

/* A surface in pixels of this scale begins at the pixel nearest to its position and shift. */
static void surfaces_in_device_pixels_stay_in_place(void **state)
{
	struct fixture *fixture = *state;
	struct surface *surface = surface_create(fixture->loop, NULL);
	struct scene_tree *tree = scene_surface_tree_create(&fixture->scene->root, surface);
	surface_map(surface);
	for (int i = 0; i < ROUNDS; i++) {
		shuffle(fixture, false);
		const struct scene_output *shown = fixture->shown;
		const int width = random_between(1, 99), height = random_between(1, 99);
		const int left = random_between(0, 200), top = random_between(0, 200);
		const double x = shown->x + left / shown->scale, y = shown->y + top / shown->scale;
		show(surface, width, height, 120, WL_OUTPUT_TRANSFORM_NORMAL);
		scene_node_set_position(&tree->node, (int)floor(x), (int)floor(y));
		scene_surface_set_density(surface, shown->scale, x - floor(x), y - floor(y));
		scene_update(fixture->scene);
		const struct scene_entry *entry = find_surface(fixture, surface);
		assert_non_null(entry);
		const struct box box = upright(fixture, entry);
		assert_true(box_equal(&box, &(struct box){left, top, width, height}));
		struct coord_surface found;
		const struct coord_global at = {
			x + width / shown->scale / 2, y + height / shown->scale / 2};
		assert_true(scene_to_surface(surface, at, &found));
		assert_true(fabs(found.x - width / 2.0) < 1e-6);
		assert_true(fabs(found.y - height / 2.0) < 1e-6);
	}
	surface_destroy(surface);
}

/*
 * An X window drawn for an output of another scale has about the same size on this one. Nothing is
 * known of its translucent pixels.
 */
static void surfaces_in_pixels_of_another_scale_keep_their_size(void **state)
{
	struct fixture *fixture = *state;
	struct surface *surface = surface_create(fixture->loop, NULL);
	struct scene_tree *tree = scene_surface_tree_create(&fixture->scene->root, surface);
	pixman_region32_union_rect(&surface->pending.opaque, &surface->pending.opaque, 0, 0, 5, 4);
	surface->pending.fields |= SURFACE_OPAQUE;
	surface_map(surface);
	for (int i = 0; i < ROUNDS; i++) {
		shuffle(fixture, false);
		const struct scene_output *shown = fixture->shown;
		const int steps = random_between(121, 360);
		const int width = random_between(1, 99), height = random_between(1, 99);
		show(surface, width, height, 120, WL_OUTPUT_TRANSFORM_NORMAL);
		scene_node_set_position(&tree->node, shown->x + 3, shown->y + 4);
		scene_surface_set_density(surface, steps / 120.0, 0, 0);
		scene_update(fixture->scene);
		const struct scene_entry *entry = find_surface(fixture, surface);
		/* Rounded to the nearest pixel, either one in the middle between two. */
		const double right = (double)width * fixture->steps / steps;
		const double bottom = (double)height * fixture->steps / steps;
		if (!entry) {
			assert_true(right < 0.5 + 1e-6 || bottom < 0.5 + 1e-6);
			continue;
		}
		const struct box box = upright(fixture, entry);
		assert_true(fabs(box.width - right) < 0.5 + 1e-6);
		assert_true(fabs(box.height - bottom) < 0.5 + 1e-6);
		assert_int_equal(box.x, scaled(3, fixture->steps));
		assert_int_equal(box.y, scaled(4, fixture->steps));
		assert_false((width > 5 || height > 4) &&
			     pixman_region32_not_empty((pixman_region32_t *)&entry->opaque));
	}
	surface_destroy(surface);
}

/* The filter that follows edges is for windows with larger pixels than the output's. */
static void only_enlarged_surfaces_are_sharp(void **state)
{
	struct fixture *fixture = *state;
	static const int sizes[] = {10, 20, 40};
	fixture->surface->rules.sharp = true;
	for (int i = 0; i < 2 * 3 * 3; i++) {
		const bool turned = i / 9;
		const int width = sizes[i % 3], height = sizes[i / 3 % 3];
		struct surface_state *pending = &fixture->surface->pending;
		scene_output_set_transform(fixture->shown, turned ? WL_OUTPUT_TRANSFORM_90 : 0);
		show(fixture->surface, 20, 20, 120, WL_OUTPUT_TRANSFORM_NORMAL);
		pending->viewport = (struct viewport){
			.has_dst = true, .dst_width = width, .dst_height = height};
		pending->fields |= SURFACE_VIEWPORT;
		assert_true(derive_and_commit(fixture->surface));
		scene_update(fixture->scene);
		const struct scene_entry *entry = find_surface(fixture, fixture->surface);
		assert_int_equal(
			entry->sharp, width >= 20 && height >= 20 && (width > 20 || height > 20));
	}
}

/* A frame adjoins its content, without a gap. */
static void frames_adjoin_their_content(void **state)
{
	struct fixture *fixture = *state;
	for (int i = 0; i < ROUNDS; i++) {
		shuffle(fixture, false);
		const struct scene_entry *content = find_surface(fixture, fixture->surface);
		for (int j = 0; content && j < 4; j++) {
			const struct scene_entry *side = find(fixture, &fixture->sides[j]->node);
			if (!side) {
				continue;
			}
			const struct box a = upright(fixture, content);
			const struct box b = upright(fixture, side);
			const int gaps[] = {b.x + b.width - a.x, a.x + a.width - b.x,
				b.y + b.height - a.y, a.y + a.height - b.y};
			if (gaps[j] != 0) {
				fail_at(fixture, "the frame is apart");
			}
		}
	}
}

/* Tiles that touch leave no pixel between them, with borders or without, and stay sharp. */
static void tiles_leave_no_gap(void **state)
{
	struct fixture *fixture = *state;
	const float color[4] = {0, 1, 0, 1};
	struct scene_tree *next = scene_tree_create(&fixture->scene->root);
	scene_tree_snap(next);
	struct scene_rect *rect = scene_rect_create(next, 50, 50, color);
	scene_node_set_reach(&rect->node, true);
	int n_reached = 0;
	for (int i = 0; i < ROUNDS; i++) {
		shuffle(fixture, false);
		const struct scene_rect *side = fixture->sides[1];
		const bool framed = random_between(0, 1);
		const int width = fixture->width + (framed ? side->width : 0);
		scene_node_set_position(
			&next->node, fixture->window->node.x + width, fixture->window->node.y);
		scene_node_set_reach(&fixture->sides[1]->node, framed);
		scene_node_set_reach(&fixture->content->content->node, !framed);
		scene_node_set_enabled(&fixture->sides[1]->node, framed);
		scene_update(fixture->scene);
		const struct scene_entry *a = framed ? find(fixture, &fixture->sides[1]->node)
						     : find_surface(fixture, fixture->surface);
		const struct scene_entry *b = find(fixture, &rect->node);
		if (!a || !b) {
			continue;
		}
		const struct box left = upright(fixture, a), right = upright(fixture, b);
		const int gap = right.x - left.x - left.width;
		if (gap > 0 || gap < -2) {
			fail_at(fixture, "tiles are apart, or cover each other");
		}
		if (!framed && !a->unscaled) {
			fail_at(fixture, "the tile is resampled");
		}
		n_reached += a->padded;
	}
	assert_true(n_reached > ROUNDS / 50);
	scene_node_set_enabled(&fixture->sides[1]->node, true);
	scene_node_destroy(&next->node);
}

static struct subsurface *add_tile(
	struct fixture *fixture, struct surface *tile, int x, int y, int width, int height)
{
	struct subsurface *subsurface = subsurface_create(tile, fixture->surface);
	assert_non_null(subsurface);
	subsurface_set_position(subsurface, x, y);
	subsurface_set_sync(subsurface, false);
	show(tile, width, height, fixture->steps, (enum wl_output_transform)random_between(0, 7));
	return subsurface;
}

/*
 * Two subsurfaces that cover their parent are shown pixel by pixel, meet each other, and end where
 * the parent does.
 */
static void subsurfaces_have_no_seams(void **state)
{
	struct fixture *fixture = *state;
	int n_padded = 0, n_cut = 0;
	for (int i = 0; i < ROUNDS; i++) {
		shuffle(fixture, true);
		const int width = fixture->width, height = fixture->height;
		const int half = random_between(1, width);
		if (half == width) {
			continue;
		}
		struct surface *tiles[2] = {
			surface_create(fixture->loop, NULL), surface_create(fixture->loop, NULL)};
		struct subsurface *subsurfaces[2] = {
			add_tile(fixture, tiles[0], 0, 0, half, height),
			add_tile(fixture, tiles[1], half, 0, width - half, height)};
		assert_true(derive_and_commit(fixture->surface));
		scene_update(fixture->scene);
		const struct scene_entry *whole = find_surface(fixture, fixture->surface);
		const struct scene_entry *left = find_surface(fixture, tiles[0]);
		const struct scene_entry *right = find_surface(fixture, tiles[1]);
		if (left && right) {
			const struct box a = upright(fixture, left), b = upright(fixture, right);
			if (!left->unscaled || !right->unscaled) {
				fail_at(fixture, "a subsurface is resampled");
			}
			if (a.x + a.width != b.x || a.y != b.y || a.height != b.height) {
				fail_at(fixture, "subsurfaces do not meet");
			}
			n_padded += right->padded;
			n_cut += b.width < scaled(width - half, fixture->steps);
			if (whole) {
				const struct box all = upright(fixture, whole);
				assert_int_equal(all.x, a.x);
				assert_int_equal(all.x + all.width, b.x + b.width);
			}
		}
		for (int j = 0; j < 2; j++) {
			subsurface_destroy(subsurfaces[j]);
			surface_destroy(tiles[j]);
		}
		assert_true(derive_and_commit(fixture->surface));
	}
	assert_true(n_padded > ROUNDS / 50);
	assert_true(n_cut > ROUNDS / 50);
}

/* The centre of each pixel of a window or of its frame belongs to that window or frame. */
static void input_reaches_the_pixel_that_is_seen(void **state)
{
	struct fixture *fixture = *state;
	for (int i = 0; i < ROUNDS; i++) {
		shuffle(fixture, true);
		const struct scene_entry *entry = find_surface(fixture, fixture->surface);
		for (int j = 0; entry && j < 8; j++) {
			const struct box visible = region_extents(&entry->visible);
			const int x = visible.x + random_between(0, visible.width - 1);
			const int y = visible.y + random_between(0, visible.height - 1);
			if (!pixman_region32_contains_point(
				    (pixman_region32_t *)&entry->visible, x, y, NULL)) {
				continue;
			}
			struct fbox pixel = {x + 0.5, y + 0.5, 0, 0};
			const struct coord_global at = scene_output_to_global(
				fixture->shown, (struct coord_output){pixel.x, pixel.y});
			transform_fbox(&pixel, &pixel, transform_invert(fixture->shown->transform),
				WIDTH, HEIGHT);
			const struct box box = upright(fixture, entry);
			const double scale = fixture->steps / 120.0;
			const double u = (pixel.x - box.x) / scale, v = (pixel.y - box.y) / scale;
			struct coord_surface found;
			const struct scene_hit hit = scene_at(fixture->scene, at);
			assert_true(scene_to_surface(fixture->surface, at, &found));
			assert_true(fabs(found.x - u) < 1e-6 && fabs(found.y - v) < 1e-6);
			if (fabs(u - fixture->width) < 1e-6 || fabs(v - fixture->height) < 1e-6) {
				continue; /* exactly on the edge */
			}
			if (hit.surface != fixture->surface) {
				fail_at(fixture, "input misses a pixel of the window");
			}
			assert_true(fabs(hit.at.x - u) < 1e-6 && fabs(hit.at.y - v) < 1e-6);
		}
		const struct scene_entry *side = find(fixture, &fixture->sides[2]->node);
		if (side) {
			const struct box visible = region_extents(&side->visible);
			const struct coord_output at = {visible.x + visible.width / 2 + 0.5,
				visible.y + visible.height / 2 + 0.5};
			const struct scene_hit hit = scene_at(
				fixture->scene, scene_output_to_global(fixture->shown, at));
			/* The surface may reach over the frame. */
			assert_true(hit.surface == fixture->surface || hit.data == fixture);
		}
	}
}

/* Touches and absolute pointers are at pixels of the screen, whatever its rotation. */
static void lens_maps_a_pixel_to_the_point_that_it_shows(void **state)
{
	struct fixture *fixture = *state;
	for (int i = 0; i < ROUNDS; i++) {
		shuffle(fixture, true);
		struct scene_output *shown = fixture->shown;
		const struct scene_entry *entry = find(fixture, &fixture->sides[2]->node);
		if (!entry) {
			continue;
		}
		/* A point of the frame, and the pixel that shows it. */
		const struct scene_rect *side = fixture->sides[2];
		int x, y;
		scene_node_coords(&side->node, &x, &y);
		const struct coord_global at = {x + side->width / 2.0, y + side->height / 2.0};
		const double factor = random_between(9, 64) / 8.0;
		scene_output_set_lens(shown, factor,
			(struct coord_global){
				at.x + random_between(-40, 40), at.y + random_between(-40, 40)});
		const struct scene_lens *lens = &shown->lens;
		const struct box box = entry->dst;
		const struct coord_output magnified = {(box.x + box.width / 2.0) * factor - lens->x,
			(box.y + box.height / 2.0) * factor - lens->y};
		const struct coord_global screen = scene_output_to_global(shown, magnified);
		const struct box all = scene_output_box(shown);
		if (box_contains_point(&all, screen.x, screen.y)) {
			/* Edges of the frame are rounded. */
			const struct coord_global seen = scene_seen_at(fixture->scene, screen);
			assert_true(fabs(seen.x - at.x) <= 1 && fabs(seen.y - at.y) <= 1);
		}
		scene_output_set_lens(shown, 1, at);
	}
}

/* A column too many is one of the next output, or a gap beside it. */
static void layout_has_no_column_without_a_pixel(void **state)
{
	struct fixture *fixture = *state;
	struct scene_output *shown = fixture->shown;
	const struct output_mode mode = shown->output->mode;
	for (int steps = 60; steps <= 480; steps++) {
		scene_output_set_scale(shown, steps / 120.0);
		for (int i = 0; i < 8; i++) {
			const int length = i == 0 ? 2520 : random_between(1, 8192);
			const int logical = (length * 120 + steps - 1) / steps;
			shown->output->mode.width = length;
			shown->output->mode.height = length / 2 + 1;
			scene_output_set_transform(shown, (enum wl_output_transform)i);
			const struct box box = scene_output_box(shown);
			assert_int_equal(i & 1 ? box.height : box.width, logical);
		}
	}
	shown->output->mode = mode;
	scene_output_set_transform(shown, WL_OUTPUT_TRANSFORM_NORMAL);
}

/* A magnified pixel mixes in one that another window covers: it changes together with that one. */
static void damage_below_a_cover_reaches_the_pixels_beside_it(void **state)
{
	struct fixture *fixture = *state;
	const float white[4] = {1, 1, 1, 1};
	struct scene_rect *cover = scene_rect_create(&fixture->scene->root, 30, 100, white);
	scene_node_set_position(&cover->node, 10, 0);
	scene_node_set_position(&fixture->window->node, 20, 10);
	show(fixture->surface, 50, 40, 120, WL_OUTPUT_TRANSFORM_NORMAL);
	scene_output_set_lens(fixture->shown, 1.5, (struct coord_global){0, 0});
	scene_update(fixture->scene);
	pixman_region32_clear(&fixture->shown->damage);
	damage_buffer(fixture->surface, 19, 7, 1, 1);
	fixture->surface->pending.fields |= SURFACE_BUFFER_DAMAGE;
	assert_true(derive_and_commit(fixture->surface));
	scene_update(fixture->scene);
	assert_true(pixman_region32_contains_point(&fixture->shown->damage, 40, 17, NULL));
	/* Unmagnified, nothing that is seen changes. */
	scene_output_set_lens(fixture->shown, 1, (struct coord_global){0, 0});
	scene_update(fixture->scene);
	pixman_region32_clear(&fixture->shown->damage);
	damage_buffer(fixture->surface, 19, 7, 1, 1);
	fixture->surface->pending.fields |= SURFACE_BUFFER_DAMAGE;
	assert_true(derive_and_commit(fixture->surface));
	scene_update(fixture->scene);
	assert_false(scene_output_is_damaged(fixture->shown));
	scene_node_destroy(&cover->node);
}

/* The filter mixes a damaged pixel into all whose centres are less than a pixel away from it. */
static void lens_damage_reaches_as_far_as_its_filter(void **state)
{
	struct fixture *fixture = *state;
	for (int i = 0; i < 50; i++) {
		const double factor = random_between(11, 80) / 10.0;
		const int at = random_between(2, 100);
		pixman_region32_t out, damage;
		scene_output_set_lens(fixture->shown, factor, (struct coord_global){0, 0});
		pixman_region32_init(&out);
		pixman_region32_init_rect(&damage, at, at, 1, 1);
		scene_lens_damage(fixture->shown, &out, &damage);
		for (int x = 0; x < 900; x++) {
			const double distance = fabs((x + 0.5) / factor - at - 0.5);
			const bool damaged = pixman_region32_contains_point(
				&out, x, (int)((at + 0.5) * factor), NULL);
			assert_true(damaged || distance >= 1 || x * factor > HEIGHT);
		}
		pixman_region32_fini(&damage);
		pixman_region32_fini(&out);
	}
	scene_output_set_lens(fixture->shown, 1, (struct coord_global){0, 0});
}

/*
 * A client of scale 1 with an opaque region on an output of scale 2: pixels at the edge mix in
 * translucent ones, and entries below show through them.
 */
static void opaque_regions_exclude_pixels_that_filters_mix(void **state)
{
	struct fixture *fixture = *state;
	struct surface_state *pending = &fixture->surface->pending;
	scene_output_set_scale(fixture->shown, 2);
	scene_node_set_position(&fixture->window->node, 10, 10);
	pixman_region32_union_rect(&pending->opaque, &pending->opaque, 2, 2, 16, 18);
	pending->fields |= SURFACE_OPAQUE;
	show(fixture->surface, 20, 20, 120, WL_OUTPUT_TRANSFORM_NORMAL);
	scene_update(fixture->scene);
	const struct scene_entry *entry = find_surface(fixture, fixture->surface);
	/* The lower edge is that of the surface: its pixels mix in no others. */
	struct box opaque = region_extents(&entry->opaque);
	assert_true(box_equal(&opaque, &(struct box){20 + 7, 20 + 7, 26, 33}));
	assert_int_equal(pixman_region32_n_rects((pixman_region32_t *)&entry->opaque), 1);
	/* Pixel by pixel, there is no filter, until the lens adds one. */
	scene_output_set_scale(fixture->shown, 1);
	scene_update(fixture->scene);
	opaque = region_extents(&find_surface(fixture, fixture->surface)->opaque);
	assert_true(box_equal(&opaque, &(struct box){12, 12, 16, 18}));
	scene_output_set_lens(fixture->shown, 2, (struct coord_global){0, 0});
	scene_update(fixture->scene);
	opaque = region_extents(&find_surface(fixture, fixture->surface)->opaque);
	assert_true(box_equal(&opaque, &(struct box){15, 15, 10, 15}));
	scene_output_set_lens(fixture->shown, 1, (struct coord_global){0, 0});
	scene_update(fixture->scene);
	opaque = region_extents(&find_surface(fixture, fixture->surface)->opaque);
	assert_true(box_equal(&opaque, &(struct box){12, 12, 16, 18}));
}

/* A pixel that an opaque region covers in part is blended with the entries below. */
static void opaque_regions_are_rounded_inward(void **state)
{
	struct fixture *fixture = *state;
	struct surface_state *pending = &fixture->surface->pending;
	scene_output_set_scale(fixture->shown, 1.25);
	pixman_region32_union_rect(&pending->opaque, &pending->opaque, 1, 1, 6, 6);
	pending->fields |= SURFACE_OPAQUE;
	show(fixture->surface, 8, 8, 150, WL_OUTPUT_TRANSFORM_NORMAL);
	scene_update(fixture->scene);
	/* From 1.25 to 8.75. */
	const struct box opaque = region_extents(&find_surface(fixture, fixture->surface)->opaque);
	assert_true(box_equal(&opaque, &(struct box){2, 2, 6, 6}));
}

/* Clients that draw for a rotated screen: the region has the coordinates of the surface. */
static void opaque_regions_ignore_the_rotation_of_buffers(void **state)
{
	struct fixture *fixture = *state;
	struct surface_state *pending = &fixture->surface->pending;
	pixman_region32_union_rect(&pending->opaque, &pending->opaque, 4, 2, 30, 12);
	pending->fields |= SURFACE_OPAQUE;
	for (int i = 0; i < 8; i++) {
		show(fixture->surface, 40, 20, 240, (enum wl_output_transform)i);
		scene_output_set_scale(fixture->shown, 2);
		scene_update(fixture->scene);
		const struct box opaque =
			region_extents(&find_surface(fixture, fixture->surface)->opaque);
		assert_true(box_equal(&opaque, &(struct box){8, 4, 60, 24}));
	}
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(exact_buffers_are_shown_pixel_by_pixel),
		TEST(captured_windows_are_shown_pixel_by_pixel),
		TEST(surfaces_in_device_pixels_stay_in_place),
		TEST(surfaces_in_pixels_of_another_scale_keep_their_size),
		TEST(only_enlarged_surfaces_are_sharp),
		TEST(frames_adjoin_their_content),
		TEST(tiles_leave_no_gap),
		TEST(subsurfaces_have_no_seams),
		TEST(input_reaches_the_pixel_that_is_seen),
		TEST(lens_maps_a_pixel_to_the_point_that_it_shows),
		TEST(layout_has_no_column_without_a_pixel),
		TEST(damage_below_a_cover_reaches_the_pixels_beside_it),
		TEST(lens_damage_reaches_as_far_as_its_filter),
		TEST(opaque_regions_are_rounded_inward),
		TEST(opaque_regions_ignore_the_rotation_of_buffers),
		TEST(opaque_regions_exclude_pixels_that_filters_mix),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
