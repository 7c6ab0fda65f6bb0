import type { Context } from 'hono';

const deprecatedSince = Date.parse('2026-12-01T00:00:00Z') / 1000;

/** Marks the operation as deprecated and links its successor (RFC 9745, RFC 8288). */
export function setDeprecationHeaders(c: Context, successor: string): void {
  c.header('Deprecation', `@${deprecatedSince}`);
  c.header('Link', `<${successor}>; rel="successor-version"`);
}
