import { expect, it } from 'vitest';
import type { PullRequest } from '../../../src/integrations/codehost/codehost.ts';
import { readMergeBlockers } from '../../../src/integrations/codehost/octokit-merge-blockers.ts';
import { startScriptedCodehost } from './scripted-codehost.ts';

const repo = 'acme/shop';
const pull = { baseBranch: 'main', headSha: 'abc', nodeId: 'PR_7' } as PullRequest;
const branch = 'GET /repos/acme/shop/branches/main';
const rules = 'GET /repos/acme/shop/rules/branches/main?per_page=100';
const runs = 'GET /repos/acme/shop/commits/abc/check-runs?per_page=100';
const statuses = 'GET /repos/acme/shop/commits/abc/status?per_page=100';
const review = 'POST /graphql';

const protectedBy = (...contexts: string[]) => ({ body: { protection: { required_status_checks: { contexts } } } });
const decided = (reviewDecision: string | null) => ({ body: { data: { node: { reviewDecision } } } });
const noRules = { body: [] };

async function read(routes: Parameters<typeof startScriptedCodehost>[0]) {
  const { client, requests } = await startScriptedCodehost({ [rules]: noRules, [review]: decided(null), ...routes });
  const blockers = await readMergeBlockers(client, repo, pull).catch((error: unknown) => error);
  return { blockers, requests };
}

it.each([
  ['a check run that succeeded', { name: 'ci', conclusion: 'success' }, undefined],
  ['a check run that was skipped', { name: 'ci', conclusion: 'skipped' }, undefined],
  ['a neutral check run', { name: 'ci', conclusion: 'neutral' }, undefined],
  ['a check run that has not completed', { name: 'ci', conclusion: null }, 'is running'],
  ['a check run that was cancelled', { name: 'ci', conclusion: 'cancelled' }, 'has failed'],
  ['another check run', { name: 'lint', conclusion: 'success' }, 'has not started'],
])('judges a required check by %s', async (_, run, words) => {
  const { blockers } = await read({
    [branch]: protectedBy('ci'),
    [runs]: { body: { total_count: 1, check_runs: [run] } },
    [statuses]: { body: { statuses: [] } },
  });
  const messages = JSON.stringify(blockers ?? 'none');
  expect(messages).toContain(words ?? 'none');
});

it.each([
  ['success', 'none'],
  ['pending', 'is running'],
  ['failure', 'has failed'],
  ['error', 'has failed'],
])('judges a required check by a commit status: %s', async (state, words) => {
  const required = [{ type: 'required_status_checks', parameters: { required_status_checks: [{ context: 'ci' }] } }];
  const { blockers } = await read({
    [branch]: { body: { protection: {} } },
    [rules]: { body: [{ type: 'deletion' }, { type: 'required_status_checks' }, ...required] },
    [runs]: { body: { total_count: 0, check_runs: [] } },
    [statuses]: { body: { statuses: [{ context: 'ci', state }] } },
  });
  expect(JSON.stringify(blockers ?? 'none')).toContain(words);
});

it('asks for no results of checks if none is required, also on a code host without rulesets', async () => {
  const missing = { status: 404, body: {} };
  const { blockers, requests } = await read({ [branch]: protectedBy(), [rules]: missing });
  expect(blockers).toBeUndefined();
  expect(requests.map(({ route }) => route).sort()).toEqual([branch, rules, review].sort());
});

it.each([
  ['APPROVED', 'none'],
  [null, 'none'],
  ['REVIEW_REQUIRED', 'review'],
  ['CHANGES_REQUESTED', 'changes'],
])('judges the review decision %s', async (decision, words) => {
  const { blockers } = await read({ [branch]: protectedBy(), [review]: decided(decision) });
  expect(JSON.stringify(blockers ?? 'none')).toContain(words);
});

it('needs no review of a pull request that has gone', async () => {
  const gone = { body: { data: { node: null } } };
  expect((await read({ [branch]: protectedBy(), [review]: gone })).blockers).toBeUndefined();
});

it('fails if the code host fails', async () => {
  const { blockers } = await read({ [branch]: { status: 503, body: {} } });
  expect(blockers).toMatchObject({ status: 503 });
});
