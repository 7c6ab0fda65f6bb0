import { describe, expect, it } from 'vitest';
import { AgentWorkflowRunKind, type RunStatus } from '../../../src/rules/changes/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { pushBranch } from '../../emulators/codehost/codehost-fixture.ts';
import { startApiWithShop } from '../../support/start-api-with-shop.ts';
import { startApi } from '../../support/start-api.ts';
import { aRun } from './runs-fixture.ts';

type Diff = {
  source?: string;
  base?: string;
  head?: string;
  totals: object;
  items: { path: string; patch?: string }[];
  continue?: string;
};
const name = 'change-shop-7-a';
const path = `/v1/orgs/acme/agentworkflowruns/${name}/diff`;

async function aChange() {
  const { request, store, shop, requestAsUser } = await startApiWithShop();
  await aRun(store, name, { phase: 'Running' });
  const get = async (query = ''): Promise<Diff> => {
    const response = await request(`${path}${query}`);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Diff;
  };
  return {
    request,
    get,
    requestAsUser,
    push: async (files: Record<string, string>) =>
      await pushBranch(shop.codehost, { token: shop.codehost.userToken, branch: `service/${name}`, files }),
    mainHead: async () => (await requestAsUser<{ object: { sha: string } }>('GET', '/git/ref/heads/main')).object.sha,
    record: async (patch: Partial<RunStatus>) =>
      await store.updateStatus(AgentWorkflowRunKind, { namespace: 'org-acme', name }, ({ status }) => ({
        ...(status ?? { phase: 'Running' as const, steps: [] }),
        ...patch,
      })),
  };
}

describe('getRunDiff', () => {
  it('200: follows a run from no commit over its branch and pull request to its merge commit', async () => {
    const { get, push, mainHead, record, requestAsUser } = await aChange();
    const totals = { files: 0, additions: 0, deletions: 0 };
    expect(await get()).toEqual({ totals, truncated: false, items: [] });

    const base = await mainHead();
    const head = await push({ 'src/greet.ts': 'one\ntwo\n', 'package-lock.json': '{}\n' });
    const onBranch = await get();
    expect(onBranch).toEqual({
      source: 'branch',
      base,
      head,
      totals: { files: 2, additions: 3, deletions: 0 },
      truncated: false,
      items: [
        { path: 'package-lock.json', status: 'added', additions: 1, deletions: 0, generated: true },
        { path: 'src/greet.ts', status: 'added', additions: 2, deletions: 0, generated: false },
      ],
    });

    const texts = { title: 'Greet', head: `service/${name}`, base: 'main' };
    const { number } = await requestAsUser<{ number: number }>('POST', '/pulls', texts);
    await record({ pullRequest: { number, url: 'http://localhost/1', headSha: head } });
    expect(await get()).toEqual({ ...onBranch, source: 'pull-request' });

    const merge = { merge_method: 'squash', sha: head };
    const { sha } = await requestAsUser<{ sha: string }>('PUT', `/pulls/${number}/merge`, merge);
    await record({ mergeCommit: sha });
    expect(await get()).toEqual({ ...onBranch, source: 'merge-commit', head: sha });
  });

  it('200: pages the files, and the hunks of one file', async () => {
    const { request, get, push } = await aChange();
    await push({ 'a.txt': 'a\n', b: 'b\n', 'sp ace&#.txt': '1\n2\n3\n' });
    const first = await get('?limit=2');
    expect(first.items.map(({ path: file }) => file)).toEqual(['a.txt', 'b']);
    expect(await get('?path=b')).toMatchObject({ items: [{ patch: '@@ -0,0 +1,1 @@\n+b' }] });
    expect(first.totals).toEqual({ files: 3, additions: 5, deletions: 0 });
    const last = await get(`?limit=2&continue=${first.continue}`);
    expect([last.items.length, last.continue]).toEqual([1, undefined]);

    const query = `?path=${encodeURIComponent('sp ace&#.txt')}&limit=2`;
    const hunks = await get(query);
    expect(hunks).toMatchObject({ items: [{ patch: '@@ -0,0 +1,2 @@\n+1\n+2' }] });
    const rest = await get(`${query}&continue=${hunks.continue}`);
    expect([rest.items, rest.continue]).toMatchObject([[{ patch: '@@ -0,0 +3,1 @@\n+3' }], undefined]);
    const other = await request(`${path}?continue=${hunks.continue}`);
    expect([other.status, await other.json()]).toEqual([422, expect.objectContaining({ reason: 'expired-page' })]);
  });

  it('200: says why a file has no hunks', async () => {
    const { get, push } = await aChange();
    await push({ 'logo.png': '\0\u0001', 'large.txt': 'x\n'.repeat(20_001) });
    expect((await get()).items).toMatchObject([
      { path: 'large.txt', additions: 20_001, omitted: 'too-large' },
      { path: 'logo.png', omitted: 'binary' },
    ]);
    const [file] = (await get('?path=logo.png')).items;
    expect(file).toMatchObject({ omitted: 'binary' });
    expect(file).not.toHaveProperty('patch');
  });

  it('200: is empty for a run of a Product without repos', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    const namespace = 'org-acme';
    const spec = { repos: [], delivery: { zones: [] } };
    await store.create(ProductKind, { metadata: { namespace, name: 'shop' }, spec });
    const run = { agentWorkflow: 'report', product: 'shop', startedBy: 'jo', steps: [], roles: {} };
    await store.create(AgentWorkflowRunKind, { metadata: { namespace, name }, spec: run });
    expect(await (await request(path)).json()).toMatchObject({ items: [] });
  });

  it('404: names a missing run or file; 409: an org without a code host; 422: an invalid page', async () => {
    const { request, push } = await aChange();
    expect((await request('/v1/orgs/acme/agentworkflowruns/missing/diff')).status).toBe(404);
    expect((await request(`/v1/orgs/other/agentworkflowruns/${name}/diff`)).status).toBe(403);
    await push({ 'a.txt': 'a\n' });
    const missing = await request(`${path}?path=b.txt`);
    expect([missing.status, await missing.json()]).toEqual([
      404,
      expect.objectContaining({ detail: `No file named "b.txt" in the diff of run "${name}".` }),
    ]);
    for (const query of ['after=0', 'limit=0', 'limit=3001', 'path=', 'page=2'])
      expect((await request(`${path}?${query}`)).status).toBe(422);
    const unconnected = await startApi({ role: 'viewer' });
    await aRun(unconnected.store, name, { phase: 'Running' });
    const response = await unconnected.request(path);
    expect([response.status, await response.json()]).toEqual([
      409,
      expect.objectContaining({ reason: 'codehost-not-connected' }),
    ]);
  });
});
