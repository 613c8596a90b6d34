/* SPDX-License-Identifier: MIT */
/*
 * Facts of a route, gathered from surface, buffer and device for the decisions in route.c. Costs
 * are measurements of the GPU pair, or published ones as long as there are none.
 */

#include "route_facts.h"
#include "buffer/shm.h"
#include "buffer/udmabuf.h"
#include "content/device.h"
#include "copies.h"
#include "copy/copier.h"
#include "gpu/gpu.h"
#include "gpu/quirks.h"
#include "internal.h"
#include "util/region.h"
#include <stdio.h>
#include <string.h>

/* Each damage is drawn into each buffer of an output's swapchain in turn: usually two. */
#define REPAINTS 2

/* Bytes per pixel if the client's buffer, and with it the format, is already released. */
#define USUAL_PIXEL 4

#define PAIR_MAX 64

static void name_pair(char pair[static PAIR_MAX], const struct gpu *gpu, const char *to)
{
	snprintf(pair, PAIR_MAX, "%04x:%04x>%s", gpu->vendor, gpu->device, to);
}

static const char *other_end(enum cost_kind kind)
{
	return kind == COST_UPLOAD ? "cpu" : "itself";
}

void route_learn(struct render_device *device, enum cost_kind kind, uint64_t bytes, int64_t took)
{
	unsigned *learned = &content_device_from(device)->learned;
	if (*learned & 1u << kind || !device->gpu || !device->copier || bytes == 0 || took <= 0) {
		return;
	}
	struct cost_table *costs = &device->copier->costs;
	char pair[PAIR_MAX];
	name_pair(pair, device->gpu, other_end(kind));
	cost_table_add(
		costs, pair, kind, COST_IN, bytes, 1, took, clock_now(device->copier->clock));
	if (cost_table_knows(costs, pair, kind, COST_IN)) {
		*learned |= 1u << kind;
	}
}

static void take_line(struct cost_line *line, struct render_device *device, const struct gpu *gpu,
	const char *to, enum cost_kind kind, enum cost_direction direction)
{
	struct cost_table *costs = &device->copier->costs;
	char pair[PAIR_MAX];
	name_pair(pair, gpu, to);
	if (cost_table_knows(costs, pair, kind, direction)) {
		*line = *cost_table_get(costs, pair, kind, direction);
	}
}

/* Computes the rates, with measurements of the actual GPUs where available. */
static void find_rates(
	struct render_device *device, const struct gpu *home, struct route_rates *rates)
{
	static const enum cost_kind engines[] = {
		COST_CPU, COST_GRAPHICS, COST_COMPUTE, COST_TRANSFER, COST_SDMA};
	const struct gpu *reader = device->gpu;
	route_rates_default(rates, reader && !reader->integrated);
	if (!device->copier) {
		return;
	}
	if (reader) {
		take_line(&rates->upload, device, reader, other_end(COST_UPLOAD), COST_UPLOAD,
			COST_IN);
		take_line(&rates->draw, device, reader, other_end(COST_DRAW), COST_DRAW, COST_IN);
	}
	const char *to = !reader ? "cpu" : reader->integrated ? "integrated" : "discrete";
	for (size_t i = 0; home && i < sizeof(engines) / sizeof(engines[0]); i++) {
		/* The engines are ordered from slow to fast: the last measured one counts. */
		take_line(&rates->copy, device, home, to, engines[i], COST_OUT);
	}
}

const struct cost_line *route_upload_cost(struct render_device *device)
{
	char pair[PAIR_MAX];
	if (!device->gpu || !device->copier) {
		return NULL;
	}
	struct cost_table *costs = &device->copier->costs;
	name_pair(pair, device->gpu, other_end(COST_UPLOAD));
	return cost_table_knows(costs, pair, COST_UPLOAD, COST_IN)
		       ? cost_table_get(costs, pair, COST_UPLOAD, COST_IN)
		       : NULL;
}

static bool is_asleep(const struct gpu *gpu)
{
	char state[GPU_POWER_SIZE];
	return gpu && gpu_read_power(gpu, state) && strcmp(state, "suspended") == 0;
}

uint64_t route_cpu_pixels(struct render_device *device, uint64_t pixels)
{
	struct route_facts facts = {
		.visible = true,
		.has_content = true,
		.discrete = device->gpu && !device->gpu->integrated,
		.shared = true,
		.barred = REASON_SYSTEM_MEMORY,
		.pixel = USUAL_PIXEL,
		.n_rectangles = 1,
	};
	struct route_rates rates;
	struct route_options options;
	find_rates(device, NULL, &rates);
	for (; pixels > 0; pixels /= 2) {
		facts.changed = pixels;
		facts.drawn = REPAINTS * pixels;
		route_weigh(&facts, &rates, &options);
		if (route_cheapest(&options) == SOURCE_CPU_READ) {
			break;
		}
	}
	return pixels;
}

