/* SPDX-License-Identifier: MIT */
/*
 * Home GPUs of client dma-bufs. Where the kernel's common code has exported a linear one, a thread
 * finds out whether it belongs to NVIDIA's driver; the buffer is pending until then.
 */

#include "buffer/buffer.h"
#include "content/device.h"
#include "copy/prover.h"
#include "gpu/gpu.h"
#include "gpu/home.h"
#include "gpu/quirks.h"
#include "linux_dmabuf.h"
#include "render/render.h"
#include "util/error.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Proves the homes of one client's buffers: fences of other clients cannot fill its queue. */
struct dmabuf_prover {
	struct dmabuf_prover *next;
	struct client *client; /* NULL once destroyed */
	struct copy_prover *prover;
	int n_proofs;
	struct linux_dmabuf *dmabuf;
	struct wl_listener client_destroy;
};

/* A proof whether the home of a pending buffer can map it. */
struct dmabuf_proof {
	struct wl_list link; /* linux_dmabuf.proofs */
	struct linux_dmabuf *dmabuf;
	struct dmabuf_prover *prover;
	struct client *client; /* NULL once destroyed */
	struct buffer *buffer;
	struct copy_proof *proof;
	struct wl_listener buffer_destroy, client_destroy;
};

/* Switches the client to the GPU chosen by the current rules, if it has started to render there. */
static void follow(struct linux_dmabuf *dmabuf, struct client *client, const struct gpu *home)
{
	if (!home || home != client->next_gpu || home == client->gpu) {
		return;
	}
	log_debug(LOG_GPU, "client %d switched to %s", (int)client->pid, home->bus_id);
	client->gpu = client->next_gpu;
	signal_emit(&dmabuf->protocols->events.client_gpu, client);
}

struct gpu *dmabuf_find_home(struct linux_dmabuf *dmabuf, const struct client *client,
	struct gpu *sampling, const struct dmabuf *planes, const char *exporter)
{
	struct gpu *announced = sampling ? sampling : client->gpu;
	if (!sampling && client->next_gpu && client->next_gpu != announced &&
		!format_set_has(&dmabuf_device_get(dmabuf, announced)->formats, planes->format,
			planes->modifier)) {
		announced = client->next_gpu; /* such a modifier was announced for that GPU only */
	}
	struct gpu *home = gpu_find_home(dmabuf->server->gpus, announced, exporter);
	int n;
	struct gpu *nvidia = gpu_list_find_nvidia(dmabuf->server->gpus, &n);
	bool common = exporter && strcmp(exporter, "drm") == 0;
	/* Of several GPUs that remain, NVIDIA's is the one whose driver fails without hanging. */
	return !home && common && planes->modifier == DRM_FORMAT_MOD_LINEAR ? nvidia : home;
}

/*
 * Linear buffers of NVIDIA's driver are told from those of other drivers by their exporter only if
 * that is not the kernel's common code. They are in video memory, which no other GPU can map.
 */
bool dmabuf_is_doubtful(const struct linux_dmabuf *dmabuf, const struct gpu *home,
	const struct dmabuf *planes, const char *exporter)
{
	int n;
	gpu_list_find_nvidia(dmabuf->server->gpus, &n);
	return n > 0 && (!exporter || strcmp(exporter, "drm") == 0) &&
	       planes->modifier == DRM_FORMAT_MOD_LINEAR && home && !gpu_is_nvidia(home);
}

/* Destroys the provers of clients that are gone, of which no proof is left; or all. */
static void destroy_provers(struct linux_dmabuf *dmabuf, bool all)
{
	struct dmabuf_prover **link = &dmabuf->provers, *prover;
	while ((prover = *link)) {
		if (!all && (prover->client || prover->n_proofs > 0)) {
			link = &prover->next;
			continue;
		}
		*link = prover->next;
		wl_list_remove(&prover->client_destroy.link);
		copy_prover_destroy(prover->prover);
		free(prover);
	}
}

static void handle_client_gone(struct wl_listener *listener, void *data)
{
	struct dmabuf_prover *prover = wl_container_of(listener, prover, client_destroy);
	wl_list_remove(&prover->client_destroy.link);
	wl_list_init(&prover->client_destroy.link);
	prover->client = NULL;
	destroy_provers(prover->dmabuf, false);
}

