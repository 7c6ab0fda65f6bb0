import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { mergeEdit } from '../../../activities/codehost/merge-edit.ts';
import type {
  FileChange,
  MergeOutcome,
  OrgCodehost,
  PullRequest,
} from '../../../src/integrations/codehost/codehost.ts';

const repo = 'acme/gitops';
const path = 'zones/a.yaml';
const wanted: FileChange[] = [{ path, content: 'replicas: 2\n' }];
const open = { state: 'open', merged: false } as const;
const pull = (fields: Partial<PullRequest> = {}): PullRequest =>
  ({ number: 7, url: 'https://codehost.test/7', headSha: 'proposal', ...open, ...fields }) as PullRequest;

/** The content of a file at each commit. */
type Files = Record<string, string | undefined>;
type Options = {
  files?: Files;
  found?: PullRequest;
  merges?: MergeOutcome[];
  /** The heads of the base branch, one per look; the last one stays. */
  bases?: string[];
  changes?: FileChange[];
  parents?: string[];
};

/** Edits a repo that has these commits and outcomes, and returns the outcome and the calls. */
async function edit(options: Options = {}) {
  const { files = {}, found, merges = [{ outcome: 'merged', commit: 'merged' }], changes = wanted } = options;
  const bases = [...(options.bases ?? ['base'])];
  const calls: string[] = [];
  const outcomes = [...merges];
  const host: Partial<OrgCodehost> = {
    findBranchHead: async () => (bases.length > 1 ? bases.shift() : bases[0]),
    findPullRequest: async () => {
      calls.push('find');
      return found;
    },
    readFile: async (_repo, _path, ref) => files[ref],
    findFileSha: async (_repo, _path, ref) => files[ref],
    getCommit: async (_repo, sha) => ({ sha, message: '', parents: options.parents ?? ['base'] }),
    commitFiles: async (_repo, { base }) => {
      calls.push(`commit on ${base}`);
      return changes.length === 0 ? undefined : `proposal on ${base}`;
    },
    openPullRequest: async () => {
      calls.push('open');
      return pull({ headSha: 'not the newest' });
    },
    mergePullRequest: async (_repo, { headSha, title, message }) => {
      calls.push(`merge ${headSha}`);
      expect([title, message]).toEqual(['Set replicas (#7)', 'For the zone.']);
      return outcomes.length > 1 ? (outcomes.shift() as MergeOutcome) : (outcomes[0] as MergeOutcome);
    },
    deleteBranch: async (_repo, branch) => void calls.push(`delete ${branch}`),
  };
  const outcome = await new MockActivityEnvironment().run(
    async () =>
      await mergeEdit(host as OrgCodehost, {
        repo,
        defaultBranch: 'main',
        branch: 'service/zones',
        title: 'Set replicas',
        body: 'For the zone.',
        changesAt: async () => changes,
      }),
  );
  return { outcome, calls };
}

const merged = { outcome: 'merged', commit: 'merged', pullRequest: { number: 7, url: 'https://codehost.test/7' } };
const message = 'No.';

