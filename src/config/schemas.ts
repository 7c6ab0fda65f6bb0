import { z } from 'zod';

/**
 * Without a scheme, `localhost:1234` would be a URL with the scheme `localhost`. A slash at the end is removed, because
 * paths are appended.
 */
export const httpUrlSchema = z
  .url({
    protocol: /^https?$/,
    error: 'must be a URL that begins with http:// or https://',
  })
  .transform((url) => url.replace(/\/$/, ''));

/** A number that a person writes without digits after the point. An error says which ones are accepted. */
export function wholeNumberSchema(min: number, max?: number) {
  const error = `must be a whole number ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}`;
  const whole = z.coerce.number({ error }).int({ error, abort: true }).min(min, { error, abort: true });
  return max === undefined ? whole : whole.max(max, { error });
}

export const portSchema = wholeNumberSchema(1, 65_535);
export const flagSchema = z.enum(['true', 'false']).transform((value) => value === 'true');

export const listSchema = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  );

export const cidrListSchema = listSchema.pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'each entry must be a CIDR')));
