import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { type EditOutcome, mergeEdit } from '../../../activities/codehost/merge-edit.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';

/** Creates a repo without a commit, which is the state of a new repo for a moment. */
async function createEmptyRepo() {
  const { codehost, app, octokit } = await startShopFixture();
  await octokit.request('POST /orgs/{org}/repos', { org: 'acme', name: 'gitops' });
  const adapter = octokitCodehost({
    apiUrl: codehost.apiUrl,
    throttle: false,
    findCredentials: async () => ({ appId: String(app.id), privateKey: app.pem, account: 'acme', version: '1' }),
  });
  const host = await adapter.forOrg('acme');
  const merge = async (
    path = 'zones/a.yaml',
    content = 'replicas: 1\n',
    { through = host, ...more }: { proposal?: number; through?: OrgCodehost } = {},
  ): Promise<EditOutcome> => {
    const edit = {
      repo: 'acme/gitops',
      defaultBranch: 'main',
      branch: `service/${path}`,
      ...more,
      title: `First ${path}`,
      body: 'The first.',
      changesAt: async () => [{ path, content }],
    };
    return await new MockActivityEnvironment().run(async () => await mergeEdit(through, edit, { backOffMs: 1 }));
  };
  const commitReadme = async () =>
    await octokit.request('PUT /repos/{owner}/{repo}/contents/{path}', {
      owner: 'acme',
      repo: 'gitops',
      path: 'README.md',
      message: 'Initial commit',
      content: Buffer.from('# gitops\n').toString('base64'),
    });
  const asOwner = async (method: string, route: string, body?: object): Promise<void> => {
    const headers = { authorization: `token ${codehost.userToken}` };
    const url = `${codehost.apiUrl}/repos/acme/gitops${route}`;
    const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(await response.text());
  };
  return { host, merge, commitReadme, asOwner };
}

describe('an edit of a repo without a commit', () => {
  it('waits for the first commit', async () => {
    const { host, merge, commitReadme } = await createEmptyRepo();
    let reads = 0;
    const findBranchHead: typeof host.findBranchHead = async (...input) => {
      const head = await host.findBranchHead(...input);
      reads += 1;
      // The first commit arrives after the branch was missing twice.
      if (reads === 2) await commitReadme();
      return head;
    };
    const through = { ...host, findBranchHead };
    expect(await merge('zones/a.yaml', 'replicas: 1\n', { through })).toMatchObject({ outcome: 'merged' });
    expect(await host.readFile('acme/gitops', 'zones/a.yaml', 'main')).toBe('replicas: 1\n');
  });

  it('is refused with a fix when the repo stays empty', async () => {
    const { merge } = await createEmptyRepo();
    expect(await merge()).toEqual({
      outcome: 'refused',
      message: 'The repo acme/gitops has no branch main. Push a first commit to it.',
    });
  });
});

describe('edits of a repo with other writers', () => {
  it('are all merged when they run in parallel', async () => {
    const { host, merge, commitReadme } = await createEmptyRepo();
    await commitReadme();
    const paths = Array.from({ length: 8 }, (_, index) => `zones/${index}.yaml`);
    const outcomes = await Promise.all(paths.map(async (path) => await merge(path, `name: ${path}\n`)));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(paths.map(() => 'merged'));
    for (const path of paths) expect(await host.readFile('acme/gitops', path, 'main')).toBe(`name: ${path}\n`);
  });

  it('never merge lines with another edit of the same file', async () => {
    const { host, merge, commitReadme } = await createEmptyRepo();
    await commitReadme();
    const lines = Array.from({ length: 20 }, (_, index) => `line${index}: 1`);
    const text = (changed: Record<number, string>) =>
      `${lines.map((line, index) => changed[index] ?? line).join('\n')}\n`;
    const path = 'zones/a.yaml';
    await merge(path, text({}));
    // An earlier attempt has proposed the edit and died.
    const base = (await host.findBranchHead('acme/gitops', 'main')) ?? '';
    const expected = text({ 1: 'line1: ours' });
    const proposal = { branch: `service/${path}`, base, message: 'Ours', changes: [{ path, content: expected }] };
    await host.commitFiles('acme/gitops', proposal);
    const pullRequest = { headBranch: proposal.branch, baseBranch: 'main', title: 'Ours', body: '', draft: false };
    await host.openPullRequest('acme/gitops', pullRequest);
    const theirs = [{ path, content: text({ 18: 'line18: theirs' }) }];
    await host.commitFiles('acme/gitops', { branch: 'main', base, message: 'Theirs', changes: theirs });

    expect(await merge(path, expected)).toMatchObject({ outcome: 'merged' });
    expect(await host.readFile('acme/gitops', path, 'main')).toBe(expected);
  });
});

