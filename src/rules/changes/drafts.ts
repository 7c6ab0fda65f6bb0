import type { AgentStep } from '../agents/kinds.ts';
import type { Verdict } from './kinds.ts';

/** Room is left for what the service puts around a draft. */
export const draftCharactersMax = 60_000;

/** What a step's draft is called among its evidence. */
export const draftName = 'draft.md';

/** A step that delivers a draft cannot be done without one. */
export function draftProblem(
  { deliver }: Pick<AgentStep, 'deliver'>,
  { outcome }: Verdict,
  draft: string | undefined,
): string | undefined {
  if (deliver === undefined || outcome !== 'done' || draft?.trim()) return undefined;
  return 'There is nothing to deliver yet: give the whole text in "draft".';
}
