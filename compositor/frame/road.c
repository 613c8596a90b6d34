/*
 * The roads of surfaces: the facts that copy/route.c weighs, from what stands. No frame needs it; who
 * asks is causewayctl, the overlay, and a content whose buffers have become of another kind.
 */

#include "buffer/shm.h"
#include "copy/copier.h"
#include "frame/content.h"
#include "frame/internal.h"
#include "frame/staged.h"
#include "gpu/gpu.h"
#include "util/region.h"
#include <stdio.h>
#include <string.h>

/* Damage is drawn again into each buffer of an output's swapchain in turn: two, where all goes well. */
#define REPAINTS 2

/* A pixel as it was in a client's format is not known once its buffer went back: the usual one. */
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

void frame_learn(struct frame_device *device, enum cost_kind kind, uint64_t bytes, int64_t took)
{
	if (device->learned & 1u << kind || !device->gpu || !device->copier || bytes == 0 ||
		took <= 0) {
		return;
	}
	struct cost_table *costs = &device->copier->costs;
	char pair[PAIR_MAX];
	name_pair(pair, device->gpu, other_end(kind));
	cost_table_add(costs, pair, kind, COST_IN, bytes, 1, took);
	if (cost_table_knows(costs, pair, kind, COST_IN)) {
		device->learned |= 1u << kind;
	}
}

static void take_line(struct cost_line *line, struct frame_device *device, const struct gpu *gpu,
	const char *to, enum cost_kind kind, enum cost_direction direction)
{
	struct cost_table *costs = &device->copier->costs;
	char pair[PAIR_MAX];
	name_pair(pair, gpu, to);
	if (cost_table_knows(costs, pair, kind, direction)) {
		*line = *cost_table_get(costs, pair, kind, direction);
	}
}

/* What is known of the GPUs at hand in place of what was measured elsewhere. */
static void find_rates(
	struct frame_device *device, const struct gpu *home, struct route_rates *rates)
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
		/* The best engine that was measured comes last. */
		take_line(&rates->copy, device, home, to, engines[i], COST_OUT);
	}
}

uint64_t frame_upload_budget(struct frame_device *device, const struct scene *scene)
{
	char pair[PAIR_MAX];
	if (device->upload_budget > 0) {
		return device->upload_budget;
	}
	if (!device->gpu || !device->copier || !scene) {
		return FRAME_UPLOAD_UNKNOWN;
	}
	name_pair(pair, device->gpu, other_end(COST_UPLOAD));
	if (!cost_table_knows(&device->copier->costs, pair, COST_UPLOAD, COST_IN)) {
		return FRAME_UPLOAD_UNKNOWN;
	}
	int64_t spare = INT64_MAX;
	for (int i = 0; i < SCENE_MAX_OUTPUTS; i++) {
		const struct scene_output *output = scene->outputs[i];
		const struct frame_output *frame = output ? frame_output_find(output) : NULL;
		if (frame && frame->device == device && output->awake) {
			int64_t left = schedule_spare(&frame->schedule);
			spare = left < spare ? left : spare;
		}
	}
	const struct cost_line *line =
		cost_table_get(&device->copier->costs, pair, COST_UPLOAD, COST_IN);
	uint64_t bytes = spare == INT64_MAX ? FRAME_UPLOAD_UNKNOWN
					    : cost_bytes(line, spare / FRAME_UPLOAD_SHARE);
	bytes = bytes < FRAME_UPLOAD_MOST ? bytes : FRAME_UPLOAD_MOST;
	return bytes > FRAME_UPLOAD_LEAST ? bytes : FRAME_UPLOAD_LEAST;
}

static bool is_asleep(const struct gpu *gpu)
{
	char state[GPU_POWER_SIZE];
	return gpu && gpu_read_power(gpu, state) && strcmp(state, "suspended") == 0;
}

uint64_t frame_rest_worth(const struct frame_output *frame, uint64_t pixels)
{
	struct route_facts facts = {
		.visible = true,
		.has_content = true,
		.discrete = frame->device->gpu && !frame->device->gpu->integrated,
		.shared = true,
		.barred = REASON_SYSTEM_MEMORY,
		.pixel = USUAL_PIXEL,
		.n_rectangles = 1,
	};
	struct route_rates rates;
	struct route_options options;
	find_rates(frame->device, NULL, &rates);
	for (; pixels > 0; pixels /= 2) {
		facts.changed = pixels;
		facts.drawn = REPAINTS * pixels;
		route_weigh(&facts, &rates, &options);
		if (route_cheapest(&options) == SOURCE_SHM_READ) {
			break;
		}
	}
	return pixels;
}

static bool is_linear(struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	return !dmabuf || dmabuf->modifier == DRM_FORMAT_MOD_LINEAR;
}

static bool takes(const struct frame_device *device, struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	if (buffer_is_shm(buffer)) {
		return content_may_pool((struct frame_device *)device, buffer);
	}
	return dmabuf && device->renderer &&
	       format_set_has(&device->renderer->texture_formats, dmabuf->format, dmabuf->modifier);
}

