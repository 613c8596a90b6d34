/* SPDX-License-Identifier: MIT */
/* Selections of X programs: ownership and types, by ICCCM 2. */

#include "selection.h"
#include "util/task.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/client_pid.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/text.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xcb/xfixes.h>

#define UTF8_TYPE "text/plain;charset=utf-8"
#define TEXT_TYPE "text/plain"

static void clear_targets(struct x_selection *selection)
{
	for (int i = 0; i < selection->n_targets; i++) {
		free(selection->targets[i].type);
	}
	selection->n_targets = selection->missing = 0;
	selection->round++;
}

static const struct x_selection_host *host_of(const struct x_selection *selection)
{
	return selection->wm->parts->selections;
}

/* Data of X programs */

static bool has_type(const struct x_selection *selection, const char *type)
{
	for (int i = 0; i < selection->n_targets; i++) {
		if (selection->targets[i].type && strcmp(selection->targets[i].type, type) == 0) {
			return true;
		}
	}
	return false;
}

/* Programs without UTF-8 offer Latin-1, which is converted. */
static void add_utf8(struct x_selection *selection)
{
	if (has_type(selection, UTF8_TYPE) || selection->n_targets == X_SELECTION_TYPES_MAX) {
		return;
	}
	for (int i = 0; i < selection->n_targets; i++) {
		if (selection->targets[i].atom == XCB_ATOM_STRING) {
			selection->targets[selection->n_targets++] =
				(struct x_target){XCB_ATOM_STRING, xstrdup(UTF8_TYPE)};
			return;
		}
	}
}

static void offer(struct x_selection *selection)
{
	add_utf8(selection);
	const char *types[X_SELECTION_TYPES_MAX];
	int n = 0;
	for (int i = 0; i < selection->n_targets; i++) {
		if (selection->targets[i].type) {
			types[n++] = selection->targets[i].type;
		}
	}
	if (n > 0) {
		host_of(selection)->offer(host_of(selection)->data, selection->wm->server,
			selection->kind, selection->owner_pid, types, n);
	}
	if (selection->drag) {
		selection->drag->loaded(selection->wm);
	}
}

/* `number` is the round, and the index of the target in its lowest bits. */
static void handle_name(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_selection *selection = data;
	xcb_get_atom_name_reply_t *name = reply;
	if (number / X_SELECTION_TYPES_MAX != selection->round % (1 << 20)) {
		return;
	}
	struct x_target *target = &selection->targets[number % X_SELECTION_TYPES_MAX];
	if (name) {
		const char *text = xcb_get_atom_name_name(name);
		char *type =
			xwm_text_decode(text, (size_t)xcb_get_atom_name_name_length(name), false);
		if (strchr(type, '/') && !has_type(selection, type)) {
			target->type = type;
		} else {
			free(type);
		}
	}
	if (--selection->missing == 0) {
		offer(selection);
	}
}

static void add_target(struct x_selection *selection, xcb_atom_t atom)
{
	struct xwm *wm = selection->wm;
	struct x_target *target = &selection->targets[selection->n_targets];
	*target = (struct x_target){.atom = atom};
	const char *known = atom == wm->atoms[X_UTF8_STRING] ? UTF8_TYPE
			    : atom == XCB_ATOM_STRING        ? TEXT_TYPE
							     : NULL;
	if (known) {
		target->type = has_type(selection, known) ? NULL : xstrdup(known);
	} else {
		xcb_get_atom_name_cookie_t cookie = xcb_get_atom_name(wm->x, atom);
		xwm_reply_expect(wm, cookie.sequence, handle_name, selection,
			selection->round % (1 << 20) * X_SELECTION_TYPES_MAX +
				(uint32_t)selection->n_targets);
		selection->missing++;
	}
	selection->n_targets++;
}

void xwm_selection_set_targets(struct x_selection *selection, const xcb_atom_t *atoms, int n)
{
	for (int i = 0; i < n && selection->n_targets < X_SELECTION_TYPES_MAX; i++) {
		add_target(selection, atoms[i]);
	}
	if (selection->missing == 0) {
		offer(selection);
	}
}

static void handle_owner_pid(struct xwm *wm, void *data, uint32_t round, void *reply)
{
	struct x_selection *selection = data;
	if (round == selection->round) {
		selection->owner_pid = xwm_client_pid_read(reply);
	}
}

