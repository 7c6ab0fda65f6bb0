import type { Representation } from '../http/representation.ts';
import type { ResponseCache } from '../http/response-cache.ts';
import { buildEntries, type Entry } from './build-entries.ts';

const decoder = new TextDecoder();

/** Keeps what can be found in each org until one of its resources changes, so that a key press reads no store. */
export class FindIndexes {
  readonly #zoneAddress: (zone: string) => string;
  readonly #entries = new WeakMap<Representation, Entry[]>();

  constructor(zoneAddress: (zone: string) => string) {
    this.#zoneAddress = zoneAddress;
  }

  /** Reads the entries of a namespace, or of all. */
  async read(cache: ResponseCache, namespace: string | undefined): Promise<Entry[]> {
    const key = `find ${namespace ?? 'all'}`;
    const { representation } =
      cache.find(key) ??
      (await cache.compute(key, async (reads) => await buildEntries(reads, this.#zoneAddress, namespace)));
    const entries = this.#entries.get(representation) ?? (JSON.parse(decoder.decode(representation.body)) as Entry[]);
    this.#entries.set(representation, entries);
    return entries;
  }
}
