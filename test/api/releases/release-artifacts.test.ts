import { describe, expect, it } from 'vitest';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { startApi } from '../../support/start-api.ts';
import { aReleaseWithScreenshots, namespace, screenshotItems } from '../changes/artifact-fixture.ts';

describe('listReleaseArtifacts', () => {
  const path = '/v1/orgs/acme/releases/shop-v1.0.0/artifacts';

  it('200: returns the screenshots zone by zone', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aReleaseWithScreenshots(store);
    expect(await (await request(path)).json()).toMatchObject({ items: screenshotItems });
  });

  it('404: requires an existing Release', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await aReleaseWithScreenshots(store);
    await store.delete(ReleaseKind, { namespace, name: 'shop-v1.0.0' });
    expect((await request(path)).status).toBe(404);
  });
});
