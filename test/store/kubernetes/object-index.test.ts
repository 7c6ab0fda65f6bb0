import { expect, it } from 'vitest';
import type { AnyObject } from '../../../src/store/any-object.ts';
import { ObjectIndex } from '../../../src/store/kubernetes/object-index.ts';

function buildObject(namespace: string, name: string, product: string, labels: Record<string, string> = {}): AnyObject {
  const metadata = { uid: `${namespace}/${name}`, resourceVersion: '1', generation: 1, creationTimestamp: '' };
  return { apiVersion: 'v1', kind: 'Probe', metadata: { ...metadata, namespace, name, labels }, spec: { product } };
}

function buildIndex(): ObjectIndex {
  const index = new ObjectIndex(['spec.product']);
  index.put(buildObject('org-b', 'one', 'shop'));
  index.put(buildObject('org-a', 'two', 'desk', { tier: 'web' }));
  index.put(buildObject('org-a', 'one', 'shop', { tier: 'web' }));
  return index;
}

const toKeys = (objects: Iterable<AnyObject>): string[] =>
  [...objects].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

it.each([
  [{}, ['org-a/one', 'org-a/two', 'org-b/one']],
  [{ namespace: 'org-a' }, ['org-a/one', 'org-a/two']],
  [{ fields: { 'spec.product': 'shop' } }, ['org-a/one', 'org-b/one']],
  [{ labels: { tier: 'web' }, fields: { 'spec.product': 'desk' } }, ['org-a/two']],
  [{ labels: { tier: 'db' } }, []],
])('selects %j in sorted order', (selection, expected) => {
  expect(toKeys(buildIndex().select(selection))).toEqual(expected);
});

it('moves a changed object to its new terms, and removes a deleted one', () => {
  const index = buildIndex();
  index.put(buildObject('org-a', 'one', 'desk'));
  index.delete({ namespace: 'org-a', name: 'two' });
  expect(toKeys(index.select({ fields: { 'spec.product': 'desk' } }))).toEqual(['org-a/one']);
  expect(toKeys(index.select({ labels: { tier: 'web' } }))).toEqual([]);
  expect(index.find({ namespace: 'org-a', name: 'two' })).toBeUndefined();
});

it('selects after a position, with the objects of an earlier version', () => {
  const overrides = new Map([
    [
      'org-a',
      new Map([
        ['two', undefined],
        ['zwei', buildObject('org-a', 'zwei', 'shop')],
      ]),
    ],
  ]);
  const selected = buildIndex().select({}, { namespace: 'org-a', name: 'one' }, overrides);
  expect(toKeys(selected)).toEqual(['org-a/zwei', 'org-b/one']);
});
