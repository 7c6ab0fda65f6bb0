import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import type { ReleaseView, RunView } from '../../src/clients/demo/views.ts';
import {
  type Scenario,
  approvingReviewers,
  finish,
  matchesTitle,
  turn,
  write,
} from '../../src/emulators/model/scenario.ts';
import { startModel } from '../../src/emulators/model/start-model.ts';
import {
  approveRunStep,
  requestZone,
  createAcmeOrg,
  createProduct,
  getRun,
  waitForReleasePhase,
  waitForRunPhase,
  startChange,
  waitForZonePhase,
} from '../support/platform/acme.ts';
import { CodehostReader } from '../support/platform/codehost-reader.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';

const note = turn('I write the note.', write('NOTES.md', 'A note.'));
const scenarios: Scenario[] = [
  {
    name: 'note',
    matches: matchesTitle('Write a note'),
    roles: { implementer: [note, finish('done', 'The note is written.')], ...approvingReviewers },
  },
  {
    name: 'endless',
    matches: matchesTitle('Think forever'),
    roles: { implementer: [note], ...approvingReviewers },
  },
];

/** A scripted model that delays some responses, or never sends them. */
class SlowModel {
  /** Counts the second requests of the endless scenario, and how many of them the client aborted. */
  endlessRequests = 0;
  abortedRequests = 0;
  /** The test review of the note waits until this resolves. */
  readonly reviewing = Promise.withResolvers<void>();
  #server = createServer((request, response) => void this.#respond(request, response));
  #scripted: Awaited<ReturnType<typeof startModel>> | undefined;

