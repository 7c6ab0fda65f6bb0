import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createProductActivities } from '../../../activities/products/product-activities.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { requestMarker } from '../../../src/rules/products/request-marker.ts';
import { connectShop } from '../../integrations/codehost/shop-codehost.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const repo = 'acme/shop';
const payloadKey = 'requests/acme/1';

describe('createIssue', () => {
  async function createHarness() {
    const { codehost, host } = await connectShop();
    const blobs = directoryBlobs(await createScratchFolder());
    const { createIssue } = createProductActivities({ store: openTestStore(), blobs, codehost });
    const payload = { title: 'Greet', body: 'By name', labels: ['feature'] };
    await blobs.put(payloadKey, Buffer.from(JSON.stringify(payload)));
    return {
      host,
      blobs,
      create: async (key = payloadKey) => await createIssue({ org: 'acme', repo, payloadKey: key }),
    };
  }

  it('creates one issue when repeated, also after it was closed or edited', async () => {
    const { host, create } = await createHarness();
    const { number } = await create();
    expect(await host.getIssue(repo, number)).toMatchObject({
      title: 'Greet',
      body: `By name\n\n${requestMarker(payloadKey)}`,
      labels: ['feature'],
    });
    expect(await create()).toEqual({ number });
    expect(await host.listIssues(repo, { state: 'all' })).toHaveLength(1);
  });

  it('reads only the issues that a repeated request can have created', async () => {
    const { blobs } = await createHarness();
    const queries: unknown[] = [];
    const host = {
      listIssues: async (_repo: string, query: object) => {
        queries.push(query);
        return [];
      },
      createIssue: async () => ({ number: 7 }),
    };
    const codehost = { forOrg: async () => host as unknown as OrgCodehost };
    const { createIssue } = createProductActivities({ store: openTestStore(), blobs, codehost });
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-05-31T00:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    expect(await createIssue({ org: 'acme', repo, payloadKey })).toEqual({ number: 7 });
    expect(queries).toEqual([{ state: 'all', since: '2026-05-01T00:00:00.000Z' }]);
  });

  it('creates another issue for another request', async () => {
    const { host, blobs, create } = await createHarness();
    await create();
    await blobs.put('requests/acme/10', Buffer.from(JSON.stringify({ title: 'Second', body: '', labels: [] })));
    await create('requests/acme/10');
    expect((await host.listIssues(repo, { state: 'all' })).map(({ title }) => title)).toEqual(['Second', 'Greet']);
  });

  it('names the request that is gone', async () => {
    const { create } = await createHarness();
    await expect(create('requests/acme/2')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('requests/acme/2'),
    });
  });
});

describe('labels of an issue', () => {
  const input = { org: 'acme', product: 'shop', repo, number: 7, requestId: 'r1', by: 'ada', add: [], remove: [] };

  function createHarness(issue: object = {}) {
    const calls: unknown[] = [];
    const host = {
      getIssue: async () => ({ labels: ['bug'], author: 'ada', authorIsBot: false, isPullRequest: false, ...issue }),
      addLabels: async (...call: unknown[]) => void calls.push(['add', ...call]),
      removeLabel: async (...call: unknown[]) => {
        await pause(1);
        calls.push(['remove', ...call]);
      },
    } as unknown as OrgCodehost;
    const codehost = { forOrg: async () => host };
    return { calls, ...createProductActivities({ store: {} as never, blobs: {} as never, codehost }) };
  }

  it('are added together and removed one by one', async () => {
    const { labelIssue, calls } = createHarness();
    await labelIssue({ ...input, add: ['a', 'b'], remove: ['c', 'd'] });
    expect(calls).toEqual([
      ['add', repo, 7, ['a', 'b']],
      ['remove', repo, 7, 'c'],
      ['remove', repo, 7, 'd'],
    ]);
  });

  it('are not added when there are none', async () => {
    const { labelIssue, calls } = createHarness();
    await labelIssue({ ...input, remove: ['c'] });
    expect(calls).toEqual([['remove', repo, 7, 'c']]);
  });

  it('make events of the person who adds them, about the issue of its author', async () => {
    const { readLabelEvents } = createHarness();
    expect(await readLabelEvents({ ...input, add: ['a', 'bug', 'b', 'a'] })).toEqual(
      ['a', 'b'].map((label) => ({
        event: 'issues',
        action: 'labeled',
        repo,
        number: 7,
        label,
        labels: ['bug', 'a', 'b'],
        at: expect.any(String),
        senderIsBot: false,
        authorIsBot: false,
        isPullRequest: false,
        people: ['ada'],
      })),
    );
  });

  it('say that the author is a bot, and that it is a pull request', async () => {
    const { readLabelEvents } = createHarness({ authorIsBot: true, isPullRequest: true });
    expect(await readLabelEvents({ ...input, add: ['a'] })).toMatchObject([
      { senderIsBot: false, authorIsBot: true, isPullRequest: true, people: [] },
    ]);
  });
});