it('returns its own pull request and commit again when it is repeated after the merge', async () => {
  const { host, merge, commitReadme } = await createEmptyRepo();
  await commitReadme();
  const first = await merge();
  if (first.outcome !== 'merged') throw new Error(first.message);
  const base = (await host.findBranchHead('acme/gitops', 'main')) ?? '';
  const theirs = [{ path: 'other.yaml', content: 'a: 1\n' }];
  await host.commitFiles('acme/gitops', { branch: 'main', base, message: 'Theirs', changes: theirs });
  expect(first.pullRequest).toBeDefined();
  expect(await merge()).toMatchObject({ outcome: 'merged', commit: first.commit, pullRequest: first.pullRequest });
});

it('names no pull request for an edit that another writer has made', async () => {
  const { host, merge, commitReadme } = await createEmptyRepo();
  await commitReadme();
  const base = (await host.findBranchHead('acme/gitops', 'main')) ?? '';
  const theirs = [{ path: 'zones/a.yaml', content: 'replicas: 1\n' }];
  const head = await host.commitFiles('acme/gitops', { branch: 'main', base, message: 'Theirs', changes: theirs });
  expect(await merge()).toEqual({ outcome: 'merged', commit: head, mergedAt: expect.any(String) });
});

describe('an edit of a protected branch', () => {
  it('returns what blocks the merge, and merges the same pull request later, on top of the newest base', async () => {
    const { host, merge, commitReadme, asOwner } = await createEmptyRepo();
    await commitReadme();
    const protect = async (contexts: string[]) =>
      await asOwner('PUT', '/branches/main/protection', { required_status_checks: { strict: true, contexts } });
    await protect(['validate']);
    const path = 'zones/a.yaml';
    expect(await merge(path)).toEqual({
      outcome: 'blocked',
      message: 'The required check "validate" has not started.',
      needsPerson: false,
      pullRequest: { number: 1, url: expect.any(String) },
    });
    const proposed = await host.findBranchHead('acme/gitops', `service/${path}`);
    await asOwner('POST', `/statuses/${proposed}`, { state: 'pending', context: 'validate' });
    expect(await merge(path)).toMatchObject({ message: 'The required check "validate" is running.' });
    expect(await host.findBranchHead('acme/gitops', `service/${path}`)).toBe(proposed);
    const content = Buffer.from('b\n').toString('base64');
    await asOwner('PUT', '/contents/b.txt', { message: 'Add b', content });
    await protect([]);
    expect(await merge(path)).toMatchObject({ outcome: 'merged', pullRequest: { number: 1 } });
    expect(await host.readFile('acme/gitops', 'b.txt', 'main')).toBe('b\n');
  });

  it('is refused once its pull request was closed without a merge, and a later edit opens another one', async () => {
    const { host, merge, commitReadme, asOwner } = await createEmptyRepo();
    await commitReadme();
    const required_status_checks = { strict: true, contexts: ['validate'] };
    await asOwner('PUT', '/branches/main/protection', { required_status_checks });
    const path = 'zones/a.yaml';
    const content = 'replicas: 1\n';
    expect(await merge(path, content)).toMatchObject({ outcome: 'blocked', pullRequest: { number: 1 } });
    expect(await merge(path, content, { proposal: 1 })).toMatchObject({ pullRequest: { number: 1 } });
    await host.closePullRequest('acme/gitops', 1);
    expect(await merge(path, content, { proposal: 1 })).toEqual({
      outcome: 'refused',
      message: 'Pull request #1 was closed without a merge.',
      isClosed: true,
    });
    expect(await host.findPullRequest('acme/gitops', `service/${path}`)).toMatchObject({ number: 1, state: 'closed' });
    expect(await merge(path, content)).toMatchObject({ outcome: 'blocked', pullRequest: { number: 2 } });
  });

  it('is merged when a person has merged its pull request', async () => {
    const { host, merge, commitReadme, asOwner } = await createEmptyRepo();
    await commitReadme();
    const protect = async (contexts: string[]) =>
      await asOwner('PUT', '/branches/main/protection', { required_status_checks: { strict: false, contexts } });
    await protect(['validate']);
    const path = 'zones/a.yaml';
    expect(await merge(path)).toMatchObject({ outcome: 'blocked' });
    await protect([]);
    await asOwner('PUT', '/pulls/1/merge', {});
    const head = await host.findBranchHead('acme/gitops', 'main');
    const outcome = await merge(path, 'replicas: 1\n', { proposal: 1 });
    expect(outcome).toMatchObject({ outcome: 'merged', commit: head, pullRequest: { number: 1 } });
  });
});
