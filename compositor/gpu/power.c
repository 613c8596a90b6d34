/* SPDX-License-Identifier: MIT */
/* Power state of GPUs, read without waking them. */

#include "gpu/gpu.h"
#include "util/fd.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/** ms; a longer delay means never. */
#define DELAY_MAX 600000
/** Time to switch a GPU off, ms. */
#define SWITCH_OFF 1000

/* Opens a file below the device's folder; -1: none. */
static int open_file(dev_t node, const char *name)
{
	char path[96];
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device/%s", major(node), minor(node),
		name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool read_state(int fd, char state[static GPU_POWER_SIZE])
{
	ssize_t length = fd >= 0 ? read(fd, state, GPU_POWER_SIZE - 1) : -1;
	fd_close(&fd);
	if (length <= 0) {
		return false;
	}
	state[length] = '\0';
	state[strcspn(state, "\n")] = '\0';
	return true;
}

bool gpu_read_power(const struct gpu *gpu, char state[static GPU_POWER_SIZE])
{
	dev_t node = gpu_dev(gpu);
	if (!read_state(open_file(node, "power/runtime_status"), state)) {
		return false;
	}
	/* Power of virtual devices, such as virtio's, is managed by their parent. */
	return strcmp(state, "unsupported") != 0 ||
	       read_state(open_file(node, "../power/runtime_status"), state);
}

bool gpu_can_sleep(const struct gpu *gpu)
{
	char control[GPU_POWER_SIZE], state[GPU_POWER_SIZE];
	return read_state(open_file(gpu_dev(gpu), "power/control"), control) &&
	       strcmp(control, "auto") == 0 && gpu_read_power(gpu, state) &&
	       strcmp(state, "unsupported") != 0;
}

int64_t gpu_suspend_delay(const struct gpu *gpu)
{
	char text[GPU_POWER_SIZE];
	if (!gpu_can_sleep(gpu) || !gpu_read_power(gpu, text) || strcmp(text, "suspended") == 0) {
		return 0;
	}
	const bool known = read_state(open_file(gpu_dev(gpu), "power/autosuspend_delay_ms"), text);
	const long ms = known ? strtol(text, NULL, 10) : 0;
	/*
	 * The kernel's timer has a slack of a quarter (rpm_suspend()); then the device is switched
	 * off.
	 */
	return ms < 0 || ms > DELAY_MAX ? 0 : (ms * 5 / 4 + SWITCH_OFF) * INT64_C(1000000);
}