/** Asks for the process of the owner; the answer comes before that to a conversion. */
static void ask_owner_pid(struct x_selection *selection)
{
	const unsigned sequence = xwm_client_pid_ask(selection->wm, selection->owner);
	selection->owner_pid = 0;
	if (sequence) {
		xwm_reply_expect(
			selection->wm, sequence, handle_owner_pid, selection, selection->round);
	}
}

static void read_targets(struct x_selection *selection, xcb_atom_t property);

static void handle_targets(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_selection *selection = data;
	xcb_get_property_reply_t *property = reply;
	selection->reading_targets = false;
	if (selection->next_targets != XCB_ATOM_NONE) {
		const xcb_atom_t next = selection->next_targets;
		selection->next_targets = XCB_ATOM_NONE;
		read_targets(selection, next);
	}
	if (number != selection->round || !property || property->format != 32) {
		return;
	}
	xwm_selection_set_targets(selection, xcb_get_property_value(property),
		xcb_get_property_value_length(property) / 4);
}

/* Forged answers must not add requests without end: there is one at a time. */
static void read_targets(struct x_selection *selection, xcb_atom_t property)
{
	struct xwm *wm = selection->wm;
	if (selection->reading_targets) {
		selection->next_targets = property;
		return;
	}
	selection->reading_targets = true;
	xwm_reply_expect(wm,
		xcb_get_property(wm->x, 1, wm->own, property, XCB_GET_PROPERTY_TYPE_ANY, 0,
			X_SELECTION_TYPES_MAX)
			.sequence,
		handle_targets, selection, selection->round);
}

static void handle_owner(
	struct x_selection *selection, const xcb_xfixes_selection_notify_event_t *event)
{
	struct xwm *wm = selection->wm;
	if (selection->claiming && (int32_t)(wm->sequence - selection->claim) < 0) {
		return; /* the request of the window manager is newer */
	}
	selection->claiming = false;
	if (event->owner == wm->own) {
		selection->time = event->selection_timestamp;
		return;
	}
	const bool had = selection->owner != XCB_WINDOW_NONE;
	clear_targets(selection);
	selection->owner = event->owner;
	selection->owned = false;
	if (selection->drag) {
		selection->drag->owned(wm, event->owner);
		return;
	}
	if (event->owner == XCB_WINDOW_NONE) {
		if (had) {
			host_of(selection)->withdraw(
				host_of(selection)->data, wm->server, selection->kind);
		}
		return;
	}
	ask_owner_pid(selection);
	/* The owners of both selections may answer before the first answer is read. */
	const enum x_atom property = selection->kind == X_SELECTION_PRIMARY
					     ? X__CAUSEWAY_TARGETS_PRIMARY
					     : X__CAUSEWAY_TARGETS;
	selection->targets_asked = event->timestamp;
	xcb_convert_selection(wm->x, wm->own, selection->atom, wm->atoms[X_TARGETS],
		wm->atoms[property], event->timestamp);
}

static void send_data(void *data, enum x_selection_kind kind, const char *type, int fd)
{
	struct xwm *wm = data;
	struct x_selection *selection = wm->selections ? &wm->selections->kinds[kind] : NULL;
	for (int i = 0; selection && i < selection->n_targets; i++) {
		const struct x_target *target = &selection->targets[i];
		if (selection->owner != XCB_WINDOW_NONE && target->type &&
			strcmp(target->type, type) == 0) {
			xwm_incoming_start(selection, target->atom, fd);
			xwm_flush_soon(wm);
			return;
		}
	}
	close(fd);
}

/* Data for X programs */

static void handle_atom(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_selection *selection = data;
	xcb_intern_atom_reply_t *atom = reply;
	if (number / X_SELECTION_TYPES_MAX == selection->round % (1 << 20) && atom) {
		selection->targets[number % X_SELECTION_TYPES_MAX].atom = atom->atom;
	}
}

/**
 * Returns whether the name of a type is that of a target without data. GTK 3 offers DELETE to
 * Wayland programs, and its programs delete what is dragged when it is read.
 */
static bool is_command(const char *type)
{
	static const char *const commands[] = {"DELETE", "INSERT_PROPERTY", "INSERT_SELECTION",
		"MULTIPLE", "SAVE_TARGETS", "TARGETS", "TIMESTAMP"};
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(type, commands[i]) == 0) {
			return true;
		}
	}
	return false;
}

static void add_type(struct x_selection *selection, const char *type)
{
	struct xwm *wm = selection->wm;
	const int i = selection->n_targets++;
	selection->targets[i] = (struct x_target){.type = xstrdup(type)};
	xcb_intern_atom_cookie_t cookie =
		xcb_intern_atom(wm->x, 0, (uint16_t)strnlen(type, 256), type);
	xwm_reply_expect(wm, cookie.sequence, handle_atom, selection,
		selection->round % (1 << 20) * X_SELECTION_TYPES_MAX + (uint32_t)i);
}

