import { describe, expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { pushBranch } from '../../emulators/codehost/codehost-fixture.ts';
import { startApiWithShop } from '../../support/start-api-with-shop.ts';

const namespace = 'org-acme';
const at = '2026-01-01T00:00:00Z';
const none = { commitCount: 0, commits: [], changes: [], issues: [] };

async function aShop() {
  const { request, store, shop } = await startApiWithShop();
  const push = async (file: string, branch = 'main') =>
    await pushBranch(shop.codehost, { token: shop.codehost.userToken, branch, files: { [file]: file } });
  const release = async (version: string, commit: string): Promise<string> => {
    const name = `shop-${version}`;
    const spec = { product: 'shop', repo: 'acme/shop', commit, version, startedBy: 'jo' };
    await store.create(ReleaseKind, { metadata: { namespace, name }, spec });
    const status = { phase: 'Promoting' as const, zones: [], digest: `sha256:${version}` };
    await store.updateStatus(ReleaseKind, { namespace, name }, () => status);
    return name;
  };
  return {
    request,
    store,
    push,
    release,
    merge: async (number: number, mergeCommit: string, kind?: 'pull-request') => {
      const name = `change-shop-${number}`;
      const target = { repo: 'acme/shop', number, ...(kind && { kind }) };
      const merge = [{ name: 'merge', type: 'merge' as const }];
      const spec = { agentWorkflow: 'change', product: 'shop', target, startedBy: 'jo', steps: merge, roles: {} };
      await store.create(AgentWorkflowRunKind, { metadata: { namespace, name }, spec });
      const issue = { title: `Issue ${number}`, url: `http://localhost/${number}` };
      const decision = { by: 'kim@example.com', role: 'member', outcome: 'approved' as const, at };
      const steps = [
        { name: 'approve', phase: 'Succeeded' as const, decision },
        { name: 'merge', phase: 'Succeeded' as const, finishedAt: at },
      ];
      const pullRequest = { number: 8, url: 'http://localhost/8', headSha: mergeCommit };
      const status = { phase: 'Succeeded' as const, steps, mergeCommit, issue, pullRequest };
      await store.updateStatus(AgentWorkflowRunKind, { namespace, name }, () => status);
    },
    run: async (version: string, commit: string) => {
      const running = { name: 'shop-prod', release: `shop-${version}`, version, commit, digest: `sha256:${version}` };
      await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ zones: [running] }));
    },
    compare: async (name: string, query = '?zone=shop-prod') => {
      const response = await request(`/v1/orgs/acme/releases/${name}/compare${query}`);
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as Record<'added' | 'removed', { commits: { sha: string }[] }>;
    },
  };
}

