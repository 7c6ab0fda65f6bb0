import { ApplicationFailure } from '@temporalio/common';
import { afterEach, expect, it } from 'vitest';
import { createModels } from '../../../src/integrations/models/create-models.ts';
import { type Reply, startAnyProvider } from '../../support/any-provider.ts';
import { startAgentRun, type AgentRun } from '../../support/agent-run.ts';

let run: AgentRun;
afterEach(async () => await run.close());

async function refusalOf(reply: Reply): Promise<{ failure: unknown; asked: number }> {
  run = await startAgentRun({ title: 'Anything' });
  const { url, asked } = await startAnyProvider(() => reply);
  const provider = { kind: 'openai-compatible' as const, baseUrl: `${url}/v1`, model: 'm', apiKey: 'k' };
  const models = createModels({
    providerOf: async () => provider,
    pricesOf: async () => [],
    installation: undefined,
  });
  const failure = await run
    .turn({ step: 'implement', turn: 1, opening: 'start' }, { models })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  return { failure, asked: asked.length };
}

it.each([
  [429, '7', 7000],
  [529, '0.5', 500],
  [503, 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
])('asks again after a %i when the provider says, and not before', async (status, retryAfter, nextRetryDelay) => {
  const { failure, asked } = await refusalOf({ status, headers: { 'retry-after': retryAfter }, body: {} });
  expect(failure).toMatchObject({ type: 'unavailable', nonRetryable: false, nextRetryDelay });
  expect(asked).toBe(1);
});

it.each([401, 403, 402])('does not ask again with a key that is refused with %i', async (status) => {
  const { failure, asked } = await refusalOf({ status, body: { error: { message: 'no' } } });
  expect(failure).toMatchObject({ type: 'forbidden', nonRetryable: true });
  expect((failure as Error).message).toContain('model-provider of org "acme"');
  expect(asked).toBe(1);
});
