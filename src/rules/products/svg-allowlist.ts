/** The elements of static images. None of them can run scripts, animate, link, embed or reuse content. */
export const allowedSvgElements = new Set(
  `svg g defs title desc path rect circle ellipse line polyline polygon text tspan linearGradient
    radialGradient stop clipPath mask`.split(/\s+/),
);

export const allowedSvgAttributes = new Set(
  `xmlns xmlns:xlink xml:space version baseProfile viewBox preserveAspectRatio id role aria-label
    aria-labelledby aria-hidden width height x y x1 y1 x2 y2 dx dy cx cy r rx ry fx fy fr d points pathLength
    transform rotate offset gradientUnits gradientTransform spreadMethod clipPathUnits maskUnits
    maskContentUnits textLength lengthAdjust fill fill-opacity fill-rule stroke stroke-width stroke-opacity
    stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset opacity color display
    visibility overflow clip-path clip-rule mask mask-type paint-order stop-color stop-opacity vector-effect
    shape-rendering text-rendering color-interpolation font-family font-size font-style font-weight
    font-stretch font-variant letter-spacing word-spacing text-anchor text-decoration dominant-baseline
    alignment-baseline baseline-shift`.split(/\s+/),
);

/** No logo needs more elements, and larger images would slow down the pages that show them. */
export const svgElementsMax = 5_000;
export const svgDepthMax = 50;

/** Returns whether a value only refers to parts of the same image. CSS escapes could hide a reference, so none are allowed. */
export function hasOnlyInternalReferences(value: string): boolean {
  if (value.includes('\\')) return false;
  const rest = value.replaceAll(/url\(\s*(["']?)#[\w.:-]+\1\s*\)/gi, '');
  return !/url\s*\(|image\s*\(|image-set\s*\(|src\s*\(|@import|javascript:|data:|expression\s*\(|\/\*/i.test(rest);
}
