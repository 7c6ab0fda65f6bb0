import { expect, it } from 'vitest';
import { assertValidName, parseSpec } from '../../src/reconcile/parse-spec.ts';
import { AgentRoleKind, AgentRoleSpec } from '../../src/rules/agents/kinds.ts';

it('lists each invalid field of a spec', () => {
  expect(() => parseSpec(AgentRoleKind, AgentRoleSpec, { spec: { responsibilities: 'Write.' } })).toThrow(
    /^The AgentRole is invalid: \/spec\/responsibilities /,
  );
});

it('rejects a resource name that is not a DNS label', () => {
  expect(() => assertValidName(AgentRoleKind, 'a.b')).toThrow('The name "a.b" of the AgentRole is invalid');
  expect(() => assertValidName(AgentRoleKind, 'a-b')).not.toThrow();
});
