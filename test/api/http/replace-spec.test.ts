import { expect, it } from 'vitest';
import { replaceSpec } from '../../../api/http/replace-spec.ts';
import { AgentRoleKind } from '../../../src/rules/agents/kinds.ts';
import { startApi } from '../../support/start-api.ts';

const ref = { namespace: 'org-acme', name: 'writer' };
const spec = { responsibilities: ['Write.'] };

async function withRole() {
  const { store } = await startApi();
  const role = await store.create(AgentRoleKind, { metadata: ref, spec });
  const replace = async (precondition: object) =>
    replaceSpec(store, AgentRoleKind, { ref, spec: { responsibilities: ['Read.'] }, precondition });
  return { store, role, replace };
}

it('replaces the spec when the version is current', async () => {
  const { role, replace } = await withRole();
  const replaced = await replace({ resourceVersion: role.metadata.resourceVersion });
  expect(replaced.spec).toEqual({ responsibilities: ['Read.'] });
});

it('rejects a version that is no longer current', async () => {
  const { role, replace } = await withRole();
  await replace({ generation: role.metadata.generation });
  await expect(replace({ resourceVersion: role.metadata.resourceVersion })).rejects.toMatchObject({
    reason: 'stale-version',
  });
});
