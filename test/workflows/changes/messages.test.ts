import { describe, expect, expectTypeOf, it } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { startRunWorkflow } from '../../../api/changes/start-run-workflow.ts';
import { toRunInput, workflowIdFor } from '../../../api/changes/update-run.ts';
import type { AgentWorkflowRun } from '../../../src/rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../../../src/rules/changes/run-names.ts';
import {
  type RunAgentWorkflowInput,
  resolveConflictsStart,
  runAgentWorkflowStart,
} from '../../../workflows/changes/messages.ts';
import type { resolveConflicts, runAgentWorkflow } from '../../../workflows/index.ts';
import { describeStart } from '../../support/workflows/describe-start.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';

const base = { org: 'acme', agentWorkflow: 'change', product: 'hello', startedBy: 'ada' };
const target = { repo: 'acme/hello', number: 7 };
const release = { name: 'hello-v0.1.0', version: 'v0.1.0' };
const due = '2026-01-05T09:00:00.000Z';

/** Each origin of a run with its input, the end of its id, its kind, and whether it runs once. */
const origins: [origin: string, input: RunAgentWorkflowInput, id: string, kind: string, startsOnce: boolean][] = [
  ['an issue', { ...base, target }, 'acme/hello#7', 'issue', false],
  ['a pull request', { ...base, target: { ...target, kind: 'pull-request' } }, 'acme/hello#7', 'pull-request', false],
  ['a Release', { ...base, release, startedBy: 'Release v0.1.0', requestId: 'u1' }, 'hello@v0.1.0/u1', 'release', true],
  ['a schedule', { ...base, startedBy: 'schedule', requestId: due }, `hello/${due}`, 'schedule', true],
  ['instructions', { ...base, instructionsKey: 'requests/r1', requestId: 'r1' }, 'hello/r1', 'instructions', false],
];

/** Builds the resource that openRun creates for a start. */
function buildRun(input: RunAgentWorkflowInput): AgentWorkflowRun {
  const { agentWorkflow, product, target: runTarget, release: startedFor, startedBy } = input;
  const spec = { agentWorkflow, product, startedBy, ...(runTarget && { target: runTarget }) };
  const { workflowId } = runAgentWorkflowStart(input).options;
  return {
    metadata: { name: 'change-hello-1a2b3c4d', annotations: { [workflowIdAnnotation]: workflowId } },
    spec: { ...spec, ...(startedFor && { release: { ...startedFor, repo: 'acme/hello' } }), steps: [], roles: {} },
  } as unknown as AgentWorkflowRun;
}

describe('runAgentWorkflowStart', () => {
  it.each(origins)('describes a run of %s', (_origin, input, id, kind, startsOnce) => {
    expect(describeStart(runAgentWorkflowStart(input))).toEqual({
      type: 'runAgentWorkflow',
      workflowId: `run-agent-workflow/acme/change/${id}`,
      conflictPolicy: 'FAIL',
      reusePolicy: startsOnce ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE',
      attributes: { org: 'acme', product: 'hello', targetKind: kind },
      summary: `change: ${kind === 'release' ? 'hello@v0.1.0' : id}`,
      details: `Org **acme**, Product **hello**, started by ${input.startedBy}.`,
    });
  });

  it.each(origins)(
    'describes a retry of a run of %s like its start, and joins the open execution',
    (_origin, input) => {
      const run = buildRun(input);
      const retry = runAgentWorkflowStart({ ...toRunInput(run, 'acme'), resume: { run: run.metadata.name } });
      expect(describeStart(retry)).toEqual({
        ...describeStart(runAgentWorkflowStart(input)),
        conflictPolicy: 'USE_EXISTING',
        reusePolicy: 'ALLOW_DUPLICATE',
      });
      expect(workflowIdFor(run, 'acme')).toBe(retry.options.workflowId);
    },
  );

  it.each(origins.filter(([origin]) => !['a Release', 'a schedule'].includes(origin)))(
    'is what the API starts for %s',
    async (_origin, input) => {
      const { temporal, starts } = captureStarts({ run: 'change-hello-1a2b3c4d' });
      const request = { id: 'r1', hasIdempotencyKey: false };
      const store = {
        get: async () => ({ spec: {} }),
        list: async () => ({ items: [] }),
        find: async () => undefined,
        create: async () => {},
      };
      const deps = { temporal, store, now: () => new Date(), config: { quotas: loadConfig({}).quotas } };
      await startRunWorkflow(deps as never, { org: 'acme', request, payload: input, prepare: async () => input });
      expect(starts).toEqual([
        { type: 'runAgentWorkflow', options: { ...runAgentWorkflowStart(input).options, memo: { requestId: 'r1' } } },
      ]);
    },
  );

  it('carries the signature of its workflow', () => {
    expectTypeOf<NonNullable<ReturnType<typeof runAgentWorkflowStart>['signature']>>().toEqualTypeOf<
      typeof runAgentWorkflow
    >();
  });
});

describe('resolveConflictsStart', () => {
  it('describes the round of a run', () => {
    const role = { responsibilities: ['Resolve the conflict.'] };
    const run = { org: 'acme', product: 'hello', run: 'change-hello-7-1a2b3c4d', step: 'resolve-conflicts', role };
    const start = resolveConflictsStart({ ...run, round: 2, previousTurns: 0, hasGuidance: false });
    expect(describeStart(start)).toEqual({
      type: 'resolveConflicts',
      workflowId: 'resolve-conflicts/acme/change-hello-7-1a2b3c4d',
      conflictPolicy: 'FAIL',
      reusePolicy: 'ALLOW_DUPLICATE',
      attributes: { org: 'acme', product: 'hello', targetKind: 'pull-request' },
      summary: 'Conflicts of change-hello-7-1a2b3c4d, round 2',
      details: 'Org **acme**, Product **hello**, step resolve-conflicts.',
    });
    expectTypeOf<NonNullable<(typeof start)['signature']>>().toEqualTypeOf<typeof resolveConflicts>();
  });
});
