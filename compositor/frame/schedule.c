/* When to start the work of the next frame of an output: pure functions of times. */

#include "frame/frame.h"

/* Work that was never measured, and what the measured may fall short by. */
#define BUDGET_FIRST 2000000
#define BUDGET_MARGIN 1500000

void frame_budget_add(struct frame_budget *budget, int64_t duration)
{
	budget->samples[budget->next] = duration;
	budget->next = (budget->next + 1) % FRAME_BUDGET_SAMPLES;
	if (budget->n_samples < FRAME_BUDGET_SAMPLES) {
		budget->n_samples++;
	}
}

int64_t frame_budget_predict(const struct frame_budget *budget, int64_t refresh)
{
	int64_t longest = budget->n_samples == 0 ? BUDGET_FIRST : 0;
	for (int i = 0; i < budget->n_samples; i++) {
		if (budget->samples[i] > longest) {
			longest = budget->samples[i];
		}
	}
	int64_t needed = longest + BUDGET_MARGIN;
	return needed < refresh ? needed : refresh;
}

int64_t frame_next_vblank(int64_t now, int64_t last_present, int64_t refresh)
{
	if (last_present == 0 || refresh == 0) {
		return now;
	}
	if (now < last_present) {
		return last_present;
	}
	return last_present + ((now - last_present) / refresh + 1) * refresh;
}

int64_t frame_start_time(
	const struct frame_budget *budget, int64_t now, int64_t last_present, int64_t refresh)
{
	if (last_present == 0 || refresh == 0) {
		return now;
	}
	int64_t start = frame_next_vblank(now, last_present, refresh) -
			frame_budget_predict(budget, refresh);
	/* Too late for the next vblank by the prediction: it may still make it, so start. */
	return start > now ? start : now;
}