describe('mergeEdit', () => {
  it('commits the edit on the base, merges it and deletes the branch', async () => {
    const { outcome, calls } = await edit();
    expect(outcome).toEqual({ ...merged, mergedAt: expect.any(String) });
    expect(calls).toEqual(['find', 'commit on base', 'open', 'merge proposal on base', 'delete service/zones']);
  });

  it('merges a pull request that has the edit on top of the base as it is', async () => {
    const { calls } = await edit({ found: pull(), files: { proposal: 'replicas: 2\n' } });
    expect(calls).toEqual(['find', 'merge proposal', 'delete service/zones']);
  });

  it('merges it as it is also when other files of the base have changed', async () => {
    const { calls } = await edit({ found: pull(), files: { proposal: 'replicas: 2\n' }, parents: ['older'] });
    expect(calls).toContain('merge proposal');
  });

  it.each([
    ['is closed', { found: pull({ state: 'closed' }), files: { proposal: 'replicas: 2\n' } }],
    ['has another edit', { found: pull(), files: { proposal: 'replicas: 3\n' } }],
    ['has no parent', { found: pull(), files: { proposal: 'replicas: 2\n' }, parents: [] }],
    [
      'is based on another state of the file',
      { found: pull(), files: { proposal: 'replicas: 2\n', older: 'replicas: 0\n' }, parents: ['older'] },
    ],
  ])('writes the edit again over a pull request that %s', async (_name, options) => {
    const { outcome, calls } = await edit(options);
    expect(outcome).toMatchObject(merged);
    expect(calls).toContain('merge proposal on base');
  });

  it('writes the edit again on the base when the pull request is behind', async () => {
    const files = { proposal: 'replicas: 2\n' };
    const behind: MergeOutcome = { outcome: 'behind', message };
    const { calls } = await edit({ found: pull(), files, merges: [behind, { outcome: 'merged', commit: 'merged' }] });
    expect(calls).toEqual([
      'find',
      'merge proposal',
      'find',
      'commit on base',
      'open',
      'merge proposal on base',
      'delete service/zones',
    ]);
  });

  it('tries the same pull request again when the base moved by other files', async () => {
    const files = { proposal: 'replicas: 2\n' };
    const moved: MergeOutcome = { outcome: 'base-moved', message };
    const merges: MergeOutcome[] = [moved, { outcome: 'merged', commit: 'merged' }];
    const { calls } = await edit({ found: pull(), files, merges, bases: ['base', 'next'] });
    expect(calls).toEqual(['find', 'merge proposal', 'merge proposal', 'delete service/zones']);
  });

  it('writes the edit again when the base moved by the same file', async () => {
    const files = { proposal: 'replicas: 2\n', next: 'replicas: 9\n' };
    const moved: MergeOutcome = { outcome: 'base-moved', message };
    const merges: MergeOutcome[] = [moved, { outcome: 'merged', commit: 'merged' }];
    const { calls } = await edit({ found: pull(), files, merges, bases: ['base', 'next'] });
    expect(calls).toContain('merge proposal on next');
  });

  it.each(['head-moved', 'conflicted', 'up-to-date'] as const)('looks again when the merge is %s', async (outcome) => {
    const merges = [
      { outcome, message },
      { outcome: 'merged', commit: 'merged' },
    ] as MergeOutcome[];
    const { calls } = await edit({ merges });
    expect(calls.filter((call) => call === 'find')).toHaveLength(2);
    expect(calls.filter((call) => call.startsWith('merge '))).toHaveLength(2);
  });

  it.each([
    [
      { outcome: 'blocked', message, needsPerson: true },
      { outcome: 'blocked', message, needsPerson: true, pullRequest: merged.pullRequest },
    ],
    [
      { outcome: 'closed', message },
      { outcome: 'refused', message, isClosed: true },
    ],
    [
      { outcome: 'refused', message },
      { outcome: 'refused', message },
    ],
  ] as [MergeOutcome, object][])('ends with what a person must decide: %j', async (found, expected) => {
    const { outcome, calls } = await edit({ merges: [found] });
    expect(outcome).toEqual(expected);
    expect(calls.filter((call) => call.startsWith('merge '))).toHaveLength(1);
    expect(calls).not.toContain('delete service/zones');
  });
});

describe('mergeEdit of what the base has already', () => {
  const files = { base: 'replicas: 2\n', earlier: 'replicas: 2\n' };

  it('returns the merge of its own pull request', async () => {
    const found = pull({ state: 'closed', merged: true, mergeCommit: 'earlier' });
    const { outcome, calls } = await edit({ files, found });
    expect(outcome).toMatchObject({ ...merged, commit: 'earlier' });
    expect(calls).toEqual(['find']);
  });

  it.each([
    ['no pull request', undefined],
    ['a pull request that was closed', pull({ state: 'closed' })],
    ['a merge of another edit', pull({ state: 'closed', merged: true, mergeCommit: 'other' })],
  ])('names no pull request if there is %s', async (_name, found) => {
    const { outcome } = await edit({ files, ...(found && { found }) });
    expect(outcome).toEqual({ outcome: 'merged', commit: 'base', mergedAt: expect.any(String) });
  });

  it('changes nothing for an edit without changes', async () => {
    const { outcome, calls } = await edit({ changes: [] });
    expect(outcome).toMatchObject({ outcome: 'merged', commit: 'base' });
    expect(calls).toEqual(['find']);
  });

  it('compares bytes by the id of git, and a file that must not exist', async () => {
    const bytes = { path: 'logo.png', content: Buffer.from('a\n') };
    const sha = '78981922613b2afb6025042ff6bd878ac1994e85';
    expect((await edit({ changes: [bytes], files: { base: sha } })).calls).toEqual(['find']);
    expect((await edit({ changes: [bytes], files: { base: 'other' } })).calls).toContain('open');
    const removed = { path, content: null };
    expect((await edit({ changes: [removed], files: {} })).calls).toEqual(['find']);
    expect((await edit({ changes: [removed], files: { base: 'x' } })).calls).toContain('open');
  });
});

it('stops when it is cancelled, before it changes anything', async () => {
  const environment = new MockActivityEnvironment();
  const calls: string[] = [];
  const host = {
    findPullRequest: async () => {
      environment.cancel('CANCELLED');
      return undefined;
    },
    findBranchHead: async () => void calls.push('look'),
  } as Partial<OrgCodehost> as OrgCodehost;
  const change = { repo, defaultBranch: 'main', branch: 'b', title: 't', body: '', changesAt: async () => wanted };
  await expect(environment.run(async () => await mergeEdit(host, change))).rejects.toThrow('CANCELLED');
  expect(calls).toEqual([]);
});
