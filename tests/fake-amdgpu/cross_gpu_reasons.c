/* SPDX-License-Identifier: MIT */
/*
 * Reasons for the routes of another GPU's buffers, as the control protocol reports them: each one
 * appears while it is true, and goes when it is not.
 */

#include "content/route.h"
#include "gpu/gpu.h"
#include "harness/client/route_reader.h"
#include "surface/surface.h"
#include "world.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <string.h>

#define WIDTH WORLD_WIDTH
#define HEIGHT WORLD_HEIGHT
#define PAIR "1002:73bf>cpu"
#define SECOND INT64_C(1000000000)

#define MODIFIER_RAVEN UINT64_C(0x0200000000401a01)
#define MODIFIER_INTEL UINT64_C(0x0100000000000002) /* Y-tiled */

static enum renderer_kind renderer;
static struct route_reader reader;

static int set_up(void **state)
{
	const struct world_options options = {
		.width = WIDTH, .height = HEIGHT, .renderer = renderer};
	*state = world_create_with(&options);
	route_reader_init(&reader, ((struct world *)*state)->fixture);
	return 0;
}

static void expect(const char *route, const char *reason)
{
	const struct route_report *report = route_read(&reader, "title", "window");
	if (strcmp(report->route, route) != 0 || strcmp(report->reason, reason) != 0) {
		fail_msg("route %s, %s; expected: %s, %s", report->route, report->reason, route,
			reason);
	}
}

/* Copies of a tiled buffer are composed, since no plane of a headless output shows them. */
static void expect_copied(void)
{
	expect("copy", route_reason_text(REASON_FOREIGN));
}

/* Commits the canvas, and changes the layout of its buffer (0: not) before the first frame. */
static void commit(struct canvas *canvas, struct peer_window *window, uint64_t modifier)
{
	struct world *world = canvas->world;
	canvas_commit(canvas, window, 0, 0, WIDTH, HEIGHT);
	fixture_pump(world->fixture);
	struct buffer *buffer = peer_surface_find(world->peer, window->surface)->current.buffer;
	if (modifier) {
		((struct dmabuf *)buffer_dmabuf(buffer))->modifier = modifier;
	}
	peer_window_place(window, 0, 0);
	fixture_frames(world->fixture, 4);
}

static struct peer_window *open_titled(struct world *world)
{
	struct peer_window *window = peer_window_create_unmapped(world->peer);
	xdg_toplevel_set_title(window->toplevel, "window");
	return window;
}

/* As the first buffer of a window, and after copies of another one, which stay on screen. */
static void check_layout(struct world *world, uint64_t modifier, const char *reason)
{
	struct canvas canvases[3];
	struct peer_window *window = open_titled(world);
	for (int i = 0; i < 3; i++) {
		canvas_init(&canvases[i], world);
		canvas_draw(&canvases[i], 0, 0, WIDTH, HEIGHT, (uint32_t)i);
	}
	commit(&canvases[0], window, modifier);
	expect("none", reason);
	for (int i = 0; i < 2; i++) {
		commit(&canvases[1], window, 0);
		expect_copied();
		canvas_expect(&canvases[1], 0, 0, WIDTH, HEIGHT);
		commit(&canvases[2], window, modifier);
		expect("copy", reason);
		canvas_expect(&canvases[1], 0, 0, WIDTH, HEIGHT);
	}
	peer_window_destroy(window);
	for (int i = 0; i < 3; i++) {
		canvas_finish(&canvases[i]);
	}
}

