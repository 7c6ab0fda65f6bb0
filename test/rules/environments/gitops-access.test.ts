import { describe, expect, it } from 'vitest';
import { gitopsRepoViolation, withGitopsCondition } from '../../../src/rules/environments/gitops-access.ts';

const prefix = 'Failed to load target state: failed to generate manifest for source 1 of 1: rpc error: code = Unknown';
const report = (message: string, type = 'ComparisonError') => ({ conditions: [{ type, message }] });

describe('gitopsRepoViolation', () => {
  it.each([
    'failed to list refs: authentication required: Repository not found.',
    'failed to list refs: repository not found',
    'failed to list refs: Get "https://code.test/acme/gitops.git/info/refs": dial tcp: lookup code.test: no such host',
    'failed to fetch refs/heads/main: `git fetch origin` failed exit status 128: fatal: unable to access',
    'failed to initialize repository resources: repository not found',
  ])('tells the error of git without the components that passed it on: %s', (error) => {
    const violation = gitopsRepoViolation(report(`${prefix} desc = ${error}`));
    expect(violation).toBe(`Argo CD cannot read the gitops repo: ${error.replace(/\.$/, '')}.`);
  });

  it.each([
    undefined,
    {},
    report(`${prefix} desc = failed to list refs: authentication required`, 'SyncError'),
    report(`${prefix} desc = \`helm template\` failed exit status 1: Error: values don't meet the schema`),
    report(`${prefix} desc = products/hello/chart: app path does not exist`),
  ])('does not take another error for it: %j', (status) => {
    expect(gitopsRepoViolation(status)).toBeUndefined();
  });
});

describe('withGitopsCondition', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const later = '2026-01-02T00:00:00.000Z';
  const unreadable = withGitopsCondition([], { violation: 'No.', generation: 1, at });

  it('records the message, and when it began', () => {
    expect(unreadable).toEqual([
      {
        type: 'GitopsRepoReadable',
        status: 'False',
        reason: 'Unreadable',
        message: 'No.',
        observedGeneration: 1,
        lastTransitionTime: at,
      },
    ]);
    const [changed] = withGitopsCondition(unreadable, { violation: 'Still no.', generation: 1, at: later }) ?? [];
    expect(changed).toMatchObject({ message: 'Still no.', lastTransitionTime: at });
    const [repaired] = withGitopsCondition(unreadable, { violation: undefined, generation: 1, at: later }) ?? [];
    expect(repaired).toMatchObject({ status: 'True', reason: 'Readable', lastTransitionTime: later });
  });

  it('returns nothing to write when nothing is new', () => {
    expect(withGitopsCondition(unreadable, { violation: 'No.', generation: 1, at: later })).toBeUndefined();
  });
});
