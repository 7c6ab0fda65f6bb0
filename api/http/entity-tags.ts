import type { Context } from 'hono';
import { invalid } from '../../src/errors.ts';

/** `*`, or the tags of a list without their quotes. */
export type EntityTags = '*' | { tag: string; isWeak: boolean }[];

/** The coding of the body, which a strong tag has to tell apart. */
const codingSuffix = /:\w+$/;

/**
 * Builds a strong tag from the version of the resource, for If-Match, and the digest of the bytes, for If-None-Match:
 * views differ by role, and contain state that is not of the resource itself.
 */
export const toEntityTag = (digest: string, { version, coding }: { version: string | undefined; coding?: string }) =>
  `"${version === undefined ? '' : `${version}.`}${digest}${coding === undefined ? '' : `:${coding}`}"`;

export const entityTagsPattern = /^(\*|(W\/)?"[^"\s]*"(\s*,\s*(W\/)?"[^"\s]*")*)$/;

/** Returns undefined without the header. */
export function parseEntityTags(c: Context, header: 'If-Match' | 'If-None-Match'): EntityTags | undefined {
  const value = c.req.header(header)?.trim();
  if (value === undefined) return undefined;
  if (value === '*') return '*';
  if (!entityTagsPattern.test(value))
    throw invalid(`The header ${header} is malformed. Send "*", or entity tags in double quotes: "1", "2".`);
  return [...value.matchAll(/(W\/)?"([^"\s]*)"/g)].map(([, weak, tag = '']) => ({ tag, isWeak: weak !== undefined }));
}

/** Compares the versions of the tags. A strong comparison, that of If-Match, accepts no weak tag (RFC 9110). */
export function matchesVersion(
  tags: EntityTags,
  version: string | undefined,
  comparison: 'strong' | 'weak' = 'strong',
): boolean {
  if (tags === '*' || version === undefined) return version !== undefined;
  return tags.some(({ tag, isWeak }) => (comparison === 'weak' || !isWeak) && tag.split('.')[0] === version);
}

/** Compares weakly: the same bytes in another coding, or a tag that a proxy weakened, match. */
export function matchesRepresentation(tags: EntityTags, entityTag: string): boolean {
  const plain = (tag: string): string => tag.replace(codingSuffix, '');
  return tags === '*' || tags.some(({ tag }) => plain(tag) === plain(entityTag.slice(1, -1)));
}
