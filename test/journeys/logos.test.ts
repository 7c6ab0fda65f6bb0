import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { createAcmeOrg, createProduct } from '../support/platform/acme.ts';
import { CodehostReader } from '../support/platform/codehost-reader.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';

type Suggestions = { items: { direction: string; source: string; svg: string }[] };
type Logo = { path: string; commit: string; pullRequest?: { number: number } };
type File = { content: string };

describeWithTemporal('the logo of a Product', () => {
  let platform: TestPlatform;
  let api: ApiClient;
  let token = '';
  beforeAll(async () => {
    platform = await TestPlatform.start();
    api = await platform.signInAsRoot();
    token = await platform.mintToken();
    await createAcmeOrg(api);
    await createProduct(platform, api, { name: 'shop' });
  });
  afterAll(async () => await platform.remove());

  const putLogo = async (image: string | Uint8Array<ArrayBuffer>, type: string): Promise<Logo> => {
    const response = await fetch(`${platform.url}/api/v1/orgs/acme/products/shop/logo`, {
      method: 'PUT',
      body: image,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
    });
    expect(response.status, await response.clone().text()).toBe(200);
    return (await response.json()) as Logo;
  };

  it('is chosen from ten suggestions, committed through a pull request, and replaced', async () => {
    const codehost = new CodehostReader(platform);
    const readRepoFile = async (path: string): Promise<Buffer> =>
      Buffer.from((await codehost.get<File>(`/repos/acme/shop/contents/${path}`)).content, 'base64');
    const { items } = await api.post<Suggestions>('/v1/orgs/acme/products/shop/logo/suggestions', {});
    expect(new Set(items.map(({ direction }) => direction)).size).toBe(10);
    const first = items[0]?.svg ?? '';

    const logo = await putLogo(first, 'image/svg+xml');
    expect(logo).toMatchObject({ path: 'logo.svg', pullRequest: { number: expect.any(Number) } });
    expect((await readRepoFile('logo.svg')).toString()).toBe(first);
    expect(await api.get('/v1/orgs/acme/products/shop')).toMatchObject({ status: { logo: { commit: logo.commit } } });
    // Uploading the same logo again changes nothing.
    expect(await putLogo(first, 'image/svg+xml')).toMatchObject({ path: 'logo.svg', commit: logo.commit });

    const png = new Uint8Array(Buffer.from(onePixel, 'base64'));
    expect(await putLogo(png, 'image/png')).toMatchObject({ path: 'logo.png' });
    expect(await readRepoFile('logo.png')).toEqual(Buffer.from(png));
    await expect(readRepoFile('logo.svg')).rejects.toThrow('404');
    // The first logo can return, although it was merged before.
    await putLogo(first, 'image/svg+xml');
    expect((await readRepoFile('logo.svg')).toString()).toBe(first);
    await expect(readRepoFile('logo.png')).rejects.toThrow('404');
    expect((await codehost.pulls('acme/shop')).every(({ merged_at }) => merged_at !== null)).toBe(true);
  });
});

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
