import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createLogoActivities } from '../../../activities/products/logo-activities.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import type { Codehost } from '../../../src/integrations/codehost/codehost.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import type { Models } from '../../../src/integrations/models/models.ts';
import { TurnLedgerKind } from '../../../src/rules/agents/ledger-kinds.ts';
import { sumCosts } from '../../../src/rules/agents/sum-costs.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { logoKey, type LogoSuggestion, type LogoType, suggestionKey } from '../../../src/rules/products/logo.ts';
import { openMemoryStore, openTestStore } from '../../support/open-test-store.ts';
import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import {
  replyError,
  replyMessage,
  startScriptedProvider,
  type ScriptedReply,
} from '../../support/changes/scripted-provider.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><circle r="1"/></svg>';
const input = { org: 'acme', product: 'shop', round: '1', direction: 'badge' as const };

async function createDesigner(...replies: ScriptedReply[]) {
  const folder = await mkdtemp(join(tmpdir(), 'logos-'));
  const store = openMemoryStore();
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  await store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'shop' },
    spec: { displayName: 'The Shop', description: 'Sells hats.', repos: [], delivery: { zones: [] } },
  });
  const provider = await startScriptedProvider(...replies);
  const blobs = directoryBlobs(folder);
  const { designLogo } = createLogoActivities({
    store,
    blobs,
    models: provider.models,
    codehost: {} as Codehost,
  });
  return {
    requests: provider.asked,
    readCosts: async () => {
      const { items } = await store.list(TurnLedgerKind, { namespace: 'org-acme' });
      return sumCosts(items, 'product');
    },
    design: async (attempt = 1): Promise<LogoSuggestion> => {
      await new MockActivityEnvironment({ attempt }).run(designLogo, input);
      return JSON.parse(Buffer.from((await blobs.find(suggestionKey(input)))!).toString()) as LogoSuggestion;
    },
  };
}

it('saves the SVG of the model for the requested direction', async () => {
  const { requests, design } = await createDesigner(
    replyMessage({ content: `Here you are:\n\`\`\`svg\n${svg}\n\`\`\`\nEnjoy!` }),
  );
  expect(await design()).toMatchObject({ direction: 'badge', source: 'model', svg, usage: { inputTokens: 100 } });
  const prompt = JSON.stringify(requests[0]?.messages);
  expect(prompt).toContain('The Shop');
  expect(prompt).toContain('Sells hats.');
  expect(prompt).toContain('badge');
});

it('records the tokens of every attempt in the ledger of the Product, also of an unusable design', async () => {
  const { design, readCosts } = await createDesigner(replyError(500), replyMessage({ content: 'I cannot draw.' }));
  await expect(design()).rejects.toThrow('unavailable');
  expect(await readCosts()).toEqual([]);
  await design(2);
  await design(2);
  expect(await readCosts()).toMatchObject([{ key: 'shop', costs: { turns: 1, usage: { inputTokens: 100 } } }]);
});

it('sends one request when repeated', async () => {
  const { requests, design } = await createDesigner(replyMessage({ content: svg }));
  await design();
  await design();
  expect(requests).toHaveLength(1);
});

it.each([
  ['a script', replyMessage({ content: svg.replace('<circle', '<script>1</script><circle') })],
  ['a link', replyMessage({ content: svg.replace('r="1"', 'href="http://x"') })],
  ['words only', replyMessage({ content: 'I cannot draw.' })],
  ['no permission', replyError(401)],
])('uses the built-in design when the model returns %s', async (_, reply) => {
  const { design } = await createDesigner(reply);
  expect(await design()).toMatchObject({ source: 'built-in', svg: expect.stringMatching(/^<svg /) });
});

it('retries an unavailable model once before it uses the built-in design', async () => {
  const { design } = await createDesigner(replyError(503));
  await expect(design(1)).rejects.toThrow('is unavailable (503)');
  expect(await design(2)).toMatchObject({ source: 'built-in' });
});

it('sends no third request to a model that did not respond to two in time', async () => {
  const { requests, design } = await createDesigner(replyMessage({ content: svg }));
  expect(await design(3)).toMatchObject({ source: 'built-in' });
  expect(requests).toEqual([]);
});

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** Commits logos of the Product "shop" to its repo on the embedded code host. */
async function createCommitter() {
  const { codehost, app, octokit } = await startShopFixture();
  const host = octokitCodehost({
    apiUrl: codehost.apiUrl,
    throttle: false,
    findCredentials: async () => ({ appId: String(app.id), privateKey: app.pem, account: 'acme', version: '1' }),
  });
  const store = openTestStore();
  await store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'shop' },
    spec: { repos: ['acme/shop'], delivery: { zones: [] } },
  });
  const blobs = directoryBlobs(await createScratchFolder());
  const { commitLogo } = createLogoActivities({ store, blobs, codehost: host, models: {} as Models });
  const commit = async (image: string | Buffer, type: LogoType) => {
    const hash = createHash('sha256').update(image).digest('hex');
    const ref = { org: 'acme', product: 'shop', hash };
    await blobs.put(logoKey(ref), Buffer.from(image));
    return await new MockActivityEnvironment().run(commitLogo, { ...ref, repo: 'acme/shop', type });
  };
  const readFile = async (path: string) => await (await host.forOrg('acme')).readFile('acme/shop', path, 'main');
  const writeFile = async (path: string, content: string) => {
    const sha = await (await host.forOrg('acme')).findFileSha('acme/shop', path, 'main');
    await octokit.request('PUT /repos/{owner}/{repo}/contents/{path}', {
      owner: 'acme',
      repo: 'shop',
      path,
      message: `Write ${path}`,
      content: Buffer.from(content).toString('base64'),
      ...(sha !== undefined && { sha }),
    });
  };
  return { commit, readFile, writeFile };
}

it('replaces the logo that it committed, and no file of the team', async () => {
  const { commit, readFile, writeFile } = await createCommitter();
  await writeFile('logo.webp', 'a file of the team');
  expect(await commit(svg, 'image/svg+xml')).toMatchObject({ path: 'logo.svg', hash: expect.any(String) });
  await commit(svg.replace('r="1"', 'r="2"'), 'image/svg+xml');
  expect(await readFile('logo.svg')).toContain('r="2"');
  await commit(png, 'image/png');
  expect(await readFile('logo.svg')).toBeUndefined();
  expect(await readFile('logo.webp')).toBe('a file of the team');
  await expect(commit('RIFF', 'image/webp')).rejects.toMatchObject({ reason: 'file-exists' });
  expect(await readFile('logo.webp')).toBe('a file of the team');
});

it('keeps a logo that the team has changed', async () => {
  const { commit, readFile, writeFile } = await createCommitter();
  await commit(svg, 'image/svg+xml');
  await writeFile('logo.svg', 'drawn by hand');
  await commit(png, 'image/png');
  expect(await readFile('logo.svg')).toBe('drawn by hand');
});
