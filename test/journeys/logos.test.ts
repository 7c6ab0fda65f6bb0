import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import { CodehostFacts, createAcme, createProduct } from '../support/acme.ts';
import { TestPlatform } from '../support/platform.ts';
import { describeWithTemporal } from '../support/temporal-client.ts';

type Suggestions = { items: { direction: string; source: string; svg: string }[] };
type Logo = { path: string; commit: string; pullRequest?: { number: number } };
type File = { content: string };

describeWithTemporal('a Product’s logo', () => {
  let platform: TestPlatform;
  let api: Api;
  let token = '';
  beforeAll(async () => {
    platform = await TestPlatform.start();
    api = await platform.asRoot();
    ({ token } = await api.post<{ token: string }>('/v1/me/tokens', { label: 'logos' }));
    await createAcme(api);
    await createProduct(platform, api, { name: 'shop' });
  });
  afterAll(async () => await platform.remove());

  const put = async (image: string | Uint8Array<ArrayBuffer>, type: string): Promise<Logo> => {
    const response = await fetch(`${platform.url}/api/v1/orgs/acme/products/shop/logo`, {
      method: 'PUT',
      body: image,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
    });
    expect(response.status, await response.clone().text()).toBe(200);
    return (await response.json()) as Logo;
  };

  it('is one of ten suggestions, committed through a pull request, and changed for another', async () => {
    const codehost = new CodehostFacts(platform);
    const inRepo = async (path: string): Promise<Buffer> =>
      Buffer.from((await codehost.get<File>(`/repos/acme/shop/contents/${path}`)).content, 'base64');
    const { items } = await api.post<Suggestions>('/v1/orgs/acme/products/shop/logo/suggestions', {});
    expect(new Set(items.map(({ direction }) => direction)).size).toBe(10);
    const first = items[0]?.svg ?? '';

    const logo = await put(first, 'image/svg+xml');
    expect(logo).toMatchObject({ path: 'logo.svg', pullRequest: { number: expect.any(Number) } });
    expect((await inRepo('logo.svg')).toString()).toBe(first);
    expect(await api.get('/v1/orgs/acme/products/shop')).toMatchObject({ status: { logo: { commit: logo.commit } } });
    // The same again changes nothing.
    expect(await put(first, 'image/svg+xml')).toMatchObject({ path: 'logo.svg', commit: logo.commit });

    const png = new Uint8Array(Buffer.from(onePixel, 'base64'));
    expect(await put(png, 'image/png')).toMatchObject({ path: 'logo.png' });
    expect(await inRepo('logo.png')).toEqual(Buffer.from(png));
    await expect(inRepo('logo.svg')).rejects.toThrow('404');
    // And back to the one before, which was merged once already.
    await put(first, 'image/svg+xml');
    expect((await inRepo('logo.svg')).toString()).toBe(first);
    await expect(inRepo('logo.png')).rejects.toThrow('404');
    expect((await codehost.pulls('acme/shop')).every(({ merged_at }) => merged_at !== null)).toBe(true);
  });
});

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
