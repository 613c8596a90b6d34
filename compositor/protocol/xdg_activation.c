/* xdg_activation_v1: one program vouches that the user means another one to have the focus. */

#include "seat/seat.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include "xdg-activation-v1-protocol.h"
#include "xdg.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/** Unused tokens that are kept. At either limit the oldest goes, one without the right to the focus first. */
#define TOKENS_MAX 256
#define CLIENT_TOKENS_MAX 32
/** ns that a program has to start in. */
#define LIFETIME INT64_C(60000000000)

struct activation {
	struct protocols *protocols;
	struct wl_list tokens; /* token.link, newest first */
	int n_tokens;
	struct wl_listener destroy;
};

#define TOKEN_NAME_SIZE 33

struct token {
	struct wl_list link;
	char name[TOKEN_NAME_SIZE];
	const struct client
		*owner; /* compared only; NULL: the compositor, or a client that is gone */
	bool allowed; /* to take the focus; else it can only ask for attention */
	int64_t created;
	struct wl_listener owner_destroy;
};

/** A client puts a token together. */
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
 * Drops the oldest token without the right to the focus, else the oldest one if `allowed`; of `owner`, or
 * of any if NULL. Returns false if there is none.
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

/* Returns false where a token without the right would take the place of one that has it. */
static bool make_room(struct activation *activation, const struct client *owner, bool allowed)
{
	if (owner && count_tokens(activation, owner) >= CLIENT_TOKENS_MAX) {
		return evict(activation, owner, allowed);
	}
	return activation->n_tokens < TOKENS_MAX || evict(activation, NULL, allowed);
}

static void make_name(char name[static TOKEN_NAME_SIZE])
{
	uint8_t bytes[(TOKEN_NAME_SIZE - 1) / 2];
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) {
		abort(); /* cannot be: no more than 256 bytes, no flags */
	}
	for (size_t i = 0; i < sizeof(bytes); i++) {
		snprintf(name + 2 * i, 3, "%02x", bytes[i]);
	}
}

/* `wl_client` is NULL for the compositor's own. A token without a place gets a name that means nothing. */
static void make_token(struct activation *activation, struct wl_client *wl_client, bool allowed,
	char name[static TOKEN_NAME_SIZE])
{
	const struct client *owner = wl_client ? client_from_wl(wl_client) : NULL;
	make_name(name);
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
	char name[TOKEN_NAME_SIZE];
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

/* Did the user do something with this client, and is the client what the user looks at? */
static bool is_allowed(const struct request *request, const struct client *client)
{
	struct seat *seat = request->seat;
	return seat && request->has_serial && seat_validate_serial(seat, request->serial) &&
	       seat_has_focus(seat, client);
}

/* xdg_activation_token_v1 */

/* NULL after an error. */
static struct request *unused(struct wl_resource *resource)
{
	struct request *request = wl_resource_get_user_data(resource);
	if (request->used) {
		wl_resource_post_error(resource, XDG_ACTIVATION_TOKEN_V1_ERROR_ALREADY_USED,
			"the token was committed already");
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

/* Both say who asks; what counts is whom the user works with. */
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
	char name[TOKEN_NAME_SIZE];
	make_token(request->activation, client, allowed, name);
	xdg_activation_token_v1_send_done(resource, name);
}

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static const struct xdg_activation_token_v1_interface token_impl = {
	.set_serial = handle_set_serial,
	.set_app_id = handle_set_app_id,
	.set_surface = handle_set_surface,
	.commit = handle_commit,
	.destroy = handle_destroy,
};

static void handle_token_destroy(struct wl_resource *resource)
{
	free(wl_resource_get_user_data(resource));
}

/* xdg_activation_v1 */

static void handle_get_token(struct wl_client *client, struct wl_resource *manager, uint32_t id)
{
	struct wl_resource *resource = wl_resource_create(
		client, &xdg_activation_token_v1_interface, wl_resource_get_version(manager), id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	struct request *request = xcalloc(1, sizeof(*request));
	request->activation = wl_resource_get_user_data(manager);
	wl_resource_set_implementation(resource, &token_impl, request, handle_token_destroy);
}

static void handle_activate(struct wl_client *client, struct wl_resource *manager, const char *name,
	struct wl_resource *surface_resource)
{
	struct activation *activation = wl_resource_get_user_data(manager);
	struct surface *surface = surface_from_resource(surface_resource);
	struct token *token = find(activation, name);
	int64_t now = clock_now(activation->protocols->server->clock);
	bool allowed = token && token->allowed && now - token->created < LIFETIME;
	struct window *window = surface ? window_from_surface(surface) : NULL;
	if (token) {
		drop(activation, token);
	}
	if (window && token) {
		window_activate(window, allowed);
	}
}

static const struct xdg_activation_v1_interface impl = {
	.destroy = handle_destroy,
	.get_activation_token = handle_get_token,
	.activate = handle_activate,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &xdg_activation_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &impl, data, NULL);
}

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
	activation->destroy.notify = handle_protocols_destroy;
	wl_signal_add(&protocols->events.destroy, &activation->destroy);
	protocols->activation = activation;
	protocols_add_global(
		protocols, &xdg_activation_v1_interface, 1, activation, bind, GLOBAL_PUBLIC);
}
