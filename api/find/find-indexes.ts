import type { Representation } from '../http/representation.ts';
import type { ResponseCache } from '../http/response-cache.ts';
import { buildEntries, type Entry, toIssueEntry } from './build-entries.ts';
import type { IssueIndex, OpenIssue } from './issue-index.ts';
import { readZoneAddress } from '../../src/store/installation.ts';

const decoder = new TextDecoder();

/** Keeps what can be found in each org until one of its resources changes, so that a key press reads no store. */
export class FindIndexes {
  readonly #zoneAddress: (zone: string) => string;
  readonly #entries = new WeakMap<Representation, Entry[]>();
  readonly #issueEntries = new WeakMap<readonly OpenIssue[], Map<string, Entry[]>>();

  constructor(zoneAddress: (zone: string) => string) {
    this.#zoneAddress = zoneAddress;
  }

  /** Reads the entries of a namespace, or of all. */
  async read(cache: ResponseCache, namespace: string | undefined): Promise<Entry[]> {
    const key = `find ${namespace ?? 'all'}`;
    const { representation } =
      cache.find(key) ??
      (await cache.compute(
        key,
        async (reads) => await buildEntries(reads, await readZoneAddress(reads, this.#zoneAddress), namespace),
      ));
    const entries = this.#entries.get(representation) ?? (JSON.parse(decoder.decode(representation.body)) as Entry[]);
    this.#entries.set(representation, entries);
    return entries;
  }

  /** Reads the issues of the Products among the entries, and builds those of a Product once until one changes. */
  async readIssues(index: IssueIndex, entries: readonly Entry[]): Promise<Entry[]> {
    const sources = entries.flatMap(({ item, repos = [] }) =>
      repos.map((repo) => ({ org: item.org, product: item.name, repo })),
    );
    return (await index.read(sources)).flatMap(({ source, issues }) => {
      const byProduct = this.#issueEntries.get(issues) ?? new Map<string, Entry[]>();
      const built = byProduct.get(source.product) ?? issues.map((issue) => toIssueEntry(source, issue));
      this.#issueEntries.set(issues, byProduct.set(source.product, built));
      return built;
    });
  }
}
