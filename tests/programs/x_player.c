/* SPDX-License-Identifier: MIT */
/*
 * x_player SEED N: a hostile X program. Performs N random actions: properties of any type, format
 * and size, forged messages and events, and windows that come and go.
 */

#include "x_clicks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define WINDOWS 12
/** Actions between two looks at the stacking order. */
#define LOOK 250
#define BYTES_MAX 4096
/** The largest property, which is rare. */
#define HUGE (16u << 20)

static const char *const names[] = {
	"WM_NAME",
	"_NET_WM_NAME",
	"WM_CLASS",
	"WM_PROTOCOLS",
	"WM_HINTS",
	"WM_NORMAL_HINTS",
	"WM_TRANSIENT_FOR",
	"WM_STATE",
	"_NET_WM_WINDOW_TYPE",
	"_MOTIF_WM_HINTS",
	"_NET_WM_SYNC_REQUEST_COUNTER",
	"_NET_WM_STRUT_PARTIAL",
	"_NET_WM_STRUT",
	"_NET_STARTUP_ID",
	"_NET_WM_STATE",
	"_NET_WM_USER_TIME",
	"_NET_WM_ICON",
	"_NET_FRAME_EXTENTS",
	"_XWAYLAND_ALLOW_COMMITS",
	"_XWAYLAND_RANDR_EMU_MONITOR_RECTS",
	"XdndAware",
	"XdndTypeList",
};

static const char *const messages[] = {
	"WL_SURFACE_ID",
	"WL_SURFACE_SERIAL",
	"WM_PROTOCOLS",
	"WM_CHANGE_STATE",
	"_NET_WM_STATE",
	"_NET_ACTIVE_WINDOW",
	"_NET_WM_MOVERESIZE",
	"_NET_MOVERESIZE_WINDOW",
	"_NET_CLOSE_WINDOW",
	"_NET_REQUEST_FRAME_EXTENTS",
	"_NET_WM_PING",
	"_NET_WM_SYNC_REQUEST",
	"_NET_STARTUP_INFO_BEGIN",
	"XdndEnter",
	"XdndPosition",
	"XdndStatus",
	"XdndLeave",
	"XdndDrop",
	"XdndFinished",
};

static const char *const values[] = {
	"WM_DELETE_WINDOW",
	"WM_TAKE_FOCUS",
	"_NET_WM_PING",
	"_NET_WM_SYNC_REQUEST",
	"_NET_WM_STATE_FULLSCREEN",
	"_NET_WM_STATE_MAXIMIZED_HORZ",
	"_NET_WM_STATE_MAXIMIZED_VERT",
	"_NET_WM_STATE_MODAL",
	"_NET_WM_STATE_ABOVE",
	"_NET_WM_STATE_HIDDEN",
	"_NET_WM_WINDOW_TYPE_DOCK",
	"_NET_WM_WINDOW_TYPE_DIALOG",
	"_NET_WM_WINDOW_TYPE_MENU",
	"UTF8_STRING",
	"STRING",
	"ATOM",
	"CARDINAL",
	"WINDOW",
	"INCR",
	"TARGETS",
	"CLIPBOARD",
	"PRIMARY",
};

struct player {
	struct x_client *client;
	xcb_window_t windows[WINDOWS];
	xcb_atom_t names[N(names)], messages[N(messages)], values[N(values)];
	uint64_t state;
	bool had_huge;
};

/* xorshift64*: the same actions for the same seed. */
static uint32_t draw(struct player *player, uint32_t n)
{
	player->state ^= player->state >> 12;
	player->state ^= player->state << 25;
	player->state ^= player->state >> 27;
	return (uint32_t)((player->state * UINT64_C(2685821657736338717)) >> 32) % n;
}

static xcb_window_t any_window(struct player *player)
{
	switch (draw(player, 12)) {
	case 0: return player->client->root;
	case 1: return XCB_NONE;
	case 2: return player->windows[0] ^ 0x200000; /* perhaps another client's */
	default: return player->windows[draw(player, WINDOWS)];
	}
}

static uint32_t any_value(struct player *player)
{
	static const uint32_t extremes[] = {0, 1, 2, 3, 8, 11, 32767, 32768, 65535, 1u << 26,
		INT32_MAX, 1u << 31, UINT32_MAX - 1, UINT32_MAX};
	switch (draw(player, 4)) {
	case 0: return player->values[draw(player, N(values))];
	case 1: return any_window(player);
	case 2: return draw(player, 1000);
	default: return extremes[draw(player, N(extremes))];
	}
}

