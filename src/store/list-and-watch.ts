import { WatchExpiredError } from './store.ts';

type Snapshot<Item> = { items: Item[]; resourceVersion: string };
export type Listed<Item> = { type: 'LISTED' } & Snapshot<Item>;

type ListAndWatchOptions<Item, Event> = {
  signal: AbortSignal;
  list: () => Promise<Snapshot<Item>>;
  watch: (resourceVersion: string) => AsyncIterable<Event>;
  /** Skips the first list and watches from this version. */
  resourceVersion?: string | undefined;
};

/**
 * Lists objects, then yields their changes from the version of the list. When that version expires (410), it lists again,
 * so a reader must handle every `LISTED` as the whole state. It ends when the watch ends, and throws all other errors.
 */
export async function* listAndWatch<Item, Event>({
  signal,
  list,
  watch,
  resourceVersion,
}: ListAndWatchOptions<Item, Event>): AsyncGenerator<Listed<Item> | Event> {
  let version = resourceVersion;
  while (!signal.aborted) {
    if (version === undefined) {
      const { items, resourceVersion: listedVersion } = await list();
      version = listedVersion;
      yield { type: 'LISTED', items, resourceVersion: version };
    }
    try {
      yield* watch(version);
      return;
    } catch (error) {
      if (!(error instanceof WatchExpiredError)) throw error;
      version = undefined;
    }
  }
}
