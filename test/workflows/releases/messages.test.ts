import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ApiDeps } from '../../../api/deps.ts';
import { startReleaseWorkflow } from '../../../api/releases/start-release-workflow.ts';
import type { promoteRelease } from '../../../workflows/index.ts';
import { type PromoteReleaseInput, promoteReleaseStart } from '../../../workflows/releases/messages.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';
import { describeStart } from '../../support/workflows/describe-start.ts';

const commit = 'c0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ff';
const base: PromoteReleaseInput = { org: 'acme', product: 'hello', repo: 'acme/hello', commit, startedBy: 'ada' };

describe('promoteReleaseStart', () => {
  it.each([
    ['a merge', { ...base, run: 'change-hello-7-1a2b3c4d' }, 'hello: release c0ffeec0ffee'],
    ['a person', base, 'hello: release c0ffeec0ffee'],
    ['a person with a version', { ...base, version: 'v1.2.3' }, 'hello: release v1.2.3'],
  ])('describes a Release that %s starts, and is what the API starts', async (_origin, input, summary) => {
    const start = promoteReleaseStart(input);
    expect(describeStart(start)).toEqual({
      type: 'promoteRelease',
      workflowId: `promote-release/acme/hello/${commit}`,
      conflictPolicy: 'FAIL',
      reusePolicy: 'ALLOW_DUPLICATE',
      attributes: { org: 'acme', product: 'hello', targetKind: 'release' },
      summary,
      details: `Org **acme**, acme/hello at ${commit}, started by ada.`,
    });
    const { temporal, starts } = captureStarts({ release: 'hello-v0.1.0' });
    const request = { id: 'r1', hasIdempotencyKey: false };
    const deps = { temporal } as unknown as ApiDeps;
    await startReleaseWorkflow(deps, { org: 'acme', request, payload: input, prepare: async () => input });
    expect(starts).toEqual([{ type: 'promoteRelease', options: { ...start.options, memo: { requestId: 'r1' } } }]);
  });

  it('carries the signature of its workflow', () => {
    expectTypeOf<NonNullable<ReturnType<typeof promoteReleaseStart>['signature']>>().toEqualTypeOf<
      typeof promoteRelease
    >();
  });
});
