import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { startShopFixture } from '../emulators/codehost/codehost-fixture.ts';
import { startApi } from './start-api.ts';

/** Starts the API with the org "acme" connected to an emulated code host, and the Product "shop" of `acme/shop`. */
export async function startApiWithShop(options: Parameters<typeof startApi>[0] = {}) {
  const shop = await startShopFixture();
  const api = await startApi({ role: 'viewer', codehostApiUrl: shop.codehost.apiUrl, ...options });
  const credentials = { 'app-id': String(shop.app.id), 'private-key': shop.app.pem };
  const encoded = Object.entries(credentials).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  await api.store.create(SecretKind, {
    metadata: { namespace: 'org-acme', name: 'codehost-app' },
    type: 'Opaque',
    data: Object.fromEntries(encoded) as Record<string, string>,
  });
  const product = await api.store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'shop' },
    spec: { repos: ['acme/shop'], delivery: { zones: [{ name: 'shop-rc' }, { name: 'shop-prod' }] } },
  });
  const requestAsUser = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { authorization: `token ${shop.codehost.userToken}` };
    const response = await fetch(`${shop.codehost.apiUrl}/repos/acme/shop${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  return { ...api, shop, product, requestAsUser };
}
