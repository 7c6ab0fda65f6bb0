import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createLogoActivities } from '../../activities/logos.ts';
import { directoryBlobs } from '../../src/integrations/blobs/directory.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { type LogoSuggestion, suggestionKey } from '../../src/rules/catalog/logo.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { refuses, says, startProvider, type Reply } from '../support/provider.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><circle r="1"/></svg>';
const input = { org: 'acme', product: 'shop', round: '1', direction: 'badge' as const };

async function aDesigner(...replies: Reply[]) {
  const folder = await mkdtemp(join(tmpdir(), 'logos-'));
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  await store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'shop' },
    spec: { displayName: 'The Shop', description: 'Sells hats.', repos: [], delivery: { zones: [] } },
  });
  const provider = await startProvider(...replies);
  const blobs = directoryBlobs(folder);
  const { designLogo } = createLogoActivities({
    store,
    blobs,
    models: provider.models,
    codehost: {} as Codehost,
  });
  return {
    asked: provider.asked,
    design: async (attempt = 1): Promise<LogoSuggestion> => {
      await new MockActivityEnvironment({ attempt }).run(designLogo, input);
      return JSON.parse(Buffer.from((await blobs.find(suggestionKey(input)))!).toString()) as LogoSuggestion;
    },
  };
}

it('a suggestion is the model’s own where it draws a picture, and it is asked in that direction', async () => {
  const { asked, design } = await aDesigner(says({ content: `Here you are:\n\`\`\`svg\n${svg}\n\`\`\`\nEnjoy!` }));
  expect(await design()).toMatchObject({ direction: 'badge', source: 'model', svg, usage: { inputTokens: 100 } });
  const question = JSON.stringify(asked[0]?.messages);
  expect(question).toContain('The Shop');
  expect(question).toContain('Sells hats.');
  expect(question).toContain('badge');
});

it('made twice, it is asked for once', async () => {
  const { asked, design } = await aDesigner(says({ content: svg }));
  await design();
  await design();
  expect(asked).toHaveLength(1);
});

it.each([
  ['a script', says({ content: svg.replace('<circle', '<script>1</script><circle') })],
  ['a link', says({ content: svg.replace('r="1"', 'href="http://x"') })],
  ['words only', says({ content: 'I cannot draw.' })],
  ['no permission', refuses(401)],
])('where the model gives %s, it is the built-in design', async (_, reply) => {
  const { design } = await aDesigner(reply);
  expect(await design()).toMatchObject({ source: 'built-in', svg: expect.stringMatching(/^<svg /) });
});

it('a model that is away is asked once more before that', async () => {
  const { design } = await aDesigner(refuses(503));
  await expect(design(1)).rejects.toThrow('did not answer');
  expect(await design(2)).toMatchObject({ source: 'built-in' });
});
