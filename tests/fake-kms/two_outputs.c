/* SPDX-License-Identifier: MIT */
/* Two screens on one emulated card, with their outputs in the DRM backend. */

#include "two_outputs.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <xf86drmMode.h>

#include <cmocka.h>

static int set_up_card(void **state, const char *kind, const char *first, const char *second)
{
	static struct two_outputs world;
	world = (struct two_outputs){.card = fake_card_create(kind)};
	fake_card_plug(world.card, first, &fake_screen_plain);
	fake_card_plug(world.card, second, &fake_screen_gaming);
	world.rig = rig_create();
	world.first = rig_find(world.rig, first);
	world.second = rig_find(world.rig, second);
	assert_true(rig_enable(world.first) && rig_enable(world.second));
	assert_int_not_equal(rig_show(world.rig, world.first, 1, -1), 0);
	assert_int_not_equal(rig_show(world.rig, world.second, 2, -1), 0);
	rig_dispatch(world.rig);
	*state = &world;
	return 0;
}

int set_up(void **state)
{
	return set_up_card(state, "amdgpu", "DP-1", "DP-2");
}

int set_up_hdmi(void **state)
{
	return set_up_card(state, "amdgpu", "DP-1", "HDMI-A-1");
}

int set_up_intel(void **state)
{
	return set_up_card(state, "i915", "DP-4", "HDMI-A-2");
}

int tear_down(void **state)
{
	struct two_outputs *world = *state;
	rig_destroy(world->rig);
	return 0;
}

bool set_mode(struct rig_output *output, int i)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED | OUTPUT_MODE;
	state.enabled = true;
	state.mode = output->output->modes[i];
	return output_commit(output->output, &state) != 0;
}

bool switch_off(struct rig_output *output)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED;
	return output_commit(output->output, &state) != 0;
}

int width_of(struct two_outputs *world, const char *connector)
{
	const char *crtc = fake_crtc_of(world->card, connector);
	size_t size;
	if (strcmp(crtc, "none") == 0 || !fake_get(world->card, crtc, "ACTIVE")) {
		return 0;
	}
	const drmModeModeInfo *mode = fake_get_blob(world->card, crtc, "MODE_ID", &size);
	return mode->hdisplay;
}

uint32_t pixel_of(struct two_outputs *world, const char *connector)
{
	return fake_plane_pixel(world->card, fake_primary_of(world->card, connector), 10, 10);
}

uint64_t blocking_commits(struct two_outputs *world)
{
	return fake_card_counts(world->card).blocking;
}

void finish_modesets(struct two_outputs *world, int n)
{
	assert_int_equal(fake_card_finish_modesets(world->card), n);
	rig_dispatch(world->rig);
}

void begin_probe(struct two_outputs *world)
{
	fake_card_set_probe(world->card, FAKE_PROBE_HELD);
	world->rig->holds_probes = true;
	fake_card_plug(world->card, "DP-3", &fake_screen_plain);
	rig_dispatch(world->rig);
	assert_true(drm_backend_is_probing(world->rig->backend));
}

void end_probe(struct two_outputs *world)
{
	world->rig->holds_probes = false;
	fake_card_set_probe(world->card, 1);
	rig_dispatch(world->rig);
}
