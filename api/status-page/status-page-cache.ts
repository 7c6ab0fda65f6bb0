import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { Representation } from '../http/representation.ts';
import type { ProductName, ReadStatusPage } from './read-status-page.ts';
import { renderStatusPage } from './render-status-page.ts';
import { boundedCache } from '../http/bounded-cache.ts';

/** A page that is asked for is read again after this time. */
const refreshMs = 3_000;
/** A page that was not asked for during this time may be unpublished, so the next reader waits for a new one. */
const waitAfterMs = 10_000;
/** Readers wait this long for a store that does not answer, and longer when there is no earlier page. */
const waitMs = { earlier: 1_000, first: 5_000 };
const bytesMax = 32 * 1024 * 1024;
/** Answers without a page have a cache of their own, so that guessed names displace no page. */
const absentMax = 2_000;

export type CachedPage = { isPublic: boolean; json: Representation; html: Representation };
/** A state of the cache: `page` is absent for a Product without a page. */
type Entry = { page?: CachedPage; readAt: number };

/**
 * Keeps rendered status pages in memory and reads each again at most every few seconds while it is asked for. Readers
 * get the last page while the store is unavailable, so neither a crowd nor an outage reaches anything behind this cache.
 */
export class StatusPageCache {
  readonly #read: (name: ProductName) => Promise<ReadStatusPage | undefined>;
  readonly #clock: () => number;
  readonly #pages = new LRUCache<string, Entry>({
    maxSize: bytesMax,
    // The compressed forms, which are made later, are a fraction of the body.
    sizeCalculation: ({ page }) => 1 + Math.ceil(((page?.json.body.length ?? 0) + (page?.html.body.length ?? 0)) * 1.5),
  });
  readonly #absent = boundedCache<Entry>(absentMax);
  readonly #refreshes = new Map<string, { startedAt: number; done: Promise<void> }>();
  /** When the store last failed to answer for a page. */
  readonly #failures = boundedCache<{ at: number; error: unknown }>(absentMax);

  constructor(
    read: (name: ProductName) => Promise<ReadStatusPage | undefined>,
    clock: () => number = () => performance.now(),
  ) {
    this.#read = read;
    this.#clock = clock;
  }

  /** Returns the page, or undefined if there is none; throws while the store is unavailable and the page was never read. */
  async find(name: ProductName): Promise<CachedPage | undefined> {
    const key = `${name.org}/${name.product}`;
    const known = this.#get(key);
    const age = known ? this.#clock() - known.readAt : Infinity;
    if (age >= refreshMs) this.#refresh(key, name);
    if (age >= waitAfterMs) await this.#waitForRefresh(key, known ? waitMs.earlier : waitMs.first);
    const entry = this.#get(key);
    if (!entry) throw this.#failures.get(key)?.error ?? new Error('The store did not answer in time.');
    return entry.page;
  }

  #get(key: string): Entry | undefined {
    return this.#pages.get(key) ?? this.#absent.get(key);
  }

  #refresh(key: string, name: ProductName): void {
    const failedAt = this.#failures.get(key)?.at ?? -Infinity;
    if (this.#refreshes.has(key) || this.#clock() - failedAt < refreshMs) return;
    const startedAt = this.#clock();
    const done = this.#read(name)
      .then(async (read) => this.#set(key, { readAt: startedAt, ...(read && { page: await toCachedPage(read) }) }))
      .catch((error: unknown) => void this.#failures.set(key, { at: this.#clock(), error }))
      .finally(() => this.#refreshes.delete(key));
    this.#refreshes.set(key, { startedAt, done });
  }

  #set(key: string, entry: Entry): void {
    this.#failures.delete(key);
    const [into, other] = entry.page ? [this.#pages, this.#absent] : [this.#absent, this.#pages];
    other.delete(key);
    into.set(key, entry);
  }

  /** Waits for the refresh that runs, but not again for one that already kept readers waiting. */
  async #waitForRefresh(key: string, waitMax: number): Promise<void> {
    const refresh = this.#refreshes.get(key);
    const left = refresh ? refresh.startedAt + waitMax - this.#clock() : 0;
    if (!refresh || left <= 0) return;
    const arrived = new AbortController();
    await Promise.race([refresh.done, delay(left, undefined, { signal: arrived.signal }).catch(() => undefined)]);
    arrived.abort();
  }
}

async function toCachedPage({ isPublic, page }: ReadStatusPage): Promise<CachedPage> {
  const encoder = new TextEncoder();
  return {
    isPublic,
    json: new Representation(encoder.encode(JSON.stringify(page)), { type: 'application/json' }),
    html: new Representation(encoder.encode(await renderStatusPage(page)), { type: 'text/html; charset=UTF-8' }),
  };
}