enum route_source frame_source(struct frame_device *device, const struct surface *surface)
{
	struct buffer *buffer = surface->current.buffer;
	struct content *content = content_find((struct surface *)surface, device);
	float color[4];
	if (!surface_has_content(surface)) {
		return SOURCE_NONE;
	}
	if (buffer && buffer_color(buffer, color)) {
		return SOURCE_COLOR;
	}
	if (content && content_staged(content)) {
		return SOURCE_COPY;
	}
	if (buffer && buffer_dmabuf(buffer)) {
		return SOURCE_CLIENT;
	}
	if (content && content_pool(content) && !device->renderer->cpu) {
		return SOURCE_POOL;
	}
	bool read = (device->renderer && device->renderer->cpu) ||
		    (content && content_is_kept(content));
	return read ? SOURCE_SHM_READ : SOURCE_UPLOAD;
}

/* Of the buffer and who composes. */
static void find_facts(
	struct frame_device *device, const struct surface *surface, struct route_facts *facts)
{
	struct buffer *buffer = surface->current.buffer;
	const struct gpu *own = device->gpu ? device->gpu : device->display;
	float color[4];
	*facts = (struct route_facts){
		.has_content = surface_has_content(surface),
		.cpu_renderer = device->renderer && device->renderer->cpu,
		.discrete = device->gpu && !device->gpu->integrated,
		.pixel = USUAL_PIXEL,
		.n_rectangles = 1,
	};
	facts->copies = frame_source(device, surface) == SOURCE_COPY;
	if (!buffer) {
		/* What was copied whole is its client's again. */
		facts->dmabuf = facts->foreign = facts->copies;
		return;
	}
	const struct pixel_format *format = pixel_format_get(buffer->format);
	facts->color = buffer_color(buffer, color);
	facts->dmabuf = buffer_dmabuf(buffer);
	facts->linear = is_linear(buffer);
	facts->foreign = buffer->home && buffer->home != own;
	facts->imports = takes(device, buffer);
	facts->pixel = format && format->n_planes == 1 ? format->bytes[0] : USUAL_PIXEL;
}

/* What an update changes: as much as was uploaded or copied for a frame so far, else all that is seen. */
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

struct route_choice frame_route(const struct scene_output *output, const struct surface *surface)
{
	const struct frame_output *frame = frame_output_find(output);
	const struct scene_entry *entry = find_entry(output, surface);
	if (!frame) {
		return (struct route_choice){.reason = REASON_HIDDEN};
	}
	struct route_facts facts;
	find_facts(frame->device, surface, &facts);
	facts.asleep = is_asleep(frame->device->gpu);
	facts.shared = frame->rest.shared;
	if (entry) {
		bool plane = entry->place != PLACE_COMPOSED;
		facts.visible = true;
		facts.clear = entry->alpha <= 0;
		facts.cursor = entry->cursor;
		facts.barred = plane                    ? REASON_BEST
			       : frame->scanout_enabled ? (enum route_reason)entry->reason
			       : facts.foreign          ? REASON_FOREIGN
							: REASON_DISABLED;
		find_damage(surface, entry, &facts);
	}
	const struct buffer *buffer = surface->current.buffer;
	struct route_rates rates;
	struct route_options options;
	find_rates(frame->device, buffer ? buffer->home : NULL, &rates);
	route_weigh(&facts, &rates, &options);
	return route_finish(&facts, &options, frame_source(frame->device, surface));
}

const char *frame_copy_engine(const struct scene_output *output, const struct surface *surface)
{
	const struct frame_output *frame = frame_output_find(output);
	struct content *content =
		frame ? content_find((struct surface *)surface, frame->device) : NULL;
	const struct staged *staged = content ? content_staged(content) : NULL;
	return staged ? staged_engine(staged) : NULL;
}

/* The frame loop of an output of the device that shows the surface, and where; NULL: none does. */
static const struct frame_output *find_output(struct frame_device *device,
	const struct surface *surface, const struct scene_entry **entry)
{
	const struct scene_surface *content = scene_surface_find(surface);
	for (int i = 0; content && i < SCENE_MAX_OUTPUTS; i++) {
		const struct scene_output *output = content->node.scene->outputs[i];
		const struct frame_output *frame = output ? frame_output_find(output) : NULL;
		*entry = frame && frame->device == device ? find_entry(output, surface) : NULL;
		if (*entry) {
			return frame;
		}
	}
	return NULL;
}

bool frame_pool_pays(struct frame_device *device, const struct surface *surface, bool pooled)
{
	const struct scene_entry *entry;
	const struct frame_output *frame = find_output(device, surface, &entry);
	if (!frame) {
		return false;
	}
	const struct output_mode *mode = &frame->output->mode;
	struct box all = {0, 0, mode->width, mode->height};
	if (device->renderer->cpu) {
		/* It reads pools anyway; a plane could do that for it. */
		return frame->scanout_enabled && entry->all_opaque && box_equal(&entry->dst, &all);
	}
	struct route_facts facts;
	struct route_rates rates;
	struct route_options options;
	find_facts(device, surface, &facts);
	facts.visible = true;
	facts.barred = REASON_SYSTEM_MEMORY;
	find_damage(surface, entry, &facts);
	find_rates(device, NULL, &rates);
	route_weigh(&facts, &rates, &options);
	/* Drawing costs the same by both, and is most of it: entered if cheaper, left if dearer by far. */
	return pooled ? !route_is_better(&options, SOURCE_UPLOAD, SOURCE_POOL)
		      : route_cheapest(&options) == SOURCE_POOL;
}

bool frame_pool_shown(struct frame_device *device, const struct surface *surface)
{
	const struct scene_entry *entry;
	const struct frame_output *frame = find_output(device, surface, &entry);
	return frame && frame_scans_out(frame, surface);
}
