/* The table of roads. */

#include "unit.h"

#include "copy/route.h"
#include <string.h>

struct road {
	struct route_facts facts;
	bool plane;
	enum route_reason refused;
	const char *name;
	enum route_reason reason;
};

static void roads(void **state)
{
	(void)state;
	static const struct road table[] = {
		{{.visible = true}, false, REASON_NOT_FULL, "none", REASON_NO_CONTENT},
		{{.has_content = true}, false, REASON_NOT_FULL, "none", REASON_HIDDEN},
		{{.has_content = true, .dmabuf = true}, true, REASON_BEST, "none", REASON_HIDDEN},
		{{.visible = true, .has_content = true}, false, REASON_NOT_FULL, "upload",
			REASON_NOT_FULL},
		{{.visible = true, .has_content = true, .cpu_renderer = true}, false,
			REASON_DISABLED, "shm", REASON_DISABLED},
		{{.visible = true, .has_content = true, .cpu_renderer = true}, true, REASON_BEST,
			"scan-out", REASON_BEST},
		{{.visible = true, .has_content = true, .dmabuf = true}, false, REASON_NOT_ALONE,
			"import", REASON_NOT_ALONE},
		{{.visible = true, .has_content = true, .dmabuf = true}, true, REASON_BEST,
			"scan-out", REASON_BEST},
		{{.visible = true,
			 .has_content = true,
			 .dmabuf = true,
			 .foreign = true,
			 .copied = true},
			false, REASON_NOT_ALONE, "copy", REASON_FOREIGN},
		{{.has_content = true, .copied = true}, false, REASON_NOT_ALONE, "none",
			REASON_HIDDEN},
		{{.visible = true, .has_content = true, .color = true}, false, REASON_NOT_ALONE,
			"color", REASON_BEST},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct road *row = &table[i];
		struct route_choice choice = route_finish(&row->facts, row->plane, row->refused);
		assert_string_equal(route_name(&choice), row->name);
		assert_int_equal(choice.reason, row->reason);
		assert_true(strlen(route_reason_text(choice.reason)) > 0);
	}
	for (int reason = 0; reason < REASON_COUNT; reason++) {
		assert_non_null(route_reason_text(reason));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
