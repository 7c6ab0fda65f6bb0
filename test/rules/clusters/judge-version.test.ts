import { expect, it } from 'vitest';
import { judgeUserNamespaces, judgeVersion } from '../../../src/rules/clusters/judge-version.ts';

it.each([
  ['v1.29.14', 'failed', 'warning'],
  ['v1.30.0', 'ok', 'warning'],
  ['v1.33.1+k3s1', 'ok', 'ok'],
  ['v1.100.0', 'ok', 'ok'],
  ['v2.0.0', 'ok', 'ok'],
  ['v0.99.0', 'failed', 'warning'],
])('judges %s as %s, and its user namespaces as %s', (version, result, userNamespaces) => {
  expect(judgeVersion(version).result).toBe(result);
  expect(judgeUserNamespaces(version).result).toBe(userNamespaces);
});