/* Returns whether the device's renderer may read a buffer of another GPU. */
static bool reads_foreign(const struct gpu *own, struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	return (!dmabuf || dmabuf->modifier == DRM_FORMAT_MOD_LINEAR) && !buffer->unmappable &&
	       (!buffer->home || buffer->home == own ||
		       (gpu_shares_linear_memory(buffer->home) && gpu_samples_foreign_memory(own)));
}

bool route_reads_in_place(const struct render_device *device, const struct buffer *buffer)
{
	const struct renderer *renderer = device->renderer;
	return renderer->cpu ||
	       format_set_has(&renderer->texture_formats, buffer->format, DRM_FORMAT_MOD_LINEAR);
}

bool route_may_use_udmabuf(struct render_device *device, struct buffer *buffer)
{
	return device->renderer && !content_device_from(device)->no_udmabuf && device->clock &&
	       (device->renderer->cpu || gpu_samples_cpu_writes(device->gpu)) &&
	       udmabuf_suits(buffer) && route_reads_in_place(device, buffer);
}

static bool takes(const struct render_device *device, struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	if (buffer_is_shm(buffer)) {
		return route_may_use_udmabuf((struct render_device *)device, buffer);
	}
	return dmabuf && device->renderer &&
	       format_set_has(&device->renderer->texture_formats, dmabuf->format, dmabuf->modifier);
}

/* Adds the facts of the buffer. `refused`: why it cannot be copied, or NULL. */
static void find_buffer_facts(const struct render_device *device, struct buffer *buffer,
	const char *refused, struct route_facts *facts)
{
	const struct gpu *own = device->gpu ? device->gpu : device->display;
	float color[4];
	facts->color = buffer_color(buffer, color);
	facts->dmabuf = buffer_dmabuf(buffer);
	facts->linear = reads_foreign(own, buffer);
	facts->foreign = buffer->home && buffer->home != own;
	facts->copies = facts->foreign && device->copier && !refused;
}

/*
 * Gathers the facts of buffer and device that route_choose() needs. `content`: of both; NULL: none.
 */
static void find_facts(const struct render_device *device, const struct surface *surface,
	const struct content *content, struct route_facts *facts)
{
	struct buffer *buffer = surface->current.buffer;
	*facts = (struct route_facts){
		.has_content = surface_has_content(surface),
		.cpu_renderer = device->renderer && device->renderer->cpu,
		.discrete = device->gpu && !device->gpu->integrated,
		.udmabuf = content && content->pool.buffer,
		.pixel = USUAL_PIXEL,
		.n_rectangles = 1,
	};
	if (!buffer) {
		/* The client's buffer was released: all of its pixels were copied, or uploaded. */
		facts->dmabuf = facts->foreign = facts->copies = content && content->copy;
		return;
	}
	find_buffer_facts(device, buffer, content ? content->refused : NULL, facts);
}

enum route_source content_choose(const struct content *content)
{
	struct route_facts facts;
	find_facts(content->device, content->surface, content, &facts);
	facts.copies |= content->waits;
	return route_choose(&facts);
}

/* Gathers the facts of a buffer that the surface does not show yet. */
static void find_next_facts(
	const struct content *content, struct buffer *buffer, struct route_facts *facts)
{
	*facts = (struct route_facts){
		.has_content = true,
		.cpu_renderer = content->device->renderer && content->device->renderer->cpu,
	};
	find_buffer_facts(content->device, buffer, NULL, facts);
}

enum route_source content_choose_next(const struct content *content, struct buffer *buffer)
{
	struct route_facts facts;
	find_next_facts(content, buffer, &facts);
	return route_choose(&facts);
}

enum route_source content_choose_uncopied(const struct content *content, struct buffer *buffer)
{
	struct route_facts facts;
	find_next_facts(content, buffer, &facts);
	facts.copies = false;
	return route_choose(&facts);
}

enum route_source content_source(struct render_device *device, const struct surface *surface)
{
	const struct content *content = content_find((struct surface *)surface, device);
	struct route_facts facts;
	find_facts(device, surface, content, &facts);
	enum route_source source = route_choose(&facts);
	return source == SOURCE_UPLOAD && content && content_has_shadow(content) ? SOURCE_CPU_READ
										 : source;
}

/* Gathers the facts for the costs, too. */
static void find_all_facts(
	struct render_device *device, const struct surface *surface, struct route_facts *facts)
{
	struct buffer *buffer = surface->current.buffer;
	const struct content *content = content_find((struct surface *)surface, device);
	find_facts(device, surface, content, facts);
	if (buffer) {
		const struct pixel_format *format = pixel_format_get(buffer->format);
		facts->imports = takes(device, buffer);
		facts->failed = content && content->unreadable && facts->dmabuf;
		facts->pixel = format ? pixel_format_pixel_bytes(format) : USUAL_PIXEL;
	}
}

/*
 * Estimates the pixels changed per update: the average of uploads and copies per frame so far, else
 * all visible ones.
 */