static struct dmabuf_prover *get_prover(struct linux_dmabuf *dmabuf, struct wl_client *wl_client)
{
	struct client *client = client_from_wl(wl_client);
	struct dmabuf_prover *prover = dmabuf->provers;
	while (prover && prover->client != client) {
		prover = prover->next;
	}
	if (prover) {
		return prover;
	}
	destroy_provers(dmabuf, false);
	prover = xcalloc(1, sizeof(*prover));
	*prover = (struct dmabuf_prover){
		.next = dmabuf->provers,
		.client = client,
		.prover = copy_prover_create(dmabuf->server->tasks),
		.dmabuf = dmabuf,
		.client_destroy.notify = handle_client_gone,
	};
	wl_client_add_destroy_listener(wl_client, &prover->client_destroy);
	dmabuf->provers = prover;
	return prover;
}

static void forget(struct dmabuf_proof *proof)
{
	proof->prover->n_proofs--;
	wl_list_remove(&proof->link);
	wl_list_remove(&proof->buffer_destroy.link);
	wl_list_remove(&proof->client_destroy.link);
	free(proof);
}

static void handle_buffer_destroy(struct wl_listener *listener, void *data)
{
	struct dmabuf_proof *proof = wl_container_of(listener, proof, buffer_destroy);
	copy_proof_cancel(proof->proof);
	forget(proof);
}

static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct dmabuf_proof *proof = wl_container_of(listener, proof, client_destroy);
	wl_list_remove(&proof->client_destroy.link);
	wl_list_init(&proof->client_destroy.link);
	proof->client = NULL;
}

/* Tests the import that waited for the proof. */
static void import_at_home(struct linux_dmabuf *dmabuf, struct buffer *buffer)
{
	struct renderer *renderer = dmabuf->server->device->renderer;
	buffer->unmappable |= renderer && buffer->home == server_display_gpu(dmabuf->server) &&
			      !renderer->impl->test_import(renderer, buffer_dmabuf(buffer));
}

/* Gives the buffer to the NVIDIA GPU if the result says so. */
static void apply(struct linux_dmabuf *dmabuf, struct buffer *buffer, int result)
{
	int n;
	struct gpu *nvidia = gpu_list_find_nvidia(dmabuf->server->gpus, &n);
	/*
	 * A failure that may pass proves nothing: a renderer that cannot map the memory would hang.
	 */
	if (!nvidia || !error_may_pass(result)) {
		import_at_home(dmabuf, buffer);
		return;
	}
	log_debug(LOG_GPU, "%s: no mapping of a linear dma-buf of %dx%d: taken for %s's: %s",
		buffer->home->bus_id, buffer->width, buffer->height, nvidia->bus_id,
		strerror(-result));
	buffer->home = nvidia;
	import_at_home(dmabuf, buffer);
}

static void handle_proven(void *data, int result)
{
	struct dmabuf_proof *proof = data;
	struct linux_dmabuf *dmabuf = proof->dmabuf;
	struct client *client = proof->client;
	struct buffer *buffer = buffer_lock(proof->buffer);
	forget(proof);
	apply(dmabuf, buffer, result);
	if (client) {
		follow(dmabuf, client, buffer->home);
	}
	buffer->pending = false;
	signal_emit(&buffer->events.known, buffer);
	buffer_unlock(buffer);
}

void dmabuf_prove_home(struct linux_dmabuf *dmabuf, struct wl_client *wl_client,
	struct buffer *buffer, const char *exporter)
{
	struct client *client = client_from_wl(wl_client);
	const struct dmabuf *planes = buffer_dmabuf(buffer);
	struct gpu *home = buffer->home;
	if (!dmabuf_is_doubtful(dmabuf, home, planes, exporter)) {
		follow(dmabuf, client, home);
		return;
	}
	struct dmabuf_prover *prover = get_prover(dmabuf, wl_client);
	struct dmabuf_proof *proof = xcalloc(1, sizeof(*proof));
	int result = copy_prover_start(
		prover->prover, home, planes, handle_proven, proof, &proof->proof);
	if (result != -EINPROGRESS) {
		free(proof);
		apply(dmabuf, buffer, result);
		follow(dmabuf, client, buffer->home);
		return;
	}
	buffer->pending = true;
	proof->dmabuf = dmabuf;
	proof->prover = prover;
	prover->n_proofs++;
	proof->client = client;
	proof->buffer = buffer;
	signal_add(&buffer->events.destroy, &proof->buffer_destroy, handle_buffer_destroy);
	proof->client_destroy.notify = handle_client_destroy;
	wl_client_add_destroy_listener(wl_client, &proof->client_destroy);
	wl_list_insert(&dmabuf->proofs, &proof->link);
}

void dmabuf_proofs_finish(struct linux_dmabuf *dmabuf)
{
	struct dmabuf_proof *proof, *next;
	wl_list_for_each_safe (proof, next, &dmabuf->proofs, link) {
		copy_proof_cancel(proof->proof);
		forget(proof);
	}
	destroy_provers(dmabuf, true);
}
