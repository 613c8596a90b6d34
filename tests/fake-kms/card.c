/* SPDX-License-Identifier: MIT */
/* Emulated cards: creation, hotplug and inspection by tests. */

#include "state.h"
#include <assert.h>
#include <drm_fourcc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct wl_list fake_cards = {&fake_cards, &fake_cards};

const char *fake_card_kind(size_t i)
{
	size_t n = 0;
	while (fake_kinds[n].name) {
		n++;
	}
	return i < n ? fake_kinds[i].name : fake_profiles[i - n].name;
}

static const struct fake_card_kind *find_kind(const struct fake_card_kind *list, const char *name)
{
	while (list->name && strcmp(list->name, name) != 0) {
		list++;
	}
	return list->name ? list : NULL;
}

struct fake_card *fake_card_create(const char *kind)
{
	const struct fake_card_kind *found = find_kind(fake_kinds, kind);
	struct fake_card *card;

	found = found ? found : find_kind(fake_profiles, kind);
	if (!found) {
		return NULL;
	}
	card = calloc(1, sizeof(*card));
	assert(card);
	card->kind = found;
	card->no_in_fence = found->no_in_fence;
	card->number = wl_list_length(&fake_cards);
	card->next_id = 30;
	snprintf(card->path, sizeof(card->path), "/dev/dri/card%d", card->number);
	wl_list_init(&card->files);
	wl_list_init(&card->framebuffers);
	wl_list_init(&card->blobs);
	fake_objects_init(card);
	fake_sysfs_update(card);
	fake_lock();
	wl_list_insert(fake_cards.prev, &card->link);
	fake_unlock();
	fake_udev_send(card, "add", 0, false);
	return card;
}

static void destroy(struct fake_card *card)
{
	struct fake_file *file, *next_file;
	struct fake_blob *blob, *next_blob;

	wl_list_for_each_safe (file, next_file, &card->files, link) {
		fake_file_forget(file);
	}
	for (int i = 0; i < card->n_objects; i++) {
		if (card->objects[i].fence >= 0) {
			close(card->objects[i].fence);
		}
	}
	wl_list_for_each_safe (blob, next_blob, &card->blobs, link) {
		fake_blob_destroy(card, blob);
	}
	card->removed = true;
	fake_sysfs_update(card);
	wl_list_remove(&card->link);
	free(card);
}

void fake_reset_all(void)
{
	struct fake_card *card, *next;

	fake_lock();
	wl_list_for_each_safe (card, next, &fake_cards, link) {
		destroy(card);
	}
	fake_fences_forget();
	fake_udmabuf_forget();
	fake_inputs_forget();
	fake_sysfs_remove();
	fake_unlock();
}

void fake_card_set_seat(struct fake_card *card, const char *seat)
{
	card->seat = seat;
}

void fake_card_set_held(struct fake_card *card, bool held)
{
	card->held = held;
}

void fake_card_interrupt(struct fake_card *card)
{
	fake_lock();
	card->interrupted = true;
	fake_unlock();
}

const char *fake_card_path(const struct fake_card *card)
{
	return card->path;
}

static struct fake_object *object(struct fake_card *card, const char *name)
{
	struct fake_object *object = fake_object_named(card, name);

	if (!object) {
		fprintf(stderr, "fake-kms: %s has no %s\n", card->kind->name, name);
		abort();
	}
	return object;
}

void fake_card_plug(struct fake_card *card, const char *connector, const struct fake_screen *screen)
{
	struct fake_object *plug = object(card, connector);

	fake_lock();
	fake_connector_set_screen(card, plug, screen);
	if (wl_list_empty(&card->files)) {
		plug->probed = screen; /* by the console: drm_fb_helper_hotplug_event() */
	}
	fake_sysfs_update(card);
	fake_udev_send(card, "change", plug->id, false);
	fake_unlock();
}

void fake_card_send_hotplug(struct fake_card *card, const char *connector)
{
	fake_lock();
	fake_udev_send(card, "change", object(card, connector)->id, false);
	fake_unlock();
}

void fake_card_fail_framebuffers(struct fake_card *card, int error)
{
	card->framebuffer_error = error;
}

void fake_card_refuse_fences(struct fake_card *card)
{
	card->no_in_fence = true;
}

void fake_card_refuse_closefb(struct fake_card *card)
{
	card->no_closefb = true;
}

void fake_card_forget_probe(struct fake_card *card, const char *connector)
{
	object(card, connector)->probed = NULL;
}

