import type { AgentStep } from '../agents/kinds.ts';
import type { Verdict } from './kinds.ts';

/** A comment may hold 65,536 characters; the rest is for the marker and the signature. */
export const draftCharactersMax = 60_000;

/** The name of a step's draft among its evidence. */
export const draftFileName = 'draft.md';

/** Returns why a step with `deliver` cannot finish as done without a draft. */
export function draftViolation(
  { deliver }: Pick<AgentStep, 'deliver'>,
  { outcome }: Verdict,
  draft: string | undefined,
): string | undefined {
  if (deliver === undefined || outcome !== 'done' || draft?.trim()) return undefined;
  return 'There is no draft to deliver. Give the whole text in "draft".';
}
