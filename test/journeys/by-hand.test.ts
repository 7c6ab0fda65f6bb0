import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import type { ReleaseView, RunView } from '../../src/clients/demo/views.ts';
import { type Example, approvingReviewers, finish, titled, turn, write } from '../../src/local/model/example.ts';
import { startModel } from '../../src/local/model/start-model.ts';
import {
  CodehostFacts,
  approve,
  ask,
  createAcme,
  createProduct,
  getRun,
  releaseIs,
  runIs,
  startChange,
  until,
  zoneIs,
} from '../support/acme.ts';
import { TestPlatform } from '../support/platform.ts';

const note = turn('I write it down.', write('NOTES.md', 'A note.'));
const examples: Example[] = [
  {
    name: 'note',
    matches: titled('Write a note'),
    roles: { implementer: [note, finish('done', 'It is written down.')], ...approvingReviewers },
  },
  {
    name: 'ponder',
    matches: titled('Ponder for ever'),
    roles: { implementer: [note], ...approvingReviewers },
  },
];

/** A model of these examples that leaves some questions open: for a while, or for as long as they are asked. */
class SlowModel {
  /** Whether the second question about the issue to ponder was asked, and given up. */
  pondered = 0;
  givenUp = 0;
  /** Until this is resolved the tests of the note are not judged. */
  readonly reviewing = Promise.withResolvers<void>();
  #server = createServer((request, response) => void this.#answer(request, response));
  #scripted: Awaited<ReturnType<typeof startModel>> | undefined;

