/* SPDX-License-Identifier: MIT */
/* Quirks of GPU drivers with memory of others. */

#include "gpu/quirks.h"
#include "gpu/gpu.h"
#include "harness/unit.h"

static void displays_of_some_amd_processors_read_their_own_memory_only(void **state)
{
	static const struct {
		const char *driver;
		uint32_t device;
		bool integrated;
		enum gpu_sg_display sg_display;
		bool shared;
	} cases[] = {
		{"amdgpu", 0x15dd, true, GPU_SG_DISPLAY_AUTO, false}, /* Raven */
		{"amdgpu", 0x15dd, true, GPU_SG_DISPLAY_ON, false},
		{"amdgpu", 0x15d8, true, GPU_SG_DISPLAY_AUTO, true}, /* Picasso */
		{"amdgpu", 0x15d8, true, GPU_SG_DISPLAY_OFF, false}, /* switched off */
		{"amdgpu", 0x1636, true, GPU_SG_DISPLAY_AUTO, true}, /* Renoir */
		{"amdgpu", 0x130f, true, GPU_SG_DISPLAY_AUTO, false}, /* Kaveri */
		{"amdgpu", 0x9874, true, GPU_SG_DISPLAY_AUTO, true}, /* Carrizo */
		{"amdgpu", 0x13fe, true, GPU_SG_DISPLAY_AUTO, false}, /* Cyan Skillfish */
		{"amdgpu", 0x13fe, true, GPU_SG_DISPLAY_ON, true},
		{"amdgpu", 0x73bf, false, GPU_SG_DISPLAY_OFF, true}, /* copies are local */
		{"i915", 0x15dd, true, GPU_SG_DISPLAY_OFF, true},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gpu gpu = {
			.driver = (char *)cases[i].driver,
			.device = cases[i].device,
			.integrated = cases[i].integrated,
			.sg_display = cases[i].sg_display,
		};
		assert_int_equal(gpu_scans_out_shared_memory(&gpu), cases[i].shared);
	}
	assert_true(gpu_scans_out_shared_memory(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(displays_of_some_amd_processors_read_their_own_memory_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
