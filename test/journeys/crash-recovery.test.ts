import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { requestZone, createAcmeOrg, approvePending, startChange, toPublicZones } from '../support/platform/acme.ts';
import { CodehostReader } from '../support/platform/codehost-reader.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { createRandom, isExhaustive, testSeed } from '../support/sample.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';

const killCount = isExhaustive ? 12 : 4;
let platform: TestPlatform;
let api: ApiClient;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.signInAsRoot();
  await createAcmeOrg(api);
  await api.post('/v1/orgs/acme/products', {
    name: 'hello',
    spec: { repos: ['acme/hello'], delivery: { zones: toPublicZones('hello') } },
  });
});
afterAll(async () => await platform?.remove());

it('brings a Change to production with every effect applied once, although the platform is killed again and again', async () => {
  const run = await startChange(api, 'hello', 'Greet visitors by name');
  const delays: number[] = [];
  const random = createRandom(testSeed);
  for (let kills = 0; kills < killCount; kills += 1) {
    const afterMs = random(1_500);
    delays.push(afterMs);
    await Promise.race([
      sleep(afterMs),
      waitUntil(
        async () => await approvePending(api, run),
        () => false,
        afterMs,
      ).catch(() => undefined),
    ]);
    await platform.killTree();
    await platform.start();
  }
  await waitUntil(
    async () => await approvePending(api, run),
    (phase) => phase === 'Succeeded',
    240_000,
  ).catch((error: Error) => {
    throw new Error(`Killed after ${delays.join(', ')} ms, seed ${testSeed}: ${error.message}`);
  });

  const codehost = new CodehostReader(platform);
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
  const { body } = await requestZone(platform.zoneUrl('hello-prod'), '/?name=Ada');
  expect(body).toContain('Hello, Ada');
}, 420_000);
