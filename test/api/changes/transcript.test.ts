import { describe, expect, it } from 'vitest';
import { saveTurnPart } from '../../../activities/agents/transcript.ts';
import { toToolResultsMessage } from '../../../src/integrations/models/models.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { guidanceKey } from '../../../src/rules/agents/transcript-keys.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { createRunStatus } from '../../../src/rules/changes/run-status.ts';
import { startApi } from '../../support/start-api.ts';

type Transcript = { items: Record<string, unknown>[]; continue?: string };
const at = '2026-01-01T00:00:00.000Z';
const usage = { inputTokens: 100, outputTokens: 10 };

async function withRun() {
  const { request, store, blobs } = await startApi({ role: 'viewer' });
  const { steps } = changeAgentWorkflow;
  const ref = { namespace: 'org-acme', name: 'run-1' };
  const { metadata } = await store.create(AgentWorkflowRunKind, {
    metadata: ref,
    spec: { agentWorkflow: 'change', product: 'shop', startedBy: 'jo', steps, roles: {} },
  });
  await store.updateStatus(AgentWorkflowRunKind, ref, () => createRunStatus(steps, at));
  const turn = (number: number) => ({ uid: metadata.uid, step: 'implement', turn: number });
  const call = (input: unknown) => ({ id: 'call-1', name: 'run_command', input });
  return {
    request,
    blobs,
    turn,
    uid: metadata.uid,
    answer: async (number: number, text: string, input: unknown = { command: 'ls' }) =>
      await saveTurnPart(blobs, turn(number), {
        response: { messages: [{ role: 'assistant', content: text }], text, toolCalls: [call(input)], usage },
      }),
    results: async (number: number, text: string) =>
      await saveTurnPart(blobs, turn(number), {
        results: {
          messages: [toToolResultsMessage([{ call: call({}), text, isError: false }])],
          changed: false,
          at,
        },
      }),
    read: async (query = '', step = 'implement') =>
      (await (
        await request(`/v1/orgs/acme/agentworkflowruns/run-1/steps/${step}/transcript${query}`)
      ).json()) as Transcript,
  };
}

describe('getTranscript', () => {
  it('200: returns prompts, responses, tool calls and results, also of a turn in progress', async () => {
    const { blobs, turn, answer, results, read, uid } = await withRun();
    const messages = [{ role: 'user' as const, content: 'Do this.' }];
    await saveTurnPart(blobs, turn(1), { prompt: { system: 'You are the AgentRole.', messages, trigger: 'start' } });
    await answer(1, 'I look.');
    await results(1, 'README.md');
    await answer(2, 'I look again.');
    // Guidance for a turn that has not started.
    await blobs.put(guidanceKey({ uid, step: 'implement', turn: 3 }, 'bob@example.com'), Buffer.from('Go on.'));
    const toolCalls = [{ name: 'run_command', input: { command: 'ls' } }];
    expect(await read()).toEqual({
      items: [
        {
          turn: 1,
          prompt: { trigger: 'start', text: 'Do this.' },
          text: 'I look.',
          toolCalls,
          results: [{ name: 'run_command', text: 'README.md', isError: false }],
          usage,
          completedAt: at,
        },
        { turn: 2, text: 'I look again.', toolCalls, results: [], usage },
      ],
    });
    expect(await read('', 'review-code')).toEqual({ items: [] });
  });

  it('200: paginates in numeric order', async () => {
    const { answer, read } = await withRun();
    for (const number of Array.from({ length: 12 }, (_, index) => index + 1)) await answer(number, `turn ${number}`);
    const numbers = ({ items }: Transcript) => items.map(({ turn }) => turn);
    const first = await read('?limit=5');
    expect(numbers(first)).toEqual([1, 2, 3, 4, 5]);
    const second = await read(`?limit=6&continue=${first.continue}`);
    expect(numbers(second)).toEqual([6, 7, 8, 9, 10, 11]);
    const last = await read(`?continue=${second.continue}`);
    expect([numbers(last), last.continue]).toEqual([[12], undefined]);
  });

  it('200: begins after a turn, and continues from there', async () => {
    const { request, answer, read } = await withRun();
    for (const number of [1, 2, 3, 4]) await answer(number, `turn ${number}`);
    const first = await read('?after=1&limit=2');
    expect(first.items).toMatchObject([{ turn: 2 }, { turn: 3 }]);
    const last = await read(`?after=1&continue=${first.continue}`);
    expect([last.items, last.continue]).toMatchObject([[{ turn: 4 }], undefined]);
    expect(await read('?after=4')).toEqual({ items: [] });
    const other = await request(
      `/v1/orgs/acme/agentworkflowruns/run-1/steps/implement/transcript?continue=${first.continue}`,
    );
    expect([other.status, await other.json()]).toEqual([422, expect.objectContaining({ reason: 'expired-page' })]);
  });

  it('200: truncates long texts and omits provider options', async () => {
    const { answer, results, read, blobs, turn } = await withRun();
    await answer(1, 'a'.repeat(100_000), { path: 'big', content: 'b'.repeat(100_000) });
    await results(1, 'c'.repeat(100_000));
    await answer(2, 'many', { names: Array.from({ length: 10_000 }, () => 'name') });
    const hidden = { providerOptions: { vendor: { signature: 'sk-hidden' } } };
    await saveTurnPart(blobs, turn(3), {
      response: { messages: [{ role: 'assistant', content: 'x', ...hidden }], text: 'x', toolCalls: [], usage },
    });
    const { items } = await read();
    expect(JSON.stringify(items).length).toBeLessThan(50_000);
    expect(items[0]).toMatchObject({
      text: expect.stringContaining('92000 more characters'),
      toolCalls: [{ input: { path: 'big', content: expect.stringContaining('98000 more characters') } }],
      results: [{ text: expect.stringContaining('92000 more characters') }],
    });
    expect(JSON.stringify(items)).not.toContain('sk-hidden');
  });

  it('404: names the missing run or step; 422: rejects an invalid page', async () => {
    const { request } = await withRun();
    const get = async (path: string) => await request(`/v1/orgs/acme/agentworkflowruns/${path}`);
    const missing = await get('run-9/steps/implement/transcript');
    expect(missing.status).toBe(404);
    expect(await (await get('run-1/steps/dance/transcript')).json()).toMatchObject({
      status: 404,
      detail: expect.stringContaining('dance'),
    });
    for (const query of ['after=-1', 'after=x', 'limit=0', 'limit=101', 'before=2'])
      expect((await get(`run-1/steps/implement/transcript?${query}`)).status).toBe(422);
  });
});
