/* SPDX-License-Identifier: MIT */
/*
 * Windows of another GPU whose engines refuse their buffers, in each combination: the next engine
 * copies, or the renderer reads the buffer itself. The engines are SDMA of the emulated GPU, Vulkan
 * and GLES in software, and the CPU.
 */

#include "content/route.h"
#include "copy/gles.h"
#include "harness/await.h"
#include "harness/client/route_reader.h"
#include "world.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <string.h>

#define WIDTH 192
#define HEIGHT 64
#define SECOND INT64_C(1000000000)

static const char *const names[] = {"sdma", "vulkan", "gles", "cpu"};
#define N_ENGINES 4

/* Engines that refuse, as bits of `names`, and where. */
static unsigned refusing;
static enum { AT_IMPORT, AT_SUBMISSION, KINDS } kind;
static unsigned available; /* engines of this machine */

static enum renderer_kind renderer;
static struct route_reader reader;

static bool refuses(const struct copy_engine *engine)
{
	for (int i = 0; i < N_ENGINES; i++) {
		if (strcmp(engine->impl->name, names[i]) == 0) {
			return refusing >> i & 1;
		}
	}
	return false;
}

int __real_copy_engine_import(struct copy_engine *engine, const struct dmabuf *dmabuf, unsigned use,
	struct copy_image **image);
int __wrap_copy_engine_import(struct copy_engine *engine, const struct dmabuf *dmabuf, unsigned use,
	struct copy_image **image);

int __wrap_copy_engine_import(struct copy_engine *engine, const struct dmabuf *dmabuf, unsigned use,
	struct copy_image **image)
{
	return kind == AT_IMPORT && use == COPY_SOURCE && refuses(engine)
		       ? -ENOTSUP
		       : __real_copy_engine_import(engine, dmabuf, use, image);
}

int __real_copy_engine_submit(
	struct copy_engine *engine, const struct copy_request *request, int *fence);
int __wrap_copy_engine_submit(
	struct copy_engine *engine, const struct copy_request *request, int *fence);

int __wrap_copy_engine_submit(
	struct copy_engine *engine, const struct copy_request *request, int *fence)
{
	return kind == AT_SUBMISSION && refuses(engine)
		       ? -EINVAL
		       : __real_copy_engine_submit(engine, request, fence);
}

int __real_gles_engine_create(struct gpu *gpu, struct copy_engine **engine);
int __wrap_gles_engine_create(struct gpu *gpu, struct copy_engine **engine);

/* The emulated GPU does not draw: the software renderer does. */
int __wrap_gles_engine_create(struct gpu *gpu, struct copy_engine **engine)
{
	return __real_gles_engine_create(NULL, engine);
}

static int set_up(void **state)
{
	const struct world_options options = {.width = WIDTH,
		.height = HEIGHT,
		.config = "[gpu]\nqueue = any\n",
		.renderer = renderer};
	refusing = 0;
	*state = world_create_with(&options);
	route_reader_init(&reader, ((struct world *)*state)->fixture);
	return 0;
}

static bool shows(const struct canvas *canvas, int x, int y)
{
	return fixture_pixel(canvas->world->fixture, x, y) == *canvas_pixel(canvas, x, y);
}

/* Shows a linear buffer, which no engine has seen, and waits for copies by threads. */
static void show(
	struct world *world, struct canvas *canvas, struct peer_window *window, uint32_t seed)
{
	canvas_init_sized(canvas, world, WIDTH, HEIGHT, DRM_FORMAT_XRGB8888, true);
	canvas_map(canvas);
	canvas_draw(canvas, 0, 0, WIDTH, HEIGHT, seed);
	canvas_commit(canvas, window, 0, 0, WIDTH, HEIGHT);
	fixture_pump(world->fixture);
	peer_window_place(window, 0, 0);
	fixture_frames(world->fixture, 4);
	await(shows(canvas, 0, 0) && shows(canvas, WIDTH - 1, HEIGHT - 1),
		fixture_frames(world->fixture, 1));
	fixture_frames(world->fixture, 3);
	canvas_expect(canvas, 0, 0, WIDTH, HEIGHT);
}

static const char *first_of(unsigned engines)
{
	for (int i = 0; i < N_ENGINES; i++) {
		if (engines >> i & 1) {
			return names[i];
		}
	}
	return "";
}

/* Shows a linear buffer while these engines refuse. */
static void check(struct world *world, struct peer_window *window, unsigned engines)
{
	static uint32_t seed;
	struct canvas canvas;
	refusing = engines;
	show(world, &canvas, window, ++seed);
	const struct route_report *report = route_read(&reader, "title", "window");
	const char *engine = first_of(available & ~engines);
	if (strcmp(report->route, *engine ? "copy" : "import") != 0 ||
		(*engine && strcmp(report->engine, engine) != 0)) {
		fail_msg("refused %x at %d: route %s, engine %s instead of %s (%s)", engines, kind,
			report->route, report->engine, engine, report->reason);
	}
	canvas_finish(&canvas);
	if (kind == AT_SUBMISSION && !*engine) {
		/* The search for memory that an engine accepts is repeated after five seconds. */
		fixture_sleep(world->fixture, 6 * SECOND);
	}
}

static struct peer_window *open_window(struct world *world)
{
	struct peer_window *window = peer_window_create_unmapped(world->peer);
	xdg_toplevel_set_title(window->toplevel, "window");
	return window;
}

/* Finds the engines of the machine: Vulkan may be missing. */
static void find_engines(void **state)
{
	available = 0;
	for (int i = 0; i < N_ENGINES; i++) {
		struct canvas canvas;
		set_up(state);
		struct world *world = *state;
		world->fixture->server->copier->only = names[i];
		show(world, &canvas, open_window(world), 1);
		const struct route_report *report = route_read(&reader, "title", "window");
		available |= strcmp(report->route, "copy") == 0 ? 1u << i : 0;
		canvas_finish(&canvas);
		world_tear_down(state);
	}
	print_message("engines: %x\n", available);
	assert_true(available & 1 && available & 4 && available & 8);
}

/* For a new window, and after any other combination. */
static void next_engine_copies(void **state)
{
	for (kind = AT_IMPORT; kind < KINDS; kind++) {
		for (unsigned engines = 0; engines < 1u << N_ENGINES; engines++) {
			set_up(state);
			check(*state, open_window(*state), engines);
			world_tear_down(state);
		}
	}
}

static void next_engine_copies_in_any_order(void **state)
{
	for (kind = AT_IMPORT; kind < KINDS; kind++) {
		for (unsigned from = 0; from < 1u << N_ENGINES; from++) {
			set_up(state);
			struct peer_window *window = open_window(*state);
			for (unsigned to = 0; to < 1u << N_ENGINES; to++) {
				check(*state, window, from);
				check(*state, window, to);
			}
			world_tear_down(state);
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(find_engines),
		cmocka_unit_test(next_engine_copies),
		cmocka_unit_test(next_engine_copies_in_any_order),
	};

	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests_name("engines", tests, NULL, NULL);
}