  async start(): Promise<string> {
    this.#scripted = await startModel({ port: 0, examples });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#scripted?.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString();
    if (body.includes('Ponder for ever') && body.includes('"role":"assistant"')) {
      this.pondered += 1;
      response.once('close', () => (this.givenUp += 1));
      return;
    }
    if (body.includes('Write a note') && body.includes('test-reviewer')) await this.reviewing.promise;
    const answer = await fetch(`${this.#scripted?.url}/chat/completions`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }
}

const model = new SlowModel();
let platform: TestPlatform;
let api: Api;
let codehost: CodehostFacts;

beforeAll(async () => {
  const url = await model.start();
  platform = await TestPlatform.start({ MODEL_BASE_URL: url, MODEL_NAME: 'scripted', MODEL_API_KEY: 'none' });
  api = await platform.asRoot();
  codehost = new CodehostFacts(platform);
  await createAcme(api);
  await createProduct(platform, api, { name: 'plain' });
});
afterAll(async () => {
  await platform?.remove();
  await model.close();
});

/** What a person does to a pull request on the code host, past the service. */
async function setPull(repo: string, number: number, state: 'open' | 'closed'): Promise<void> {
  const response = await fetch(`${platform.codehostUrl}/api/v3/repos/${repo}/pulls/${number}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${await platform.codehostToken()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ state }),
  });
  expect(response.status).toBe(200);
}

const retry = async (run: string, step: string): Promise<RunView> =>
  await api.post(`/v1/orgs/acme/agentworkflowruns/${run}/steps/${step}/retry`);
const cancel = async (run: string): Promise<RunView> => await api.post(`/v1/orgs/acme/agentworkflowruns/${run}/cancel`);
const startRelease = async (product: string, more: object = {}): Promise<ReleaseView> =>
  await api.post('/v1/orgs/acme/releases', { product, ...more });

describe('a Change by hand', () => {
  it('a merge that failed because somebody had closed the pull request is tried again once that is open', async () => {
    const run = await startChange(api, 'plain', 'Write a note');
    const pull = await until(
      async () => (await getRun(api, run)).status.pullRequest,
      (found) => found !== undefined,
    );
    // While it still is a draft.
    await setPull('acme/plain', pull?.number ?? 0, 'closed');
    model.reviewing.resolve();
    await runIs(api, run, 'WaitingForPerson');
    await expect(retry(run, 'merge')).rejects.toMatchObject({ status: 409 });
    await approve(api, run);
    const failed = await runIs(api, run, 'Failed');
    expect(failed.status.failure?.reason).toContain('closed without a merge');
    expect(failed.strip.find(({ stage }) => stage === 'merged')).toMatchObject({ colour: 'red' });

    await setPull('acme/plain', pull?.number ?? 0, 'open');
    expect((await retry(run, 'merge')).status.phase).not.toBe('Failed');
    const { status } = await runIs(api, run, 'Succeeded');
    expect(status.failure).toBeUndefined();
    expect(status.mergeCommit).toBeDefined();
    expect(await codehost.pulls('acme/plain')).toMatchObject([{ state: 'closed', merged_at: expect.any(String) }]);
    await expect(retry(run, 'merge')).rejects.toMatchObject({ status: 409 });
  });

  it('one that is cancelled in the middle of a turn stops at once: nothing is left, and the model is not asked again', async () => {
    await createProduct(platform, api, { name: 'pondered' });
    const run = await startChange(api, 'pondered', 'Ponder for ever');
    await until(
      async () => model.pondered,
      (asked) => asked === 1,
    );
    const branches = async () => await codehost.get<{ name: string }[]>('/repos/acme/pondered/branches');
    expect((await branches()).map(({ name }) => name)).toContain(`service/${run}`);

    const askedAt = Date.now();
    const { status } = await cancel(run);
    expect(Date.now() - askedAt).toBeLessThan(10_000);
    expect(status.phase).toBe('Cancelled');
    expect(status.steps[0]).toMatchObject({ name: 'implement', phase: 'Cancelled' });
    expect((await branches()).map(({ name }) => name)).toEqual(['main']);
    expect(await codehost.pulls('acme/pondered')).toMatchObject([{ state: 'closed', merged_at: null }]);
    expect(model.givenUp).toBe(1);
    expect(model.pondered).toBe(1);
    await expect(cancel(run)).rejects.toMatchObject({ status: 409 });
    await expect(retry(run, 'implement')).rejects.toMatchObject({ status: 409 });
  });
});

describe('a Release by hand', () => {
  it('is built and promoted as it is asked for, and one that a person rejects keeps out of the zone', async () => {
    await createProduct(platform, api, { name: 'handmade' });
    const { name, spec } = await startRelease('handmade', { version: 'v2.3.4' });
    expect(spec.version).toBe('v2.3.4');
    await zoneIs(api, name, { zone: 'handmade-prod', phase: 'WaitingForApproval' });
    expect((await ask(platform.address('handmade-rc'), '/version')).body).toContain('v2.3.4');
    expect(await codehost.tags('acme/handmade')).toMatchObject([{ name: 'v2.3.4' }]);

    await api.post(`/v1/orgs/acme/releases/${name}/zones/handmade-prod/reject`, { note: 'not on a Friday' });
    const { status } = await releaseIs(api, name, 'Failed');
    expect(status.zones).toMatchObject([
      { phase: 'Verified' },
      { phase: 'Rejected', failure: { reason: 'root@example.com rejected it: not on a Friday' } },
    ]);
    expect((await ask(platform.address('handmade-prod'), '/')).status).toBe(404);
    expect((await ask(platform.address('handmade-rc'), '/')).status).toBe(200);
    await expect(api.post(`/v1/orgs/acme/releases/${name}/zones/handmade-prod/reject`, {})).rejects.toMatchObject({
      status: 409,
    });
  });

  it('one that is cancelled while it is built stops its build, and is never tagged', async () => {
    const scripts = { start: 'node server.js', build: 'sleep 300' };
    const manifest = JSON.stringify({ name: 'slow', private: true, type: 'module', scripts });
    await createProduct(platform, api, { name: 'slow', files: { 'package.json': manifest } });
    const { name } = await startRelease('slow');
    await releaseIs(api, name, 'Building');

    const { status } = await api.post<ReleaseView>(`/v1/orgs/acme/releases/${name}/cancel`);
    expect(status.phase).toBe('Cancelled');
    expect(status.zones.map(({ phase }) => phase)).toEqual(['Pending', 'Pending']);
    expect(await codehost.tags('acme/slow')).toEqual([]);
    await expect(api.post(`/v1/orgs/acme/releases/${name}/cancel`)).rejects.toMatchObject({ status: 409 });

    // The builder builds one at a time: it is free for the next.
    await createProduct(platform, api, { name: 'next' });
    const next = await startRelease('next');
    await zoneIs(api, next.name, { zone: 'next-rc', phase: 'Verified' });
  });
});
