/* SPDX-License-Identifier: MIT */
/* xdg_activation_v1: tokens by which one program transfers the user's focus to another. */

#include "seat/seat.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "surface/surface.h"
#include "util/random_name.h"
#include "util/xalloc.h"
#include "xdg-activation-v1-protocol.h"
#include "xdg.h"
#include <stdlib.h>
#include <string.h>

/**
 * Maximum number of unused tokens, in total and per client. Beyond it the oldest is dropped,
 * starting with tokens without the right to take the focus.
 */
#define TOKENS_MAX 256
#define CLIENT_TOKENS_MAX 32
/** Lifetime (ns) of a token: the time for a program to start. */
#define LIFETIME INT64_C(60000000000)

struct activation {
	struct protocols *protocols;
	struct wl_list tokens; /* token.link, newest first */
	int n_tokens;
	struct wl_listener destroy;
};

struct token {
	struct wl_list link;
	char name[RANDOM_NAME_SIZE];
	const struct client
		*owner; /* compared only; NULL: the compositor, or a client that is gone */
	bool allowed; /* the token may take the focus; otherwise it only requests attention */
	int64_t created;
	struct wl_listener owner_destroy;
};

/** A token that a client is preparing. */
struct request {
	struct activation *activation;
	struct seat *seat; /* NULL: no serial was given */
	uint32_t serial;
	bool has_serial, used;
};

/* Tokens */

static void drop(struct activation *activation, struct token *token)
{
	wl_list_remove(&token->owner_destroy.link);
	wl_list_remove(&token->link);
	activation->n_tokens--;
	free(token);
}

/* A launcher may end before the program that it started uses the token. */
static void handle_owner_destroy(struct wl_listener *listener, void *data)
{
	struct token *token = wl_container_of(listener, token, owner_destroy);
	token->owner = NULL;
	wl_list_remove(&token->owner_destroy.link);
	wl_list_init(&token->owner_destroy.link);
}

/*
 * Drops the oldest token without the right to the focus, or, with `allowed`, the oldest of all if
 * there is no such token. `owner` NULL: any owner. Returns false if none was dropped.
 */
static bool evict(struct activation *activation, const struct client *owner, bool allowed)
{
	struct token *token, *victim = NULL;
	wl_list_for_each_reverse (token, &activation->tokens, link) {
		if (owner && token->owner != owner) {
			continue;
		}
		if (!token->allowed) {
			victim = token;
			break;
		}
		if (allowed && !victim) {
			victim = token;
		}
	}
	if (victim) {
		drop(activation, victim);
	}
	return victim;
}

static int count_tokens(const struct activation *activation, const struct client *owner)
{
	const struct token *token;
	int n = 0;
	wl_list_for_each (token, &activation->tokens, link) {
		n += token->owner == owner;
	}
	return n;
}

/* Returns false if a token without the right to the focus would replace one that has it. */
static bool make_room(struct activation *activation, const struct client *owner, bool allowed)
{
	if (owner && count_tokens(activation, owner) >= CLIENT_TOKENS_MAX) {
		return evict(activation, owner, allowed);
	}
	return activation->n_tokens < TOKENS_MAX || evict(activation, NULL, allowed);
}

/*
 * Creates a token. `wl_client` NULL: for the compositor itself. If there is no room, `name` gets a
 * random name without a token.
 */
static void make_token(struct activation *activation, struct wl_client *wl_client, bool allowed,
	char name[static RANDOM_NAME_SIZE])
{
	const struct client *owner = wl_client ? client_from_wl(wl_client) : NULL;
	random_name(name);
	if (!make_room(activation, owner, allowed)) {
		return;
	}
	struct token *token = xcalloc(1, sizeof(*token));
	memcpy(token->name, name, sizeof(token->name));
	token->owner = owner;
	token->allowed = allowed;
	token->created = clock_now(activation->protocols->server->clock);
	token->owner_destroy.notify = handle_owner_destroy;
	wl_list_init(&token->owner_destroy.link);
	if (wl_client) {
		wl_client_add_destroy_listener(wl_client, &token->owner_destroy);
	}
	wl_list_insert(&activation->tokens, &token->link);
	activation->n_tokens++;
}

char *activation_token_create(struct protocols *protocols)
{
	char name[RANDOM_NAME_SIZE];
	make_token(protocols->activation, NULL, true, name);
	return xstrdup(name);
}

static struct token *find(struct activation *activation, const char *name)
{
	struct token *token;
	wl_list_for_each (token, &activation->tokens, link) {
		if (strcmp(token->name, name) == 0) {
			return token;
		}
	}
	return NULL;
}

