import { describe, expect, it } from 'vitest';
import type { startScriptedCodehost } from './scripted-codehost.ts';
import {
  base,
  connectPulls,
  head,
  pull,
  pullPath,
  raw,
  readPull,
  refused,
  repo,
  squashed,
  testMerge,
} from './scripted-pull.ts';

const merge = `PUT ${pullPath}/merge`;
const readTestMerge = `GET /repos/acme/shop/git/commits/${testMerge}`;
const readBase = `GET /repos/acme/shop/git/commits/${base}`;
const headRef = 'GET /repos/acme/shop/git/ref/heads%2Ffeature';
const baseRef = 'GET /repos/acme/shop/git/ref/heads%2Fmain';

const ref = (sha: string) => ({ body: { object: { sha } } });
/** The test merge changes the tree of the base. */
const addsChanges = {
  [readTestMerge]: { body: { tree: { sha: 'tree-2' }, parents: [{ sha: base }, { sha: head }] } },
  [readBase]: { body: { tree: { sha: 'tree-1' }, parents: [] } },
  [baseRef]: ref(base),
};

async function mergeWith(routes: Parameters<typeof startScriptedCodehost>[0]) {
  const { host, requests } = await connectPulls({ ...addsChanges, ...routes });
  const texts = { title: 'Add it (#7)', message: 'Closes #1' };
  const outcome = await host.mergePullRequest(repo, { number: 7, headSha: head, ...texts });
  return { outcome, attempts: requests.filter(({ route }) => route === merge), requests };
}

describe('mergePullRequest', () => {
  it('squashes exactly the approved commit', async () => {
    const { outcome, attempts } = await mergeWith({ [readPull]: pull(), [merge]: { body: { sha: squashed } } });
    expect(outcome).toEqual({ outcome: 'merged', commit: squashed });
    expect(attempts.map(({ body }) => body)).toEqual([
      { merge_method: 'squash', sha: head, commit_title: 'Add it (#7)', commit_message: 'Closes #1' },
    ]);
  });

  it.each([
    ['merged', { state: 'closed', merged: true, merge_commit_sha: squashed }, { outcome: 'merged', commit: squashed }],
    ['closed', { state: 'closed' }, { outcome: 'closed', message: 'Pull request #7 was closed without a merge.' }],
    [
      'head-moved',
      { head: { ...raw.head, sha: squashed } },
      {
        outcome: 'head-moved',
        message: 'Pull request #7 has commits that were added after it was approved.',
        headSha: squashed,
      },
    ],
    ['conflicted', { mergeable: false }, { outcome: 'conflicted', message: 'Pull request #7 conflicts with main.' }],
    [
      'behind',
      { mergeable_state: 'behind' },
      { outcome: 'behind', message: 'Pull request #7 must contain the newest commit of main.' },
    ],
  ])('attempts no merge of what is %s', async (_name, fields, expected) => {
    const { outcome, attempts } = await mergeWith({ [readPull]: pull(fields) });
    expect(outcome).toEqual(expected);
    expect(attempts).toEqual([]);
  });

  it('waits for a pull request that does not show its newest commit yet', async () => {
    const stale = pull({ head: { ...raw.head, sha: squashed } });
    const { outcome } = await mergeWith({ [readPull]: stale, [headRef]: ref(head) });
    expect(outcome).toEqual({
      outcome: 'base-moved',
      message: 'Pull request #7 does not show its newest commit yet.',
    });
    const moved = await mergeWith({ [readPull]: stale, [headRef]: ref(squashed) });
    expect(moved.outcome).toMatchObject({ outcome: 'head-moved' });
  });

  it('reads again until the code host has computed whether it can merge', async () => {
    const unknown = pull({ mergeable: null });
    const { outcome, attempts, requests } = await mergeWith({
      [readPull]: [unknown, unknown, pull()],
      [merge]: { body: { sha: squashed } },
    });
    expect(outcome).toMatchObject({ outcome: 'merged' });
    expect(attempts).toHaveLength(1);
    expect(requests.filter(({ route }) => route === readPull)).toHaveLength(3);
  });

  it('stops reading once an outcome is known', async () => {
    const { outcome, requests } = await mergeWith({
      [readPull]: [pull({ mergeable: null }), pull({ state: 'closed' })],
    });
    expect(outcome).toMatchObject({ outcome: 'closed' });
    expect(requests.filter(({ route }) => route === readPull)).toHaveLength(2);
  });

  it.each([
    ['the base branch was modified', 405, 'Base branch was modified. Review and try the merge again.', {}],
    ['nothing is computed', 409, 'Try again', { mergeable: null }],
  ])('reports a merge to retry: %s', async (_name, status, message, fields) => {
    const { outcome } = await mergeWith({ [readPull]: [pull(), pull(fields)], [merge]: refused(status, message) });
    expect(outcome).toEqual({ outcome: 'base-moved', message: expect.stringContaining(message) });
  });

  it.each([
    ['moved', 409, { head: { ...raw.head, sha: squashed } }, { outcome: 'head-moved', headSha: squashed }],
    ['merged elsewhere', 405, { state: 'closed', merged: true }, { outcome: 'merged', commit: testMerge }],
    ['behind', 405, { mergeable_state: 'behind' }, { outcome: 'behind' }],
    ['blocked', 405, { mergeable_state: 'blocked' }, { outcome: 'blocked', needsPerson: true }],
    [
      'invalid',
      422,
      {},
      { outcome: 'refused', message: expect.stringContaining('rejected the merge of pull request #7: No') },
    ],
  ])('lets the state decide why the merge was refused: %s', async (_name, status, fields, expected) => {
    const { outcome, attempts } = await mergeWith({
      [readPull]: [pull(), pull(fields)],
      [merge]: refused(status, 'No'),
    });
    expect(outcome).toMatchObject(expected);
    expect(attempts).toHaveLength(1);
  });

  it.each([403, 404, 500])('leaves a response with status %d to the retries', async (status) => {
    await expect(mergeWith({ [readPull]: pull(), [merge]: refused(status, 'No') })).rejects.toMatchObject({ status });
  });
});

describe('mergePullRequest of changes that the base already contains', () => {
  const sameTree = { body: { tree: { sha: 'tree-1' }, parents: [{ sha: base }, { sha: head }] } };

  it('attempts no merge', async () => {
    const { outcome, attempts } = await mergeWith({ [readPull]: pull(), [readTestMerge]: sameTree });
    expect(outcome).toEqual({
      outcome: 'up-to-date',
      message: '"main" already contains all changes of pull request #7.',
    });
    expect(attempts).toEqual([]);
  });

  it.each([
    ['there is no test merge', { [readPull]: pull({ merge_commit_sha: null }) }],
    ['the test merge is gone', { [readTestMerge]: refused(404, 'Not Found') }],
    [
      'the test merge is of another head',
      { [readTestMerge]: { body: { ...sameTree.body, parents: [{ sha: base }, { sha: squashed }] } } },
    ],
    ['the test merge has no parents', { [readTestMerge]: { body: { ...sameTree.body, parents: [] } } }],
    ['the base has moved', { [baseRef]: ref(squashed) }],
    ['the base is gone', { [baseRef]: refused(404, 'Not Found') }],
  ])('does not trust the trees if %s', async (_name, routes) => {
    const { outcome } = await mergeWith({
      [readPull]: pull(),
      [readTestMerge]: sameTree,
      [merge]: { body: { sha: squashed } },
      ...routes,
    });
    expect(outcome).toMatchObject({ outcome: 'merged' });
  });
});
