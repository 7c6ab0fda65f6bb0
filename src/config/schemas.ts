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
export const portSchema = z.coerce.number().int().min(1).max(65535);
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