/* Returns true if the serial is of user input to the client and the client has the focus. */
static bool is_allowed(const struct request *request, const struct client *client)
{
	struct seat *seat = request->seat;
	return seat && request->has_serial && seat_validate_serial(seat, request->serial) &&
	       seat_has_focus(seat, client);
}

/* xdg_activation_token_v1 */

/* Returns NULL after posting an error. */
static struct request *unused(struct wl_resource *resource)
{
	struct request *request = wl_resource_get_user_data(resource);
	if (request->used) {
		wl_resource_post_error(resource, XDG_ACTIVATION_TOKEN_V1_ERROR_ALREADY_USED,
			"the token is already committed");
		return NULL;
	}
	return request;
}

static void handle_set_serial(struct wl_client *client, struct wl_resource *resource,
	uint32_t serial, struct wl_resource *seat)
{
	struct request *request = unused(resource);
	if (request) {
		request->seat = seat_from_resource(seat);
		request->serial = serial;
		request->has_serial = true;
	}
}

/* App ID and surface are ignored: the right to the focus depends on user input. */
static void handle_set_app_id(
	struct wl_client *client, struct wl_resource *resource, const char *app_id)
{
	unused(resource);
}

static void handle_set_surface(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *surface)
{
	unused(resource);
}

static void handle_commit(struct wl_client *client, struct wl_resource *resource)
{
	struct request *request = unused(resource);
	if (!request) {
		return;
	}
	request->used = true;
	bool allowed = is_allowed(request, client_from_wl(client));
	char name[RANDOM_NAME_SIZE];
	make_token(request->activation, client, allowed, name);
	xdg_activation_token_v1_send_done(resource, name);
}

static const struct xdg_activation_token_v1_interface token_impl = {
	.set_serial = handle_set_serial,
	.set_app_id = handle_set_app_id,
	.set_surface = handle_set_surface,
	.commit = handle_commit,
	.destroy = resource_handle_destroy,
};

static void handle_token_destroy(struct wl_resource *resource)
{
	free(wl_resource_get_user_data(resource));
}

/* xdg_activation_v1 */

static void handle_get_token(struct wl_client *client, struct wl_resource *manager, uint32_t id)
{
	struct request *request = xcalloc(1, sizeof(*request));
	struct wl_resource *resource = resource_create_child(manager,
		&xdg_activation_token_v1_interface, id, &token_impl, request, handle_token_destroy);
	if (!resource) {
		return;
	}
	request->activation = wl_resource_get_user_data(manager);
}

/* Returns true if the user has gone on to type into a window of another program. */
static bool interrupts(const struct shell *shell, const struct token *token)
{
	const struct client *focused = shell->focus ? shell->focus->surface->client : NULL;
	return token->owner && token->owner != focused && shell_is_typing(shell);
}

/* Uses up a token. Returns whether it may take the focus. */
static bool redeem(struct activation *activation, struct token *token)
{
	int64_t now = clock_now(activation->protocols->server->clock);
	bool allowed = token->allowed && now - token->created < LIFETIME &&
		       !interrupts(activation->protocols->server->shell, token);
	drop(activation, token);
	return allowed;
}

bool activation_token_redeem(struct protocols *protocols, const char *name)
{
	struct token *token = find(protocols->activation, name);
	return token && redeem(protocols->activation, token);
}

static void handle_activate(struct wl_client *client, struct wl_resource *manager, const char *name,
	struct wl_resource *surface_resource)
{
	struct activation *activation = wl_resource_get_user_data(manager);
	struct surface *surface = surface_from_resource(surface_resource);
	struct token *token = find(activation, name);
	bool allowed = token && redeem(activation, token);
	struct window *window = surface ? window_from_surface(surface) : NULL;
	if (window && token) {
		window_activate(window, allowed);
	}
}

static const struct xdg_activation_v1_interface impl = {
	.destroy = resource_handle_destroy,
	.get_activation_token = handle_get_token,
	.activate = handle_activate,
};

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct activation *activation = wl_container_of(listener, activation, destroy);
	struct token *token, *next;
	wl_list_for_each_safe (token, next, &activation->tokens, link) {
		drop(activation, token);
	}
	activation->protocols->activation = NULL;
	wl_list_remove(&activation->destroy.link);
	free(activation);
}

void xdg_activation_create(struct protocols *protocols)
{
	struct activation *activation = xcalloc(1, sizeof(*activation));
	activation->protocols = protocols;
	wl_list_init(&activation->tokens);
	signal_add(&protocols->events.destroy, &activation->destroy, handle_protocols_destroy);
	protocols->activation = activation;
	protocols_add_global(
		protocols, &xdg_activation_v1_interface, 1, &impl, activation, GLOBAL_PUBLIC);
}