static void layout_that_no_engine_reads_is_named(void **state)
{
	static const struct {
		uint64_t modifier;
		bool compressed; /* the configuration lets SDMA read compressed pixels */
		const char *reason;
	} cases[] = {
		{DRM_FORMAT_MOD_INVALID, false, "its modifier is implicit"},
		{MODIFIER_INTEL, false, "the copy engine does not know its modifier"},
		{MODIFIER_RAVEN, false, "its modifier belongs to another chip"},
		{WORLD_MODIFIER_COMPRESSED, false,
			"it is compressed, which the configuration does not let copy"},
		{WORLD_MODIFIER_COMPRESSED, true, "its metadata is missing"},
		{WORLD_MODIFIER_RETILED, true,
			"it is compressed in a way that the copy engine cannot read"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int only = 0; only < 2; only++) {
			set_up(state);
			struct world *world = *state;
			world->fixture->server->copier->compressed = cases[i].compressed;
			world->fixture->server->copier->only = only ? "sdma" : NULL;
			check_layout(world, cases[i].modifier, cases[i].reason);
			world_tear_down(state);
		}
	}
	/* The CPU alone. */
	set_up(state);
	struct world *world = *state;
	struct canvas canvas;
	world->fixture->server->copier->only = "cpu";
	canvas_init(&canvas, world);
	struct peer_window *window = open_titled(world);
	commit(&canvas, window, DRM_FORMAT_MOD_INVALID);
	expect("none", "its modifier is implicit");
	canvas_finish(&canvas);
	world_tear_down(state);
}

/* A state of the machine that begins and ends, unlike a property of the buffer. */
struct trouble {
	void (*begin)(struct world *world, struct canvas *canvas);
	void (*end)(struct world *world, struct canvas *canvas);
	const char *reason;
	int64_t pause; /* ns after the end until another commit is copied */
	bool alone; /* the client draws nothing after the end */
};

static void fail_allocations(struct world *world, struct canvas *canvas)
{
	fake_gpu_refuse(world->fake, FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_FOREIGN);
}

static void allow_allocations(struct world *world, struct canvas *canvas)
{
	fake_gpu_refuse(world->fake, FAKE_REFUSE_NONE);
}

static void run_out_of_memory(struct world *world, struct canvas *canvas)
{
	fake_gpu_fail_imports(world->fake, ENOMEM, 100000);
}

static void interrupt_imports(struct world *world, struct canvas *canvas)
{
	fake_gpu_fail_imports(world->fake, ETIMEDOUT, 100000);
}

static void refuse_imports(struct world *world, struct canvas *canvas)
{
	fake_gpu_fail_imports(world->fake, EINVAL, 100000);
}

static void allow_imports(struct world *world, struct canvas *canvas)
{
	fake_gpu_fail_imports(world->fake, 0, 0);
}

static void drop_pages(struct world *world, struct canvas *canvas)
{
	fake_dmabuf_drop_pages_for(world->fake, canvas->fd);
}

static void restore_pages(struct world *world, struct canvas *canvas)
{
	fake_dmabuf_drop_pages_for(NULL, canvas->fd);
}

static const struct trouble troubles[] = {
	{fail_allocations, allow_allocations,
		"no memory suits both its GPU and the GPU that shows it", 6 * SECOND, false},
	{run_out_of_memory, allow_imports, "copying it fails for the moment", 40 * SECOND, true},
	{interrupt_imports, allow_imports, "copying it fails for the moment", 40 * SECOND, true},
	{drop_pages, restore_pages, "the kernel cannot map its memory for a copy engine",
		20 * SECOND, false},
};

/* Before the first copy, and after some. */
static void trouble_is_named_while_it_lasts(void **state)
{
	for (size_t i = 0; i < 2 * sizeof(troubles) / sizeof(troubles[0]); i++) {
		const struct trouble *trouble = &troubles[i / 2];
		const bool first = i % 2 == 0;
		struct canvas old, canvas;
		set_up(state);
		struct world *world = *state;
		canvas_init(&old, world);
		canvas_init(&canvas, world);
		canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 7);
		struct peer_window *window = open_titled(world);
		if (!first) {
			commit(&old, window, 0);
			expect_copied();
			/* Memory of its own. */
			fixture_sleep(world->fixture, SECOND);
		}
		trouble->begin(world, &canvas);
		commit(&canvas, window, 0);
		fixture_sleep(world->fixture, SECOND);
		if (first || trouble->begin != fail_allocations) {
			expect(first ? "none" : "copy", trouble->reason);
		}
		trouble->end(world, &canvas);
		fixture_sleep(world->fixture, trouble->pause);
		if (!trouble->alone) {
			commit(&canvas, window, 0);
			fixture_sleep(world->fixture, SECOND);
		}
		expect_copied();
		canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
		peer_window_destroy(window);
		canvas_finish(&old);
		canvas_finish(&canvas);
		world_tear_down(state);
	}
}

