/* SPDX-License-Identifier: MIT */
/* Open nodes of emulated cards: descriptors, master rights and ioctl dispatch. */

#include "state.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns whether all reading ends are closed. */
static bool is_closed(const struct fake_file *file)
{
	struct pollfd pollfd = {.fd = file->writer};

	return poll(&pollfd, 1, 0) > 0 && pollfd.revents & POLLERR;
}

/*
 * Files end when descriptors are closed, and a descriptor stands for the same file until then: both
 * are looked up again after each close().
 */
#define KNOWN_MAX 1024
static atomic_uint n_closed = 1;
static struct {
	atomic_uint when; /* n_closed of the look-up */
	struct fake_file *file;
} known[KNOWN_MAX];

static void forget_known(void)
{
	n_closed++;
}

bool fake_file_begin_close(int fd)
{
	struct stat stat;
	const bool matters = fd >= KNOWN_MAX || (fstat(fd, &stat) == 0 && S_ISFIFO(stat.st_mode));

	if (matters) {
		forget_known();
	} else if (fd >= 0) {
		known[fd].when = 0;
	}
	return matters;
}

void fake_file_end_close(void)
{
	forget_known();
}

void fake_files_prune(struct fake_card *card)
{
	struct fake_file *file, *next;
	const unsigned now = n_closed;

	if (card->pruned == now) {
		return;
	}
	card->pruned = now;
	wl_list_for_each_safe (file, next, &card->files, link) {
		if (is_closed(file)) {
			bool lease = file->lessee != 0;

			fake_file_forget(file);
			if (lease && !card->removed) {
				fake_udev_send(card, "change", 0, true);
			}
		}
	}
}

static struct fake_file *look_up(int fd)
{
	struct fake_card *card;
	struct fake_file *file;
	struct stat stat;

	if (fstat(fd, &stat) < 0 || !S_ISFIFO(stat.st_mode)) {
		return NULL;
	}
	wl_list_for_each (card, &fake_cards, link) {
		fake_files_prune(card);
		wl_list_for_each (file, &card->files, link) {
			if (file->inode == stat.st_ino) {
				return file;
			}
		}
	}
	return NULL;
}

static struct fake_file *find(int fd)
{
	const unsigned now = n_closed;

	if (fd < 0 || fd >= KNOWN_MAX) {
		return look_up(fd);
	}
	if (known[fd].when != now) {
		known[fd].file = look_up(fd);
		known[fd].when = now;
	}
	return known[fd].file;
}

struct fake_file *fake_file_find(int fd)
{
	struct fake_file *file;

	fake_lock();
	file = find(fd);
	fake_unlock();
	return file;
}

static bool has_master(const struct fake_card *card)
{
	const struct fake_file *file;

	wl_list_for_each (file, &card->files, link) {
		if (file->master && !file->lessee) {
			return true;
		}
	}
	return false;
}

