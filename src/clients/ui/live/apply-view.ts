import type { QueryClient } from '@tanstack/react-query';
import type { Topic } from './topic.ts';

type View = { name: string; resourceVersion: string };

/** Writes a view of a stream to the cache; lists that may contain it are read again. */
export function applyView(queryClient: QueryClient, { kind, org, name }: Topic, data: unknown): void {
  const view = data as View;
  if (name !== undefined) {
    queryClient.setQueryData<View>([kind === 'changes' ? 'change' : 'release', org, name], (old) =>
      old && isNewer(old, view) ? old : view,
    );
    return;
  }
  const lists = kind === 'changes' ? ['changes'] : ['releases', 'zones', 'products', 'product'];
  for (const list of [...lists, 'waiting'])
    void queryClient.invalidateQueries(
      { queryKey: list === 'waiting' ? [list] : [list, org] },
      { cancelRefetch: false },
    );
}

/** Versions of one kind grow; those of other stores are compared by their length first. */
const isNewer = (a: View, b: View): boolean =>
  a.resourceVersion.length === b.resourceVersion.length
    ? a.resourceVersion > b.resourceVersion
    : a.resourceVersion.length > b.resourceVersion.length;
