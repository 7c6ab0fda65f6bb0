import { describe, expect, it } from 'vitest';
import { listReleaseContributors, listRunContributors } from '../../../src/rules/access/contributors.ts';
import type { AgentWorkflowRun, RunCommitters, RunSpec } from '../../../src/rules/changes/kinds.ts';
import type { ReleaseSpec, ReleaseStatus } from '../../../src/rules/releases/kinds.ts';

const cause = {
  event: 'issue.labeled',
  labels: [],
  people: ['alice-dev', 'carol-dev'],
  at: '2026-11-22T10:00:00.000Z',
};
const buildRun = (spec: Partial<RunSpec>) =>
  ({ spec, status: { phase: 'Running', steps: [], guidedBy: ['bob@x.org'] } }) as unknown as AgentWorkflowRun;
const byEvent = buildRun({ startedBy: 'code host', cause });
const release = (startedBy: string, startedAgainBy?: string) => ({
  spec: { startedBy } as ReleaseSpec,
  ...(startedAgainBy !== undefined && { status: { startedBy: startedAgainBy } as ReleaseStatus }),
});

describe('listRunContributors', () => {
  it('names who started and guided a Change', () => {
    expect(listRunContributors(buildRun({ startedBy: 'jo@x.org' }))).toEqual({
      emails: ['jo@x.org', 'bob@x.org'],
      logins: [],
      hasUnknownStarter: false,
      hasUnknownCommitter: false,
    });
  });

  it('names the accounts behind an event, and says when the code host did not', () => {
    expect(listRunContributors(byEvent)).toEqual({
      emails: ['bob@x.org'],
      logins: ['alice-dev', 'carol-dev'],
      hasUnknownStarter: false,
      hasUnknownCommitter: false,
    });
    expect(listRunContributors(buildRun({ startedBy: 'code host' })).hasUnknownStarter).toBe(true);
  });
});

describe('the committers of a Change', () => {
  const withHead = (committers?: Partial<RunCommitters>) =>
    ({
      spec: { startedBy: 'jo@x.org' },
      status: {
        steps: [],
        pullRequest: { number: 8, headSha: 'a1' },
        ...(committers && { committers: { headSha: 'a1', logins: [], hasUnknown: false, ...committers } }),
      },
    }) as unknown as AgentWorkflowRun;

  it('are contributors to it and to its Release', () => {
    const run = withHead({ logins: ['dave-dev'] });
    for (const found of [listRunContributors(run), listReleaseContributors(release('code host'), run)])
      expect(found).toMatchObject({ logins: ['dave-dev'], hasUnknownCommitter: false });
  });

  it('are unknown when the code host does not name them, and until those of the head are recorded', () => {
    expect(listRunContributors(withHead({ hasUnknown: true })).hasUnknownCommitter).toBe(true);
    expect(listRunContributors(withHead()).hasUnknownCommitter).toBe(true);
    const earlier = listRunContributors(withHead({ headSha: 'a0', logins: ['dave-dev'] }));
    expect(earlier).toMatchObject({ logins: ['dave-dev'], hasUnknownCommitter: true });
  });
});

describe('listReleaseContributors', () => {
  it('adds the people behind the Change that a Release delivers', () => {
    expect(listReleaseContributors(release('code host'), byEvent)).toEqual(listRunContributors(byEvent));
    expect(listReleaseContributors(release('jo@x.org'), byEvent).emails).toEqual(['bob@x.org', 'jo@x.org']);
    expect(listReleaseContributors(release('jo@x.org'), undefined).emails).toEqual(['jo@x.org']);
    expect(listReleaseContributors(release('code host'), undefined).hasUnknownStarter).toBe(true);
  });

  it('names both who started a Release and who started it again', () => {
    const both = ['jo@x.org', 'eve@x.org'];
    expect(listReleaseContributors(release('jo@x.org', 'eve@x.org'), undefined).emails).toEqual(both);
    expect(listReleaseContributors(release('jo@x.org', 'eve@x.org'), byEvent).emails).toEqual(['bob@x.org', ...both]);
    const again = listReleaseContributors(release('code host', 'eve@x.org'), undefined);
    expect(again).toMatchObject({ emails: ['eve@x.org'], hasUnknownStarter: true });
  });
});
