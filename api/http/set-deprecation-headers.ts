import type { Context } from 'hono';

const deprecatedSince = Date.parse('2026-12-01T00:00:00Z') / 1000;
/** The release that removes the deprecated operations. */
const removedOn = new Date('2027-06-01T00:00:00Z').toUTCString();

/** Marks the operation as deprecated and links its successor (RFC 9745, RFC 8594, RFC 8288). */
export function setDeprecationHeaders(c: Context, successor: string): void {
  c.header('Deprecation', `@${deprecatedSince}`);
  c.header('Sunset', removedOn);
  c.header('Link', `<${successor}>; rel="successor-version"`);
}
