import { isServiceError } from '../../src/errors.ts';
import type { Codehost, Issue } from '../../src/integrations/codehost/codehost.ts';
import { boundedCache } from '../http/bounded-cache.ts';

export type IssueSource = { org: string; repo: string };
export type OpenIssue = Pick<Issue, 'number' | 'title' | 'url' | 'labels' | 'createdAt'>;
type Warn = (fields: object, message: string) => void;
type Reading = { finished: Promise<void>; startedAt: number };
type RepoIssues = { issues: readonly OpenIssue[]; readAt: number; isStale: boolean; reading?: Reading };

/** Webhooks tell about changes; a replica that did not receive one learns of it within this time. */
const maxAgeMs = 60_000;
/** The first request after a change, or after the start of the process, waits this long for the code host. */
const waitMs = 2_000;
const reposMax = 5_000;

/**
 * Keeps the open issues of repos in memory, so that a key press needs no request to the code host. Only repos
 * that someone searches are read, and the pages of an unchanged one do not count towards the rate limit of the code host.
 */
export class IssueIndex {
  readonly #codehost: Codehost;
  readonly #warn: Warn;
  readonly #repos = boundedCache<RepoIssues>(reposMax);

  constructor(codehost: Codehost, warn: Warn) {
    this.#codehost = codehost;
    this.#warn = warn;
  }

  /** Returns the issues of each source, in the order of the sources; an issue may have changed within `maxAgeMs`. */
  async read<T extends IssueSource>(sources: readonly T[]): Promise<{ source: T; issues: readonly OpenIssue[] }[]> {
    const now = Date.now();
    const awaited = sources.flatMap((source) => {
      const known = this.#repos.get(toKey(source));
      if (known && !known.isStale && now - known.readAt < maxAgeMs) return [];
      const { finished, startedAt } = this.#refresh(source);
      return known?.isStale === false || now - startedAt >= waitMs ? [] : [finished];
    });
    if (awaited.length > 0) await settleWithin(Promise.all(awaited), waitMs);
    return sources.map((source) => ({ source, issues: this.#repos.get(toKey(source))?.issues ?? [] }));
  }

  /** Records that issues of the repo have changed, so that the next search reads them. */
  markChanged(source: IssueSource): void {
    const known = this.#repos.peek(toKey(source));
    if (known) this.#repos.set(toKey(source), { issues: known.issues, readAt: known.readAt, isStale: true });
  }

  #refresh(source: IssueSource): Reading {
    const key = toKey(source);
    const known = this.#repos.get(key) ?? { issues: [], readAt: 0, isStale: true };
    if (known.reading) return known.reading;
    const finish = async (): Promise<void> => {
      const issues = await this.#list(source, known.issues);
      // A change that was announced during the read has replaced the record.
      const isStale = this.#repos.peek(key)?.reading !== reading;
      this.#repos.set(key, { issues, readAt: Date.now(), isStale });
    };
    const reading = { finished: finish(), startedAt: Date.now() };
    this.#repos.set(key, { ...known, reading });
    return reading;
  }

  /** An unavailable code host leaves what was known, until the next search after `maxAgeMs`. */
  async #list({ org, repo }: IssueSource, known: readonly OpenIssue[]): Promise<readonly OpenIssue[]> {
    try {
      const codehost = await this.#codehost.forOrg(org);
      const issues = await codehost.listIssues(repo, { state: 'open' });
      return issues.map(({ number, title, url, labels, createdAt }) => ({ number, title, url, labels, createdAt }));
    } catch (error) {
      if (!isServiceError(error)) this.#warn({ org, repo, error: String(error) }, 'Failed to list issues');
      return known;
    }
  }
}

const toKey = ({ org, repo }: IssueSource): string => `${org} ${repo.toLowerCase()}`;

async function settleWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