static void add_types(struct x_selection *selection, const char *const *types, int n)
{
	for (int i = 0; i < n && selection->n_targets < X_SELECTION_TYPES_MAX; i++) {
		if (!is_command(types[i])) {
			add_type(selection, types[i]);
		}
	}
}

void xwm_selections_send(struct xwm *wm)
{
	for (int kind = 0; kind < X_SELECTION_COUNT; kind++) {
		struct x_selection *selection = &wm->selections->kinds[kind];
		if (!(wm->selections_dirty & (1u << kind))) {
			continue;
		}
		const char *const *types;
		int n = host_of(selection)->types(
			host_of(selection)->data, wm->server, selection->kind, &types);
		if (n > 0) {
			clear_targets(selection);
			add_types(selection, types, n);
			selection->owned = true;
			selection->owner = XCB_WINDOW_NONE;
			selection->claiming = true;
			selection->claim = xcb_set_selection_owner(
				wm->x, wm->own, selection->atom, XCB_TIME_CURRENT_TIME)
						   .sequence;
		} else if (selection->owned) {
			clear_targets(selection);
			selection->owned = false;
			xcb_set_selection_owner(
				wm->x, XCB_WINDOW_NONE, selection->atom, XCB_TIME_CURRENT_TIME);
		}
	}
	wm->selections_dirty = 0;
}

static void handle_changed(void *data, enum x_selection_kind kind)
{
	struct xwm *wm = data;
	wm->selections_dirty |= 1u << kind;
	xwm_flush_soon(wm);
}

static bool is_text(const struct xwm *wm, xcb_atom_t target)
{
	return target == wm->atoms[X_UTF8_STRING] || target == XCB_ATOM_STRING ||
	       target == wm->atoms[X_TEXT];
}

uint32_t xwm_selection_atoms(const struct x_selection *selection, xcb_atom_t *atoms)
{
	const struct xwm *wm = selection->wm;
	uint32_t n = 0;
	if (has_type(selection, UTF8_TYPE) || has_type(selection, TEXT_TYPE)) {
		atoms[n++] = wm->atoms[X_UTF8_STRING];
		atoms[n++] = XCB_ATOM_STRING;
		atoms[n++] = wm->atoms[X_TEXT];
	}
	for (int i = 0; i < selection->n_targets; i++) {
		const xcb_atom_t atom = selection->targets[i].atom;
		if (atom != XCB_ATOM_NONE && !is_text(wm, atom)) {
			atoms[n++] = atom;
		}
	}
	return n;
}

static const char *type_for(const struct x_selection *selection, xcb_atom_t target)
{
	for (int i = 0; i < selection->n_targets; i++) {
		if (selection->targets[i].atom == target) {
			return selection->targets[i].type;
		}
	}
	if (is_text(selection->wm, target)) {
		return has_type(selection, UTF8_TYPE)   ? UTF8_TYPE
		       : has_type(selection, TEXT_TYPE) ? TEXT_TYPE
							: NULL;
	}
	return NULL;
}

/* Sets the property of a request to values of 32 bits. */
static void set(struct xwm *wm, const xcb_selection_request_event_t *request, xcb_atom_t type,
	const uint32_t *values, uint32_t n)
{
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, request->requestor, request->property,
		type, 32, n, values);
}

/* Returns the selection that a request names and its requestor may read, or NULL. */
static struct x_selection *find_owned(
	struct x_selections *all, const xcb_selection_request_event_t *request)
{
	for (int kind = 0; kind < X_SELECTION_COUNT; kind++) {
		struct x_selection *selection = &all->kinds[kind];
		if (selection->atom == request->selection) {
			const bool allowed = !selection->drag ||
					     selection->drag->may_read(all->wm, request->requestor);
			return selection->owned && allowed ? selection : NULL;
		}
	}
	return NULL;
}

/* The time of a request may be XCB_TIME_CURRENT_TIME. */
static bool is_before(xcb_timestamp_t time, xcb_timestamp_t since)
{
	return time != XCB_TIME_CURRENT_TIME && (int32_t)(time - since) < 0;
}

