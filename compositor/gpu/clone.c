/* SPDX-License-Identifier: MIT */
/*
 * A second descriptor of an open device: handles of buffers are per descriptor, and so is master.
 */

#include "gpu/gpu.h"
#include "util/log.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

/* Requires the permission to open the node, which the session may not have. */
static int open_again(int fd)
{
	char *path = drmGetPrimaryDeviceNameFromFd(fd);
	int clone = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	int error = path ? errno : ENODEV;
	drm_magic_t magic;
	free(path);
	if (clone < 0) {
		return -error;
	}
	/* Old drivers let only clients authenticated by the master allocate. */
	if (drmGetMagic(clone, &magic) == 0) {
		drmAuthMagic(fd, magic);
	}
	return clone;
}

int gpu_clone_fd(int fd)
{
	uint32_t lessee;
	/* An empty lease is a new descriptor that needs no rights except those of `fd`. */
	int clone = drmModeCreateLease(fd, NULL, 0, O_CLOEXEC, &lessee);
	if (clone >= 0) {
		return clone;
	}
	log_debug(LOG_GPU, "no empty lease (%s): opening the node again", strerror(-clone));
	return open_again(fd);
}
