/* SPDX-License-Identifier: MIT */
/*
 * DRM master that shows grey through the colour pipelines of a card's planes, and ends at the end
 * of its input without resetting them: pipeline-client DEVICE. Prints "shown" after its modeset.
 */

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

/* Of Linux 6.19; libdrm 2.4.123 lacks them. */
#define CAP_PLANE_COLOR_PIPELINE 7
#define OBJECT_COLOROP 0xfafafafa

struct master {
	int fd;
	drmModeAtomicReq *request;
};

static void stop(const char *reason)
{
	fprintf(stderr, "pipeline-client: %s\n", reason);
	exit(1);
}

/* Returns a property of an object, to be freed by the caller; stops without it. */
static drmModePropertyRes *find(
	const struct master *master, uint32_t object, uint32_t type, const char *name)
{
	drmModePropertyRes *found = NULL;
	drmModeObjectProperties *table = drmModeObjectGetProperties(master->fd, object, type);
	for (uint32_t i = 0; table && !found && i < table->count_props; i++) {
		drmModePropertyRes *property = drmModeGetProperty(master->fd, table->props[i]);
		if (property && strcmp(property->name, name) == 0) {
			found = property;
		} else {
			drmModeFreeProperty(property);
		}
	}
	drmModeFreeObjectProperties(table);
	if (!found) {
		stop(name);
	}
	return found;
}

static void set(const struct master *master, uint32_t object, uint32_t type, const char *name,
	uint64_t value)
{
	drmModePropertyRes *property = find(master, object, type, name);
	drmModeAtomicAddProperty(master->request, object, property->prop_id, value);
	drmModeFreeProperty(property);
}

/* Darkens the plane by the first operation of its first pipeline: a curve. */
static void set_pipeline(const struct master *master, uint32_t plane)
{
	drmModePropertyRes *pipelines =
		find(master, plane, DRM_MODE_OBJECT_PLANE, "COLOR_PIPELINE");
	for (int i = 0; i < pipelines->count_enums; i++) {
		uint32_t colorop = (uint32_t)pipelines->enums[i].value;
		if (colorop == 0) {
			continue; /* no pipeline */
		}
		drmModePropertyRes *curves = find(master, colorop, OBJECT_COLOROP, "CURVE_1D_TYPE");
		for (int j = 0; j < curves->count_enums; j++) {
			if (strcmp(curves->enums[j].name, "sRGB EOTF") == 0) {
				drmModeAtomicAddProperty(master->request, colorop, curves->prop_id,
					curves->enums[j].value);
			}
		}
		drmModeFreeProperty(curves);
		set(master, colorop, OBJECT_COLOROP, "BYPASS", 0);
		drmModeAtomicAddProperty(master->request, plane, pipelines->prop_id, colorop);
		break;
	}
	drmModeFreeProperty(pipelines);
}

static uint32_t make_grey(int fd, uint32_t width, uint32_t height)
{
	uint32_t handle, stride, framebuffer;
	uint64_t size, offset;
	if (drmModeCreateDumbBuffer(fd, width, height, 32, 0, &handle, &stride, &size) != 0 ||
		drmModeMapDumbBuffer(fd, handle, &offset) != 0 ||
		drmModeAddFB(fd, width, height, 24, 32, stride, handle, &framebuffer) != 0) {
		stop("cannot make a framebuffer");
	}
	void *pixels =
		mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
	if (pixels == MAP_FAILED) {
		stop("cannot map a framebuffer");
	}
	memset(pixels, 0x80, (size_t)size);
	munmap(pixels, (size_t)size);
	return framebuffer;
}

static bool is_primary(int fd, uint32_t plane)
{
	bool primary = false;
	drmModeObjectProperties *table =
		drmModeObjectGetProperties(fd, plane, DRM_MODE_OBJECT_PLANE);
	for (uint32_t i = 0; table && i < table->count_props; i++) {
		drmModePropertyRes *property = drmModeGetProperty(fd, table->props[i]);
		if (property && strcmp(property->name, "type") == 0) {
			primary = table->prop_values[i] == DRM_PLANE_TYPE_PRIMARY;
		}
		drmModeFreeProperty(property);
	}
	drmModeFreeObjectProperties(table);
	return primary;
}

static void show(
	const struct master *master, uint32_t plane, uint32_t crtc, const drmModeModeInfo *mode)
{
	const struct {
		const char *name;
		uint64_t value;
	} values[] = {
		{"FB_ID", make_grey(master->fd, mode->hdisplay, mode->vdisplay)},
		{"CRTC_ID", crtc},
		{"SRC_X", 0},
		{"SRC_Y", 0},
		{"SRC_W", (uint64_t)mode->hdisplay << 16},
		{"SRC_H", (uint64_t)mode->vdisplay << 16},
		{"CRTC_X", 0},
		{"CRTC_Y", 0},
		{"CRTC_W", mode->hdisplay},
		{"CRTC_H", mode->vdisplay},
	};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		set(master, plane, DRM_MODE_OBJECT_PLANE, values[i].name, values[i].value);
	}
}

static void set_mode(
	const struct master *master, uint32_t connector, uint32_t crtc, const drmModeModeInfo *mode)
{
	uint32_t blob;
	if (drmModeCreatePropertyBlob(master->fd, mode, sizeof(*mode), &blob) != 0) {
		stop("cannot make a blob");
	}
	set(master, connector, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID", crtc);
	set(master, crtc, DRM_MODE_OBJECT_CRTC, "MODE_ID", blob);
	set(master, crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", 1);
}

int main(int argc, char **argv)
{
	struct master master = {.fd = argc > 1 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1,
		.request = drmModeAtomicAlloc()};
	if (master.fd < 0 || !master.request ||
		drmSetClientCap(master.fd, DRM_CLIENT_CAP_ATOMIC, 1) != 0) {
		stop("no atomic device");
	}
	if (drmSetClientCap(master.fd, CAP_PLANE_COLOR_PIPELINE, 1) != 0) {
		stop("no colour pipelines");
	}
	drmModeRes *resources = drmModeGetResources(master.fd);
	drmModePlaneRes *planes = drmModeGetPlaneResources(master.fd);
	drmModeConnector *connector =
		resources && resources->count_connectors > 0 && resources->count_crtcs > 0
			? drmModeGetConnector(master.fd, resources->connectors[0])
			: NULL;
	if (!connector || connector->count_modes < 1 || !planes) {
		stop("no screen");
	}
	uint32_t crtc = resources->crtcs[0];
	bool shown = false;
	set_mode(&master, connector->connector_id, crtc, &connector->modes[0]);
	for (uint32_t i = 0; i < planes->count_planes; i++) {
		set_pipeline(&master, planes->planes[i]);
		if (!shown && is_primary(master.fd, planes->planes[i])) {
			show(&master, planes->planes[i], crtc, &connector->modes[0]);
			shown = true;
		}
	}
	if (drmModeAtomicCommit(master.fd, master.request, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL) !=
		0) {
		stop("the modeset failed");
	}
	puts("shown");
	fflush(stdout);
	while (getchar() != EOF) {
	}
	drmModeFreeConnector(connector);
	drmModeFreePlaneResources(planes);
	drmModeFreeResources(resources);
	drmModeAtomicFree(master.request);
	close(master.fd);
	return 0;
}
