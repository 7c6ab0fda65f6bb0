import { expect, it } from 'vitest';
import {
  saveOrgPushSecret,
  savePushSecret,
  saveRegistrySecret,
} from '../../../activities/environments/registry-credentials.ts';
import { readSecretText, SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { imagesRegistry } from '../../support/registries/images-registry.ts';

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

it('gives builds a Secret while the installation or the org has credentials, and empties it afterwards', async () => {
  const store = openTestStore();
  const readHosts = async (): Promise<string[]> => {
    const text = readSecretText(await store.find(SecretKind, ref), key) ?? '{}';
    return Object.keys((JSON.parse(text) as { auths?: object }).auths ?? {});
  };
  const connect = async (registries: Parameters<typeof toRegistriesData>[0]): Promise<void> =>
    await store.put(SecretKind, {
      metadata: { namespace: 'org-acme', name: registriesSecretName },
      data: toRegistriesData(registries),
    });
  expect(await savePushSecret(store, 'acme', { push: undefined })).toBeUndefined();
  expect(await store.find(SecretKind, ref)).toBeUndefined();

  await connect([imagesRegistry]);
  expect(await savePushSecret(store, 'acme', { push: undefined })).toBe('registry-push');
  expect(await readHosts()).toContain(imagesRegistry.host);

  await connect([]);
  expect(await savePushSecret(store, 'acme', { push: '{"auths":{"base.test":{"auth":"eA=="}}}' })).toBe(
    'registry-push',
  );
  expect(await readHosts()).toEqual(['base.test']);
  // A build names the Secret as long as it exists, so the Secret stays, without the credentials.
  expect(await savePushSecret(store, 'acme', { push: undefined })).toBe('registry-push');
  expect(await readHosts()).toEqual([]);
});

it('pushes with the account of the org to a host from which the installation pulls, as builders know one account per host', async () => {
  const store = openTestStore();
  const metadata = { namespace: 'org-acme', name: registriesSecretName };
  await store.create(SecretKind, { metadata, data: toRegistriesData([imagesRegistry]) });
  const theirs = { auth: 'eA==' };
  const pull = JSON.stringify({
    auths: { 'registry.test': theirs, 'registry.test/base': theirs, 'base.test': theirs },
  });
  const name = await saveOrgPushSecret(store, 'acme', { pull });
  const config = readSecretText(await store.get(SecretKind, { ...ref, name }), key) ?? '';
  const own = { auth: Buffer.from(`${imagesRegistry.username}:${imagesRegistry.password}`).toString('base64') };
  expect((JSON.parse(config) as { auths: object }).auths).toMatchObject({ 'registry.test': own, 'base.test': theirs });
});
