import { describe, expect, it } from 'vitest';
import { roundsMax } from '../../../api/changes/read-rounds.ts';
import { saveTurnPart } from '../../../activities/agents/transcript.ts';
import type { PromptPart } from '../../../src/rules/agents/transcript-parts.ts';
import { AgentWorkflowRunKind, type Verdict } from '../../../src/rules/changes/kinds.ts';
import { startApi } from '../../support/start-api.ts';
import { aRun } from './runs-fixture.ts';

const path = '/v1/orgs/acme/agentworkflowruns/run-1/rounds';
const at = (minute: number): string => `2026-01-01T00:0${minute}:00.000Z`;

async function aTranscript() {
  const { request, store, blobs } = await startApi({ role: 'viewer' });
  await aRun(store, 'run-1', { phase: 'Running' });
  const { metadata } = await store.get(AgentWorkflowRunKind, { namespace: 'org-acme', name: 'run-1' });
  const ref = (step: string, turn: number) => ({ uid: metadata.uid, step, turn });
  return {
    request,
    prompt: async (step: string, turn: number, more: Partial<PromptPart> & Pick<PromptPart, 'trigger'>) =>
      await saveTurnPart(blobs, ref(step, turn), { prompt: { messages: [], ...more } }),
    results: async (step: string, turn: number, minute: number, outcome?: Verdict['outcome']) =>
      await saveTurnPart(blobs, ref(step, turn), {
        results: {
          messages: [],
          changed: false,
          at: at(minute),
          ...(outcome && { verdict: { outcome, summary: 'Done.' } }),
        },
      }),
  };
}

describe('listRounds', () => {
  it('200: tells what started each round, how long it took and how it ended', async () => {
    const { request, prompt, results } = await aTranscript();
    await prompt('implement', 1, { trigger: 'start', at: at(1) });
    await results('implement', 1, 2);
    await results('implement', 2, 3, 'done');
    await prompt('implement', 3, { trigger: 'changes-requested', at: at(5) });
    await prompt('review-tests', 1, { trigger: 'start', at: at(4) });
    await results('review-tests', 1, 4, 'changes-requested');
    await prompt('resolve-conflicts', 1, {
      trigger: 'conflicts',
      at: at(6),
      conflict: { branchSha: 'b1', baseSha: 'a1', files: ['src/layout.ts'], at: at(6) },
    });
    expect(await (await request(path)).json()).toEqual({
      items: [
        {
          step: 'implement',
          trigger: 'start',
          firstTurn: 1,
          turns: 2,
          startedAt: at(1),
          finishedAt: at(3),
          outcome: 'done',
        },
        { step: 'implement', trigger: 'changes-requested', firstTurn: 3, turns: 1, startedAt: at(5) },
        {
          step: 'review-tests',
          trigger: 'start',
          firstTurn: 1,
          turns: 1,
          startedAt: at(4),
          finishedAt: at(4),
          outcome: 'changes-requested',
        },
        {
          step: 'resolve-conflicts',
          trigger: 'conflicts',
          firstTurn: 1,
          turns: 1,
          startedAt: at(6),
          conflict: { head: 'b1', base: 'a1', files: ['src/layout.ts'] },
        },
      ],
    });
  });

  it('200: orders the rounds by the number of their turn, and limits the rounds of a broken run', async () => {
    const { request, prompt } = await aTranscript();
    const list = async () => ((await (await request(path)).json()) as { items: { firstTurn: number }[] }).items;
    for (const turn of [9_999, 10_000]) await prompt('implement', turn, { trigger: 'guidance' });
    expect((await list()).map(({ firstTurn }) => firstTurn)).toEqual([9_999, 10_000]);
    const turns = Array.from({ length: roundsMax }, (_, index) => index + 1);
    await Promise.all(turns.map(async (turn) => await prompt('implement', turn, { trigger: 'guidance' })));
    expect((await list()).map(({ firstTurn }) => firstTurn)).toEqual(turns);
  });

  it('200: is empty before the first turn; 404: names a missing run', async () => {
    const { request } = await aTranscript();
    expect(await (await request(path)).json()).toEqual({ items: [] });
    expect((await request('/v1/orgs/acme/agentworkflowruns/missing/rounds')).status).toBe(404);
  });
});
