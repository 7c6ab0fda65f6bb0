import { z } from '@hono/zod-openapi';
import { Timestamp, trimmedText } from '../../src/rules/names.ts';
import type { StoredObject } from '../../src/rules/resource.ts';
import { PageQuery } from './views.ts';

const sorts = ['name', '-name', 'createdAt', '-createdAt'] as const;
export type Sort = (typeof sorts)[number];

/** The query of a list of resources, with the order that it has by default. */
export const listQuery = (defaultSort: Sort) =>
  PageQuery.extend({
    sort: z
      .enum(sorts)
      .default(defaultSort)
      .openapi({ description: 'The order of the items; `-` is descending, so `-createdAt` is newest first.' }),
    since: Timestamp.optional().openapi({ description: 'Only items that were created at this time or later.' }),
    until: Timestamp.optional().openapi({ description: 'Only items that were created before this time.' }),
    q: trimmedText(200)
      .optional()
      .openapi({ description: 'Only items whose name or title contains this text, in any case.' }),
  });
export type ListQuery = z.infer<ReturnType<typeof listQuery>>;

/** The filter of who started something, by their e-mail address or login. */
export const startedByFilter = {
  startedBy: trimmedText(254)
    .optional()
    .openapi({ description: 'Only what this person started, by e-mail address or by login at the code host.' }),
};

/** Returns whether a resource was created in the time of the query, and one of its texts contains `q`. */
export function matchesListQuery(
  { metadata }: StoredObject,
  { since, until, q }: Pick<ListQuery, 'since' | 'until' | 'q'>,
  texts: (string | undefined)[] = [],
): boolean {
  const createdAt = Date.parse(metadata.creationTimestamp);
  if (since !== undefined && createdAt < Date.parse(since)) return false;
  if (until !== undefined && createdAt >= Date.parse(until)) return false;
  const text = q?.toLowerCase();
  return text === undefined || [metadata.name, ...texts].some((one) => one?.toLowerCase().includes(text));
}
