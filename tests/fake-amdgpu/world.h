/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Compositor whose output is composed by the CPU or by software GL, and a client that renders tiled
 * buffers of the output's size on an emulated GPU.
 */

#include "copy/amd/tiling.h"
#include "copy/copier.h"
#include "fake.h"
#include "harness/fixture.h"
#include "harness/peer.h"

#define WORLD_MODIFIER UINT64_C(0x0200000020801b03) /* modifier of navi21 */
#define WORLD_MODIFIER_SDMA                                                                        \
	UINT64_C(0x0200000000000901) /* modifier that only the SDMA engine reads */

/** Compressed: navi21's best modifier, and one that no copy engine reads, for displays. */
#define WORLD_MODIFIER_COMPRESSED UINT64_C(0x020000002096bb03)
#define WORLD_MODIFIER_RETILED UINT64_C(0x0200000020967b03)

#define WORLD_WIDTH 1024
#define WORLD_HEIGHT 512

/** The device that composes, and reads the copies. */
enum world_display {
	WORLD_DISPLAY_CPU,
	WORLD_DISPLAY_INTEGRATED, /* a GPU that completes copies in system memory */
	/** A GPU with memory of its own: tiled for the CPU's renderer, linear for software GL. */
	WORLD_DISPLAY_DISCRETE,
	/** A discrete GPU whose kernel driver takes no buffers that are allocated for it. */
	WORLD_DISPLAY_WITHOUT_MEMORY,
};

struct world {
	const char *chip; /* that renders */
	int width, height; /* size of the output */
	struct fixture *fixture;
	struct fake_gpu *fake;
	struct gpu *gpu;
	struct fake_gpu *display; /* that composes; NULL: the CPU */
	struct allocator *own; /* memory of a discrete display; NULL: none */
	struct allocator *replaced; /* the device's allocator before */
	struct peer *peer;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	char folder[64];
	struct render_device *second; /* composes the second output; NULL: the first does */
	struct renderer *renderer; /* of `second` */
	struct allocator *allocator;
};

/** Tiled buffer that the client draws. */
struct canvas {
	struct world *world;
	struct wl_buffer *buffer;
	struct tiling tiling;
	uint8_t *map;
	size_t size; /* bytes */
	uint32_t pitch; /* pixels */
	bool linear;
	int width, height; /* pixels */
	uint32_t format;
	uint32_t bytes; /* of a pixel */
	int fd, n_released;
};

struct world_options {
	int width, height; /* of each output */
	int n_outputs; /* 0: one */
	const char *config; /* text of the configuration; NULL: none */
	enum renderer_kind renderer; /* of the output; RENDERER_AUTO: pixman */
	bool all_formats; /* the GPU makes all known formats, not just XRGB8888 */
	const char *chip; /* that renders; NULL: navi21 */
	uint64_t modifiers[2]; /* of another chip with all formats; 0: none */
	/**
	 * The GPU's GLES engine reads implicit layouts. The program replaces gles_engine_create()
	 * by one that opens the software renderer.
	 */
	bool implicit;
	enum world_display display;
};

/** Returns the display for a random run: the CPU, an integrated GPU, or one with own memory. */
enum world_display world_random_display(uint64_t seed);
struct world *world_create_with(const struct world_options *options);
struct world *world_create(int width, int height);
/** The same with this text as configuration. */
struct world *world_create_configured(int width, int height, const char *config);
/** Lets another device compose the second output, by the CPU. */
void world_add_device(struct world *world);
/**
 * Lowers the cost of a rectangle, so that holes of some pixels are not merged and small buffers are
 * read in place, and undoes measurements by the clock of the test.
 */
void world_set_costs(struct world *world);
/** Destroys the world. Fails the test if the GPU reported a fault. */
void world_destroy(struct world *world);
/** cmocka set-up with WORLD_WIDTH and WORLD_HEIGHT. */
int world_set_up(void **state);
int world_tear_down(void **state);
/** Returns a phrase: "navi21 for a discrete GPU". Valid until the next call. */
const char *world_describe(const struct world *world);
/** Shows frames until the copies of all windows, which are visible, are complete. */
void world_await_copies(struct world *world);
/** Adds the pairs that linux-dmabuf announces to the client by events. */
void world_collect_pairs(struct world *world, struct format_set *out);
/** Returns the number of bytes copied so far. */
uint64_t world_copied(const struct world *world);

void canvas_init(struct canvas *canvas, struct world *world);
/** The same with a size and a format of its own. `linear`: instead of tiled. */
void canvas_init_sized(struct canvas *canvas, struct world *world, int width, int height,
	uint32_t format, bool linear);
/** The same with linear pixels, as of clients without modifiers. */
void canvas_init_linear(struct canvas *canvas, struct world *world);
void canvas_finish(struct canvas *canvas);
/** Maps the buffer for the CPU, which drivers refuse for some tiled buffers. */
void canvas_map(struct canvas *canvas);
/** Returns the first byte of a pixel. */
uint8_t *canvas_bytes(const struct canvas *canvas, int x, int y);
/** The same of formats with 4 bytes per pixel. */
uint32_t *canvas_pixel(const struct canvas *canvas, int x, int y);
/** Fills the buffer with one color. */
void canvas_fill(struct canvas *canvas, uint32_t pixel);
/** Draws a pattern whose neighboring pixels differ. */
void canvas_draw(struct canvas *canvas, int x, int y, int width, int height, uint32_t seed);
void canvas_commit(
	struct canvas *canvas, struct peer_window *window, int x, int y, int width, int height);
/** Fills all of the buffer with one opaque color, and commits. */
void canvas_show_color(struct canvas *canvas, struct peer_window *window, uint32_t color);
/** Draws and commits. */
void canvas_update(struct canvas *canvas, struct peer_window *window, int x, int y, int width,
	int height, uint32_t seed);
/** Creates a fullscreen window with the buffer. */
struct peer_window *canvas_show(struct canvas *canvas);
/** Allocates and draws the buffer, then creates a fullscreen window with it. */
struct peer_window *canvas_open(struct canvas *canvas, struct world *world);
/** Fails the test unless this part of the output equals the client's buffer. */
void canvas_expect(const struct canvas *canvas, int x, int y, int width, int height);

/** Creates an opaque shm window. */
struct peer_window *world_cover(struct world *world, int x, int y, int width, int height);
