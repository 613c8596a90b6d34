/* SPDX-License-Identifier: MIT */
/* Icons of windows, charged to their clients. */

#include "shell/icon.h"
#include "buffer/buffer.h"
#include "util/account.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct icon *icon_create(struct account *account)
{
	struct icon *icon = xcalloc(1, sizeof(*icon));
	icon->n_refs = 1;
	icon->account = account_ref(account);
	account_charge(account, ACCOUNT_BYTES, sizeof(*icon));
	return icon;
}

struct icon *icon_ref(struct icon *icon)
{
	if (icon) {
		icon->n_refs++;
	}
	return icon;
}

void icon_unref(struct icon *icon)
{
	if (!icon || --icon->n_refs > 0) {
		return;
	}
	for (int i = 0; i < icon->n_images; i++) {
		buffer_unlock(icon->images[i].buffer);
	}
	icon_set_name(icon, NULL);
	account_uncharge(icon->account, ACCOUNT_BYTES, sizeof(*icon));
	account_unref(icon->account);
	free(icon);
}

bool icon_is_empty(const struct icon *icon)
{
	return !icon || (!icon->name && icon->n_images == 0);
}

void icon_set_name(struct icon *icon, const char *name)
{
	account_free_string(icon->account, icon->name);
	icon->name = account_strdup(icon->account, name);
}

int icon_add_image(struct icon *icon, struct buffer *buffer, int32_t scale)
{
	int i = 0;
	while (i < icon->n_images && (icon->images[i].buffer->width != buffer->width ||
					     icon->images[i].scale != scale)) {
		i++;
	}
	if (i == ICON_IMAGES_MAX || buffer->width > ICON_SIZE_MAX) {
		return -1;
	}
	buffer_lock(buffer);
	if (i < icon->n_images) {
		buffer_unlock(icon->images[i].buffer);
	} else {
		icon->n_images++;
	}
	icon->images[i] = (struct icon_image){buffer, scale};
	return i;
}
