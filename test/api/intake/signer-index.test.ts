import { expect, it } from 'vitest';
import { SignerIndex } from '../../../api/intake/signer-index.ts';
import { toSecretData, type Secret } from '../../../src/kinds/kubernetes.ts';
import type { Organization } from '../../../src/rules/orgs/kinds.ts';

const at = (seconds: number): Date => new Date(Date.UTC(2027, 0, 1, 0, 0, seconds));
const toOrg = (name: string, codehostAccount = name) =>
  ({ metadata: { name }, spec: { codehostAccount } }) as Organization;
const toSecret = (org: string, texts: Record<string, string> = {}) =>
  ({
    metadata: { namespace: `org-${org}`, name: 'codehost-app' },
    data: toSecretData({ 'webhook-secret': `of ${org}`, ...texts }),
  }) as unknown as Secret;

function createIndex(...entries: [org: Organization, secret: Secret][]): SignerIndex {
  const index = new SignerIndex();
  index.replaceOrgs(entries.map(([org]) => org));
  index.replaceSecrets(entries.map(([, secret]) => secret));
  return index;
}
const listSecrets = (index: SignerIndex, now: Date): Record<string, string[]> =>
  Object.fromEntries(
    index.snapshotAt(now).all.map(({ org, secrets }) => [org, secrets.map((one) => one.export().toString())]),
  );

it('keeps a snapshot until the next previous secret expires', () => {
  const withPrevious = (org: string, expires: Date) =>
    toSecret(org, {
      'webhook-secret-previous': `old ${org}`,
      'webhook-secret-previous-expires': expires.toISOString(),
    });
  const index = createIndex(
    [toOrg('acme'), withPrevious('acme', at(20))],
    [toOrg('beta'), withPrevious('beta', at(10))],
    [toOrg('gone'), withPrevious('gone', at(0))],
  );
  const first = index.snapshotAt(at(0));
  expect(listSecrets(index, at(9))).toEqual({
    acme: ['of acme', 'old acme'],
    beta: ['of beta', 'old beta'],
    gone: ['of gone'],
  });
  expect(index.snapshotAt(at(9))).toBe(first);
  expect(listSecrets(index, at(10))).toEqual({ acme: ['of acme', 'old acme'], beta: ['of beta'], gone: ['of gone'] });
  expect(listSecrets(index, at(20))).toEqual({ acme: ['of acme'], beta: ['of beta'], gone: ['of gone'] });
  expect(index.snapshotAt(at(9_999))).toBe(index.snapshotAt(at(20)));
});

it('names the orgs of an app and of accounts, each once, and none for an unknown hint', () => {
  const index = createIndex(
    [toOrg('acme', 'Shared'), toSecret('acme', { 'app-id': '7', slug: 'acme-delivery' })],
    [toOrg('beta', 'shared'), toSecret('beta')],
    [toOrg('unset'), toSecret('unset', { 'webhook-secret': '' })],
  );
  const { all, candidates } = index.snapshotAt(at(0));
  expect(all.map(({ org, appSlug }) => [org, appSlug])).toEqual([
    ['acme', 'acme-delivery'],
    ['beta', undefined],
  ]);
  const find = (appId: string | undefined, ...accounts: string[]) =>
    candidates({ appId, accounts }).map(({ org }) => org);
  expect(find('7', 'shared')).toEqual(['acme', 'beta']);
  expect(find(undefined, 'shared', 'shared')).toEqual(['acme', 'beta']);
  expect(find('8', 'other', 'unset')).toEqual([]);
  expect(find(undefined)).toEqual([]);
});

it('forgets what a new list does not contain', () => {
  const index = createIndex([toOrg('acme'), toSecret('acme')], [toOrg('beta'), toSecret('beta')]);
  index.replaceOrgs([toOrg('beta'), toOrg('late')]);
  expect(Object.keys(listSecrets(index, at(0)))).toEqual(['beta']);
  index.replaceSecrets([toSecret('late')]);
  expect(Object.keys(listSecrets(index, at(0)))).toEqual(['late']);
});
