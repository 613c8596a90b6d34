/* Whether a GPU sleeps, read without waking it. */

#include "gpu/gpu.h"
#include "util/fd.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Opens a file of the device or its parent, as virtio's devices need; -1: none. */
static int open_file(dev_t node, const char *above)
{
	char path[96];
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device/%spower/runtime_status",
		major(node), minor(node), above);
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
	if (!read_state(open_file(node, ""), state)) {
		return false;
	}
	/* Power is managed where the bus is. */
	return strcmp(state, "unsupported") != 0 || read_state(open_file(node, "../"), state);
}
