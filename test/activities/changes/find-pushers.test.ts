import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { findPushers } from '../../../activities/changes/find-pushers.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { comparisonOperations } from '../../../src/integrations/codehost/octokit-comparisons.ts';
import { pushOperations } from '../../../src/integrations/codehost/octokit-pushes.ts';
import { startScriptedCodehost } from '../../integrations/codehost/scripted-codehost.ts';

const repo = 'acme/shop';
const noCommit = '0'.repeat(40);
const gitRef = 'refs/heads/fix';

type Login = string | null;

const toActivity = ([login, before, after]: readonly [Login, string, string]) => ({
  before,
  after,
  actor: login === null ? null : { login, type: login.endsWith('[bot]') ? 'Bot' : 'User' },
});

/** Finds who pushed the head "head" to a branch with these pushes, newest first. Other commits than "main" are not in the base. */
async function find(
  pushes: (readonly [Login, string, string])[],
  { attempt = 1, headSha = 'head', ref = gitRef } = {},
) {
  const toComparison = (status: string) => ({ body: { status, ahead_by: 0, behind_by: 0, commits: [], files: [] } });
  const { client } = await startScriptedCodehost({
    'GET /repos/acme/shop/activity?ref=refs%2Fheads%2Ffix&per_page=100': { body: pushes.map(toActivity) },
    'GET /repos/acme/shop/compare/main...main?per_page=100&page=1': toComparison('identical'),
    'GET /repos/acme/shop/compare/main...older?per_page=100&page=1': toComparison('behind'),
    'GET /repos/acme/shop/compare/main...other?per_page=100&page=1': toComparison('diverged'),
  });
  const host = { ...comparisonOperations(client), ...pushOperations(client) } as OrgCodehost;
  return await new MockActivityEnvironment({ attempt }).run(
    async () => await findPushers({ host, repo, gitRef: ref, baseBranch: 'main' }, headSha),
  );
}

it.each(['main', 'older'])('names each account since the branch was at %s, a commit of the base', async (start) => {
  const pushes = [
    ['bob', 'two', 'head'],
    ['service[bot]', 'other', 'two'],
    ['carol', start, 'other'],
    ['dave', noCommit, start],
  ] as const;
  expect(await find([...pushes])).toEqual(['bob', 'carol']);
});

it('names the account that created the branch, and not those that pushed to one of the same name or after the head', async () => {
  const pushes = [
    ['erin', 'head', 'newer'],
    ['bob', noCommit, 'head'],
    ['carol', 'other', noCommit],
    ['dave', noCommit, 'other'],
  ] as const;
  expect(await find([...pushes])).toEqual(['bob']);
});

it('names the account whose commits another one has pushed again after a reset', async () => {
  const pushes = [
    ['bob', 'other', 'head'],
    ['mallory', 'main', 'other'],
  ] as const;
  expect(await find([...pushes])).toEqual(['bob', 'mallory']);
});

it('does not know them when an account was deleted or the list ends before the base', async () => {
  expect(await find([[null, 'main', 'head']])).toBeUndefined();
  expect(await find([['bob', 'other', 'head']])).toBeUndefined();
});

it('waits until the code host lists the push of the head, and then does not know who it was', async () => {
  const pushes = [['bob', noCommit, 'other']] as const;
  await expect(find([...pushes], { attempt: 4 })).rejects.toMatchObject({ reason: 'codehost-unreachable' });
  expect(await find([...pushes], { attempt: 5 })).toBeUndefined();
});

it('names no account for a fork, whose pushes are listed elsewhere', async () => {
  expect(await find([], { ref: 'refs/pull/3/head' })).toEqual([]);
});
