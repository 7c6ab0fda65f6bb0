import { expect, it } from 'vitest';
import { ProductKind } from '../../../src/rules/catalog/kinds.ts';
import { startApi } from '../../support/start-api.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0H1V1Z"/></svg>';
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

async function withProduct(role: 'org-admin' | 'member' = 'org-admin', repos = ['acme/shop']) {
  const api = await startApi({ role });
  await api.store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'shop' },
    spec: { repos, delivery: { zones: [{ name: 'shop-rc', arrival: 'automatic' }] } },
  });
  const token = await api.tokenOf(role);
  const put = async (image: string | Uint8Array<ArrayBuffer>, type?: string): Promise<Response> =>
    await api.app.request('/api/v1/orgs/acme/products/shop/logo', {
      method: 'PUT',
      body: image,
      headers: { Authorization: `Bearer ${token}`, ...(type !== undefined && { 'Content-Type': type }) },
    });
  return { ...api, put };
}

it('403: only an org admin puts a logo', async () => {
  const { put } = await withProduct('member');
  expect((await put(svg, 'image/svg+xml')).status).toBe(403);
});

it('413: is at most 512 KiB', async () => {
  const { put } = await withProduct();
  expect((await put(new Uint8Array(512 * 1024 + 1), 'image/png')).status).toBe(413);
});

it.each(['image/gif', 'text/html', 'application/json', undefined])('415: is no %s', async (type) => {
  const { put } = await withProduct();
  const response = await put(new Uint8Array([1, 2]), type);
  expect(response.status).toBe(415);
  expect(await response.json()).toMatchObject({ detail: expect.stringContaining('image/svg+xml, image/png') });
});

it.each([
  ['a script in it', svg.replace('<path', '<script/><path'), 'image/svg+xml', 'The element <script> is not allowed'],
  ['another type than it says', png, 'image/jpeg', 'is image/png, and its Content-Type says image/jpeg'],
  ['a picture that it says is another', svg, 'image/png', 'is image/svg+xml'],
  ['what is no image', 'hello', 'image/png', 'not well-formed'],
  ['a GIF', Buffer.from('GIF89a\u0001\u0000\u0001\u0000'), 'image/png', 'It is image/gif'],
  ['nothing', '', 'image/png', 'It is empty.'],
])('422: with %s, and says why', async (_, image, type, words) => {
  const { put } = await withProduct();
  const response = await put(typeof image === 'string' ? image : new Uint8Array(image), type);
  expect(response.status).toBe(422);
  const { errors } = (await response.json()) as { errors: { detail: string }[] };
  expect(errors.map(({ detail }) => detail).join(' ')).toContain(words);
});

it('422: of a Product without a repo has nowhere to be', async () => {
  const { put } = await withProduct('org-admin', []);
  expect((await put(svg, 'image/svg+xml')).status).toBe(422);
});

it('503: nothing is said to be done while the workflow server is away', async () => {
  const { put } = await withProduct();
  expect((await put(svg, 'image/svg+xml')).status).toBe(503);
});
