/* SPDX-License-Identifier: MIT */
/*
 * Oracle of the random model of windows of another GPU: compares each presented frame with the
 * client's updates. Rows that did not change since they were found complete are not read again.
 */

#include "cross_gpu_oracle.h"
#include "backend/headless.h"
#include "buffer/buffer.h"
#include "protocol/server_output.h"
#include "scene/scene.h"
#include "server/server.h"
#include "shell/window.h"
#include <drm_fourcc.h>
#include <limits.h>
#include <string.h>

/* Frames until a moved window is presented, which wait for copies that become visible. */
#define FRAMES_MOVED 3

/* Visible pixels that tell one coding from another. */
#define PIXELS_LEAST 8

static void fail_pixel(const struct life *life, int x, int y, uint32_t pixel, const char *why)
{
	fail_msg("seed %d, step %d: %d, %d is %06x: %s (version %u, epochs %d and %d of %d)",
		life->seed, life->step, x, y, pixel, why, life->version, life->screens[0].epoch,
		life->screens[1].epoch, life->n_epochs);
}

/* Returns the last commit before the next size, or drawing in another coding. */
static uint32_t last_version(const struct life *life, int e)
{
	const uint32_t first = life->epochs[e].first;
	for (; e < life->n_epochs; e++) {
		if (life->epochs[e].first > first) {
			return life->epochs[e].first - 1;
		}
	}
	return life->version;
}

/* Returns whether the colours of late pixels are those of the epoch, too. */
static bool keeps_late_pixels(const struct life *life, int e)
{
	const struct epoch *epoch = &life->epochs[e], *last = epoch - 1;
	return epoch->recoded || (e > 0 && is_alike(epoch, last) &&
					 color_coding_equal(epoch->code.coding, last->code.coding));
}

/* Returns whether the epoch may show the commit: it was drawn in the same size and coding. */
static bool may_show(const struct life *life, int e, uint32_t version)
{
	const struct epoch *epoch = &life->epochs[e];
	for (int i = e; i >= 0 && is_alike(epoch, &life->epochs[i]); i--) {
		if (color_coding_equal(epoch->code.coding, life->epochs[i].code.coding) &&
			version >= life->epochs[i].first && version <= last_version(life, i)) {
			return true;
		}
	}
	return keeps_late_pixels(life, e) && may_show(life, e - 1, version);
}

/* Pixels of one epoch, of which many are of one commit. */
struct view {
	int epoch;
	struct pixel_reader reader;
	int read; /* last */
	bool may; /* show that commit */
};

static void view_init(struct view *view, const struct life *life, int e)
{
	*view = (struct view){.epoch = e, .read = -1};
	pixel_reader_init(&view->reader, &life->epochs[e].code);
}

static bool view_may_show(struct view *view, const struct life *life, int read)
{
	if (read != view->read) {
		view->read = read;
		view->may = may_show(life, view->epoch, (uint32_t)read);
	}
	return view->may;
}

static uint32_t (*shown_by(struct life *life, int output))[WIDEST]
{
	return life->shown[life->world->second ? output : 0];
}

static bool is_calm(const struct life *life)
{
	return life->calm > FRAMES_MAX;
}

/* Returns the newest commit that must be shown where it is visible for long enough. */
static uint32_t find_due(const struct life *life)
{
	return life->n_free > FRAMES_MAX && life->n_frames > FRAMES_MAX
		       ? life->versions[(life->n_frames - FRAMES_MAX) % VERSIONS]
		       : 0;
}

/* A visible pixel of the window at x,y of its buffer. Returns whether it is the newest. */
static bool check_pixel(
	struct life *life, int output, int x, int y, struct view *view, uint32_t pixel)
{
	const struct screen *screen = &life->screens[output];
	uint32_t *shown = &shown_by(life, output)[y][x];
	const uint32_t content = life->content[y][x];
	const int hidden = screen->hidden[y + life->y][x + life->x - output * WIDTH];
	/* Without delays, and visible for long enough. */
	const bool due = content <= life->due && life->n_frames - hidden > FRAMES_MAX;
	const int read = pixel_reader_read(&view->reader, pixel);
	const uint32_t version = (uint32_t)read;
	if (read < 0) {
		/* A GPU forgets pixels that are covered for a while. */
		if ((*shown > 0 && !life->world->display) || due || is_calm(life)) {
			fail_pixel(life, x, y, pixel, "background, or of another coding");
		}
		return false; /* was not visible before, so that nothing is copied yet */
	}
	if (!view_may_show(view, life, read)) {
		fail_pixel(life, x, y, pixel, "of another size or coding, or not drawn");
	}
	if (version < *shown) {
		fail_pixel(life, x, y, pixel, "older than before");
	}
	if (version != content && (due || is_calm(life))) {
		fail_pixel(life, x, y, pixel, "not the newest");
	}
	*shown = version;
	return version == content;
}

