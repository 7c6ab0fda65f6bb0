import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createTerminal } from '../../../src/clients/demo/terminal.ts';
import { createModels } from '../../../src/integrations/models/create-models.ts';
import { createReadyCheck } from '../../../src/main/demo/create-ready-check.ts';
import { verifyModel } from '../../../src/main/platform/verify-model.ts';
import { buildChatCompletion, type ModelReply, startFakeModelServer } from '../../support/changes/fake-model-server.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';

const answersOk: ModelReply = { body: buildChatCompletion({ text: 'OK' }) };

type CheckOptions = { answer?: string; buildViolation?: string; reply?: ModelReply; baseUrl?: string };

async function createCheck({ answer, buildViolation, reply = answersOk, ...options }: CheckOptions) {
  const server = await startFakeModelServer(() => reply);
  const input = new PassThrough();
  const terminal = createTerminal({ yes: answer === undefined, input, output: new PassThrough() });
  const models = createModels({
    findProvider: async () => undefined,
    listPrices: async () => [],
    defaultProvider: {
      kind: 'openai-compatible',
      model: 'large',
      baseUrl: options.baseUrl ?? `${server.url}/v1`,
      apiKey: 'sk-1',
    },
    judged: createTestDispatcher('127.0.0.1'),
  });
  const check = createReadyCheck(
    { usesScriptedModel: false, verifyModel: async (org) => await verifyModel(models, org) },
    { org: 'acme', buildViolation, terminal },
  );
  if (answer !== undefined) input.write(`${answer}\n`);
  return { check, asked: server.asked };
}

it('asks the model before work starts', async () => {
  const { check, asked } = await createCheck({});
  await check();
  expect(asked.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/v1/chat/completions', 'Bearer sk-1'],
  ]);
});

it.each<[name: string, reply: ModelReply, message: RegExp]>([
  ['rejects its key', { status: 401, body: {} }, /rejected the key \(401\)\. Check MODEL_API_KEY/],
  ['is not at the path', { status: 404, body: 'Not found' }, /rejected the request \(404\)\. Check MODEL_BASE_URL/],
  ['answers with a page', { body: '<html>' }, /returned no usable response.*Check MODEL_BASE_URL/],
])('starts nothing with a model that %s', async (_, reply, message) => {
  const { check } = await createCheck({ reply });
  await expect(check()).rejects.toThrow(message);
});

it('starts nothing with a model at a closed port', async () => {
  const { check } = await createCheck({ baseUrl: `http://127.0.0.1:${await reservePort()}/v1` });
  await expect(check()).rejects.toThrow(/cannot be reached \(ECONNREFUSED\)\. Check MODEL_BASE_URL/);
});

it('starts with a model that is overloaded, because agents retry', async () => {
  const { check } = await createCheck({ reply: { status: 503, body: {} } });
  await check();
});

it('starts nothing for a repository that cannot be released, unless a person confirms it', async () => {
  const buildViolation = 'No start command found: add a Procfile.';
  const unattended = await createCheck({ buildViolation });
  await expect(unattended.check()).rejects.toThrow(/cannot be released as it is\. No start command found/);
  expect(unattended.asked).toEqual([]);
  const declined = await createCheck({ buildViolation, answer: 'n' });
  await expect(declined.check()).rejects.toThrow('No Change was started.');
  const confirmed = await createCheck({ buildViolation, answer: 'y' });
  await confirmed.check();
});