/* Converts targets whose values are known. Returns false for others. */
static bool convert_facts(struct x_selections *all, const struct x_selection *selection,
	const xcb_selection_request_event_t *request)
{
	struct xwm *wm = all->wm;
	const xcb_timestamp_t since = selection ? selection->time : all->managing;
	if (request->target == wm->atoms[X_TARGETS]) {
		xcb_atom_t atoms[X_SELECTION_ATOMS_MAX + 4] = {
			wm->atoms[X_TARGETS], wm->atoms[X_TIMESTAMP], wm->atoms[X_MULTIPLE]};
		uint32_t n = 3;
		if (selection) {
			n += xwm_selection_atoms(selection, atoms + n);
		} else {
			atoms[n++] = wm->atoms[X_VERSION];
		}
		set(wm, request, XCB_ATOM_ATOM, atoms, n);
	} else if (request->target == wm->atoms[X_TIMESTAMP]) {
		set(wm, request, XCB_ATOM_INTEGER, &since, 1);
	} else if (request->target == wm->atoms[X_VERSION] && !selection) {
		const uint32_t version[2] = {2, 0}; /* of ICCCM */
		set(wm, request, XCB_ATOM_INTEGER, version, 2);
	} else {
		return false;
	}
	return true;
}

/* Starts to send data to a process, 0 if it is unknown. Returns false if that is refused. */
static bool send_to(struct x_selection *selection, const xcb_selection_request_event_t *request,
	const struct x_part *part, pid_t pid)
{
	const char *type = selection ? type_for(selection, request->target) : NULL;
	return type && xwm_outgoing_start(selection, request, part, type, pid);
}

static void handle_reader_pid(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_selections *all = data;
	const struct x_reader reader = all->readers[number];
	all->readers[number] = (struct x_reader){0};
	if (!send_to(find_owned(all, &reader.request), &reader.request, &reader.part,
		    xwm_client_pid_read(reply))) {
		xwm_selection_answer(wm, &reader.request, &reader.part, false);
	}
}

/* Asks for the process of a requestor. Returns false if that is impossible. */
static bool ask_reader_pid(struct x_selections *all, const xcb_selection_request_event_t *request,
	const struct x_part *part)
{
	uint32_t i = 0;
	while (i < X_TRANSFERS && all->readers[i].asked) {
		i++;
	}
	const unsigned sequence =
		i < X_TRANSFERS ? xwm_client_pid_ask(all->wm, request->requestor) : 0;
	if (!sequence) {
		return false;
	}
	all->readers[i] = (struct x_reader){true, *request, *part};
	xwm_reply_expect(all->wm, sequence, handle_reader_pid, all, i);
	return true;
}

static void convert(struct x_selections *all, const xcb_selection_request_event_t *request,
	const struct x_part *part)
{
	struct x_selection *selection = find_owned(all, request);
	if (convert_facts(all, selection, request)) {
		xwm_selection_answer(all->wm, request, part, true);
	} else if (!send_to(selection, request, part, 0) &&
		   (!selection || selection->drag || !ask_reader_pid(all, request, part))) {
		xwm_selection_answer(all->wm, request, part, false);
	}
}

static void handle_request(struct x_selections *all, xcb_selection_request_event_t *request)
{
	struct xwm *wm = all->wm;
	const struct x_selection *selection = find_owned(all, request);
	const bool manager = request->selection == wm->atoms[X_WM_S0] ||
			     request->selection == wm->atoms[X__NET_WM_CM_S0];
	const struct x_part none = {0};
	if (request->owner != wm->own || (!selection && !manager) ||
		is_before(request->time, selection ? selection->time : all->managing)) {
		xwm_selection_notify(wm, request, XCB_ATOM_NONE);
	} else if (request->target == wm->atoms[X_MULTIPLE]) {
		if (!xwm_multiple_start(all, request, convert)) {
			xwm_selection_notify(wm, request, XCB_ATOM_NONE);
		}
	} else {
		if (request->property == XCB_ATOM_NONE) {
			request->property = request->target; /* clients older than ICCCM */
		}
		convert(all, request, &none);
	}
}

/* Events */

/* Earlier owners may answer late. Some owners leave the time out. */
static bool is_of_owner(
	const struct x_selection *selection, const xcb_selection_notify_event_t *event)
{
	return selection->owner != XCB_WINDOW_NONE &&
	       (event->time == selection->targets_asked || event->time == XCB_CURRENT_TIME);
}

static void handle_notify(struct x_selections *all, const xcb_selection_notify_event_t *event)
{
	struct xwm *wm = all->wm;
	if (event->target != wm->atoms[X_TARGETS]) {
		xwm_incoming_converted(all, event);
		return;
	}
	for (int kind = 0; kind < X_SELECTION_COUNT; kind++) {
		struct x_selection *selection = &all->kinds[kind];
		if (selection->atom == event->selection && event->property != XCB_ATOM_NONE &&
			is_of_owner(selection, event)) {
			read_targets(selection, event->property);
		}
	}
}

