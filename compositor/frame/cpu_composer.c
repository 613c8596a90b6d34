/* SPDX-License-Identifier: MIT */
/*
 * CPU composition: while an output's damage is small and readable by the CPU, the CPU composes it
 * into linear buffers that the GPU can draw to as well, so that the GPU can idle. Both repaint by
 * buffer age, so either can draw any frame. A switch costs a few full repaints.
 */

#include "content/compose.h"
#include "content/content.h"
#include "frame/internal.h"
#include "gpu/gpu.h"
#include "util/log.h"
#include "util/region.h"

/*
 * Enter after half a second at 60 Hz; leave after a few frames, since each of them wakes the GPU.
 */
static const struct cpu_composer_limits usual = {.enter = 32, .leave = 8, .share = 16};

/* Number of frames after which costs are compared again. */
#define WEIGHED_AGAIN 256
/*
 * A switch costs full repaints: if CPU composition ends within SOON frames, double the number of
 * frames before the next one, up to DOUBLED_MAX times.
 */
#define SOON 300
#define DOUBLED_MAX 5

enum readable {
	READABLE, /* by the CPU, immediately */
	READABLE_SOON, /* after the client's next commit */
	READABLE_NEVER,
};

void cpu_composer_init(struct frame_output *frame)
{
	frame->cpu_composer.limits = usual;
}

void cpu_composer_set_shared(struct frame_output *frame, bool shared)
{
	uint32_t bit = 1u << frame->scene_output->index;
	uint32_t *outputs = &frame->device->cpu_outputs;
	*outputs = shared ? *outputs | bit : *outputs & ~bit;
	frame->cpu_composer.shared = shared;
}

static bool is_possible(const struct frame_output *frame)
{
	const struct render_device *device = frame->device;
	return device->linear && device->renderer && !device->renderer->cpu &&
	       frame->display.cpu_composition && !frame->cpu_composer.refused &&
	       (!device->gpu || gpu_has_one_memory(device->gpu));
}

void cpu_composer_end(struct frame_output *frame)
{
	struct cpu_composer *composer = &frame->cpu_composer;
	composer->streak = 0;
	if (!composer->shared) {
		return;
	}
	cpu_composer_set_shared(frame, false);
	log_debug(LOG_FRAME, "%s: GPU composition", frame->output->name);
	/*
	 * Including shadow copies for other outputs: these get new ones with their clients' next
	 * commits.
	 */
	content_end_shadows(frame->device);
}

void cpu_composer_refuse(struct frame_output *frame)
{
	log_debug(LOG_FRAME,
		"%s: CPU composition disabled: no buffers that CPU and GPU can both draw to",
		frame->output->name);
	frame->cpu_composer.refused = true;
	cpu_composer_end(frame);
}

/* Updates the largest damage worth composing by CPU, bounded by a share of the output. */
static void weigh(struct frame_output *frame)
{
	struct cpu_composer *composer = &frame->cpu_composer;
	const struct output_mode *mode = &frame->output->mode;
	uint64_t all = (uint64_t)mode->width * (uint64_t)mode->height;
	if (composer->weighed != 0 && frame->stats.frames < composer->weighed + WEIGHED_AGAIN) {
		return;
	}
	composer->weighed = frame->stats.frames + 1;
	composer->most = route_cpu_pixels(frame->device, all / (uint64_t)composer->limits.share);
}

static enum readable classify(struct frame_output *frame, const struct scene_entry *entry,
	const pixman_region32_t *region)
{
	struct render_device *device = frame->device;
	if (entry->place == PLACE_UNDER || entry->node->type == SCENE_RECT) {
		return READABLE;
	}
	if (entry->node->type == SCENE_IMAGE) {
		const struct scene_image *image = wl_container_of(entry->node, image, node);
		return !frame->cpu_composer.shared ||
				       content_image(
					       render_device_get_shadow(device), image->buffer)
			       ? READABLE
			       : READABLE_NEVER;
	}
	if (entry->sharp) {
		return READABLE_NEVER; /* the CPU has no such filter */
	}
	struct surface *surface = scene_entry_surface(entry)->surface;
	struct content *content = content_find(surface, device);
	struct buffer *buffer = surface->current.buffer;
	float color[4];
	if (buffer && buffer_color(buffer, color)) {
		return READABLE;
	}
	if ((content && content_is_beyond_cpu(content)) ||
		(buffer && !content_may_shadow(render_device_get_shadow(device), buffer))) {
		return READABLE_NEVER;
	}
	pixman_region32_t needed;
	pixman_region32_init(&needed);
	scene_entry_to_buffer(entry, &needed, region);
	enum readable readable = READABLE_SOON;
	if ((uint64_t)region_area(&needed) > frame->cpu_composer.most * 2) {
		/* Displayed scaled down: small on the output, but a large copy. */
		readable = READABLE_NEVER;
	} else if (!frame->cpu_composer.shared
			   ? buffer != NULL
			   /* also if the GPU draws: then the client gets its buffer back */
			   : content_update_shadow(surface, device, &needed)) {
		readable = READABLE;
	}
	pixman_region32_fini(&needed);
	return readable;
}

/* Returns the worst readability of the entries in the region. */
static enum readable classify_all(struct frame_output *frame, const pixman_region32_t *region)
{
	const struct scene_output *output = frame->scene_output;
	enum readable worst = READABLE;
	pixman_region32_t part;
	pixman_region32_init(&part);
	for (int i = 0; i < output->n_entries && worst != READABLE_NEVER; i++) {
		if (compose_region(&output->entries[i], region, &part)) {
			enum readable found = classify(frame, &output->entries[i], &part);
			worst = found > worst ? found : worst;
		}
	}
	pixman_region32_fini(&part);
	return worst;
}

struct render_device *cpu_composer_choose(
	struct frame_output *frame, int age, const pixman_region32_t *damage)
{
	struct cpu_composer *composer = &frame->cpu_composer;
	if (!is_possible(frame)) {
		return frame->device;
	}
	weigh(frame);
	const pixman_region32_t *changed = &frame->scene_output->damage;
	bool little = (uint64_t)region_area(changed) <= composer->most;
	bool drawn = little && (uint64_t)region_area(damage) <= composer->most * 2;
	enum readable readable =
		little ? classify_all(frame, composer->shared && drawn ? damage : changed)
		       : READABLE_NEVER;
	/* With age 0, the GPU may still be writing the buffer, for a frame that was refused. */
	if (composer->shared && drawn && age > 0 && readable == READABLE) {
		composer->streak = 0;
		return render_device_get_shadow(frame->device);
	}
	/* A frame composed by the GPU counts against CPU composition. */
	bool counts = composer->shared || readable == READABLE;
	composer->streak = counts ? composer->streak + 1 : 0;
	if (composer->shared && composer->streak == composer->limits.leave) {
		bool soon = frame->stats.frames < composer->entered + SOON;
		composer->doubled = !soon                             ? 0
				    : composer->doubled < DOUBLED_MAX ? composer->doubled + 1
								      : DOUBLED_MAX;
		cpu_composer_end(frame);
	} else if (!composer->shared && composer->streak >= composer->limits.enter
								    << composer->doubled) {
		log_debug(LOG_FRAME, "%s: CPU composition, since frames change little",
			frame->output->name);
		/* The shadow device may not exist yet. */
		render_device_get_shadow(frame->device);
		cpu_composer_set_shared(frame, true);
		composer->entered = frame->stats.frames;
		composer->streak = 0;
	}
	return frame->device;
}
