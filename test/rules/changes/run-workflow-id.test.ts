import { describe, expect, it } from 'vitest';
import type { AgentWorkflowRun } from '../../../src/rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../../../src/rules/changes/run-names.ts';
import {
  parseRequestId,
  runAgentWorkflowId,
  toRunOrigin,
  toTag,
  toTargetId,
} from '../../../src/rules/changes/run-workflow-id.ts';

const base = { org: 'acme', agentWorkflow: 'change', product: 'hello' };
const target = { repo: 'acme/hello', number: 7 };
const release = { name: 'hello-v0.1.0', version: 'v0.1.0' };

describe('runAgentWorkflowId', () => {
  it.each([
    [{ ...base, target }, 'acme/hello#7'],
    [{ ...base, release, requestId: 'u1' }, `${toTag('hello', release)}/u1`],
    [{ ...base, requestId: 'r1' }, 'hello/r1'],
    [base, 'hello/manual'],
  ])('is derived from the org, the AgentWorkflow and the target: %j', (origin, id) => {
    expect(toTargetId(origin)).toBe(id);
    expect(runAgentWorkflowId(origin)).toBe(`run-agent-workflow/acme/change/${id}`);
  });
});

describe('parseRequestId', () => {
  it.each([
    ['run-agent-workflow/acme/change/hello/r1', base, 'r1'],
    ['run-agent-workflow/acme/change/hello@v0.1.0/u1', { ...base, release }, 'u1'],
    ['run-agent-workflow/acme/change/hello@v0.1.0/u1', base, undefined],
    ['run-agent-workflow/acme/change/acme/hello#7', base, undefined],
    ['', base, undefined],
  ])('%s of %j → %s', (workflowId, run, expected) => {
    expect(parseRequestId(workflowId, run)).toBe(expected);
  });
});

describe('toRunOrigin', () => {
  const build = (workflowId: string) =>
    ({
      metadata: { annotations: { [workflowIdAnnotation]: workflowId } },
      spec: { agentWorkflow: 'change', product: 'hello' },
    }) as unknown as AgentWorkflowRun;

  it('names the target of a run that has one', () => {
    const { metadata, spec } = build('run-agent-workflow/acme/change/acme/hello#7');
    const origin = toRunOrigin({ metadata, spec: { ...spec, target } }, 'acme');
    expect(origin).toEqual({ ...base, target });
    expect(runAgentWorkflowId(origin)).toBe('run-agent-workflow/acme/change/acme/hello#7');
  });

  it('takes only the request id from the annotation', () => {
    const own = 'run-agent-workflow/acme/change/hello/r1';
    expect(toRunOrigin(build(own), 'acme')).toEqual({ ...base, requestId: 'r1' });
    expect(runAgentWorkflowId(toRunOrigin(build(own), 'acme'))).toBe(own);
  });

  it.each(['run-agent-workflow/other/change/hello/r1', 'manage-zone/other/hello/hello-prod'])(
    'never leads to the workflow of another org: %s',
    (workflowId) => {
      expect(runAgentWorkflowId(toRunOrigin(build(workflowId), 'acme'))).toBe(
        'run-agent-workflow/acme/change/hello/manual',
      );
    },
  );
});
