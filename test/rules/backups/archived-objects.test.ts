import { expect, it } from 'vitest';
import {
  archivedKinds,
  findArchivedKind,
  isArchivable,
  isOfCluster,
  listNamespaces,
} from '../../../src/rules/backups/archived-objects.ts';
import { customResourceKinds } from '../../../src/rules/custom-resource-kinds.ts';
import { deviceSignInLabels, restoreKeyLabels } from '../../../src/rules/expiry.ts';
import type { StoredObject } from '../../../src/rules/resource.ts';

const secret = (namespace: string, name: string, labels = {}) =>
  ({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name, labels } }) as StoredObject;

it('contain every kind of the service but credentials, backups and restores', () => {
  const missing = customResourceKinds.filter((kind) => !findArchivedKind(kind)).map(({ kind }) => kind);
  expect(missing).toEqual(['ApiToken', 'Backup', 'Restore']);
});

it.each([
  ['a Secret of an org', secret('org-acme', 'codehost-app'), true],
  ['the password of a person', secret('service-system', 'user-ada'), true],
  ['a Secret of an org with the name of one of the installation', secret('org-acme', 'service-setup'), true],
  ['the setup token', secret('service-system', 'service-setup'), false],
  ['the keys of the identity for clouds', secret('service-system', 'cloud-identity'), false],
  ['the key of backups', secret('service-system', 'service-backup'), false],
  ['the recovery key of a restore', secret('service-system', 'service-restore-1', restoreKeyLabels), false],
  ['a sign-in of a device', secret('service-system', 'x', deviceSignInLabels), false],
  ['a Secret of another namespace', secret('kube-system', 'x'), false],
  [
    'an org',
    { ...secret('service-system', 'root-user'), apiVersion: 'service.delivery/v1', kind: 'Organization' },
    true,
  ],
  ['an org in an org', { ...secret('org-acme', 'x'), apiVersion: 'service.delivery/v1', kind: 'Organization' }, false],
] as const)('%s: %s is archived', (_, object, archived) => {
  expect(isArchivable(object)).toBe(archived);
});

it.each([
  ['the authority of the cluster', { ...secret('org-acme', 'kube-root-ca.crt'), kind: 'ConfigMap' }, true],
  ['a token of a service account', { ...secret('org-acme', 'x'), type: 'kubernetes.io/service-account-token' }, true],
  ['a release of Helm', { ...secret('service-system', 'x'), type: 'helm.sh/release.v1' }, true],
  ['an object of a chart', secret('service-system', 'x', { 'app.kubernetes.io/managed-by': 'Helm' }), true],
  [
    'a Product of a chart',
    { ...secret('org-acme', 'x', { 'app.kubernetes.io/managed-by': 'Helm' }), kind: 'Product' },
    false,
  ],
  [
    'a Secret of an org',
    { ...secret('org-acme', 'codehost-app', { 'app.kubernetes.io/managed-by': 'Helm' }), type: 'Opaque' },
    false,
  ],
  ['a Secret of a registry', { ...secret('org-acme', 'x'), type: 'kubernetes.io/dockerconfigjson' }, false],
] as const)('%s: %s is of the cluster', (_, object, expected) => {
  expect(isOfCluster(object)).toBe(expected);
});

it('are in the namespaces of the installation and of its orgs', () => {
  const list = (kind: string) =>
    archivedKinds.filter((one) => one.kind.kind === kind).map((one) => listNamespaces(one, ['a']));
  expect(list('Secret')).toEqual([['service-system', 'org-a']]);
  expect(list('Product')).toEqual([['org-a']]);
  expect(list('Namespace')).toEqual([['']]);
});
