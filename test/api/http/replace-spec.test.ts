import { expect, it } from 'vitest';
import { replaceSpec } from '../../../api/http/replace-spec.ts';
import { acceptedGenerationAnnotation } from '../../../src/rules/conditions.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { Store } from '../../../src/store/store.ts';
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

/** Updates the status before each of the first writes, as the service does while a person edits. */
async function withOvertakenWrites(count: number) {
  const { store, role } = await withRole();
  let writes = 0;
  const replace: Store['replace'] = async (kind, object) => {
    writes += 1;
    if (writes <= count) await store.updateStatus(AgentRoleKind, ref, () => ({ conditions: [condition(writes)] }));
    return await store.replace(kind, object);
  };
  const precondition = { generation: role.metadata.generation };
  const replaceRole = async () =>
    await replaceSpec({ ...store, replace }, AgentRoleKind, {
      ref,
      spec: { responsibilities: ['Read.'] },
      precondition,
    });
  return { replaceRole, countWrites: () => writes };
}
const condition = (observedGeneration: number) => ({
  type: 'Accepted',
  status: 'True' as const,
  reason: 'Accepted',
  message: 'The spec is valid.',
  observedGeneration,
  lastTransitionTime: '2027-01-01T00:00:00.000Z',
});

it('repeats a write that an update of the status overtook, five times at most', async () => {
  const { replaceRole } = await withOvertakenWrites(4);
  expect((await replaceRole()).spec).toEqual({ responsibilities: ['Read.'] });
  const overtaken = await withOvertakenWrites(9);
  await expect(overtaken.replaceRole()).rejects.toMatchObject({ code: 'conflict' });
  expect(overtaken.countWrites()).toBe(5);
});

it('fails at once when the store refuses the write for another reason', async () => {
  const { store } = await withRole();
  let writes = 0;
  const replace = async (): Promise<never> => {
    writes += 1;
    throw new ServiceError('unavailable', 'The store is away.');
  };
  const write = replaceSpec({ ...store, replace }, AgentRoleKind, { ref, spec, precondition: {} });
  await expect(write).rejects.toThrow('The store is away.');
  expect(writes).toBe(1);
});

it('marks the generation of an accepted spec as accepted, and no other', async () => {
  const { store, role, replace } = await withRole();
  const readMark = (annotations: Record<string, string> = {}) => annotations[acceptedGenerationAnnotation];
  // A role without the mark was applied with kubectl, and is not checked yet.
  expect(readMark((await replace({})).metadata.annotations)).toBeUndefined();
  const current = await store.get(AgentRoleKind, ref);
  const annotations = { [acceptedGenerationAnnotation]: String(current.metadata.generation) };
  await store.replace(AgentRoleKind, { ...current, metadata: { ...current.metadata, annotations } });
  const unchanged = (await replace({})).metadata;
  expect([unchanged.generation, readMark(unchanged.annotations)]).toEqual([2, '2']);
  const changed = await replaceSpec(store, AgentRoleKind, { ref, spec: role.spec, precondition: {} });
  expect([changed.metadata.generation, readMark(changed.metadata.annotations)]).toEqual([3, '3']);
});
