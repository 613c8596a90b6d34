/* The road of a surface's content: pure decisions from facts. */

#include "copy/route.h"
#include <assert.h>
#include <stddef.h>

enum route_source route_source_choose(const struct route_facts *facts)
{
	if (!facts->has_content || !facts->visible) {
		return SOURCE_NONE;
	}
	if (facts->color) {
		return SOURCE_COLOR;
	}
	if (facts->copied) {
		return SOURCE_COPY;
	}
	if (facts->dmabuf) {
		return SOURCE_CLIENT;
	}
	return facts->cpu_renderer ? SOURCE_SHM_READ : SOURCE_UPLOAD;
}

struct route_choice route_finish(
	const struct route_facts *facts, bool plane, enum route_reason refused)
{
	enum route_source source = route_source_choose(facts);
	if (source == SOURCE_NONE) {
		return (struct route_choice){SOURCE_NONE, SINK_NONE,
			facts->has_content ? REASON_HIDDEN : REASON_NO_CONTENT};
	}
	if (plane) {
		return (struct route_choice){source, SINK_PLANE, REASON_BEST};
	}
	/* A colour costs nothing to read, so a plane would be no better. */
	enum route_reason reason = source == SOURCE_COLOR  ? REASON_BEST
				   : source == SOURCE_COPY ? REASON_FOREIGN
							   : refused;
	return (struct route_choice){source, SINK_COMPOSE, reason};
}

const char *route_name(const struct route_choice *choice)
{
	static const char *const composed[SOURCE_COUNT] = {
		[SOURCE_NONE] = "none",
		[SOURCE_COLOR] = "color",
		[SOURCE_CLIENT] = "import",
		[SOURCE_COPY] = "copy",
		[SOURCE_SHM_READ] = "shm",
		[SOURCE_UPLOAD] = "upload",
	};
	assert(choice->source < SOURCE_COUNT);
	switch (choice->sink) {
	case SINK_PLANE: return "scan-out";
	case SINK_CURSOR: return "cursor-plane";
	default: return composed[choice->source];
	}
}

const char *route_reason_text(enum route_reason reason)
{
	static const char *const texts[REASON_COUNT] = {
		[REASON_BEST] = "there is no better road",
		[REASON_HIDDEN] = "nothing of it can be seen",
		[REASON_NO_CONTENT] = "it has no content",
		[REASON_NOT_ALONE] = "something else shows where it does",
		[REASON_NOT_FULL] = "it does not cover the output",
		[REASON_TRANSLUCENT] = "it is translucent",
		[REASON_TRANSFORM] = "it is scaled, cropped or turned",
		[REASON_SYSTEM_MEMORY] = "the output cannot scan out shared memory",
		[REASON_PLANE_FORMAT] = "no plane takes its format and modifier",
		[REASON_REFUSED] = "the driver refused it on a plane",
		[REASON_CAPTURE] = "a capture needs the composed picture",
		[REASON_DISABLED] = "direct scan-out is off for this output",
		[REASON_FOREIGN] = "it lives on another GPU",
		[REASON_QUIET] = "it changes too seldom to be worth a plane",
		[REASON_SIZE] = "it is larger than the cursor plane",
		[REASON_NO_PLANE] = "other content has the planes",
	};
	assert(reason < REASON_COUNT && texts[reason]);
	return texts[reason];
}
