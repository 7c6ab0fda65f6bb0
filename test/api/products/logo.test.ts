import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { logoKey } from '../../../src/rules/products/logo.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';
import { startApi } from '../../support/start-api.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0H1V1Z"/></svg>';
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

const silentLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function withProduct(
  role: 'org-admin' | 'member' = 'org-admin',
  repos = ['acme/shop'],
  options: Parameters<typeof startApi>[0] = {},
) {
  const api = await startApi({ role, ...options });
  await api.store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'shop' },
    spec: { repos, delivery: { zones: [{ name: 'shop-rc', promotionPolicy: 'automatic' }] } },
  });
  const token = await api.tokenFor(role);
  const put = async (image: string | Uint8Array<ArrayBuffer>, type?: string): Promise<Response> =>
    await api.app.request('/api/v1/orgs/acme/products/shop/logo', {
      method: 'PUT',
      body: image,
      headers: { Authorization: `Bearer ${token}`, ...(type !== undefined && { 'Content-Type': type }) },
    });
  return { ...api, put };
}

describe('putLogo', () => {
  it('403: requires an org admin', async () => {
    const { put } = await withProduct('member');
    expect((await put(svg, 'image/svg+xml')).status).toBe(403);
  });

  it('413: rejects an image larger than 512 KiB', async () => {
    const { put } = await withProduct();
    expect((await put(new Uint8Array(512 * 1024 + 1), 'image/png')).status).toBe(413);
  });

  it.each(['image/gif', 'text/html', 'application/json', undefined])(
    '415: rejects the Content-Type %s',
    async (type) => {
      const { put } = await withProduct();
      const response = await put(new Uint8Array([1, 2]), type);
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({ detail: expect.stringContaining('image/svg+xml, image/png') });
    },
  );

  it.each([
    ['a script', svg.replace('<path', '<script/><path'), 'image/svg+xml', 'The element <script> is not allowed'],
    ['a PNG sent as JPEG', png, 'image/jpeg', 'is image/png, but its Content-Type is image/jpeg'],
    ['an SVG sent as PNG', svg, 'image/png', 'is image/svg+xml'],
    ['text', 'hello', 'image/png', 'not well-formed'],
    ['a GIF', Buffer.from('GIF89a\u0001\u0000\u0001\u0000'), 'image/png', 'It is image/gif'],
    ['an empty body', '', 'image/png', 'It is empty.'],
  ])('422: rejects %s with the reason', async (_, image, type, words) => {
    const { put } = await withProduct();
    const response = await put(typeof image === 'string' ? image : new Uint8Array(image), type);
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as { errors: { detail: string }[] };
    expect(errors.map(({ detail }) => detail).join(' ')).toContain(words);
  });

  it('422: requires that the Product has a repo', async () => {
    const { put } = await withProduct('org-admin', []);
    expect((await put(svg, 'image/svg+xml')).status).toBe(422);
  });

  it('200: returns the committed logo; 202: says where it will be if the code host is slow; 500: hides no fault', async () => {
    const logo = { repo: 'acme/shop', path: 'logo.svg', type: 'image/svg+xml', hash: 'h', commit: 'c' };
    const { temporal, starts } = captureStarts(logo);
    const { put } = await withProduct('org-admin', ['acme/shop'], { temporal, log: silentLog });
    const committed = await put(svg, 'image/svg+xml');
    expect([committed.status, await committed.json()]).toEqual([200, logo]);
    expect(starts).toMatchObject([{ type: 'commitLogo' }]);
    const failWith = (error: Error): void =>
      void Object.assign(temporal.workflow, { getHandle: () => ({ result: async () => await Promise.reject(error) }) });
    failWith(new ServiceError('unavailable', 'The workflow has not finished.'));
    const slow = await put(svg, 'image/svg+xml');
    const { path, type, repo } = logo;
    expect([slow.status, await slow.json()]).toEqual([202, { repo, path, type }]);
    failWith(new Error('A fault.'));
    expect((await put(svg, 'image/svg+xml')).status).toBe(500);
  });

  it('503: reports that Temporal is unavailable', async () => {
    const { put } = await withProduct();
    expect((await put(svg, 'image/svg+xml')).status).toBe(503);
  });
});

describe('getLogo', () => {
  it('200: returns the image with its type, which can run no script', async () => {
    const { store, blobs, request } = await withProduct();
    const logo = { repo: 'acme/shop', path: 'logo.svg', type: 'image/svg+xml', hash: 'the-hash', commit: 'c1' };
    await store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({ logo }));
    await blobs.put(logoKey({ org: 'acme', product: 'shop', hash: logo.hash }), Buffer.from(svg));
    const response = await request('/v1/orgs/acme/products/shop/logo', { role: 'viewer' });
    expect(await response.text()).toBe(svg);
    expect(response.headers.get('Content-Type')).toBe('image/svg+xml');
    expect(response.headers.get('ETag')).toContain('"the-hash.');
    expect(response.headers.get('Content-Security-Policy')).toMatch(/^sandbox;/);
  });

  it('404: a Product without a logo', async () => {
    const { request } = await withProduct();
    expect((await request('/v1/orgs/acme/products/shop/logo')).status).toBe(404);
  });
});

describe('suggestLogos', () => {
  it('404: requires an existing Product; 403: requires an org admin', async () => {
    const { request } = await withProduct();
    const suggest = async (product: string, role: 'org-admin' | 'member') =>
      (await request(`/v1/orgs/acme/products/${product}/logo/suggestions`, { method: 'POST', role })).status;
    expect(await suggest('till', 'org-admin')).toBe(404);
    expect(await suggest('shop', 'member')).toBe(403);
    // Nothing else is wrong: the request reaches Temporal, which is unavailable.
    expect(await suggest('shop', 'org-admin')).toBe(503);
  });
});
