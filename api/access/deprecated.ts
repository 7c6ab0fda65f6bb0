import type { Context } from 'hono';

const deprecatedSince = Date.parse('2026-12-01T00:00:00Z') / 1000;

/** Says in the answer that the operation goes away, and what takes its place (RFC 9745, RFC 8288). */
export function deprecated(c: Context, successor: string): void {
  c.header('Deprecation', `@${deprecatedSince}`);
  c.header('Link', `<${successor}>; rel="successor-version"`);
}
