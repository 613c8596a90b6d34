/* SPDX-License-Identifier: MIT */
/*
 * The sharp filter: enlarges a picture by a kernel that follows its edges.
 *
 * The gradients of luma around a point say whether there is an edge, and in which direction. The
 * kernel is close to Lanczos with two lobes; it is narrower across the edge and wider along it, so
 * that the edge stays sharp and has no steps. The result is limited to the four nearest texels:
 * nothing rings.
 */

#include "render/gles/gles_renderer.h"

const char gles_sharp_source[] =
	"uniform vec4 color, limits, texels;\n"
	"in vec2 at;\n"
	"out vec4 pixel;\n"
	"void main() {\n"
	"	vec2 point = at * texels.xy - 0.5;\n"
	"	vec2 base = floor(point), part = point - base;\n"
	"	vec4 taps[16];\n"
	"	float luma[16];\n"
	"	for (int i = 0; i < 16; i++) {\n"
	"		vec2 centre = base + vec2(i & 3, i >> 2) - 0.5;\n"
	"		taps[i] = texture(image, clamp(centre * texels.zw, limits.xy, "
	"limits.zw));\n"
	"		luma[i] = dot(taps[i].rgb, vec3(0.299, 0.587, 0.114));\n"
	"	}\n"
	/* The tensor of the gradients at the four nearest texels. */
	"	vec3 tensor = vec3(0.0);\n"
	"	for (int i = 0; i < 4; i++) {\n"
	"		int t = 5 + (i & 1) + (i >> 1) * 4;\n"
	"		vec2 share = mix(1.0 - part, part, vec2(i & 1, i >> 1));\n"
	"		vec2 slope = vec2(luma[t + 1] - luma[t - 1], luma[t + 4] - luma[t - 4]);\n"
	"		tensor += share.x * share.y * vec3(slope * slope, slope.x * slope.y);\n"
	"	}\n"
	"	vec2 twice = vec2(tensor.x - tensor.y, 2.0 * tensor.z);\n"
	"	float size = length(twice), sum = tensor.x + tensor.y;\n"
	"	float edge = size / (sum + 0.002);\n"
	"	float turn = size > 0.0 ? twice.x / size : 1.0;\n"
	"	vec2 across = sqrt(max(vec2(0.5 + 0.5 * turn, 0.5 - 0.5 * turn), 0.0));\n"
	"	across.y = twice.y < 0.0 ? -across.y : across.y;\n"
	"	vec2 along = vec2(-across.y, across.x);\n"
	"	across *= mix(1.0, 1.1, edge);\n"
	"	along *= mix(1.0, 0.6, edge);\n"
	"	vec4 result = vec4(0.0);\n"
	"	float weights = 0.0;\n"
	"	for (int i = 0; i < 16; i++) {\n"
	"		vec2 from = vec2(i & 3, i >> 2) - 1.0 - part;\n"
	"		float x = dot(from, across), y = dot(from, along);\n"
	"		float r = min(x * x + y * y, 4.0), window = 1.0 - 0.25 * r;\n"
	"		float weight = (1.0 - r) * window * window * exp2(-0.8 * r);\n"
	"		result += weight * taps[i];\n"
	"		weights += weight;\n"
	"	}\n"
	"	vec4 least = min(min(taps[5], taps[6]), min(taps[9], taps[10]));\n"
	"	vec4 most = max(max(taps[5], taps[6]), max(taps[9], taps[10]));\n"
	"	pixel = clamp(result / weights, least, most) * color;\n"
	"}\n";
