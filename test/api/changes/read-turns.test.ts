import { expect, it } from 'vitest';
import { saveTurnPart } from '../../../activities/agents/transcript.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { startApi } from '../../support/start-api.ts';
import { aRun } from './runs-fixture.ts';

type TurnParts = Parameters<typeof saveTurnPart>[2];
const at = '2026-01-01T00:00:00.000Z';
const usage = { inputTokens: 100, outputTokens: 10 };

async function aTranscript() {
  const { request, store, blobs } = await startApi({ role: 'viewer' });
  await aRun(store, 'run-1', { phase: 'Running', steps: { implement: 'Running' } });
  const { uid } = (await store.get(AgentWorkflowRunKind, { namespace: 'org-acme', name: 'run-1' })).metadata;
  return {
    save: async (turn: number, parts: Partial<TurnParts>) =>
      await saveTurnPart(blobs, { uid, step: 'implement', turn }, parts as TurnParts),
    read: async (): Promise<object> => {
      const response = await request('/v1/orgs/acme/agentworkflowruns/run-1/steps/implement/transcript');
      return (await response.json()) as object;
    },
  };
}

it('200: shows the texts of a prompt, each tool result with its failure, and the verdict', async () => {
  const { save, read } = await aTranscript();
  const image = { type: 'image' as const, image: 'data:image/png;base64,AAAA' };
  const text = (value: string) => ({ type: 'text' as const, text: value });
  await save(1, {
    prompt: {
      trigger: 'start',
      messages: [
        { role: 'user', content: [text('One.'), image, text('Two.')] },
        { role: 'user', content: 'Three.' },
      ],
    },
  });
  const result = (toolName: string) => ({ type: 'tool-result' as const, toolCallId: 'call-1', toolName });
  const verdict = { outcome: 'done' as const, summary: 'Done.' };
  await save(1, {
    results: {
      messages: [
        { role: 'user', content: 'Go on.' },
        {
          role: 'tool',
          content: [
            { ...result('run_command'), output: { type: 'error-text', value: 'Not found.' } },
            { type: 'tool-approval-response', approvalId: 'a', approved: true },
            { ...result('read_file'), output: { type: 'json', value: { lines: 2 } } },
          ],
        },
      ],
      changed: false,
      verdict,
      at,
    },
  });
  expect(await read()).toEqual({
    items: [
      {
        turn: 1,
        prompt: { trigger: 'start', text: 'One.\nTwo.\n\nThree.' },
        text: '',
        toolCalls: [],
        results: [
          { name: 'run_command', text: 'Not found.', isError: true },
          { name: 'read_file', text: '{"lines":2}', isError: false },
        ],
        verdict,
        completedAt: at,
      },
    ],
  });
});

it('200: truncates only what is too long, from its end', async () => {
  const { save, read } = await aTranscript();
  const calls = (...inputs: unknown[]) => inputs.map((input) => ({ id: 'call-1', name: 'run_command', input }));
  const answer = async (turn: number, text: string, ...inputs: unknown[]): Promise<void> =>
    await save(turn, { response: { messages: [], text, toolCalls: calls(...inputs), usage } });
  const longest = `start${'x'.repeat(7_995)}`;
  /** The input has the 16,000 characters of JSON that are shown in full. */
  const input = [...Array.from({ length: 1_999 }, () => 'names'), 'more'];
  await answer(1, longest, undefined, input);
  await answer(2, `${longest}y`, [...input, 'more']);
  const [first, second] = ((await read()) as { items: { text: string; toolCalls: { input: unknown }[] }[] }).items;
  expect(first).toMatchObject({ text: longest, toolCalls: [{ input: null }, { input }] });
  expect(second?.text).toBe(`${longest}\n[… 1 more characters …]`);
  expect(second?.toolCalls[0]?.input).toMatch(/^\["names",.*\[… \d+ more characters …\]$/s);
});

it('200: orders the turns by their number', async () => {
  const { save, read } = await aTranscript();
  for (const turn of [9_999, 10_000]) await save(turn, { response: { messages: [], text: '', toolCalls: [], usage } });
  expect(await read()).toMatchObject({ items: [{ turn: 9_999 }, { turn: 10_000 }] });
});