/* Other buffers are copied. */
static void refused_buffer_is_named(void **state)
{
	struct world *world = *state;
	struct canvas good, bad;
	canvas_init(&good, world);
	canvas_init(&bad, world);
	struct peer_window *window = open_titled(world);
	refuse_imports(world, &bad);
	commit(&bad, window, 0);
	expect("none", "no copy engine of its GPU takes it");
	allow_imports(world, &bad);
	commit(&good, window, 0);
	expect_copied();
	commit(&bad, window, 0);
	expect("copy", "no copy engine of its GPU takes it");
	commit(&good, window, 0);
	expect_copied();
	canvas_finish(&good);
	canvas_finish(&bad);
}

static void failed_engine_is_named(void **state)
{
	struct world *world = *state;
	struct canvas canvas, next;
	canvas_init(&canvas, world);
	canvas_init(&next, world);
	struct peer_window *window = open_titled(world);
	commit(&canvas, window, 0);
	expect_copied();
	fake_gpu_hold(world->fake);
	commit(&canvas, window, 0);
	fixture_frames(world->fixture, 60);
	assert_int_equal(world->fixture->server->copier->totals.lost, 1);
	commit(&next, window, 0);
	expect("copy", "its GPU's copy engine has failed");
	fake_gpu_release(world->fake);
	fake_gpu_fault(world->fake);
	fixture_sleep(world->fixture, 6 * SECOND);
	commit(&next, window, 0);
	expect_copied();
	canvas_finish(&canvas);
	canvas_finish(&next);
}

static void removed_gpu_is_named(void **state)
{
	struct world *world = *state;
	struct canvas canvas, next;
	canvas_init(&canvas, world);
	canvas_init(&next, world);
	struct peer_window *window = open_titled(world);
	commit(&canvas, window, 0);
	expect_copied();
	fake_gpu_unplug(world->fake);
	gpu_list_remove(world->fixture->server->gpus, world->gpu);
	fixture_frames(world->fixture, 3);
	expect_copied();
	commit(&next, window, 0);
	expect("copy", "its GPU was removed");
	canvas_finish(&canvas);
	canvas_finish(&next);
}

/* The copies of the last frames took so many ns for each byte. */
static void measure(const struct world *world, int64_t ns)
{
	struct copier *copier = world->fixture->server->copier;
	for (int i = 0; i < 64; i++) {
		uint64_t bytes = UINT64_C(4096) << i % 10;
		cost_table_add(&copier->costs, PAIR, COST_SDMA, COST_OUT, bytes, 1,
			(int64_t)bytes * ns / 10, clock_now(copier->clock));
	}
}

static void slow_copies_are_named(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	canvas_init_linear(&canvas, world);
	canvas_map(&canvas);
	struct peer_window *window = open_titled(world);
	commit(&canvas, window, 0);
	expect_copied();
	for (int i = 0; i < 2; i++) {
		measure(world, 2000);
		commit(&canvas, window, 0);
		expect("import", "reading it directly is faster than copying it");
		fixture_sleep(world->fixture, 61 * SECOND);
		commit(&canvas, window, 0);
		expect_copied();
	}
	canvas_finish(&canvas);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout_that_no_engine_reads_is_named),
		cmocka_unit_test(trouble_is_named_while_it_lasts),
		TEST(refused_buffer_is_named),
		TEST(failed_engine_is_named),
		TEST(removed_gpu_is_named),
		TEST(slow_copies_are_named),
	};

	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests_name("reasons", tests, NULL, NULL);
}
