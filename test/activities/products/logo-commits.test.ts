import { createHash } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { createLogoActivities } from '../../../activities/products/logo-activities.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import type { Codehost } from '../../../src/integrations/codehost/codehost.ts';
import type { Models } from '../../../src/integrations/models/models.ts';
import { type ProductLogo, ProductKind } from '../../../src/rules/products/kinds.ts';
import { logoKey, type LogoSuggestion, suggestionKey } from '../../../src/rules/products/logo.ts';
import { connectShop } from '../../integrations/codehost/shop-codehost.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const namespace = 'org-acme';
const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><circle r="1"/></svg>';
const hash = createHash('sha256').update(svg).digest('hex');
const ref = { org: 'acme', product: 'shop', hash };
const input = { ...ref, repo: 'acme/shop', type: 'image/svg+xml' as const };

async function createHarness({ codehost = {} as Codehost, spec = {}, models = {} as Models } = {}) {
  const store = openTestStore();
  await store.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: { repos: ['acme/shop'], delivery: { zones: [] }, ...spec },
  });
  const blobs = directoryBlobs(await createScratchFolder());
  const activities = createLogoActivities({ store, blobs, codehost, models });
  const commit = async (): Promise<ProductLogo> =>
    await new MockActivityEnvironment().run(activities.commitLogo, input);
  const commitImage = async (image: string): Promise<ProductLogo> => {
    const own = { ...input, hash: createHash('sha256').update(image).digest('hex') };
    await blobs.put(logoKey(own), Buffer.from(image));
    return await new MockActivityEnvironment().run(activities.commitLogo, own);
  };
  const readStatus = async () => (await store.get(ProductKind, { namespace, name: 'shop' })).status;
  return { store, blobs, activities, commit, commitImage, readStatus };
}

describe('commitLogo', () => {
  it('names a logo that is not stored', async () => {
    const { commit } = await createHarness();
    await expect(commit()).rejects.toMatchObject({ code: 'not-found', message: expect.stringContaining(hash) });
  });

  it('merges the logo by a pull request once, and records it next to the rest of the status', async () => {
    const { codehost, host } = await connectShop();
    const { store, blobs, commit, readStatus } = await createHarness({ codehost });
    await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ zones: [{ name: 'shop-rc' }] }));
    await blobs.put(logoKey(ref), Buffer.from(svg));
    const logo = await commit();
    expect(logo).toEqual({
      repo: 'acme/shop',
      path: 'logo.svg',
      type: 'image/svg+xml',
      hash,
      commit: await host.findBranchHead('acme/shop', 'main'),
      pullRequest: { number: 1, url: expect.any(String) },
    });
    expect(await readStatus()).toEqual({ zones: [{ name: 'shop-rc' }], logo });
    const { message } = await host.getCommit('acme/shop', logo.commit);
    expect(message).toContain('Set the logo of shop (#1)');
    expect(await commit()).toEqual(logo);
    expect(await host.findBranchHead('acme/shop', `service/logo-${hash.slice(0, 12)}`)).toBeUndefined();
  });

  it('takes over a file that is the same, and replaces no logo of another repo', async () => {
    const { codehost, host } = await connectShop();
    const { store, blobs, commit } = await createHarness({ codehost });
    await blobs.put(logoKey(ref), Buffer.from(svg));
    const base = (await host.findBranchHead('acme/shop', 'main')) ?? '';
    const changes = [{ path: 'logo.svg', content: svg }];
    const head = await host.commitFiles('acme/shop', { branch: 'main', base, message: 'Ours', changes });
    const elsewhere = { repo: 'acme/other', path: 'logo.png', type: 'image/png' as const, hash, commit: 'c' };
    await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ logo: elsewhere }));
    const logo = await commit();
    expect(logo).toMatchObject({ commit: head, path: 'logo.svg' });
    expect(logo).not.toHaveProperty('pullRequest');
  });

  it('reports a repo whose rules block the merge', async () => {
    const { codehost, requestAsUser } = await connectShop();
    const { blobs, commit, readStatus } = await createHarness({ codehost });
    await blobs.put(logoKey(ref), Buffer.from(svg));
    await requestAsUser('PUT', '/repos/acme/shop/branches/main/protection', {
      required_status_checks: { strict: false, contexts: ['ci'] },
    });
    await expect(commit()).rejects.toMatchObject({
      reason: 'pull-request-not-mergeable',
      message: 'The required check "ci" has not started.',
    });
    expect(await readStatus()).toBeUndefined();
  });

  it('replaces a logo whose pull request a person merged, and one that is committed at the same time', async () => {
    const { codehost, host } = await connectShop();
    const blocked = { outcome: 'blocked', message: 'A review is required.', needsPerson: true } as const;
    let isReviewRequired = true;
    const forOrg: Codehost['forOrg'] = async () =>
      isReviewRequired ? { ...host, mergePullRequest: async () => blocked } : host;
    const { blobs, commitImage, readStatus } = await createHarness({ codehost: { ...codehost, forOrg } });
    const draw = (radius: number): string => svg.replace('r="1"', `r="${radius}"`);
    await expect(commitImage(draw(1))).rejects.toMatchObject({ reason: 'pull-request-not-mergeable' });
    const branch = `service/logo-${hash.slice(0, 12)}`;
    const { number = 0, headSha = '' } = (await host.findPullRequest('acme/shop', branch)) ?? {};
    await host.mergePullRequest('acme/shop', { number, headSha, title: 'Merged by ada', message: '' });
    isReviewRequired = false;
    await Promise.all([draw(2), draw(3)].map(commitImage));
    const committed = (await host.readFile('acme/shop', 'logo.svg', 'main')) ?? '';
    expect([draw(2), draw(3)]).toContain(committed);
    expect((await readStatus())?.logo?.hash).toBe(createHash('sha256').update(committed).digest('hex'));
    expect(await blobs.list('logos/acme/shop/')).toHaveLength(3);
  });
});

describe('designLogo', () => {
  const design = { org: 'acme', product: 'shop', round: '1', direction: 'badge' as const };
  const answer = (text: string) => {
    const prompts: string[] = [];
    const model = {
      name: 'm',
      isPriced: false,
      generate: async (request: object) => {
        prompts.push(JSON.stringify(request));
        return { messages: [], text, toolCalls: [], usage: { inputTokens: 1, outputTokens: 1 } };
      },
    };
    return { prompts, models: { forOrg: async () => model } as unknown as Models };
  };
  const run = async ({ activities, blobs }: Awaited<ReturnType<typeof createHarness>>) => {
    await new MockActivityEnvironment().run(activities.designLogo, design);
    return JSON.parse(Buffer.from((await blobs.find(suggestionKey(design))) ?? '').toString()) as LogoSuggestion;
  };

  it.each([
    [{ displayName: 'The Shop', description: 'Sells hats.' }, ['The Shop', 'Sells hats.']],
    [{}, ['shop']],
  ])('tells the model about the Product %j', async (spec, words) => {
    const { prompts, models } = answer(svg);
    expect(await run(await createHarness({ spec, models }))).toMatchObject({ source: 'model', model: 'm', svg });
    for (const word of words) expect(prompts[0]).toContain(word);
  });

  it('uses no image that is too large', async () => {
    const large = svg.replace('r="1"', `r="${'1'.repeat(600 * 1024)}"`);
    expect(await run(await createHarness({ models: answer(large).models }))).toMatchObject({ source: 'built-in' });
  });
});
