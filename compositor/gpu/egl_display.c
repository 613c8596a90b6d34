/* SPDX-License-Identifier: MIT */
/*
 * EGL displays: on a GPU's GBM device; without a GPU surfaceless, or else on an EGL device, which
 * is the only platform of NVIDIA's driver on machines without DRM nodes.
 */

#include "gpu/egl.h"
#include "gpu/gpu.h"
#include "util/log.h"
#include <string.h>

bool egl_has_extension(const char *list, const char *name)
{
	size_t length = strlen(name);
	while (list) {
		list += strspn(list, " ");
		size_t word = strcspn(list, " ");
		if (word == 0) {
			return false;
		}
		if (word == length && strncmp(list, name, length) == 0) {
			return true;
		}
		list += word;
	}
	return false;
}

/* Returns EGL_NO_DISPLAY if the display cannot be initialized. */
static EGLDisplay initialize(EGLenum platform, void *native)
{
	EGLint major, minor;
	EGLDisplay display = eglGetPlatformDisplay(platform, native, NULL);
	if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor)) {
		log_debug(LOG_GPU, "egl: cannot initialize a display of platform 0x%x (0x%x)",
			platform, eglGetError());
		return EGL_NO_DISPLAY;
	}
	return display;
}

size_t egl_find_devices(EGLDeviceEXT devices[static EGL_DEVICES_MAX])
{
	const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
	bool listed = egl_has_extension(client, "EGL_EXT_platform_device") &&
		      (egl_has_extension(client, "EGL_EXT_device_base") ||
			      (egl_has_extension(client, "EGL_EXT_device_enumeration") &&
				      egl_has_extension(client, "EGL_EXT_device_query")));
	PFNEGLQUERYDEVICESEXTPROC query =
		listed ? (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT") : NULL;
	EGLint n = 0;
	return query && query(EGL_DEVICES_MAX, devices, &n) && n > 0 ? (size_t)n : 0;
}

const char *egl_device_string(EGLDeviceEXT device, EGLint name)
{
	PFNEGLQUERYDEVICESTRINGEXTPROC query =
		(PFNEGLQUERYDEVICESTRINGEXTPROC)eglGetProcAddress("eglQueryDeviceStringEXT");
	const char *text = query ? query(device, name) : NULL;
	if (!text) {
		eglGetError(); /* the device has no such string */
	}
	return text;
}

static bool is_software(EGLDeviceEXT device)
{
	return egl_has_extension(
		egl_device_string(device, EGL_EXTENSIONS), "EGL_MESA_device_software");
}

/* Tries devices with hardware first. */
static EGLDisplay open_device(void)
{
	EGLDeviceEXT devices[EGL_DEVICES_MAX];
	size_t n = egl_find_devices(devices);
	for (int software = 0; software < 2; software++) {
		for (size_t i = 0; i < n; i++) {
			EGLDisplay display =
				is_software(devices[i]) == software
					? initialize(EGL_PLATFORM_DEVICE_EXT, devices[i])
					: EGL_NO_DISPLAY;
			if (display != EGL_NO_DISPLAY) {
				return display;
			}
		}
	}
	if (n == 0) {
		log_error(
			"egl: without a GPU, GLES needs the surfaceless platform or an EGL device");
	} else {
		log_error("egl: none of the %zu EGL devices can be initialized", n);
	}
	return EGL_NO_DISPLAY;
}

static EGLDisplay open_without_gpu(void)
{
	const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
	EGLDisplay display = EGL_NO_DISPLAY;
	if (egl_has_extension(client, "EGL_MESA_platform_surfaceless")) {
		display = initialize(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY);
	}
	return display != EGL_NO_DISPLAY ? display : open_device();
}

static EGLDisplay open_on_gpu(struct gpu *gpu)
{
	const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
	if (!egl_has_extension(client, "EGL_KHR_platform_gbm")) {
		log_error("egl: the platform GBM is not supported");
		return EGL_NO_DISPLAY;
	}
	EGLDisplay display = initialize(EGL_PLATFORM_GBM_KHR, gpu->gbm);
	if (display == EGL_NO_DISPLAY) {
		log_error("egl: cannot initialize the display of %s", gpu->bus_id);
	} else {
		++gpu->n_egl;
	}
	return display;
}

EGLDisplay egl_open_display(struct gpu *gpu)
{
	return gpu ? open_on_gpu(gpu) : open_without_gpu();
}