static void change_property(struct player *player)
{
	const uint8_t formats[] = {8, 16, 32};
	const uint8_t format = formats[draw(player, 3)];
	const bool huge = !player->had_huge && draw(player, 200) == 0;
	size_t size = huge ? HUGE - 64 : draw(player, draw(player, 8) == 0 ? BYTES_MAX : 80);
	uint32_t *bytes = calloc(size / 4 + 1, 4);
	X_CHECK(bytes);
	for (size_t i = 0; i < size / 4 && i < BYTES_MAX; i++) {
		bytes[i] = any_value(player);
	}
	player->had_huge = player->had_huge || huge;
	xcb_change_property(player->client->x, (uint8_t)draw(player, 3),
		player->windows[draw(player, WINDOWS)], player->names[draw(player, N(names))],
		player->values[draw(player, N(values))], format, (uint32_t)(size / (format / 8u)),
		bytes);
	free(bytes);
}

static void send_message(struct player *player)
{
	xcb_client_message_event_t message = {
		.response_type = XCB_CLIENT_MESSAGE,
		.format = draw(player, 8) == 0 ? 8 : 32,
		.window = any_window(player),
		.type = player->messages[draw(player, N(messages))],
	};
	for (int i = 0; i < 5; i++) {
		message.data.data32[i] = any_value(player);
	}
	xcb_send_event(player->client->x, 0, player->client->root,
		XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT,
		(const char *)&message);
}

static void send_event(struct player *player)
{
	uint32_t bytes[8];
	for (int i = 0; i < 8; i++) {
		bytes[i] = any_value(player);
	}
	bytes[0] = (bytes[0] & 0xffffff00u) | (2 + draw(player, 125));
	xcb_send_event(player->client->x, 0, player->client->root,
		XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT,
		(const char *)bytes);
}

static void configure(struct player *player)
{
	uint32_t numbers[7];
	const uint16_t mask = (uint16_t)draw(player, 128);
	int n = 0;
	for (int i = 0; i < 7; i++) {
		if (mask & 1 << i) {
			numbers[n++] = i == 5   ? any_window(player)
				       : i == 6 ? draw(player, 5)
						: any_value(player) & 0x7ff;
		}
	}
	xcb_configure_window(
		player->client->x, player->windows[draw(player, WINDOWS)], mask, numbers);
}

static void replace_window(struct player *player)
{
	xcb_window_t *window = &player->windows[draw(player, WINDOWS)];
	if (*window) {
		xcb_destroy_window(player->client->x, *window);
	}
	*window = x_window(player->client, (int)draw(player, 900), (int)draw(player, 700),
		1 + (int)draw(player, 400), 1 + (int)draw(player, 300));
	xcb_map_window(player->client->x, *window);
}

static void change_window(struct player *player)
{
	xcb_connection_t *x = player->client->x;
	const xcb_window_t window = player->windows[draw(player, WINDOWS)];
	switch (draw(player, 7)) {
	case 0: xcb_map_window(x, window); break;
	case 1: xcb_unmap_window(x, window); break;
	case 2:
		xcb_change_window_attributes(
			x, window, XCB_CW_OVERRIDE_REDIRECT, (uint32_t[]){draw(player, 2)});
		break;
	case 3: xcb_reparent_window(x, window, any_window(player), 5, 5); break;
	case 4:
		xcb_set_input_focus(x, XCB_INPUT_FOCUS_PARENT, window, XCB_TIME_CURRENT_TIME);
		break;
	case 5:
		xcb_set_selection_owner(
			x, window, player->values[draw(player, N(values))], XCB_TIME_CURRENT_TIME);
		break;
	default:
		xcb_convert_selection(x, window, player->values[draw(player, N(values))],
			player->values[draw(player, N(values))],
			player->names[draw(player, N(names))], XCB_TIME_CURRENT_TIME);
		break;
	}
}

static void play(struct player *player)
{
	static void (*const actions[])(struct player * player) = {change_property, change_property,
		send_message, send_message, send_event, configure, replace_window, change_window};
	actions[draw(player, N(actions))](player);
}

static void find_atoms(
	struct x_client *client, const char *const *texts, xcb_atom_t *atoms, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		atoms[i] = x_atom(client, texts[i]);
	}
}

int main(int argc, char **argv)
{
	struct player player = {.client = x_connect()};
	X_CHECK(argc == 3);
	player.state = strtoul(argv[1], NULL, 10) * 2 + 1;
	find_atoms(player.client, names, player.names, N(names));
	find_atoms(player.client, messages, player.messages, N(messages));
	find_atoms(player.client, values, player.values, N(values));
	for (int i = 0; i < WINDOWS; i++) {
		replace_window(&player);
	}
	const unsigned long n = strtoul(argv[2], NULL, 10);
	for (unsigned long i = 0; i < n; i++) {
		play(&player);
		if (i % 64 == 0) {
			x_dispatch(player.client);
		}
		if (i % LOOK == LOOK - 1) {
			xcb_flush(player.client->x);
			x_check_clicks(player.client);
		}
	}
	/* The window manager may have closed this program as it was asked to. */
	xcb_flush(player.client->x);
	x_disconnect(player.client);
	return EXIT_SUCCESS;
}
