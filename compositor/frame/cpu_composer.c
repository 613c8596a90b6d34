/*
 * Rest for a GPU: while little of an output changes, and only in what the CPU can read, its pictures are composed by
 * the CPU, into linear buffers that the GPU draws to as well. So each frame is drawn by the one or the other
 * by age, as if there were only one; and to change over costs a few whole pictures, no more.
 */

#include "content/compose.h"
#include "content/content.h"
#include "frame/internal.h"
#include "gpu/gpu.h"
#include "util/log.h"
#include "util/region.h"

/* Half a second of frames at 60 Hz; and a few, since each of them wakes the GPU anyway. */
static const struct cpu_composer_limits usual = {.enter = 32, .leave = 8, .share = 16};

/* What is known of costs is looked at again after so many frames. */
#define WEIGHED_AGAIN 256
/* To change over takes some whole pictures: who ends it so soon is waited for twice as long, up to so often. */
#define SOON 300
#define DOUBLED_MOST 5

enum readable {
	READABLE, /* by the CPU, at once */
	READABLE_SOON, /* when its client draws again */
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

static bool may_rest(const struct frame_output *frame)
{
	const struct render_device *device = frame->device;
	return device->linear && device->renderer && !device->renderer->cpu &&
	       frame->display.rests && !frame->cpu_composer.refused &&
	       (!device->gpu || gpu_has_one_memory(device->gpu));
}

static struct render_device *get_shadow_device(struct render_device *device)
{
	struct render_device *shadow = render_device_get_cpu(&device->shadow);
	shadow->shadows = device;
	return shadow;
}

void cpu_composer_end(struct frame_output *frame)
{
	struct cpu_composer *rest = &frame->cpu_composer;
	rest->streak = 0;
	if (!rest->shared) {
		return;
	}
	cpu_composer_set_shared(frame, false);
	log_debug(LOG_FRAME, "%s: composed by the GPU", frame->output->name);
	/* Of another output that still rests, too: it has them again when their clients draw. */
	content_end_shadows(frame->device);
}

void cpu_composer_refuse(struct frame_output *frame)
{
	log_debug(LOG_FRAME, "%s: no buffers that CPU and GPU both draw to", frame->output->name);
	frame->cpu_composer.refused = true;
	cpu_composer_end(frame);
}

/* The most that it is worth for, and that is little of this output. */
static void weigh(struct frame_output *frame)
{
	struct cpu_composer *rest = &frame->cpu_composer;
	const struct output_mode *mode = &frame->output->mode;
	uint64_t all = (uint64_t)mode->width * (uint64_t)mode->height;
	if (rest->weighed != 0 && frame->stats.frames < rest->weighed + WEIGHED_AGAIN) {
		return;
	}
	rest->weighed = frame->stats.frames + 1;
	rest->most = route_cpu_pixels(frame->device, all / (uint64_t)rest->limits.share);
}

static enum readable look(struct frame_output *frame, const struct scene_entry *entry,
	const pixman_region32_t *region)
{
	struct render_device *device = frame->device;
	if (entry->place == PLACE_UNDER || entry->node->type == SCENE_RECT) {
		return READABLE;
	}
	if (entry->node->type == SCENE_IMAGE) {
		const struct scene_image *image = wl_container_of(entry->node, image, node);
		return !frame->cpu_composer.shared || content_image(device->shadow, image->buffer)
			       ? READABLE
			       : READABLE_NEVER;
	}
	struct surface *surface = scene_surface_from_node(entry->node)->surface;
	struct content *content = content_find(surface, device);
	struct buffer *buffer = surface->current.buffer;
	float color[4];
	if (buffer && buffer_color(buffer, color)) {
		return READABLE;
	}
	if ((content && content_is_beyond_cpu(content)) ||
		(buffer && !content_may_shadow(get_shadow_device(device), buffer))) {
		return READABLE_NEVER;
	}
	pixman_region32_t needed;
	pixman_region32_init(&needed);
	scene_entry_to_buffer(entry, &needed, region);
	enum readable readable = READABLE_SOON;
	if ((uint64_t)region_area(&needed) > frame->cpu_composer.most * 2) {
		/* Shown scaled down: little of the output, and much to copy. */
		readable = READABLE_NEVER;
	} else if (
		!frame->cpu_composer.shared
			? buffer != NULL
			/* Also if the GPU will draw it, as its client has its buffer back then. */
			: content_update_shadow(surface, device, &needed)) {
		readable = READABLE;
	}
	pixman_region32_fini(&needed);
	return readable;
}

/* What of the list shows there. */
static enum readable look_at_all(struct frame_output *frame, const pixman_region32_t *region)
{
	const struct scene_output *output = frame->scene_output;
	enum readable worst = READABLE;
	pixman_region32_t part;
	pixman_region32_init(&part);
	for (int i = 0; i < output->n_entries && worst != READABLE_NEVER; i++) {
		if (compose_region(&output->entries[i], region, &part)) {
			enum readable found = look(frame, &output->entries[i], &part);
			worst = found > worst ? found : worst;
		}
	}
	pixman_region32_fini(&part);
	return worst;
}

struct render_device *cpu_composer_choose(
	struct frame_output *frame, int age, const pixman_region32_t *damage)
{
	struct cpu_composer *rest = &frame->cpu_composer;
	if (!may_rest(frame)) {
		return frame->device;
	}
	weigh(frame);
	const pixman_region32_t *changed = &frame->scene_output->damage;
	bool little = (uint64_t)region_area(changed) <= rest->most;
	bool drawn = little && (uint64_t)region_area(damage) <= rest->most * 2;
	enum readable readable =
		little ? look_at_all(frame, rest->shared && drawn ? damage : changed)
		       : READABLE_NEVER;
	/* Of no age, it may be one that the GPU still writes to, for a frame that was refused. */
	if (rest->shared && drawn && age > 0 && readable == READABLE) {
		rest->streak = 0;
		frame->device->upload_due = 0;
		return frame->device->shadow;
	}
	/* A frame that the GPU draws speaks against rest, whatever it is for. */
	bool speaks = rest->shared || readable == READABLE;
	rest->streak = speaks ? rest->streak + 1 : 0;
	if (rest->shared && rest->streak == rest->limits.leave) {
		bool soon = frame->stats.frames < rest->entered + SOON;
		rest->doubled = !soon                          ? 0
				: rest->doubled < DOUBLED_MOST ? rest->doubled + 1
							       : DOUBLED_MOST;
		cpu_composer_end(frame);
	} else if (!rest->shared && rest->streak >= rest->limits.enter << rest->doubled) {
		log_debug(LOG_FRAME, "%s: composed by the CPU while little changes",
			frame->output->name);
		/* What has shown so far may have needed none. */
		get_shadow_device(frame->device);
		cpu_composer_set_shared(frame, true);
		rest->entered = frame->stats.frames;
		rest->streak = 0;
	}
	return frame->device;
}
