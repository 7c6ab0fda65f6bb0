import { expect, it } from 'vitest';
import { isServiceNamespace } from '../../../src/store/kubernetes/namespaces.ts';

it.each([
  ['service-system', true],
  ['org-acme', true],
  ['service-systems', false],
  ['shop-prod', false],
])('judges the namespace %s as one of the service: %s', (namespace, expected) => {
  expect(isServiceNamespace(namespace)).toBe(expected);
});
