import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { modelProviderSecretName, toProviderSecretData } from '../../../src/rules/agents/model-provider-secret.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import type { openPages } from './open-pages.ts';
import { addIdentityProvider } from './settings-fixture.ts';

const namespace = 'org-acme';

type World = Pick<Awaited<ReturnType<typeof openPages>>, 'store' | 'url' | 'codehost'>;

/** Adds what can be acted on and is on no page of the table. Returns the paths of the pages that show it. */
export async function seedActions({ store, url, codehost }: World): Promise<string[]> {
  const at = new Date().toISOString();
  await store.create(ProductKind, {
    metadata: { namespace, name: 'broken' },
    spec: {
      displayName: 'Broken',
      repos: ['acme/broken'],
      source: { repo: 'acme/broken', template: 'static-site' },
      delivery: { zones: [] },
    },
  });
  const failure = {
    reason: 'activity-failed' as const,
    message: 'The repo exists.',
    resource: 'acme/broken',
    fix: 'Delete it.',
    at,
  };
  await store.updateStatus(ProductKind, { namespace, name: 'broken' }, () => ({
    scaffold: { phase: 'Failed' as const, message: failure.message, startedAt: at, failure },
  }));
  const freeze = { reason: 'Audit', by: 'hanne@example.com', since: at };
  await store.updateStatus(ProductKind, { namespace, name: 'shop' }, ({ status }) => ({
    ...status,
    zones: (status?.zones ?? []).map((zone) => (zone.name === 'shop-rc' ? { ...zone, freeze } : zone)),
  }));
  await store.create(SecretKind, {
    metadata: { namespace, name: modelProviderSecretName },
    type: 'Opaque',
    data: toProviderSecretData({ kind: 'openai-compatible', model: 'small', baseUrl: 'http://127.0.0.1:1/v1' }),
  });
  await addIdentityProvider(store);
  await fetch(`${codehost.apiUrl}/repos/acme/shop/issues`, {
    method: 'POST',
    headers: { authorization: `token ${codehost.userToken}` },
    body: JSON.stringify({ title: 'Hold the fare', body: 'For ten minutes.', labels: ['idea'] }),
  });
  return [
    `/device?code=${await startDeviceSignIn(url)}`,
    '/acme/products/broken',
    '/acme/changes/change-shop-419',
    '/acme/products/shop/zones/shop-rc',
    '/acme/domains/tidewater.test',
    '/acme/releases?product=shop',
    ...['root', 'metrics', 'org', 'codehost', 'models', 'product'].map((step) => `/setup?step=${step}`),
    ...['createOrg', 'getAccessGroups', 'freezeZone', 'getOrg'].map((operation) => `/api/docs#${operation}`),
  ];
}

async function startDeviceSignIn(url: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/auth/device`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'cli' }),
  });
  const { user_code: code } = (await response.json()) as { user_code: string };
  return code;
}