static bool contains(const struct box *box, int x, int y)
{
	return x >= box->x && y >= box->y && x < box->x + box->width && y < box->y + box->height;
}

/*
 * Returns the number of pixels of the picture that the epoch may have drawn, up to `enough`. Stores
 * the number of those that were looked at.
 */
static int count_pixels(struct life *life, int i, int e, int enough, int *n_visible)
{
	const struct epoch *epoch = &life->epochs[e];
	const struct box window = {life->x, life->y, epoch->width, epoch->height};
	struct view view;
	struct box seen;
	int n = 0;
	*n_visible = 0;
	if (!box_intersect(&seen, &window, &(struct box){i * WIDTH, 0, WIDTH, HEIGHT})) {
		return 0;
	}
	view_init(&view, life, e);
	for (int y = seen.y; y < seen.y + seen.height && n < enough; y++) {
		for (int x = seen.x; x < seen.x + seen.width && n < enough; x++) {
			if (contains(&life->covered, x, y)) {
				continue;
			}
			++*n_visible;
			const int read = pixel_reader_read(
				&view.reader, life->screens[i].pixels[y][x - i * WIDTH]);
			n += read >= 0 && view_may_show(&view, life, read) &&
			     (uint32_t)read >= shown_by(life, i)[y - life->y][x - life->x];
		}
	}
	return n;
}

/* Returns whether pixels of both epochs are read alike. */
static bool is_read_alike(const struct epoch *a, const struct epoch *b)
{
	return a->first == b->first && a->code.format == b->code.format &&
	       color_coding_equal(a->code.coding, b->code.coding);
}

static void show_epoch(struct life *life, struct screen *screen, int e)
{
	if (!is_alike(&life->epochs[e], &life->epochs[screen->epoch])) {
		for (int y = 0; y < HEIGHT; y++) {
			for (int x = 0; x < WIDTH; x++) {
				screen->hidden[y][x] = life->n_frames;
			}
		}
	}
	screen->settled &= e == screen->epoch;
	screen->epoch = e;
}

/*
 * Finds the size and coding that the output shows: those of most pixels. Returns false if too few
 * are visible to tell, since some pixels may be of two codings.
 */
static bool find_epoch(struct life *life, int i)
{
	struct screen *screen = &life->screens[i];
	const int first = is_calm(life) ? life->n_epochs - 1 : screen->epoch;
	const int enough = first == life->n_epochs - 1 ? PIXELS_LEAST : INT_MAX;
	int found = -1, most = PIXELS_LEAST - 1, next = 0, least = INT_MAX, n_visible;
	for (int e = first; e < life->n_epochs; e++) {
		if (e > first && is_read_alike(&life->epochs[e - 1], &life->epochs[e])) {
			continue;
		}
		const int n = count_pixels(life, i, e, enough, &n_visible);
		least = n_visible < least ? n_visible : least;
		next = n > most ? most : n > next ? n : next;
		if (n > most) {
			most = n;
			found = e;
		}
	}
	if (found < 0 && least >= PIXELS_LEAST && (is_calm(life) || screen->seen)) {
		fail_pixel(life, 0, 0, 0, "not visible any more");
	}
	screen->seen = found >= 0;
	if (found < 0 || (next >= PIXELS_LEAST && next > most * 3 / 4)) {
		return false;
	}
	show_epoch(life, screen, found);
	return true;
}

static void check_row(struct life *life, int i, int y, struct view *view)
{
	struct screen *screen = &life->screens[i];
	const struct epoch *epoch = &life->epochs[screen->epoch];
	const struct box *covered = &life->covered;
	const bool below = y >= covered->y && y < covered->y + covered->height;
	const bool inside = y >= life->y && y < life->y + epoch->height;
	bool newest = true;
	for (int x = i * WIDTH; x < (i + 1) * WIDTH; x++) {
		const uint32_t pixel = screen->pixels[y][x - i * WIDTH];
		bool *had = &screen->had[y][x - i * WIDTH];
		if (below && x >= covered->x && x < covered->x + covered->width) {
			*had = false;
			continue;
		}
		const bool has = pixel_reader_read(&view->reader, pixel) >= 0;
		const bool lost = *had && !has;
		*had = has;
		if (inside && x >= life->x && x < life->x + epoch->width) {
			newest &= check_pixel(life, i, x - life->x, y - life->y, view, pixel);
			if (lost) {
				fail_pixel(life, x - life->x, y - life->y, pixel,
					"in the last frame only");
			}
		} else if (has) {
			fail_pixel(life, x - life->x, y - life->y, pixel, "outside of the window");
		}
	}
	if (inside) {
		life->late[i][y - life->y] = !newest;
	}
}

