import { expect, it } from 'vitest';
import { assertValidName, parseSpec } from '../../src/reconcile/parse-spec.ts';
import { AgentRoleKind, AgentRoleSpec } from '../../src/rules/agents/kinds.ts';

it('lists each invalid field of a spec', () => {
  const parse = (spec: object) => parseSpec(AgentRoleKind, AgentRoleSpec, { spec });
  expect(() => parse({ responsibilities: 'Write.' })).toThrow(/^The AgentRole is invalid: \/spec\/responsibilities /);
  expect(() => parse({ responsibilities: [1] })).toThrow(
    expect.objectContaining({
      errors: [{ pointer: '/spec/responsibilities/0', detail: expect.stringContaining('string') }],
    }),
  );
});

it('rejects a resource name that is not a DNS label', () => {
  expect(() => assertValidName(AgentRoleKind, 'a.b')).toThrow(
    /^The name "a\.b" of the AgentRole is invalid: it must .+ Delete the AgentRole and create it with another name\.$/,
  );
  expect(() => assertValidName(AgentRoleKind, 'a-b')).not.toThrow();
});
