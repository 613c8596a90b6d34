/* SPDX-License-Identifier: MIT */
/* Dumb buffers, frame buffers and blobs of an emulated card. */

#include "gpu/format.h"
#include "state.h"
#include <assert.h>
#include <drm_fourcc.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct wl_list fake_bos = {&fake_bos, &fake_bos};

/* Takes ownership of `fd`. */
static struct fake_bo *wrap(int fd, size_t size)
{
	struct fake_bo *bo = calloc(1, sizeof(*bo));
	struct stat stat;

	assert(bo && fd >= 0 && fstat(fd, &stat) == 0);
	bo->fd = fd;
	bo->inode = stat.st_ino;
	bo->size = size;
	bo->refs = 1;
	wl_list_insert(&fake_bos, &bo->link);
	return bo;
}

int fake_dmabuf_create(size_t size)
{
	int fd = memfd_create("fake-dmabuf", MFD_CLOEXEC);

	assert(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
	return fd;
}

struct fake_bo *fake_bo_find(int fd)
{
	struct fake_bo *bo;
	struct stat stat;

	if (fstat(fd, &stat) < 0) {
		return NULL;
	}
	wl_list_for_each (bo, &fake_bos, link) {
		if (bo->inode == stat.st_ino) {
			return bo;
		}
	}
	return NULL;
}

void fake_dmabuf_pin(int fd)
{
	fake_lock();
	struct fake_bo *bo = fake_bo_find(fd);
	assert(bo);
	bo->pinned = true;
	fake_unlock();
}

void fake_bo_unref(struct fake_bo *bo)
{
	if (bo && --bo->refs == 0) {
		wl_list_remove(&bo->link);
		close(bo->fd);
		free(bo->stale);
		free(bo);
	}
}

/*
 * Takes ownership of the reference. Like the kernel, returns the same handle for the same object.
 */
static uint32_t handle_of(struct fake_file *file, struct fake_bo *bo)
{
	uint32_t empty = 0;

	for (uint32_t i = FAKE_HANDLES_MAX - 1; i > 0; i--) {
		if (file->handles[i] == bo) {
			fake_bo_unref(bo);
			return i;
		}
		if (!file->handles[i]) {
			empty = i;
		}
	}
	assert(empty);
	file->handles[empty] = bo;
	return empty;
}

static struct fake_bo *lookup(struct fake_file *file, uint32_t handle)
{
	return handle < FAKE_HANDLES_MAX ? file->handles[handle] : NULL;
}

static int create_dumb(struct fake_file *file, struct drm_mode_create_dumb *dumb)
{
	dumb->pitch = (dumb->width * ((dumb->bpp + 7) / 8) + 255) & ~255u;
	dumb->size = ((uint64_t)dumb->pitch * dumb->height + FAKE_PAGE - 1) & ~(FAKE_PAGE - 1ull);
	if (dumb->size == 0) {
		return -EINVAL;
	}
	dumb->handle = handle_of(file, wrap(fake_dmabuf_create(dumb->size), dumb->size));
	file->imported[dumb->handle] = false;
	return 0;
}

static int close_handle(struct fake_file *file, uint32_t handle)
{
	struct fake_bo *bo = lookup(file, handle);

	if (!bo) {
		file->card->counts.closed_twice++;
		return -EINVAL;
	}
	file->handles[handle] = NULL;
	fake_bo_unref(bo);
	return 0;
}

static int import(struct fake_file *file, struct drm_prime_handle *prime)
{
	struct fake_bo *bo = fake_bo_find(prime->fd);
	struct stat stat;

	if (bo) {
		bo->refs++;
	} else if (fstat(prime->fd, &stat) == 0 && S_ISREG(stat.st_mode)) {
		bo = wrap(fcntl(prime->fd, F_DUPFD_CLOEXEC, 0), (size_t)stat.st_size);
		bo->foreign = fcntl(prime->fd, F_GET_SEALS) & F_SEAL_SHRINK;
	} else {
		return -EINVAL;
	}
	prime->handle = handle_of(file, bo);
	file->imported[prime->handle] = true;
	return 0;
}

static int export(struct fake_file *file, struct drm_prime_handle *prime)
{
	struct fake_bo *bo = lookup(file, prime->handle);

	if (!bo) {
		return -ENOENT;
	}
	prime->fd = fcntl(bo->fd, F_DUPFD_CLOEXEC, 0);
	return prime->fd < 0 ? -errno : 0;
}

static bool plane_takes(const struct fake_plane_kind *plane, uint32_t format, uint64_t modifier)
{
	bool taken = false;

	for (int i = 0; plane->formats[i]; i++) {
		taken |= plane->formats[i] == format;
	}
	if (!plane->modifiers) {
		return taken && modifier == DRM_FORMAT_MOD_LINEAR;
	}
	for (int i = 0; taken && plane->modifiers[i] != DRM_FORMAT_MOD_INVALID; i++) {
		if (plane->modifiers[i] == modifier) {
			return true;
		}
	}
	return false;
}

static bool any_takes(const struct fake_card *card, uint32_t format, uint64_t modifier)
{
	for (int i = 0; i < card->n_objects; i++) {
		if (card->objects[i].plane &&
			plane_takes(card->objects[i].plane, format, modifier)) {
			return true;
		}
	}
	return false;
}

/* Keeps the bytes of now, which is more than hardware guarantees. */
static void note_stale(struct fake_bo *bo)
{
	if (!bo->stale) {
		bo->stale = malloc(bo->size);
		assert(bo->stale && pread(bo->fd, bo->stale, bo->size, 0) == (ssize_t)bo->size);
	}
}

static int add_framebuffer(struct fake_file *file, struct drm_mode_fb_cmd2 *cmd)
{
	struct fake_card *card = file->card;
	struct fake_bo *bo = lookup(file, cmd->handles[0]);
	bool explicit = cmd->flags & DRM_MODE_FB_MODIFIERS;
	uint64_t modifier = explicit ? cmd->modifier[0] : DRM_FORMAT_MOD_LINEAR;
	const struct pixel_format *format = pixel_format_get(cmd->pixel_format);
	struct fake_framebuffer *framebuffer;
	uint32_t least;

	if (card->framebuffer_error != 0) {
		return -card->framebuffer_error;
	}
	if (explicit && !card->kind->modifiers) {
		return -EINVAL;
	}
	if (!bo) {
		return -ENOENT;
	}
	if (!format || !any_takes(card, cmd->pixel_format, modifier)) {
		return -EINVAL;
	}
	/*
	 * amdgpu_display_user_framebuffer_create(): imports stay in system memory, which displays
	 * read only if it is uncached (AMDGPU_GEM_CREATE_CPU_GTT_USWC, of buffers of amdgpu
	 * itself).
	 */
	if (card->kind->refuses_imports && bo->foreign) {
		return -EINVAL;
	}
	least = (uint32_t)pixel_format_min_stride(format, 0, (int32_t)cmd->width);
	if (cmd->width == 0 || cmd->height == 0 || cmd->pitches[0] < least ||
		cmd->offsets[0] + (uint64_t)cmd->pitches[0] * (cmd->height - 1) + least >
			bo->size) {
		return -EINVAL;
	}
	if (card->kind->reads_stale && bo->foreign) {
		note_stale(bo);
	}
	framebuffer = calloc(1, sizeof(*framebuffer));
	assert(framebuffer);
	*framebuffer = (struct fake_framebuffer){
		.id = card->next_id++,
		.format = cmd->pixel_format,
		.width = cmd->width,
		.height = cmd->height,
		.pitch = cmd->pitches[0],
		.offset = cmd->offsets[0],
		.modifier = modifier,
		.implicit = !explicit && file->imported[cmd->handles[0]],
		.bo = bo,
		.file = file,
	};
	bo->refs++;
	wl_list_insert(&card->framebuffers, &framebuffer->link);
	cmd->fb_id = framebuffer->id;
	return 0;
}

struct fake_framebuffer *fake_framebuffer_find(struct fake_card *card, uint32_t id)
{
	struct fake_framebuffer *framebuffer;

	wl_list_for_each (framebuffer, &card->framebuffers, link) {
		if (framebuffer->id == id) {
			return framebuffer;
		}
	}
	return NULL;
}

static bool is_shown(const struct fake_card *card, const struct fake_framebuffer *framebuffer)
{
	for (int i = 0; i < card->n_objects; i++) {
		const struct fake_object *plane = &card->objects[i];

		if (plane->type == DRM_MODE_OBJECT_PLANE &&
			(fake_object_value(plane, "FB_ID") == framebuffer->id ||
				plane->replaced == framebuffer->id)) {
			return true;
		}
	}
	return false;
}

void fake_framebuffers_prune(struct fake_card *card)
{
	struct fake_framebuffer *framebuffer, *next;

	wl_list_for_each_safe (framebuffer, next, &card->framebuffers, link) {
		if (framebuffer->closed && !is_shown(card, framebuffer)) {
			fake_framebuffer_remove(card, framebuffer);
		}
	}
}

static void switch_off(struct fake_card *card, uint64_t crtc)
{
	for (int i = 0; i < card->n_objects; i++) {
		struct fake_object *object = &card->objects[i];

		if (object->type == DRM_MODE_OBJECT_CONNECTOR &&
			fake_object_value(object, "CRTC_ID") == crtc) {
			fake_object_set(object, "CRTC_ID", 0);
		} else if (object->id == crtc) {
			fake_object_set(object, "ACTIVE", 0);
			fake_object_set(object, "MODE_ID", 0);
		}
	}
}

/* Disables planes that show the frame buffer, and CRTCs that need their primary plane. */
void fake_framebuffer_remove(struct fake_card *card, struct fake_framebuffer *framebuffer)
{
	for (int i = 0; i < card->n_objects; i++) {
		struct fake_object *plane = &card->objects[i];

		if (plane->type == DRM_MODE_OBJECT_PLANE &&
			fake_object_value(plane, "FB_ID") == framebuffer->id) {
			card->counts.removed_while_shown++;
			if (card->kind->needs_primary &&
				plane->plane->type == DRM_PLANE_TYPE_PRIMARY) {
				switch_off(card, fake_object_value(plane, "CRTC_ID"));
			}
			fake_object_set(plane, "FB_ID", 0);
			fake_object_set(plane, "CRTC_ID", 0);
		}
	}
	fake_bo_unref(framebuffer->bo);
	wl_list_remove(&framebuffer->link);
	free(framebuffer);
}

struct fake_blob *fake_blob_find(struct fake_card *card, uint32_t id)
{
	struct fake_blob *blob;

	wl_list_for_each (blob, &card->blobs, link) {
		if (blob->id == id) {
			return blob;
		}
	}
	return NULL;
}

struct fake_blob *fake_blob_create(
	struct fake_card *card, struct fake_file *file, const void *data, size_t size)
{
	struct fake_blob *blob = calloc(1, sizeof(*blob));

	assert(blob);
	blob->id = card->next_id++;
	blob->file = file;
	blob->size = size;
	blob->data = malloc(size);
	assert(blob->data);
	memcpy(blob->data, data, size);
	wl_list_insert(&card->blobs, &blob->link);
	return blob;
}

void fake_blob_destroy(struct fake_card *card, struct fake_blob *blob)
{
	wl_list_remove(&blob->link);
	free(blob->data);
	free(blob);
}

static bool is_used(const struct fake_card *card, const struct fake_blob *blob)
{
	for (int i = 0; i < card->n_objects; i++) {
		const struct fake_object *object = &card->objects[i];

		for (int j = 0; j < object->n_properties; j++) {
			if (object->properties[j]->flags & DRM_MODE_PROP_BLOB &&
				object->values[j] == blob->id) {
				return true;
			}
		}
	}
	return false;
}

void fake_blobs_prune(struct fake_card *card)
{
	struct fake_blob *blob, *next;

	wl_list_for_each_safe (blob, next, &card->blobs, link) {
		if (blob->dead && !is_used(card, blob)) {
			fake_blob_destroy(card, blob);
		}
	}
}

static int create_blob(struct fake_file *file, struct drm_mode_create_blob *create)
{
	if (create->length == 0) {
		return -EINVAL;
	}
	create->blob_id =
		fake_blob_create(file->card, file, FAKE_POINTER(void, create->data), create->length)
			->id;
	return 0;
}

static int destroy_blob(struct fake_file *file, const struct drm_mode_destroy_blob *destroy)
{
	struct fake_blob *blob = fake_blob_find(file->card, destroy->blob_id);

	if (!blob || blob->dead) {
		return -ENOENT;
	}
	if (blob->file != file) {
		return -EPERM;
	}
	blob->dead = true;
	fake_blobs_prune(file->card);
	return 0;
}

static int get_blob(struct fake_file *file, struct drm_mode_get_blob *get)
{
	const struct fake_blob *blob = fake_blob_find(file->card, get->blob_id);

	if (!blob) {
		return -ENOENT;
	}
	if (get->length == blob->size) {
		memcpy(FAKE_POINTER(void, get->data), blob->data, blob->size);
	}
	get->length = (uint32_t)blob->size;
	return 0;
}

static int remove_framebuffer(struct fake_file *file, uint32_t id)
{
	struct fake_framebuffer *framebuffer = fake_framebuffer_find(file->card, id);

	if (!framebuffer || framebuffer->file != file || framebuffer->closed) {
		return -ENOENT;
	}
	/* drm_mode_rmfb() takes all locks if the kernel has further references. */
	if (is_shown(file->card, framebuffer) && !fake_file_wait_for_locks(file, true, 0)) {
		return -ENODEV;
	}
	fake_framebuffer_remove(file->card, framebuffer);
	return 0;
}

/* drm_mode_closefb() takes no lock of a CRTC, and leaves planes alone. */
static int close_framebuffer(struct fake_file *file, const struct drm_mode_closefb *close)
{
	struct fake_framebuffer *framebuffer = fake_framebuffer_find(file->card, close->fb_id);

	if (file->card->no_closefb || close->pad) {
		return -EINVAL;
	}
	if (!framebuffer || framebuffer->file != file || framebuffer->closed) {
		return -ENOENT;
	}
	framebuffer->closed = true;
	fake_framebuffers_prune(file->card);
	return 0;
}

int fake_memory_ioctl(struct fake_file *file, unsigned nr, void *argument)
{
	struct drm_mode_destroy_dumb *destroy = argument;
	struct drm_mode_map_dumb *map = argument;
	struct drm_gem_close *close = argument;
	const uint32_t *id = argument;

	switch (nr) {
	case _IOC_NR(DRM_IOCTL_MODE_CREATE_DUMB): return create_dumb(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_MAP_DUMB):
		map->offset = (uint64_t)map->handle * FAKE_PAGE;
		return lookup(file, map->handle) ? 0 : -ENOENT;
	case _IOC_NR(DRM_IOCTL_MODE_DESTROY_DUMB): return close_handle(file, destroy->handle);
	case _IOC_NR(DRM_IOCTL_GEM_CLOSE): return close_handle(file, close->handle);
	case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE): return import(file, argument);
	case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD): return export(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_ADDFB2): return add_framebuffer(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_RMFB): return remove_framebuffer(file, *id);
	case _IOC_NR(DRM_IOCTL_MODE_CLOSEFB): return close_framebuffer(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_CREATEPROPBLOB): return create_blob(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_DESTROYPROPBLOB): return destroy_blob(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_GETPROPBLOB): return get_blob(file, argument);
	default: return -EINVAL;
	}
}