void fake_card_set_probe(struct fake_card *card, int ms)
{
	fake_lock();
	card->probe_ms = ms;
	fake_unlock();
}

void fake_card_set_wait(struct fake_card *card, int ms)
{
	card->wait_ms = ms;
}

void fake_card_remove_connector(struct fake_card *card, const char *connector)
{
	struct fake_object *plug = object(card, connector);

	assert(fake_object_value(plug, "CRTC_ID") == 0);
	plug->gone = true;
	fake_sysfs_update(card);
	plug->type = 0;
	fake_udev_send(card, "change", 0, false);
}

void fake_card_restore_connector(struct fake_card *card, const char *connector)
{
	struct fake_object *plug = object(card, connector);

	plug->gone = false;
	plug->type = DRM_MODE_OBJECT_CONNECTOR;
	fake_sysfs_update(card);
	fake_udev_send(card, "change", 0, false);
}

void fake_card_boot(struct fake_card *card, const char *connector, const char *crtc)
{
	struct fake_object *plug = object(card, connector), *driver = object(card, crtc);
	struct drm_mode_modeinfo mode;

	fake_mode_fill(&mode, plug->screen, 0);
	fake_object_set(plug, "CRTC_ID", driver->id);
	fake_object_set(driver, "ACTIVE", 1);
	fake_object_set(driver, "MODE_ID", fake_blob_create(card, NULL, &mode, sizeof(mode))->id);
}

void fake_card_break_link(struct fake_card *card, const char *connector)
{
	struct fake_object *plug = object(card, connector);

	fake_object_set(plug, "link-status", DRM_MODE_LINK_STATUS_BAD);
	fake_udev_send(card, "change", plug->id, false);
}

void fake_card_remove(struct fake_card *card)
{
	fake_lock();
	card->removed = true;
	fake_sysfs_update(card);
	fake_udev_send(card, "remove", 0, false);
	fake_unlock();
}

void fake_card_set_modesets(struct fake_card *card, enum fake_modesets modesets)
{
	fake_lock();
	card->modesets = modesets;
	fake_unlock();
}

void fake_card_set_flips(struct fake_card *card, enum fake_flips flips)
{
	card->flips = flips;
}

void fake_card_fail(struct fake_card *card, int error, int n, bool tests)
{
	card->fail_error = error;
	card->n_fail = n;
	card->fail_tests = tests;
}

int fake_card_fail_nth(struct fake_card *card, int n, int error)
{
	const int left = card->fail_nth;

	card->fail_nth = n;
	card->fail_nth_error = error;
	return left;
}

void fake_card_refuse_property(struct fake_card *card, const char *property, int error)
{
	int free = -1;
	for (int i = 0; i < FAKE_REFUSALS_MAX; i++) {
		if (card->refusals[i].error == 0) {
			free = free < 0 ? i : free;
		} else if (strcmp(card->refusals[i].property, property) == 0) {
			card->refusals[i].error = error;
			return;
		}
	}
	if (error) {
		assert(free >= 0);
		card->refusals[free].property = property;
		card->refusals[free].error = error;
	}
}

void fake_card_refuse_gamma(struct fake_card *card)
{
	card->refuses_gamma = true;
}

void fake_card_set_bandwidth(struct fake_card *card, uint64_t bytes)
{
	card->bandwidth = bytes;
}

void fake_card_set_link(struct fake_card *card, uint64_t bits)
{
	card->link_rate = bits;
}

void fake_card_set_clock(struct fake_card *card, int clock)
{
	card->clock = clock;
}

void fake_card_set_mode_judge(struct fake_card *card,
	int (*judge)(void *data, const struct fake_head *heads, int n), void *data)
{
	card->mode_judge = judge;
	card->mode_judge_data = data;
}

void fake_card_set_judge(
	struct fake_card *card, bool (*judge)(void *data, const struct fake_scan *scan), void *data)
{
	card->judge = judge;
	card->judge_data = data;
}

bool fake_has(struct fake_card *card, const char *name, const char *property)
{
	return fake_object_index(object(card, name), property) >= 0;
}

uint64_t fake_get(struct fake_card *card, const char *name, const char *property)
{
	if (!fake_has(card, name, property)) {
		fprintf(stderr, "fake-kms: %s has no %s\n", name, property);
		abort();
	}
	return fake_object_value(object(card, name), property);
}

void fake_set(struct fake_card *card, const char *name, const char *property, uint64_t value)
{
	fake_object_set(object(card, name), property, value);
}

