import { isDeepStrictEqual } from 'node:util';
import type { Context } from 'hono';
import { invalid, isServiceError, ServiceError } from '../src/errors.ts';
import type { Kind, Resource, ResourceKind, StoredObject } from '../src/rules/resource.ts';
import { isTakenUp, takenUpAnnotation } from '../src/rules/taken-up.ts';
import type { ListOptions, Ref, Store } from '../src/store/store.ts';
import type { ApiEnv } from './deps.ts';
import type { PageQuery } from './views.ts';

/** One page of what the store holds, without what only a watcher needs. */
export async function readPage<T extends StoredObject>(
  store: Store,
  kind: Kind<T>,
  { limit, continue: from, ...where }: PageQuery & Omit<ListOptions, 'limit' | 'continue'>,
): Promise<{ items: T[]; continue?: string }> {
  const page = await store.list(kind, { ...where, limit, ...(from !== undefined && { continue: from }) });
  return page.continue === undefined ? { items: page.items } : { items: page.items, continue: page.continue };
}

/** Cuts a page out of a list that is no list of the store; `continue` is the key of the last item before. */
export function cutPage<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  query: PageQuery,
): { items: T[]; continue?: string } {
  const last = query.continue === undefined ? -1 : items.findIndex((item) => keyOf(item) === query.continue);
  if (last === -1 && query.continue !== undefined)
    throw invalid('The list has changed since that page.', [
      { pointer: '?continue', detail: 'is no item of this list any more; start over without it' },
    ]);
  const cut = items.slice(last + 1, last + 1 + query.limit);
  const end = cut.at(-1);
  return end !== undefined && last + 1 + query.limit < items.length
    ? { items: cut, continue: keyOf(end) }
    : { items: cut };
}

/** Marks the answer with the version that it shows, so that the caller can send it back as If-Match. */
export function tagged(c: Context<ApiEnv>, resourceVersion: string): void {
  c.header('ETag', `"${resourceVersion}"`);
}

type Seen = { resourceVersion?: string | undefined; generation?: number | undefined };

/** The version that a caller says they saw: in the body or as If-Match. */
export function ifMatch(c: Context<ApiEnv>): string | undefined {
  const header = c.req.header('if-match');
  return header === undefined || header.trim() === '*' ? undefined : header.trim().replace(/^(W\/)?"(.*)"$/, '$2');
}

type Replacement<Spec, Status> = {
  ref: Ref;
  spec: Spec;
  seen: Seen;
  /** The annotations to be written with the spec, where they depend on what it was. */
  annotate?: (current: Resource<Spec, Status>) => Record<string, string>;
};

/** Replaces what people decide, if it is still what the caller saw. */
export async function replaceSpec<Spec, Status>(
  store: Store,
  kind: ResourceKind<Spec, Status>,
  { ref, spec, seen, annotate }: Replacement<Spec, Status>,
): Promise<Resource<Spec, Status>> {
  if (seen.resourceVersion === undefined && seen.generation === undefined)
    throw invalid(`Say which version of the ${kind.kind} "${ref.name}" you saw, so that nobody's change is lost.`, [
      { pointer: '/resourceVersion', detail: 'is missing: send it as you read it, or the generation, or If-Match' },
    ]);
  // The status moves while people edit: a generation that still holds is replaced against whatever version carries it now.
  for (let attempt = 1; ; attempt += 1) {
    const current = await store.get(kind, ref);
    refuseStale(current, seen);
    try {
      const annotations = { ...(annotate?.(current) ?? current.metadata.annotations), ...stillTakenUp(current, spec) };
      return await store.replace(kind, { ...current, metadata: { ...current.metadata, annotations }, spec });
    } catch (error) {
      if (!isServiceError(error, 'conflict') || attempt === 5) throw error;
    }
  }
}

/** What was checked before stays checked: the caller has checked the new spec. */
function stillTakenUp(current: Resource<unknown, unknown>, spec: unknown): Record<string, string> {
  if (!isTakenUp(current)) return {};
  const moves = !isDeepStrictEqual(JSON.parse(JSON.stringify(spec)), current.spec);
  return { [takenUpAnnotation]: String(current.metadata.generation + (moves ? 1 : 0)) };
}

export function refuseStale({ kind, metadata }: StoredObject, { resourceVersion, generation }: Seen): void {
  const fresh =
    (resourceVersion === undefined || resourceVersion === metadata.resourceVersion) &&
    (generation === undefined || generation === metadata.generation);
  if (!fresh)
    throw new ServiceError(
      'conflict',
      `The ${kind} "${metadata.name}" has changed since you read it. Read it again and make your change there.`,
    );
}
