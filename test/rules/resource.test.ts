import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineResource, isOwnedBy, orgNamespace, ownerReference, toOrgName } from '../../src/rules/resource.ts';
import { buildResource } from './build-resource.ts';

const spec = z.strictObject({ colour: z.string() });
const kind = defineResource({
  kind: 'Paint',
  plural: 'paints',
  spec,
  status: z.object({}),
  selectableFields: ['spec.colour'],
});

it('defines a kind in the API group of the service', () => {
  expect(kind).toMatchObject({
    apiVersion: 'service.delivery/v1',
    kind: 'Paint',
    plural: 'paints',
    selectableFields: ['spec.colour'],
    crd: {},
  });
  expect(kind.specSchema).toBe(spec);
});

it('converts between an org and its namespace', () => {
  expect(orgNamespace('acme')).toBe('org-acme');
  expect(toOrgName(orgNamespace('acme'))).toBe('acme');
});

it('refers to an owner by its name and uid', () => {
  const owner = buildResource(kind, { spec: { colour: 'red' }, metadata: { name: 'wall', uid: 'u1' } });
  expect(ownerReference(owner)).toEqual({ apiVersion: kind.apiVersion, kind: 'Paint', name: 'wall', uid: 'u1' });
});

it('knows an owner by its uid, as another object may take its name', () => {
  const build = (uid: string) => buildResource(kind, { spec: { colour: 'red' }, metadata: { name: 'wall', uid } });
  const [owner, later] = [build('u1'), build('u2')];
  const metadata = { ownerReferences: [ownerReference(owner)] };
  const owned = buildResource(kind, { spec: { colour: 'blue' }, metadata });
  expect([isOwnedBy(owned, owner), isOwnedBy(owned, later), isOwnedBy(owner, owner)]).toEqual([true, false, false]);
});