static void find_damage(
	const struct surface *surface, const struct scene_entry *entry, struct route_facts *facts)
{
	uint64_t moved = surface->bytes_uploaded + surface->bytes_copied;
	pixman_region32_t pixels;
	pixman_region32_init(&pixels);
	scene_entry_to_buffer(entry, &pixels, &entry->visible);
	uint64_t seen = (uint64_t)region_area(&pixels);
	uint64_t shown = (uint64_t)region_area(&entry->visible);
	facts->changed = seen;
	if (moved > 0 && surface->n_shown > 0) {
		uint64_t average = moved / surface->n_shown / facts->pixel + 1;
		facts->changed = average < seen ? average : seen;
	}
	facts->drawn = seen > 0 ? REPAINTS * shown * facts->changed / seen : 0;
	pixman_region32_fini(&pixels);
}

static const struct scene_entry *find_entry(
	const struct scene_output *output, const struct surface *surface)
{
	const struct scene_surface *content = scene_surface_find(surface);
	int index = content ? content->node.entry_index[output->index] : -1;
	return index >= 0 ? &output->entries[index] : NULL;
}

struct route_choice content_explain_route(struct render_device *device,
	const struct scene_output *output, const struct surface *surface,
	enum route_reason composed)
{
	const struct scene_entry *entry = find_entry(output, surface);
	struct route_facts facts;
	find_all_facts(device, surface, &facts);
	facts.asleep = is_asleep(device->gpu);
	facts.shared = device->cpu_outputs & 1u << output->index;
	if (entry) {
		bool plane = entry->place != PLACE_COMPOSED;
		facts.visible = true;
		facts.clear = entry->alpha <= 0;
		facts.cursor = entry->cursor;
		facts.barred = plane                                           ? REASON_BEST
			       : device->scanout_outputs & 1u << output->index ? composed
			       : facts.foreign                                 ? REASON_FOREIGN
									       : REASON_DISABLED;
		find_damage(surface, entry, &facts);
	}
	const struct buffer *buffer = surface->current.buffer;
	struct route_rates rates;
	struct route_options options;
	find_rates(device, buffer ? buffer->home : NULL, &rates);
	route_weigh(&facts, &rates, &options);
	struct route_choice choice =
		route_finish(&facts, &options, content_source(device, surface));
	const struct content *content = content_find((struct surface *)surface, device);
	choice.uncopied = content ? content->refused : NULL;
	if (choice.source == SOURCE_COPY && content && content->copy && content->copy->refused) {
		/* Copies of earlier pixels are shown. */
		choice.uncopied = content->copy->refused;
		choice.reason = REASON_NO_ENGINE;
	}
	if (content && content->source && content->source->engine) {
		choice.engine = content->source->engine(content);
	}
	return choice;
}

/* Returns the surface's entry on the first output of the device that has one, or NULL. */
static const struct scene_entry *find_shown(const struct render_device *device,
	const struct surface *surface, const struct scene_output **output)
{
	const struct scene_surface *node = scene_surface_find(surface);
	for (int i = 0; node && i < SCENE_OUTPUTS_MAX; i++) {
		if (device->outputs & 1u << i && node->node.entry_index[i] >= 0) {
			*output = node->node.scene->outputs[i];
			return &(*output)->entries[node->node.entry_index[i]];
		}
	}
	return NULL;
}

/* Returns whether a plane other than a cursor plane shows the surface on the output. */
static bool is_on_plane(const struct scene_output *output, const struct surface *surface)
{
	const struct scene_entry *entry = find_entry(output, surface);
	return entry && entry->place != PLACE_COMPOSED && !entry->cursor;
}

bool route_is_scanned_out(const struct render_device *device, const struct surface *surface)
{
	const struct scene_output *output;
	return find_shown(device, surface, &output) && is_on_plane(output, surface);
}

bool route_udmabuf_pays(struct render_device *device, const struct surface *surface, bool pooled)
{
	const struct scene_output *output;
	const struct scene_entry *entry = find_shown(device, surface, &output);
	if (!entry) {
		return false;
	}
	if (device->renderer->cpu) {
		/* The CPU reads the pool anyway. Only scan-out gains from a udmabuf. */
		const struct output_mode *mode = &output->output->mode;
		struct box all = {0, 0, mode->width, mode->height};
		return device->scanout_outputs & 1u << output->index && entry->all_opaque &&
		       box_equal(&entry->dst, &all);
	}
	struct route_facts facts;
	struct route_rates rates;
	struct route_options options;
	find_all_facts(device, surface, &facts);
	facts.visible = true;
	facts.barred = REASON_SYSTEM_MEMORY;
	find_damage(surface, entry, &facts);
	find_rates(device, NULL, &rates);
	route_weigh(&facts, &rates, &options);
	/* Drawing costs the same either way and dominates, hence the hysteresis for leaving. */
	return pooled ? !route_is_better(&options, SOURCE_UPLOAD, SOURCE_UDMABUF)
		      : route_cheapest(&options) == SOURCE_UDMABUF;
}

bool content_is_scanned_out(struct render_device *device, const struct scene_output *output,
	const struct surface *surface)
{
	if (!is_on_plane(output, surface) || content_source(device, surface) == SOURCE_COPY) {
		return false;
	}
	const struct content *content = content_find((struct surface *)surface, device);
	return !content || !content->store || !gpu_copy_is_shown(content->store);
}