/* Without a master, the next program that opens the card becomes it: drm_master_open(). */
int fake_file_open(struct fake_card *card, struct fake_file **out)
{
	struct fake_file *file;
	struct stat stat;
	int ends[2];

	fake_files_prune(card);
	if (card->removed) {
		return -ENODEV;
	}
	file = calloc(1, sizeof(*file));
	assert(file && pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
	assert(fstat(ends[0], &stat) == 0);
	file->card = card;
	file->writer = ends[1];
	file->inode = stat.st_ino;
	file->master = !card->held && !has_master(card);
	wl_list_insert(&card->files, &file->link);
	forget_known(); /* the number may be known as that of another file */
	if (out) {
		*out = file;
	}
	return ends[0];
}

static void forget_objects(struct fake_file *file)
{
	struct fake_card *card = file->card;
	struct fake_framebuffer *framebuffer, *next;
	struct fake_blob *blob;

	wl_list_for_each_safe (framebuffer, next, &card->framebuffers, link) {
		if (framebuffer->file == file) {
			fake_framebuffer_remove(card, framebuffer);
		}
	}
	wl_list_for_each (blob, &card->blobs, link) {
		if (blob->file == file) {
			blob->file = NULL;
			blob->dead = true;
		}
	}
	fake_blobs_prune(card);
	for (int i = 0; i < card->n_objects; i++) {
		if (card->objects[i].file == file) {
			card->objects[i].file = NULL;
		}
	}
}

void fake_file_forget(struct fake_file *file)
{
	forget_objects(file);
	for (int i = 0; i < FAKE_HANDLES_MAX; i++) {
		fake_bo_unref(file->handles[i]);
	}
	close(file->writer);
	forget_known(); /* nothing refers to it any more */
	wl_list_remove(&file->link);
	free(file);
}

bool fake_file_sees(const struct fake_file *file, const struct fake_object *object)
{
	if (file->lessee == 0 || object->type == 0) {
		return true;
	}
	for (int i = 0; i < file->n_leased; i++) {
		if (file->leased[i] == object->id) {
			return true;
		}
	}
	return false;
}

static void put_string(char *to, __kernel_size_t *length, const char *from)
{
	if (to && *length >= strlen(from)) {
		memcpy(to, from, strlen(from));
	}
	*length = strlen(from);
}

static int get_version(const struct fake_card *card, struct drm_version *version)
{
	version->version_major = 1;
	version->version_minor = 0;
	version->version_patchlevel = 0;
	put_string(version->name, &version->name_len,
		card->kind->driver ? card->kind->driver : card->kind->name);
	put_string(version->date, &version->date_len, "20260101");
	put_string(version->desc, &version->desc_len, "emulated");
	return 0;
}

static int get_cap(const struct fake_card *card, struct drm_get_cap *cap)
{
	const struct fake_card_kind *kind = card->kind;

	cap->value = 0;
	switch (cap->capability) {
	case DRM_CAP_DUMB_BUFFER:
	case DRM_CAP_CRTC_IN_VBLANK_EVENT:
	case DRM_CAP_TIMESTAMP_MONOTONIC: cap->value = 1; return 0;
	case DRM_CAP_PRIME: cap->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT; return 0;
	case DRM_CAP_ADDFB2_MODIFIERS: cap->value = kind->modifiers; return 0;
	case DRM_CAP_ATOMIC_ASYNC_PAGE_FLIP:
	case DRM_CAP_ASYNC_PAGE_FLIP: cap->value = kind->async; return 0;
	case DRM_CAP_CURSOR_WIDTH:
	case DRM_CAP_CURSOR_HEIGHT:
		cap->value = kind->cursor_side ? (uint64_t)kind->cursor_side : 64;
		return 0;
	case DRM_CAP_DUMB_PREFER_SHADOW:
	case DRM_CAP_DUMB_PREFERRED_DEPTH:
	case DRM_CAP_SYNCOBJ:
	case DRM_CAP_SYNCOBJ_TIMELINE: return 0;
	default: return -EINVAL;
	}
}

static bool has_pipelines(const struct fake_card *card)
{
	for (int i = 0; i < card->n_objects; i++) {
		if (card->objects[i].plane && card->objects[i].plane->pipelines) {
			return true;
		}
	}
	return false;
}

static int set_client_cap(struct fake_file *file, const struct drm_set_client_cap *cap)
{
	switch (cap->capability) {
	case DRM_CLIENT_CAP_UNIVERSAL_PLANES: return 0;
	case DRM_CLIENT_CAP_ATOMIC: file->atomic = cap->value != 0; return 0;
	case FAKE_CAP_PLANE_COLOR_PIPELINE:
		if (!file->atomic || !has_pipelines(file->card)) {
			return -EINVAL;
		}
		file->pipelines = cap->value != 0;
		return 0;
	default: return -EINVAL;
	}
}

/*
 * Waits for the locks of drm_mode_getconnector(), drm_mode_obj_get_properties_ioctl(),
 * drm_mode_getplane() and drm_mode_getcrtc().
 */
static bool wait_for_locks(const struct fake_file *file, unsigned nr)
{
	switch (nr) {
	case _IOC_NR(DRM_IOCTL_MODE_GETCONNECTOR):
	case _IOC_NR(DRM_IOCTL_MODE_OBJ_GETPROPERTIES):
	case _IOC_NR(DRM_IOCTL_MODE_GETPLANE):
	case _IOC_NR(DRM_IOCTL_MODE_GETCRTC): return fake_file_wait_for_locks(file, true, 0);
	default: return true;
	}
}

/* Passes the ioctl to each part until one handles it. */
static int dispatch(struct fake_file *file, unsigned nr, void *argument)
{
	struct drm_auth *auth = argument;

	if (!wait_for_locks(file, nr)) {
		return -ENODEV;
	}
	switch (nr) {
	case _IOC_NR(DRM_IOCTL_VERSION): return get_version(file->card, argument);
	case _IOC_NR(DRM_IOCTL_GET_CAP): return get_cap(file->card, argument);
	case _IOC_NR(DRM_IOCTL_SET_CLIENT_CAP): return set_client_cap(file, argument);
	case _IOC_NR(DRM_IOCTL_GET_MAGIC): auth->magic = 1; return 0;
	case _IOC_NR(DRM_IOCTL_AUTH_MAGIC): return file->master ? 0 : -EACCES;
	case _IOC_NR(DRM_IOCTL_SET_MASTER): file->master = true; return 0;
	case _IOC_NR(DRM_IOCTL_DROP_MASTER):
		if (!file->master) {
			return -EINVAL;
		}
		file->master = false;
		return 0;
	case _IOC_NR(DRM_IOCTL_MODE_ATOMIC): return fake_atomic(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_CREATE_LEASE):
	case _IOC_NR(DRM_IOCTL_MODE_LIST_LESSEES):
	case _IOC_NR(DRM_IOCTL_MODE_GET_LEASE):
	case _IOC_NR(DRM_IOCTL_MODE_REVOKE_LEASE): return fake_lease_ioctl(file, nr, argument);
	case _IOC_NR(DRM_IOCTL_MODE_GETRESOURCES):
	case _IOC_NR(DRM_IOCTL_MODE_GETCRTC):
	case _IOC_NR(DRM_IOCTL_MODE_GETENCODER):
	case _IOC_NR(DRM_IOCTL_MODE_GETCONNECTOR):
	case _IOC_NR(DRM_IOCTL_MODE_GETPLANERESOURCES):
	case _IOC_NR(DRM_IOCTL_MODE_GETPLANE):
	case _IOC_NR(DRM_IOCTL_MODE_OBJ_GETPROPERTIES):
	case _IOC_NR(DRM_IOCTL_MODE_GETPROPERTY): return fake_resources_ioctl(file, nr, argument);
	default: return fake_memory_ioctl(file, nr, argument);
	}
}

int fake_file_ioctl(struct fake_file *file, unsigned long request, void *argument)
{
	unsigned nr = _IOC_NR(request);

	if (file->card->removed && nr != _IOC_NR(DRM_IOCTL_GEM_CLOSE)) {
		return -ENODEV;
	}
	return dispatch(file, nr, argument);
}

bool fake_file_sleep(const struct fake_file *file, int ms)
{
	const struct fake_card *card;
	const struct fake_file *other;

	fake_unlock();
	usleep((useconds_t)ms * 1000);
	fake_lock();
	wl_list_for_each (card, &fake_cards, link) {
		wl_list_for_each (other, &card->files, link) {
			if (other == file) {
				return true;
			}
		}
	}
	return false;
}
