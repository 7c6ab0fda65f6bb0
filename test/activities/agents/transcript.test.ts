import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findLastVerdict, readTranscript, readTurnPart, saveTurnPart } from '../../../activities/agents/transcript.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import type { PromptPart, ResponsePart, ResultsPart } from '../../../src/rules/agents/transcript-parts.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const at = '2026-01-01T00:00:00Z';
const later = '2026-01-02T00:00:00Z';
const ref = (turn: number, step = 'implement') => ({ uid: 'u1', step, turn });
const conflict = { branchSha: 'b', baseSha: 'm', files: ['a.txt'], at };
const say = (content: string) => ({ messages: [{ role: 'user' as const, content }] });
const prompt = (text: string, more: Partial<PromptPart> = {}): PromptPart => ({
  ...say(text),
  trigger: 'start',
  at,
  ...more,
});
const response = (text: string, calls = 0): ResponsePart => ({
  ...say(text),
  toolCalls: Array.from({ length: calls }, (_, index) => ({ id: String(index), name: 'list_files', input: {} })),
  text,
  usage: { inputTokens: 1, outputTokens: 1 },
});
const results = (text: string, more: Partial<ResultsPart> = {}): ResultsPart => ({
  ...say(text),
  changed: false,
  at,
  ...more,
});

const openBlobs = async () => directoryBlobs(join(await createScratchFolder(), 'blobs'));

it('joins the parts of all turns up to the current one', async () => {
  const blobs = await openBlobs();
  const evidence = { files: [], skipped: [{ name: 'a', reason: 'b' }] };
  await saveTurnPart(blobs, ref(1), { prompt: prompt('p1', { system: 'You implement.', conflict }) });
  await saveTurnPart(blobs, ref(1), { response: response('r1', 1) });
  await saveTurnPart(blobs, ref(1), { results: results('t1', { evidence }) });
  await saveTurnPart(blobs, ref(2), { response: response('r2', 1) });
  await saveTurnPart(blobs, ref(2), { results: results('t2') });
  await saveTurnPart(blobs, ref(3), { response: response('of the future') });
  await saveTurnPart(blobs, ref(1, 'implement-more'), { prompt: prompt('of another step') });
  const transcript = await readTranscript(blobs, ref(2));
  expect(transcript.messages.map(({ content }) => content)).toEqual(['p1', 'r1', 't1', 'r2', 't2']);
  expect(transcript).toMatchObject({ system: 'You implement.', conflict, roundStartedAt: at, evidence });
});

it('takes the conflict and the start from the newest round, and the system prompt from the first', async () => {
  const blobs = await openBlobs();
  await saveTurnPart(blobs, ref(1), { prompt: prompt('p1', { system: 'You implement.', conflict }) });
  await saveTurnPart(blobs, ref(2), { prompt: prompt('p2', { trigger: 'guidance', at: later }) });
  const transcript = await readTranscript(blobs, ref(2));
  expect(transcript).toMatchObject({ system: 'You implement.', conflict: undefined, roundStartedAt: later });
});

it('is empty before the first turn', async () => {
  expect(await readTranscript(await openBlobs(), ref(1))).toEqual({
    messages: [],
    system: '',
    conflict: undefined,
    roundStartedAt: undefined,
    wasReminded: false,
    evidence: undefined,
  });
});

it.each([
  ['the response before it called no tool', 0, false, true],
  ['the response before it called a tool', 1, false, false],
  ['a person gave guidance since', 0, true, false],
])('knows whether the model was reminded: %s', async (_, calls, hasPrompt, expected) => {
  const blobs = await openBlobs();
  await saveTurnPart(blobs, ref(1), { response: response('r1', calls) });
  if (hasPrompt) await saveTurnPart(blobs, ref(2), { prompt: prompt('p2') });
  expect((await readTranscript(blobs, ref(2))).wasReminded).toBe(expected);
  expect((await readTranscript(blobs, ref(1))).wasReminded).toBe(false);
});

it('reads a part, or undefined while it is not written', async () => {
  const blobs = await openBlobs();
  await saveTurnPart(blobs, ref(1), { results: results('t1') });
  expect(await readTurnPart(blobs, ref(1), 'results')).toEqual(results('t1'));
  expect(await readTurnPart(blobs, ref(1), 'prompt')).toBeUndefined();
  expect(await readTurnPart(blobs, ref(2), 'results')).toBeUndefined();
});

it('finds the verdict of the newest turn by its number', async () => {
  const blobs = await openBlobs();
  expect(await findLastVerdict(blobs, 'u1', 'implement')).toBeUndefined();
  const verdict = (summary: string) => ({ verdict: { outcome: 'done' as const, summary } });
  await saveTurnPart(blobs, ref(9), { results: results('t', verdict('ninth')) });
  await saveTurnPart(blobs, ref(10), { results: results('t', verdict('tenth')) });
  await saveTurnPart(blobs, ref(11), { response: response('r', 1) });
  await saveTurnPart(blobs, ref(12, 'other'), { results: results('t', verdict('of another step')) });
  expect(await findLastVerdict(blobs, 'u1', 'implement')).toEqual({ outcome: 'done', summary: 'tenth' });
  await saveTurnPart(blobs, ref(11), { results: results('t') });
  expect(await findLastVerdict(blobs, 'u1', 'implement')).toBeUndefined();
});
