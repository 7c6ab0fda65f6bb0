import { afterEach, describe, expect, it, vi } from 'vitest';
import { IssueIndex } from '../../../api/find/issue-index.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { Codehost, Issue, OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';

const shop = { org: 'acme', repo: 'acme/shop' };
const minute = 60_000;

/** An index of a code host whose responses the test gives, or fails, one after another. */
function createIndex() {
  const requests: { org: string; repo: string; respond: (...titles: string[]) => void; fail: (e: Error) => void }[] =
    [];
  const warnings: object[] = [];
  const forOrg = async (org: string): Promise<OrgCodehost> => {
    const listIssues: OrgCodehost['listIssues'] = async (repo) =>
      await new Promise((resolve, reject) => {
        const respond = (...titles: string[]): void => resolve(titles.map((title, index) => toIssue(title, index + 1)));
        requests.push({ org, repo, respond, fail: reject });
      });
    return { listIssues } as OrgCodehost;
  };
  const index = new IssueIndex({ forOrg } as Codehost, (fields) => void warnings.push(fields));
  const read = async (): Promise<string[]> =>
    (await index.read([shop])).flatMap(({ issues }) => issues.map(({ title }) => title));
  const next = async () => {
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    return requests.shift()!;
  };
  /** Reads the repo for the first time. */
  const readFirst = async (...titles: string[]): Promise<void> => {
    const reading = read();
    (await next()).respond(...titles);
    expect(await reading).toEqual(titles);
  };
  return { index, requests, warnings, read, next, readFirst };
}

const toIssue = (title: string, number: number): Issue => ({
  number,
  title,
  body: '',
  url: `http://code.test/acme/shop/issues/${number}`,
  state: 'open',
  labels: [],
  author: 'jo',
  authorIsBot: false,
  isPullRequest: false,
  createdAt: '2026-01-05T10:00:00Z',
  updatedAt: '2026-01-05T10:00:00Z',
});

describe('IssueIndex', () => {
  afterEach(() => void vi.useRealTimers());

  it('reads a repo once for concurrent searches, and not again for a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { read, next, requests } = createIndex();
    const searches = [read(), read(), read()];
    (await next()).respond('Hold the fare');
    expect(await Promise.all(searches)).toEqual([['Hold the fare'], ['Hold the fare'], ['Hold the fare']]);
    vi.advanceTimersByTime(minute - 1);
    expect(await read()).toEqual(['Hold the fare']);
    expect(requests).toEqual([]);
  });

  it('returns what it knows at once while it reads a repo that is a minute old', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { read, readFirst, next } = createIndex();
    await readFirst('Hold the fare');
    vi.advanceTimersByTime(minute);
    expect(await read()).toEqual(['Hold the fare']);
    const request = await next();
    expect(await read()).toEqual(['Hold the fare']);
    request.respond('Hold the fare', 'Print the ticket');
    await vi.waitFor(async () => expect(await read()).toEqual(['Hold the fare', 'Print the ticket']));
  });

  it('reads a changed repo before it responds', async () => {
    const { index, read, readFirst, next, requests } = createIndex();
    await readFirst('Hold the fare');
    index.markChanged({ org: 'acme', repo: 'Acme/Shop' });
    const reading = read();
    (await next()).respond('Print the ticket');
    expect(await reading).toEqual(['Print the ticket']);
    expect(await read()).toEqual(['Print the ticket']);
    index.markChanged({ org: 'other', repo: 'acme/shop' });
    expect(await read()).toEqual(['Print the ticket']);
    expect(requests).toEqual([]);
  });

  it('reads a repo again that changed during a read', async () => {
    const { index, read, next } = createIndex();
    const first = read();
    const request = await next();
    index.markChanged(shop);
    request.respond('Old');
    await first;
    const second = read();
    (await next()).respond('New');
    expect(await second).toEqual(['New']);
  });

  it('waits once for a code host that is slow, and then responds without its issues', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const { read, requests } = createIndex();
    const reading = read();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await reading).toEqual([]);
    expect(await read()).toEqual([]);
    expect(requests).toHaveLength(1);
    requests[0]?.respond('Hold the fare');
    await vi.advanceTimersByTimeAsync(1);
    expect(await read()).toEqual(['Hold the fare']);
  });

  it('leaves no timer behind that would keep the process alive', async () => {
    const { read, next } = createIndex();
    // Parts of other tests start timers in this process, but not while this read begins.
    const start = vi.spyOn(globalThis, 'setTimeout');
    const reading = read();
    const started: unknown[] = start.mock.results.map(({ value }) => value);
    start.mockRestore();
    expect(started).toHaveLength(1);
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    (await next()).respond('Hold the fare');
    await reading;
    const cleared = clear.mock.calls.flat();
    clear.mockRestore();
    expect(cleared).toContain(started[0]);
  });

  it.each([
    ['an outage', new Error('connection reset'), 1],
    ['a repo without access', new ServiceError('not-found', 'The code host does not have acme/shop.'), 0],
  ])('keeps what it knows after %s', async (_what, error, warned) => {
    const { index, read, readFirst, next, requests, warnings } = createIndex();
    await readFirst('Hold the fare');
    index.markChanged(shop);
    const reading = read();
    (await next()).fail(error);
    expect(await reading).toEqual(['Hold the fare']);
    expect(await read()).toEqual(['Hold the fare']);
    expect(requests).toEqual([]);
    expect(warnings).toHaveLength(warned);
  });
});