static void check_output(struct life *life, int i)
{
	struct screen *screen = &life->screens[i];
	struct view view;
	view_init(&view, life, screen->epoch);
	for (int y = 0; y < HEIGHT; y++) {
		const bool late = y >= life->y && life->late[i][y - life->y];
		if (!screen->settled || screen->changed[y] || late) {
			check_row(life, i, y, &view);
		}
	}
	screen->settled = true;
}

/* Reads the presented frame. Returns whether it has other pixels than the last one. */
static bool read_output(struct life *life, int i)
{
	struct screen *screen = &life->screens[i];
	struct server *server = life->world->fixture->server;
	struct buffer *front = headless_output_front(server->scene->outputs[i]->output);
	void *data;
	size_t stride;
	bool changed = false;
	assert_non_null(front);
	assert_true(front->format == DRM_FORMAT_XRGB8888 || front->format == DRM_FORMAT_ARGB8888);
	assert_int_equal(front->width, WIDTH);
	assert_int_equal(front->height, HEIGHT);
	assert_int_equal(buffer_begin_access(front, BUFFER_READ, &data, &stride), 0);
	for (int y = 0; y < HEIGHT; y++) {
		const uint32_t *row =
			(const uint32_t *)(const void *)((const char *)data + (size_t)y * stride);
		uint32_t different = 0;
		for (int x = 0; x < WIDTH; x++) {
			const uint32_t pixel = row[x] & 0xffffff;
			different |= pixel ^ screen->pixels[y][x];
			screen->pixels[y][x] = pixel;
		}
		screen->changed[y] = different != 0;
		changed |= different != 0;
	}
	buffer_end_access(front);
	return changed;
}

/* The window's pixels below the cover are hidden. */
static void hide_covered(struct life *life, int i)
{
	struct box box;
	if (!box_intersect(&box, &life->covered, &(struct box){i * WIDTH, 0, WIDTH, HEIGHT})) {
		return;
	}
	for (int y = box.y; y < box.y + box.height; y++) {
		for (int x = box.x - i * WIDTH; x < box.x - i * WIDTH + box.width; x++) {
			life->screens[i].hidden[y][x] = life->n_frames;
		}
	}
}

/* Nothing of it is compared with the next frame. */
static void unsettle(struct life *life, struct screen *screen)
{
	memset(screen->had, 0, sizeof(screen->had));
	screen->settled = false;
}

static void hide_window(struct life *life)
{
	for (int i = 0; i < N_OUTPUTS; i++) {
		for (int y = 0; y < HEIGHT; y++) {
			for (int x = 0; x < WIDTH; x++) {
				life->screens[i].hidden[y][x] = life->n_frames;
			}
		}
	}
}

void oracle_forget(struct life *life)
{
	/* The second device frees pixels that it has not shown for a while. */
	for (int y = 0; life->world->second && y < N_OUTPUTS * HEIGHT; y++) {
		const int width = y % HEIGHT < WIDE_HEIGHT ? WIDEST : WIDTH;
		memset(life->shown[y / HEIGHT][y % HEIGHT], 0, (size_t)width * 4);
	}
	for (int i = 0; i < N_OUTPUTS; i++) {
		life->screens[i].seen = false;
	}
	life->calm = life->moved = 0;
}

/*
 * The shell leaves a part of each window on the screen when it changes its size. A scale applies
 * after the update before it, which may wait for a held copy.
 */
static void follow_window(struct life *life)
{
	const struct window *window = life->shown_window;
	const bool is_scaled = window->surface->current.viewport.has_dst;
	if (is_scaled != life->is_scaled) {
		life->is_scaled = is_scaled;
		life->moved = 0;
		for (int i = 0; i < N_OUTPUTS; i++) {
			life->screens[i].seen = false;
		}
	}
	assert_true(!is_calm(life) || is_scaled == life->scaled);
	if (window->x != life->x || window->y != life->y) {
		life->x = window->x;
		life->y = window->y;
		oracle_forget(life);
		hide_window(life);
	}
}

void oracle_check(struct life *life)
{
	life->n_frames++;
	life->versions[life->n_frames % VERSIONS] = life->version;
	life->due = find_due(life);
	follow_window(life);
	if (life->moved_window || life->is_scaled) {
		life->moved_window = false;
		hide_window(life);
	}
	for (int i = 0; i < N_OUTPUTS; i++) {
		struct screen *screen = &life->screens[i];
		hide_covered(life, i);
		if (life->is_scaled || life->moved < FRAMES_MOVED) {
			unsettle(life, screen);
			continue;
		}
		const bool changed = read_output(life, i);
		const int last = life->n_epochs - 1;
		const bool known = !changed && screen->settled && screen->epoch == last;
		if (known || find_epoch(life, i)) {
			check_output(life, i);
		} else {
			unsettle(life, screen);
		}
	}
	life->n_newest += is_calm(life);
}
