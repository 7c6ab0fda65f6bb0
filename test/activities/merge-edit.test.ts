import { MockActivityEnvironment } from '@temporalio/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type EditOutcome, mergeEdit } from '../../activities/merge-edit.ts';
import { octokitCodehost } from '../../src/integrations/codehost/octokit.ts';
import { aShop } from '../local/codehost/a-codehost.ts';

/** A repo without a commit, as a code host shows one for a moment while it is made. */
async function anEmptyRepo() {
  const { codehost, app, octokit } = await aShop();
  await octokit.request('POST /orgs/{org}/repos', { org: 'acme', name: 'gitops' });
  const adapter = octokitCodehost({
    apiUrl: codehost.apiUrl,
    throttle: false,
    credentialsOf: async () => ({ appId: String(app.id), privateKey: app.pem, account: 'acme', version: '1' }),
  });
  const host = await adapter.forOrg('acme');
  const merge = async (path = 'zones/a.yaml', content = 'replicas: 1\n'): Promise<EditOutcome> =>
    await new MockActivityEnvironment().run(
      async () =>
        await mergeEdit(host, {
          repo: 'acme/gitops',
          defaultBranch: 'main',
          branch: `service/${path}`,
          title: `First ${path}`,
          body: 'The first.',
          changesOn: async () => [{ path, content }],
        }),
    );
  const firstCommit = async () =>
    await octokit.request('PUT /repos/{owner}/{repo}/contents/{path}', {
      owner: 'acme',
      repo: 'gitops',
      path: 'README.md',
      message: 'Initial commit',
      content: Buffer.from('# gitops\n').toString('base64'),
    });
  return { host, merge, firstCommit };
}

describe('an edit of a repo without a commit', () => {
  it('waits for the first one, which a new repo gets a moment later', async () => {
    const { host, merge, firstCommit } = await anEmptyRepo();
    const merging = merge();
    await sleep(300);
    await firstCommit();
    expect(await merging).toMatchObject({ outcome: 'merged' });
    expect(await host.readFile('acme/gitops', 'zones/a.yaml', 'main')).toBe('replicas: 1\n');
  });

  it('is refused with what to do when none comes', async () => {
    const { merge } = await anEmptyRepo();
    expect(await merge()).toEqual({
      outcome: 'refused',
      message: 'The repo acme/gitops has no branch main. Push a first commit to it.',
    });
  });
});

describe('edits of a repo that others write to as well', () => {
  it('all get in when they come at once', async () => {
    const { host, merge, firstCommit } = await anEmptyRepo();
    await firstCommit();
    const paths = Array.from({ length: 8 }, (_, index) => `zones/${index}.yaml`);
    const outcomes = await Promise.all(paths.map(async (path) => await merge(path, `name: ${path}\n`)));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(paths.map(() => 'merged'));
    for (const path of paths) expect(await host.readFile('acme/gitops', path, 'main')).toBe(`name: ${path}\n`);
  });

  it('are never mixed with what somebody else wrote into the same file, also where git would', async () => {
    const { host, merge, firstCommit } = await anEmptyRepo();
    await firstCommit();
    const lines = Array.from({ length: 20 }, (_, index) => `line${index}: 1`);
    const text = (changed: Record<number, string>) =>
      `${lines.map((line, index) => changed[index] ?? line).join('\n')}\n`;
    const path = 'zones/a.yaml';
    await merge(path, text({}));
    // Proposed, and then its proposer died.
    const base = (await host.branchHead('acme/gitops', 'main')) ?? '';
    const wanted = text({ 1: 'line1: ours' });
    const proposal = { branch: `service/${path}`, base, message: 'Ours', changes: [{ path, content: wanted }] };
    await host.commitFiles('acme/gitops', proposal);
    const opened = { headBranch: proposal.branch, baseBranch: 'main', title: 'Ours', body: '', draft: false };
    await host.openPullRequest('acme/gitops', opened);
    const theirs = [{ path, content: text({ 18: 'line18: theirs' }) }];
    await host.commitFiles('acme/gitops', { branch: 'main', base, message: 'Theirs', changes: theirs });

    expect(await merge(path, wanted)).toMatchObject({ outcome: 'merged' });
    expect(await host.readFile('acme/gitops', path, 'main')).toBe(wanted);
  });
});