bool xwm_selections_event(struct xwm *wm, xcb_generic_event_t *event)
{
	struct x_selections *all = wm->selections;
	void *any = event;
	const uint8_t type = event->response_type & 0x7f;
	if (type == XCB_SELECTION_REQUEST) {
		handle_request(all, any);
	} else if (type == XCB_SELECTION_NOTIFY) {
		handle_notify(all, any);
	} else if (wm->xfixes_event && type == wm->xfixes_event + XCB_XFIXES_SELECTION_NOTIFY) {
		const xcb_xfixes_selection_notify_event_t *notify = any;
		for (int kind = 0; kind < X_SELECTION_COUNT; kind++) {
			if (all->kinds[kind].atom == notify->selection) {
				handle_owner(&all->kinds[kind], notify);
			}
		}
		if (notify->selection == wm->atoms[X_WM_S0] && notify->owner == wm->own) {
			all->managing = notify->selection_timestamp;
		}
	} else {
		return false;
	}
	return true;
}

bool xwm_selections_property(struct xwm *wm, const xcb_property_notify_event_t *event)
{
	if (event->state == XCB_PROPERTY_DELETE) {
		return xwm_outgoing_property(wm->selections, event->window, event->atom);
	}
	if (event->window == wm->own) {
		xwm_incoming_property(wm->selections, event->atom);
	}
	return false;
}

void xwm_selections_create(struct xwm *wm, const struct x_selection_drag_impl *drag)
{
	static const enum x_atom properties[X_TRANSFERS] = {X__CAUSEWAY_DATA_0, X__CAUSEWAY_DATA_1,
		X__CAUSEWAY_DATA_2, X__CAUSEWAY_DATA_3, X__CAUSEWAY_DATA_4, X__CAUSEWAY_DATA_5,
		X__CAUSEWAY_DATA_6, X__CAUSEWAY_DATA_7};
	struct x_selections *all = xcalloc(1, sizeof(*all));
	wm->selections = all;
	all->wm = wm;
	wl_list_init(&all->multiples);
	all->task_quota = task_quota_create();
	for (int i = 0; i < X_TRANSFERS; i++) {
		all->incoming[i] =
			(struct x_incoming){.all = all, .property = wm->atoms[properties[i]]};
		all->outgoing[i] = (struct x_outgoing){.all = all, .fd = -1};
	}
	for (int kind = 0; kind < X_SELECTION_COUNT; kind++) {
		struct x_selection *selection = &all->kinds[kind];
		selection->wm = wm;
		selection->kind = (enum x_selection_kind)kind;
		selection->drag = kind == X_SELECTION_DRAG ? drag : NULL;
		selection->atom = kind == X_SELECTION_PRIMARY ? XCB_ATOM_PRIMARY
				  : kind == X_SELECTION_DRAG  ? wm->atoms[X_XdndSelection]
							      : wm->atoms[X_CLIPBOARD];
		if (wm->xfixes_event) {
			xcb_xfixes_select_selection_input(wm->x, wm->own, selection->atom,
				XCB_XFIXES_SELECTION_EVENT_MASK_SET_SELECTION_OWNER |
					XCB_XFIXES_SELECTION_EVENT_MASK_SELECTION_WINDOW_DESTROY |
					XCB_XFIXES_SELECTION_EVENT_MASK_SELECTION_CLIENT_CLOSE);
		}
	}
	wm->selections_dirty = (1u << X_SELECTION_COUNT) - 1;
}

void xwm_selections_destroy(struct xwm *wm)
{
	struct x_selections *all = wm->selections;
	if (!all) {
		return;
	}
	for (int i = 0; i < X_TRANSFERS; i++) {
		xwm_incoming_end(&all->incoming[i]);
		xwm_outgoing_end(&all->outgoing[i]);
	}
	xwm_multiples_drop(all);
	for (int kind = 0; kind < X_SELECTION_COUNT; kind++) {
		clear_targets(&all->kinds[kind]);
	}
	task_quota_release(all->task_quota);
	free(all);
	wm->selections = NULL;
}

const struct x_selection_wm_impl *xwm_selection_impl(void)
{
	static const struct x_selection_wm_impl impl = {
		.changed = handle_changed,
		.send = send_data,
	};
	return &impl;
}
