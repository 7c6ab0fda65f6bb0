import type { Query, QueryClient } from '@tanstack/react-query';
import { readJson } from '../api/reveal-invisible.ts';
import { invalidateSoon } from './invalidate-soon.ts';
import type { StreamEvent } from './topic-stream.ts';
import { parseTopic, topicKinds, type OrgTopicKind } from './topic.ts';

type View = { name: string; resourceVersion: string; spec?: { product?: string }; product?: string };
type List = { items: View[] };
type Change = { kind: OrgTopicKind; org: string; name: string; view: View | undefined };

/** Writes an event of the stream to the cache; data that the event does not contain is read again. */
export function applyEvent(queryClient: QueryClient, event: StreamEvent): void {
  if (event.event === 'relist') {
    for (const text of event.topics) relist(queryClient, text);
    return;
  }
  const topic = parseTopic(event.topic);
  if (!topic || topic.kind === 'waiting') return;
  const { kind, org } = topic;
  const view = event.event === 'changed' ? (readJson(event.data) as { view: View }).view : undefined;
  const change = { kind, org, name: event.name, view };
  if (topic.name === undefined) applyToLists(queryClient, change);
  else applyToItem(queryClient, change);
}

function relist(queryClient: QueryClient, text: string): void {
  const topic = parseTopic(text);
  if (!topic) return;
  if (topic.kind === 'waiting') return invalidateSoon(queryClient, text, ({ queryKey: [key] }) => key === 'waiting');
  const { kind, org, name } = topic;
  const lists: unknown[] = [kind, ...topicKinds[kind].related];
  invalidateSoon(queryClient, text, ({ queryKey: [key, ofOrg, ...rest] }) => {
    if (ofOrg !== org) return false;
    return name === undefined ? lists.includes(key) : rest.includes(name);
  });
}

/** An item of a list is replaced at once; lists that it may enter or leave are read again. */
function applyToLists(queryClient: QueryClient, change: Change): void {
  const { kind, org, view } = change;
  if (view)
    queryClient.setQueriesData<List>({ queryKey: [kind, org] }, (list) =>
      Array.isArray(list?.items) ? { ...list, items: list.items.map((item) => toNewer(item, view)) } : list,
    );
  const related: readonly unknown[] = topicKinds[kind].related;
  invalidateSoon(queryClient, `${kind}:${org}`, (query) => {
    const [key, ofOrg] = query.queryKey;
    return ofOrg === org && (related.includes(key) || (key === kind && mayDiffer(query, change)));
  });
}

/** A response that is on its way may be older than the event. */
const isReading = ({ state }: Query): boolean => state.fetchStatus === 'fetching';

function mayDiffer(query: Query, { name, view }: Change): boolean {
  const { queryKey, state } = query;
  const { product, ...filters } = toFilters(queryKey.at(-1));
  if (!view || isReading(query) || Object.values(filters).some((value) => value !== undefined)) return true;
  const ofProduct = view.spec?.product ?? view.product;
  if (product !== undefined && ofProduct !== undefined && product !== ofProduct) return false;
  return !(state.data as Partial<List> | undefined)?.items?.some((item) => item.name === name);
}

const toFilters = (part: unknown): Record<string, unknown> =>
  typeof part === 'object' && part !== null ? { ...part } : {};

/** Everything else that is read by the name of the item, such as its evidence, is read again. */
function applyToItem(queryClient: QueryClient, { kind, org, name, view }: Change): void {
  const { item } = topicKinds[kind];
  const isItem = ({ queryKey: [key, ofOrg, ...rest] }: Query): boolean =>
    key === item && ofOrg === org && rest.includes(name);
  if (view) queryClient.setQueriesData<View>({ predicate: isItem }, (old) => old && toNewer(old, view));
  invalidateSoon(queryClient, `${kind}:${org}/${name}`, (query) => {
    const [, ofOrg, ...rest] = query.queryKey;
    return ofOrg === org && rest.includes(name) && (!view || !isItem(query) || isReading(query));
  });
}

/** Versions of one kind grow; those of other stores are compared by their length first. */
function toNewer(old: View, view: View): View {
  if (old.name !== view.name) return old;
  const [one, other] = [old.resourceVersion, view.resourceVersion];
  const isOlder = one.length === other.length ? one > other : one.length > other.length;
  return isOlder ? old : view;
}
