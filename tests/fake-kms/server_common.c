/* SPDX-License-Identifier: MIT */
/* Compositor on emulated cards: start, configuration and dma-bufs of clients. */

#include "server_common.h"
#include "audit.h"
#include "config_text.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "server/output.h"
#include "util/clock.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

int set_up(void **state)
{
	struct world *world = xcalloc(1, sizeof(*world));
	snprintf(world->folder, sizeof(world->folder), "%s/causeway-outputs-XXXXXX", fake_folder());
	assert_non_null(mkdtemp(world->folder));
	snprintf(world->path, sizeof(world->path), "%s/causeway.ini", world->folder);
	*state = world;
	return 0;
}

int tear_down(void **state)
{
	struct world *world = *state;
	if (world->fixture) {
		audit(world->fixture->server->backend);
	}
	fixture_destroy(world->fixture);
	fake_reset_all();
	unlink(world->path);
	rmdir(world->folder);
	free(world);
	return 0;
}

void begin(struct world *world, const char *config)
{
	config_text_write(world->path, config);
	world->fixture =
		fixture_create(&(struct fixture_options){.drm = true, .config_path = world->path});
	fixture_pump(world->fixture);
}

void reload(struct world *world, const char *config)
{
	config_text_reload(world->fixture, world->path, config);
}

void show(struct world *world, struct fake_card *card, int n)
{
	struct clock *clock = world->fixture->clock;
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	fixture_pump(world->fixture);
	for (int i = 0; i < n; i++) {
		clock_advance(clock, PERIOD);
		fixture_pump(world->fixture);
		fake_card_vblank(card, clock_now(clock));
		fixture_pump(world->fixture);
	}
	audit(world->fixture->server->backend);
}

struct server_output *find_entry(struct world *world, const char *name)
{
	struct server_output *entry;
	wl_list_for_each (entry, &world->fixture->server->outputs, link) {
		if (strcmp(entry->output->name, name) == 0) {
			return entry;
		}
	}
	fail_msg("no output named %s", name);
	return NULL;
}

struct output *find_output(struct world *world, const char *name)
{
	return find_entry(world, name)->output;
}

int width_of(struct fake_card *card, const char *connector)
{
	const char *crtc = fake_crtc_of(card, connector);
	size_t size;
	if (strcmp(crtc, "none") == 0) {
		return 0;
	}
	const drmModeModeInfo *mode = fake_get_blob(card, crtc, "MODE_ID", &size);
	return mode && fake_get(card, crtc, "ACTIVE") ? mode->hdisplay : 0;
}

uint32_t format_of(struct fake_card *card, const char *connector)
{
	struct fake_scan scan;
	assert_true(fake_get_scan(card, fake_primary_of(card, connector), &scan));
	return scan.format;
}

struct drawn draw_on(
	struct fake_card *card, struct peer *peer, int32_t width, int32_t height, uint32_t format)
{
	struct drawn drawn = {.card = open(fake_card_path(card), O_RDWR | O_CLOEXEC), .fd = -1};
	uint32_t stride;
	uint64_t size;
	assert_true(drawn.card >= 0);
	assert_int_equal(drmModeCreateDumbBuffer(drawn.card, (uint32_t)width, (uint32_t)height, 32,
				 0, &drawn.handle, &stride, &size),
		0);
	assert_int_equal(drmPrimeHandleToFD(drawn.card, drawn.handle, O_RDWR, &drawn.fd), 0);
	struct zwp_linux_buffer_params_v1 *params = zwp_linux_dmabuf_v1_create_params(
		peer_bind(peer, &zwp_linux_dmabuf_v1_interface, 3));
	zwp_linux_buffer_params_v1_add(params, drawn.fd, 0, 0, stride, 0, DRM_FORMAT_MOD_LINEAR);
	drawn.buffer = zwp_linux_buffer_params_v1_create_immed(params, width, height, format, 0);
	return drawn;
}

void drop(struct drawn *drawn)
{
	drmModeDestroyDumbBuffer(drawn->card, drawn->handle);
	close(drawn->fd);
	close(drawn->card);
}

void attach(struct world *world, struct fake_card *card, struct peer_window *window,
	struct drawn *drawn)
{
	wl_surface_attach(window->surface, drawn->buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, INT32_MAX, INT32_MAX);
	wl_surface_commit(window->surface);
	show(world, card, 2);
}