  async start(): Promise<string> {
    this.#scripted = await startModel({ port: 0, scenarios });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#scripted?.close();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString();
    if (body.includes('Think forever') && body.includes('"role":"assistant"')) {
      this.endlessRequests += 1;
      response.once('close', () => (this.abortedRequests += 1));
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
let api: ApiClient;
let codehost: CodehostReader;

beforeAll(async () => {
  const url = await model.start();
  platform = await TestPlatform.start({ MODEL_BASE_URL: url, MODEL_NAME: 'scripted', MODEL_API_KEY: 'none' });
  api = await platform.signInAsRoot();
  codehost = new CodehostReader(platform);
  await createAcmeOrg(api);
  await createProduct(platform, api, { name: 'plain' });
});
afterAll(async () => {
  await platform?.remove();
  await model.close();
});

/** Changes a pull request on the code host directly, as a person would. */
async function setPullState(repo: string, number: number, state: 'open' | 'closed'): Promise<void> {
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

describe('a Change that a person starts', () => {
  it('fails while its pull request is closed, and waits for the approval again after it is reopened', async () => {
    const run = await startChange(api, 'plain', 'Write a note');
    const pull = await waitUntil(
      async () => (await getRun(api, run)).status.pullRequest,
      (found) => found !== undefined,
    );
    const expectFailure = async (): Promise<void> => {
      const failed = await waitForRunPhase(api, run, 'Failed');
      expect(failed.status.failure).toMatchObject({
        reason: 'pull-request-closed',
        message: `Pull request #${pull?.number} was closed without a merge.`,
      });
    };
    const reopen = async (): Promise<void> => {
      await setPullState('acme/plain', pull?.number ?? 0, 'open');
      expect((await retry(run, 'approve-change')).status.phase).not.toBe('Failed');
      await waitForRunPhase(api, run, 'WaitingForPerson');
    };
    // The pull request is still a draft at this point.
    await setPullState('acme/plain', pull?.number ?? 0, 'closed');
    model.reviewing.resolve();
    await expectFailure();
    await reopen();
    // The code host tells of the second closing while the run waits.
    await setPullState('acme/plain', pull?.number ?? 0, 'closed');
    await expectFailure();
    await reopen();

    await expect(retry(run, 'merge')).rejects.toMatchObject({ status: 409 });
    await approveRunStep(api, run);
    const { status } = await waitForRunPhase(api, run, 'Succeeded');
    expect(status.failure).toBeUndefined();
    expect(status.mergeCommit).toBeDefined();
    expect(await codehost.pulls('acme/plain')).toMatchObject([{ state: 'closed', merged_at: expect.any(String) }]);
    await expect(retry(run, 'merge')).rejects.toMatchObject({ status: 409 });
  });

  it('stops at once when it is cancelled during a turn, with its branch deleted and no further model request', async () => {
    await createProduct(platform, api, { name: 'endless' });
    const run = await startChange(api, 'endless', 'Think forever');
    await waitUntil(
      async () => model.endlessRequests,
      (count) => count === 1,
    );
    const branches = async () => await codehost.get<{ name: string }[]>('/repos/acme/endless/branches');
    expect((await branches()).map(({ name }) => name)).toContain(`service/${run}`);

    const { status } = await cancel(run);
    expect(status.phase).toBe('Cancelled');
    expect(status.steps[0]).toMatchObject({ name: 'implement', phase: 'Cancelled' });
    expect((await branches()).map(({ name }) => name)).toEqual(['main']);
    expect(await codehost.pulls('acme/endless')).toMatchObject([{ state: 'closed', merged_at: null }]);
    expect(model.abortedRequests).toBe(1);
    expect(model.endlessRequests).toBe(1);
    await expect(cancel(run)).rejects.toMatchObject({ status: 409 });
    await expect(retry(run, 'implement')).rejects.toMatchObject({ status: 409 });
  });
});

describe('a Release that a person starts', () => {
  it('is built with the requested version, and does not reach a zone when its promotion is rejected', async () => {
    await createProduct(platform, api, { name: 'handmade' });
    const { name, spec } = await startRelease('handmade', { version: 'v2.3.4' });
    expect(spec.version).toBe('v2.3.4');
    await waitForZonePhase(api, name, { zone: 'handmade-prod', phase: 'WaitingForApproval' });
    expect((await requestZone(platform.zoneUrl('handmade-rc'), '/version')).body).toContain('v2.3.4');
    expect(await codehost.tags('acme/handmade')).toMatchObject([{ name: 'v2.3.4' }]);

    await api.post(`/v1/orgs/acme/releases/${name}/zones/handmade-prod/reject`, { note: 'not on a Friday' });
    const { status } = await waitForReleasePhase(api, name, 'Failed');
    expect(status.zones).toMatchObject([
      { phase: 'Verified' },
      { phase: 'Rejected', failure: { message: 'root@example.com rejected it: not on a Friday' } },
    ]);
    expect((await requestZone(platform.zoneUrl('handmade-prod'), '/')).status).toBe(404);
    expect((await requestZone(platform.zoneUrl('handmade-rc'), '/')).status).toBe(200);
    await expect(api.post(`/v1/orgs/acme/releases/${name}/zones/handmade-prod/reject`, {})).rejects.toMatchObject({
      status: 409,
    });
  });

  it('stops its build when it is cancelled, and is never tagged', async () => {
    const scripts = { start: 'node server.js', build: 'sleep 300' };
    const manifest = JSON.stringify({ name: 'slow', private: true, type: 'module', scripts });
    await createProduct(platform, api, { name: 'slow', files: { 'package.json': manifest } });
    const { name } = await startRelease('slow');
    await waitForReleasePhase(api, name, 'Building');

    const { status } = await api.post<ReleaseView>(`/v1/orgs/acme/releases/${name}/cancel`);
    expect(status.phase).toBe('Cancelled');
    expect(status.zones.map(({ phase }) => phase)).toEqual(['Pending', 'Pending']);
    expect(await codehost.tags('acme/slow')).toEqual([]);
    await expect(api.post(`/v1/orgs/acme/releases/${name}/cancel`)).rejects.toMatchObject({ status: 409 });

    // The builder runs one build at a time, so the next one proves that it is idle.
    await createProduct(platform, api, { name: 'next' });
    const next = await startRelease('next');
    await waitForZonePhase(api, next.name, { zone: 'next-rc', phase: 'Verified' });
  });
});
