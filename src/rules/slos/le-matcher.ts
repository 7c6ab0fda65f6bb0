/**
 * Matches the bucket of a threshold in every way that clients and versions of Prometheus write it: `1`, `1.0`,
 * `1e-05`. Prometheus compares labels as texts, so another spelling would silently select nothing.
 */
export function toLeMatcher(threshold: string): string {
  const spellings = listSpellings(Number(threshold));
  const [only] = spellings;
  if (spellings.length === 1) return `le="${only}"`;
  return `le=~"${spellings.map((spelling) => spelling.replaceAll(/[.+]/g, '[$&]')).join('|')}"`;
}

function listSpellings(value: number): string[] {
  const decimal = toDecimal(value);
  const whole = Number.isInteger(value) ? [`${decimal}.0`] : [];
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  // Go writes the exponent with two digits, from 1e-05 down and from 1e+06 up.
  const padded = exponent.replace(/^([+-])(\d)$/, '$10$2');
  const hasExponent = value !== 0 && (value < 1e-4 || value >= 1e6);
  return [...new Set([decimal, ...whole, ...(hasExponent ? [`${digits}e${padded}`, `${digits}e${exponent}`] : [])])];
}

/** Prints without an exponent, which `String` uses for small numbers. */
function toDecimal(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  return value.toFixed(Math.max(0, (digits.split('.')[1] ?? '').length - Number(exponent)));
}
