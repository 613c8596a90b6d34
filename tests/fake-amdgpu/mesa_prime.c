/* SPDX-License-Identifier: MIT */
/*
 * Windows of a Vulkan program on another GPU: the unmodified RADV renders on an emulated GPU, finds
 * that the compositor uses a different device, and copies each image to a linear one by SDMA
 * (PRIME).
 */

#include "backend/headless.h"
#include "content/device.h"
#include "fake.h"
#include "gpu/gpu.h"
#include "harness/await.h"
#include "harness/fixture.h"
#include "mesa_program.h"
#include "scene/output.h"
#include "util/signal.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>

static const char *const chips[] = {"vega10", "raven", "navi10", "navi31", "strix", "navi48"};

#define N_CHIPS (sizeof(chips) / sizeof(chips[0]))
#define FIRST_NODE 128
#define DISPLAY_MINOR 160
#define DISPLAY_PATH "/dev/dri/renderD160"

static char paths[N_CHIPS][32];
static struct fake_gpu *gpus[N_CHIPS];

/* Returns whether the whole picture is at this place of the output. */
static bool shows_at(const struct image *shot, int left, int top)
{
	for (int y = 0; y < MESA_PROGRAM_HEIGHT; y++) {
		for (int x = 0; x < MESA_PROGRAM_WIDTH; x++) {
			if (shot->pixels[(top + y) * shot->width + left + x] !=
				mesa_program_pixel(x, y)) {
				return false;
			}
		}
	}
	return true;
}

static bool shows_picture(struct fixture *fixture)
{
	/* The program may have presented its picture before the first frame. */
	if (!headless_output_front(fixture->server->scene->outputs[0]->output)) {
		return false;
	}
	struct image *shot = fixture_shot(fixture, 0);
	bool found = false;

	for (int y = 0; y + MESA_PROGRAM_HEIGHT <= shot->height && !found; y++) {
		for (int x = 0; x + MESA_PROGRAM_WIDTH <= shot->width && !found; x++) {
			found = shot->pixels[y * shot->width + x] == mesa_program_pixel(0, 0) &&
				shows_at(shot, x, y);
		}
	}
	image_destroy(shot);
	return found;
}

/*
 * Connects a client that is told of a display GPU, which nobody can open; the CPU composes. Returns
 * the client's descriptor.
 */
static int connect_client(struct fixture *fixture)
{
	struct server *server = fixture->server;
	int fds[2];

	server->device->gpu = fixture_add_gpu(
		fixture, "pci-0000_7f_00_0", "amdgpu", DISPLAY_PATH, makedev(226, DISPLAY_MINOR));
	signal_emit(&server->gpus->events.changed, server->gpus);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_non_null(wl_client_create(server->display, fds[0]));
	server->device->gpu = NULL;
	return fds[1];
}

static void check_chip(size_t i)
{
	struct fixture_options options = {0};
	struct fixture *fixture = fixture_create(&options);
	struct mesa_program *program =
		mesa_program_start(connect_client(fixture), FIRST_NODE + (unsigned)i);

	await(mesa_program_presented(program), fixture_frames(fixture, 1));
	const char *fault = fake_gpu_fault(gpus[i]), *error = mesa_program_error(program);
	if (fault || error) {
		fail_msg("%s: %s", chips[i], fault ? fault : error);
	}
	/* One job uploads the picture, one copies it for the compositor. */
	assert_true(fake_gpu_counts(gpus[i]).jobs >= 2);
	await(shows_picture(fixture), fixture_frames(fixture, 1));
	mesa_program_end(program);
	await(mesa_program_ended(program), fixture_frames(fixture, 1));
	mesa_program_destroy(program);
	fixture_destroy(fixture);
}

static void windows_of_another_gpu_are_copied_by_its_sdma_engine(void **state)
{
	for (size_t i = 0; i < N_CHIPS; i++) {
		check_chip(i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_of_another_gpu_are_copied_by_its_sdma_engine),
	};
	int failures;

	/* The driver has memory that it frees at the end of the process only, so keep it loaded. */
	if (!dlopen("libvulkan_radeon.so", RTLD_NOW | RTLD_NODELETE)) {
		puts("skip: RADV is not installed");
		return 77;
	}
	setenv("RADV_PERFTEST", "transfer_queue", 1);
	for (size_t i = 0; i < N_CHIPS; i++) {
		gpus[i] = fake_gpu_create(fake_chip_find(chips[i]));
		snprintf(paths[i], sizeof(paths[i]), "/dev/dri/renderD%zu", FIRST_NODE + i);
		fake_gpu_set_path(gpus[i], paths[i]);
	}
	failures = cmocka_run_group_tests(tests, NULL, NULL);
	fake_reset_all();
	return failures;
}
