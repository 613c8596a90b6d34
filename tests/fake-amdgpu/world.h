#pragma once

/**
 * A server whose one screen is composed by the CPU, and a client of it that draws, tiled, on an emulated
 * GPU. Its pictures are as large as the screen.
 */

#include "copy/amd/tiling.h"
#include "copy/copier.h"
#include "fake.h"
#include "harness/fixture.h"
#include "harness/peer.h"

#define WORLD_MODIFIER UINT64_C(0x0200000020801b03) /* navi21's own */
#define WORLD_MODIFIER_SDMA UINT64_C(0x0200000000000901) /* which the CPU is said not to read */

#define WORLD_WIDTH 1024
#define WORLD_HEIGHT 512

struct world {
	int width, height; /* of the screen */
	struct fixture *fixture;
	struct fake_gpu *fake;
	struct gpu *gpu;
	struct peer *peer;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	char folder[64];
};

/** A tiled picture that the client draws. */
struct canvas {
	struct world *world;
	struct wl_buffer *buffer;
	struct tiling tiling;
	uint8_t *map;
	size_t size; /* bytes */
	uint32_t pitch; /* pixels */
	int fd, n_released;
};

struct world *world_create(int width, int height);
/** Fails the test if the GPU found fault with anything. */
void world_destroy(struct world *world);
/** For cmocka: such a world, of WORLD_WIDTH and WORLD_HEIGHT. */
int world_set_up(void **state);
int world_tear_down(void **state);
/** Bytes that crossed so far. */
uint64_t world_copied(const struct world *world);

void canvas_init(struct canvas *canvas, struct world *world);
void canvas_finish(struct canvas *canvas);
/** Lets the CPU map it, which drivers do not always do for what is tiled. */
void canvas_map(struct canvas *canvas);
uint32_t *canvas_pixel(const struct canvas *canvas, int x, int y);
/** One colour everywhere. */
void canvas_fill(struct canvas *canvas, uint32_t pixel);
/** No two pixels near each other are the same. */
void canvas_draw(struct canvas *canvas, int x, int y, int width, int height, uint32_t seed);
void canvas_commit(
	struct canvas *canvas, struct peer_window *window, int x, int y, int width, int height);
/** A window that fills the screen with what is drawn already. */
struct peer_window *canvas_show(struct canvas *canvas);
/** The same with a picture that is made and drawn for it. */
struct peer_window *canvas_open(struct canvas *canvas, struct world *world);
/** Fails the test unless this part of the screen shows what the client drew there. */
void canvas_expect(const struct canvas *canvas, int x, int y, int width, int height);

/** An opaque window, without anything to copy. */
struct peer_window *world_cover(struct world *world, int x, int y, int width, int height);
