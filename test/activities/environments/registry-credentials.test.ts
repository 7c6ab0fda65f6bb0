import { expect, it } from 'vitest';
import { saveRegistrySecret } from '../../../activities/environments/registry-credentials.ts';
import { readSecretText, SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const ref = { namespace: 'org-acme', name: 'registry-push' };
const key = '.dockerconfigjson';

it('writes the credentials, replaces its own, and leaves those of an operator', async () => {
  const store = openTestStore();
  const read = async () => await store.get(SecretKind, ref);
  await saveRegistrySecret(store, ref, '{"auths":{"a":{}}}');
  const first = await read();
  expect(first.type).toBe('kubernetes.io/dockerconfigjson');
  expect(readSecretText(first, key)).toBe('{"auths":{"a":{}}}');
  await saveRegistrySecret(store, ref, '{"auths":{"a":{}}}');
  expect((await read()).metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  await saveRegistrySecret(store, ref, '{"auths":{"b":{}}}');
  expect(readSecretText(await read(), key)).toBe('{"auths":{"b":{}}}');

  await store.delete(SecretKind, ref);
  await store.create(SecretKind, { metadata: ref, data: toSecretData({ [key]: '{"auths":{"own":{}}}' }) });
  await saveRegistrySecret(store, ref, '{"auths":{"a":{}}}');
  expect(readSecretText(await read(), key)).toBe('{"auths":{"own":{}}}');
});
