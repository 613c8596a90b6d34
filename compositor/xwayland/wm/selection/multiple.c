/* SPDX-License-Identifier: MIT */
/* Selections: requests with several targets (MULTIPLE), answered once all of them are converted. */

#include "selection.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/request.h"
#include <stdlib.h>
#include <string.h>

/** Targets of a request at most. */
#define PAIRS_MAX 32

/** A request: pairs of a target and a property. */
struct x_multiple {
	struct wl_list link; /* x_selections.multiples */
	struct x_selections *all;
	xcb_selection_request_event_t request;
	void (*convert)(struct x_selections *all, const xcb_selection_request_event_t *request,
		const struct x_part *part);
	uint32_t atoms[2 * PAIRS_MAX];
	int n;
	int missing; /* conversions that have not ended */
	bool refused; /* some of them */
};

static void destroy(struct x_multiple *multiple)
{
	wl_list_remove(&multiple->link);
	multiple->all->n_multiples--;
	free(multiple);
}

/* The properties of refused targets are replaced in the list. */
static void finish(struct x_multiple *multiple)
{
	struct xwm *wm = multiple->all->wm;
	const xcb_selection_request_event_t *request = &multiple->request;
	if (multiple->refused) {
		xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, request->requestor,
			request->property, wm->atoms[X_ATOM_PAIR], 32, 2 * (uint32_t)multiple->n,
			multiple->atoms);
	}
	xwm_selection_notify(wm, request, request->property);
	destroy(multiple);
}

static void handle_converted(struct x_multiple *multiple, int index, bool converted)
{
	if (!converted) {
		multiple->atoms[2 * index + 1] = XCB_ATOM_NONE;
		multiple->refused = true;
	}
	if (--multiple->missing == 0) {
		finish(multiple);
	}
}

static void convert_part(struct x_multiple *multiple, int index)
{
	xcb_selection_request_event_t request = multiple->request;
	const struct x_part part = {multiple, index, handle_converted};
	request.target = multiple->atoms[2 * index];
	request.property = multiple->atoms[2 * index + 1];
	/* A list within a list is refused. */
	if (request.property == XCB_ATOM_NONE ||
		request.target == multiple->all->wm->atoms[X_MULTIPLE]) {
		handle_converted(multiple, index, false);
	} else {
		multiple->convert(multiple->all, &request, &part);
	}
}

static void handle_pairs(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_multiple *multiple = data;
	const xcb_get_property_reply_t *property = reply;
	const int n = property && property->format == 32
			      ? xcb_get_property_value_length(property) / 8
			      : 0;
	if (n == 0 || property->bytes_after > 0) {
		xwm_selection_notify(wm, &multiple->request, XCB_ATOM_NONE);
		destroy(multiple);
		return;
	}
	multiple->n = multiple->missing = n;
	memcpy(multiple->atoms, xcb_get_property_value(property), (size_t)n * 8);
	/* One more keeps the list until the end of the loop. */
	multiple->missing++;
	for (int i = 0; i < n; i++) {
		convert_part(multiple, i);
	}
	if (--multiple->missing == 0) {
		finish(multiple);
	}
}

bool xwm_multiple_start(struct x_selections *all, const xcb_selection_request_event_t *request,
	void (*convert)(struct x_selections *all, const xcb_selection_request_event_t *request,
		const struct x_part *part))
{
	struct xwm *wm = all->wm;
	if (all->n_multiples == X_TRANSFERS || request->property == XCB_ATOM_NONE) {
		return false;
	}
	struct x_multiple *multiple = xcalloc(1, sizeof(*multiple));
	multiple->all = all;
	multiple->request = *request;
	multiple->convert = convert;
	all->n_multiples++;
	wl_list_insert(&all->multiples, &multiple->link);
	xwm_reply_expect(wm,
		xcb_get_property(wm->x, 0, request->requestor, request->property,
			XCB_GET_PROPERTY_TYPE_ANY, 0, 2 * PAIRS_MAX)
			.sequence,
		handle_pairs, multiple, 0);
	return true;
}

void xwm_multiples_drop(struct x_selections *all)
{
	struct x_multiple *multiple, *next;
	wl_list_for_each_safe (multiple, next, &all->multiples, link) {
		destroy(multiple);
	}
}