describe('compareRelease', () => {
  it('200: returns what the zone gains, and what a rollback takes away', async () => {
    const { push, release, merge, run, compare } = await aShop();
    const [one, two, three] = [await push('one'), await push('two'), await push('three')];
    await merge(7, two);
    const [older, newer] = [await release('v1.0.0', one), await release('v1.1.0', three)];
    await run('v1.0.0', one);
    const gained = {
      commitCount: 2,
      commits: [
        { sha: three, title: 'Change three', url: expect.stringContaining(three) },
        { sha: two, title: 'Change two', url: expect.stringContaining(two) },
      ],
      changes: [
        {
          run: 'change-shop-7',
          agentWorkflow: 'change',
          mergeCommit: two,
          pullRequest: { number: 8, url: 'http://localhost/8' },
          title: 'Issue 7',
          issue: 7,
          approvedBy: 'kim@example.com',
          mergedAt: at,
        },
      ],
      issues: [{ repo: 'acme/shop', number: 7, title: 'Issue 7', url: 'http://localhost/7' }],
      files: { count: 2, additions: expect.any(Number), deletions: 0, truncated: false },
    };
    const [from, to] = [
      { release: older, version: 'v1.0.0', commit: one, digest: 'sha256:v1.0.0' },
      { release: newer, version: 'v1.1.0', commit: three, digest: 'sha256:v1.1.0' },
    ];
    const ends = { product: 'shop', zone: 'shop-prod' };
    expect(await compare(newer)).toEqual({ ...ends, from, to, direction: 'forward', added: gained, removed: none });
    expect(await compare(older)).toMatchObject({ direction: 'same', added: none, removed: none });
    await run('v1.1.0', three);
    expect(await compare(older)).toEqual({
      ...ends,
      from: to,
      to: from,
      direction: 'backward',
      added: none,
      removed: gained,
    });
  });

  it('200: returns the newest commits for a zone that runs nothing', async () => {
    const { push, release, merge, compare } = await aShop();
    const file = 'x'.repeat(240);
    const head = await push(file);
    await merge(7, head, 'pull-request');
    const comparison = await compare(await release('v1.0.0', head), '?zone=shop-rc');
    expect(comparison).toMatchObject({
      direction: 'first',
      added: { changes: [{ run: 'change-shop-7' }], issues: [] },
      removed: none,
    });
    expect(comparison).not.toHaveProperty('from');
    expect(comparison.added).not.toHaveProperty('commitCount');
    expect(comparison.added).not.toHaveProperty('changes.0.issue');
    expect(comparison.added.commits[0]).toMatchObject({ sha: head, title: `Change ${file}`.slice(0, 200) });
  });

  it('200: says when the two have diverged, or share no history', async () => {
    const { push, release, run, compare, store } = await aShop();
    const side = await push('side', 'side');
    const head = await push('one');
    const name = await release('v1.0.0', head);
    await run('v0.9.0', side);
    expect(await compare(name)).toMatchObject({
      direction: 'diverged',
      added: { commits: [{ sha: head }] },
      removed: { commits: [{ sha: side }] },
    });
    await run('v0.9.0', 'a'.repeat(40));
    expect(await compare(name)).toMatchObject({ direction: 'unrelated', added: none, removed: none });
    await store.create(ReleaseKind, {
      metadata: { namespace, name: 'shop-v0.9.0' },
      spec: { product: 'shop', repo: 'acme/till', commit: side, version: 'v0.9.0', startedBy: 'jo' },
    });
    await run('v0.9.0', side);
    expect(await compare(name)).toMatchObject({ direction: 'unrelated', added: none, removed: none });
  });

  it('200: without a zone, compares with the previous Release that was built', async () => {
    const { push, release, store, compare } = await aShop();
    const [one, two] = [await push('one'), await push('two')];
    const first = await release('v1.0.0', one);
    const failed = await release('v1.1.0', two);
    await store.updateStatus(ReleaseKind, { namespace, name: failed }, () => ({ phase: 'Failed' as const, zones: [] }));
    const second = await release('v1.2.0', two);
    const comparison = await compare(second, '');
    expect(comparison).toMatchObject({
      product: 'shop',
      from: { release: first, version: 'v1.0.0', commit: one },
      to: { release: second, version: 'v1.2.0', commit: two },
      direction: 'forward',
      added: { commitCount: 1, commits: [{ sha: two }], files: { count: 1 } },
      removed: none,
    });
    expect(comparison).not.toHaveProperty('zone');
    const initial = await compare(first, '');
    expect(initial).toMatchObject({ direction: 'first', to: { release: first } });
    expect(initial).not.toHaveProperty('from');
  });

  it('404: names a missing Release or zone', async () => {
    const { request, release, push } = await aShop();
    const name = await release('v1.0.0', await push('one'));
    const get = async (path: string) => await request(`/v1/orgs/acme/releases/${path}`);
    expect((await get('missing/compare?zone=shop-prod')).status).toBe(404);
    const other = await get(`${name}/compare?zone=till-prod`);
    expect([other.status, await other.json()]).toEqual([
      404,
      expect.objectContaining({ detail: 'No zone named "till-prod" in Product "shop".' }),
    ]);
    expect((await get(`${name}/compare?zone=x`)).status).toBe(404);
    expect((await get(`${name}/compare?zone=`)).status).toBe(422);
    expect((await get('missing/compare')).status).toBe(404);
    expect((await request(`/v1/orgs/other/releases/${name}/compare?zone=shop-prod`)).status).toBe(403);
  });
});
