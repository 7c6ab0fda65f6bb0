import { saveTurnPart } from '../../../activities/agents/transcript.ts';
import type { Blobs } from '../../../src/integrations/blobs/blobs.ts';
import type { RoundTrigger } from '../../../src/rules/agents/prompts.ts';
import type { Conflict } from '../../../src/rules/agents/transcript-parts.ts';
import { AgentWorkflowRunKind, type Verdict } from '../../../src/rules/changes/kinds.ts';
import type { Store } from '../../../src/store/store.ts';

const namespace = 'org-acme';

type TurnSeed = {
  at: string;
  /** Begins a round. */
  trigger?: RoundTrigger;
  startedAt?: string;
  conflict?: Conflict;
  prompt?: string;
  text?: string;
  call?: { name: string; input: unknown };
  result?: string;
  outcome?: Verdict['outcome'];
};

/** Writes the transcript of a step, turn by turn. */
export async function writeTranscript(
  { store, blobs }: { store: Store; blobs: Blobs },
  run: string,
  step: string,
  turns: TurnSeed[],
  from = 1,
): Promise<void> {
  const { metadata } = await store.get(AgentWorkflowRunKind, { namespace, name: run });
  for (const [
    index,
    { at, trigger, startedAt, conflict, prompt = 'Do it.', text = '', call, ...rest },
  ] of turns.entries()) {
    const toolCalls = call ? [{ id: `call-${index}`, ...call }] : [];
    const content = call
      ? [
          {
            type: 'tool-result' as const,
            toolCallId: `call-${index}`,
            toolName: call.name,
            output: { type: 'text' as const, value: rest.result ?? '' },
          },
        ]
      : [];
    const ref = { uid: metadata.uid, step, turn: from + index };
    if (trigger) {
      const messages = [{ role: 'user' as const, content: prompt }];
      const more = { ...(startedAt !== undefined && { at: startedAt }), ...(conflict && { conflict }) };
      await saveTurnPart(blobs, ref, { prompt: { trigger, messages, ...more } });
    }
    const usage = { inputTokens: 12_000, outputTokens: 640 };
    await saveTurnPart(blobs, ref, { response: { messages: [], text, toolCalls, usage } });
    const verdict = rest.outcome && { verdict: { outcome: rest.outcome, summary: text } };
    const messages = [{ role: 'tool' as const, content }];
    await saveTurnPart(blobs, ref, { results: { messages, changed: false, at, ...verdict } });
  }
}
