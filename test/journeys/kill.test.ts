import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import { CodehostFacts, ask, createAcme, decide, startChange, until } from '../support/acme.ts';
import { TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let api: Api;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.asRoot();
  await createAcme(api);
  await api.post('/v1/orgs/acme/products', { name: 'hello', spec: { repos: ['acme/hello'] } });
});
afterAll(async () => await platform?.remove());

it('killed a dozen times on the way, a Change still reaches production, and everything was done once', async () => {
  const run = await startChange(api, 'hello', 'Greet visitors by name');
  const moments: number[] = [];
  for (let kills = 0; kills < 12; kills += 1) {
    const afterMs = Math.round(Math.random() * 1_500);
    moments.push(afterMs);
    await Promise.race([
      sleep(afterMs),
      until(
        async () => await decide(api, run),
        () => false,
        afterMs,
      ).catch(() => undefined),
    ]);
    await platform.killTree();
    await platform.start();
  }
  await until(
    async () => await decide(api, run),
    (phase) => phase === 'Succeeded',
    240_000,
  ).catch((error: Error) => {
    throw new Error(`Killed after ${moments.join(', ')} ms: ${error.message}`);
  });

  const codehost = new CodehostFacts(platform);
  const pulls = await codehost.pulls('acme/hello');
  expect(pulls).toHaveLength(1);
  expect(pulls[0]?.merged_at).toBeTruthy();
  expect((await codehost.commits('acme/hello')).map(({ commit }) => commit.message.split('\n')[0])).toEqual([
    expect.stringMatching(/^feat: Greet visitors by name \(#\d+\)$/),
    expect.any(String),
  ]);
  expect((await codehost.tags('acme/hello')).map(({ name }) => name)).toEqual(['v0.1.0']);
  expect((await codehost.releases('acme/hello')).map(({ tag_name }) => tag_name)).toEqual(['v0.1.0']);
  const promotions = (await codehost.commits('acme/gitops')).map(({ commit }) => commit.message.split('\n')[0]);
  expect(promotions).toEqual([
    expect.stringMatching(/^hello-prod: v0\.1\.0 /),
    expect.stringMatching(/^hello-rc: v0\.1\.0 /),
    expect.any(String),
  ]);
  expect(await codehost.pulls('acme/gitops')).toHaveLength(2);
  const { body } = await ask(platform.address('hello-prod'), '/?name=Ada');
  expect(body).toContain('Hello, Ada');
}, 420_000);