void fake_set_blob(struct fake_card *card, const char *object, const char *property,
	const void *data, size_t size)
{
	fake_set(card, object, property, fake_blob_create(card, NULL, data, size)->id);
}

void fake_card_drop_property(struct fake_card *card, const char *property)
{
	for (int i = 0; i < card->n_objects; i++) {
		struct fake_object *dropped = &card->objects[i];
		int at = fake_object_index(dropped, property);

		if (at >= 0) {
			int last = --dropped->n_properties;

			dropped->properties[at] = dropped->properties[last];
			dropped->values[at] = dropped->values[last];
		}
	}
}

void fake_card_drop_value(struct fake_card *card, const char *property, const char *value)
{
	for (int i = 0; i < card->n_properties; i++) {
		struct fake_property *changed = &card->properties[i];

		for (int j = 0; strcmp(changed->name, property) == 0 && j < changed->n_enums; j++) {
			if (strcmp(changed->enums[j].name, value) == 0) {
				changed->enums[j] = changed->enums[--changed->n_enums];
			}
		}
	}
}

const char *fake_crtc_of(struct fake_card *card, const char *connector)
{
	uint32_t id = (uint32_t)fake_get(card, connector, "CRTC_ID");

	return id ? fake_object_find(card, id)->name : "none";
}

const char *fake_primary_of(struct fake_card *card, const char *connector)
{
	uint32_t crtc = (uint32_t)fake_get(card, connector, "CRTC_ID");

	for (int i = 0; i < card->n_objects; i++) {
		const struct fake_object *plane = &card->objects[i];

		if (plane->plane && plane->plane->type == DRM_PLANE_TYPE_PRIMARY &&
			fake_object_value(plane, "CRTC_ID") == crtc) {
			return plane->name;
		}
	}
	return "none";
}

const void *fake_get_blob(
	struct fake_card *card, const char *name, const char *property, size_t *size)
{
	const struct fake_blob *blob =
		fake_blob_find(card, (uint32_t)fake_get(card, name, property));

	*size = blob ? blob->size : 0;
	return blob ? blob->data : NULL;
}

bool fake_get_scan(struct fake_card *card, const char *name, struct fake_scan *scan)
{
	const struct fake_object *plane = object(card, name);
	const struct fake_framebuffer *framebuffer =
		fake_framebuffer_find(card, (uint32_t)fake_object_value(plane, "FB_ID"));

	if (!framebuffer) {
		return false;
	}
	*scan = (struct fake_scan){
		.plane = plane->name,
		.crtc = fake_object_find(card, (uint32_t)fake_object_value(plane, "CRTC_ID"))->name,
		.format = framebuffer->format,
		.system_memory = framebuffer->bo->foreign,
		.modifier = framebuffer->modifier,
		.width = (int)(fake_object_value(plane, "SRC_W") >> 16),
		.height = (int)(fake_object_value(plane, "SRC_H") >> 16),
		.crtc_width = (int)fake_object_value(plane, "CRTC_W"),
		.crtc_height = (int)fake_object_value(plane, "CRTC_H"),
	};
	return true;
}

uint32_t fake_plane_pixel(struct fake_card *card, const char *name, int x, int y)
{
	const struct fake_framebuffer *framebuffer = fake_framebuffer_find(
		card, (uint32_t)fake_object_value(object(card, name), "FB_ID"));
	uint32_t pixel = 0;

	assert(framebuffer && framebuffer->modifier == DRM_FORMAT_MOD_LINEAR);
	off_t at = (off_t)framebuffer->offset + (off_t)framebuffer->pitch * y + (off_t)x * 4;
	if (framebuffer->bo->stale) {
		memcpy(&pixel, (const char *)framebuffer->bo->stale + at, sizeof(pixel));
	} else {
		assert(pread(framebuffer->bo->fd, &pixel, sizeof(pixel), at) == sizeof(pixel));
	}
	return pixel;
}

struct fake_counts fake_card_counts(struct fake_card *card)
{
	struct fake_counts counts;
	const struct fake_blob *blob;

	fake_lock();
	counts = card->counts;
	fake_files_prune(card);
	counts.framebuffers = wl_list_length(&card->framebuffers);
	counts.files = wl_list_length(&card->files);
	counts.buffers = wl_list_length(&fake_bos);
	wl_list_for_each (blob, &card->blobs, link) {
		counts.blobs += blob->file != NULL;
	}
	fake_unlock();
	return counts;
}
