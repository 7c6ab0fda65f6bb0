import { ApplicationFailure } from '@temporalio/common';
import { afterEach, expect, it } from 'vitest';
import { createModels } from '../../src/integrations/models/create-models.ts';
import { type ModelReply, startFakeModelServer } from '../support/changes/fake-model-server.ts';
import { createTestDispatcher } from '../support/servers/test-dispatcher.ts';
import { startAgentRunHarness, type AgentRunHarness } from '../support/changes/agent-run-harness.ts';

let run: AgentRunHarness;
afterEach(async () => await run.close());

async function runRefusedTurn(reply: ModelReply): Promise<{ failure: unknown; asked: number }> {
  run = await startAgentRunHarness({ title: 'Anything' });
  const { url, asked } = await startFakeModelServer(() => reply);
  const provider = { kind: 'openai-compatible' as const, baseUrl: `${url}/v1`, model: 'm', apiKey: 'k' };
  const models = createModels({
    findProvider: async () => provider,
    listPrices: async () => [],
    judged: createTestDispatcher(new URL(url).host),
    defaultProvider: undefined,
  });
  const failure = await run
    .runTurn({ step: 'implement', turn: 1, trigger: 'start' }, { models })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  return { failure, asked: asked.length };
}

it.each([
  [429, '7', 7000],
  [529, '0.5', 500],
  [503, 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
])(
  'turns a %i of the model provider into a retryable failure with its delay',
  async (status, retryAfter, nextRetryDelay) => {
    const { failure, asked } = await runRefusedTurn({ status, headers: { 'retry-after': retryAfter }, body: {} });
    expect(failure).toMatchObject({
      type: 'model-provider-unavailable',
      nonRetryable: false,
      nextRetryDelay,
    });
    expect(asked).toBe(1);
  },
);

it.each([
  [401, 'model-provider-key-rejected'],
  [403, 'model-provider-key-rejected'],
  [402, 'model-provider-payment-required'],
])('turns a %i of the model provider into the non-retryable failure %s', async (status, type) => {
  const { failure, asked } = await runRefusedTurn({ status, body: { error: { message: 'no' } } });
  expect(failure).toMatchObject({ type, nonRetryable: true });
  expect((failure as Error).message).toContain('model-provider of org "acme"');
  expect(asked).toBe(1);
});
