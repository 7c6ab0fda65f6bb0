import { useState } from 'react';
import type { Change } from '../../api/types.ts';

export type ShownHeads = {
  /** The head commit that the decision of a step shows. */
  find: (step: string) => string | undefined;
  /** Turns the decision of a step to the present head commit. */
  review: (step: string) => void;
};

/** A decision is about the head commit with which its step began to wait, until a person turns to a newer one. */
export function useShownHeads({ status }: Change): ShownHeads {
  const [heads, setHeads] = useState<ReadonlyMap<string, string | undefined>>(new Map());
  const head = status?.pullRequest?.headSha;
  const added = (status?.steps ?? []).filter(({ name, phase }) => phase === 'Waiting' && !heads.has(name));
  const show = (steps: string[]): void =>
    setHeads((old) => new Map([...old, ...steps.map((step) => [step, head] as const)]));
  if (added.length > 0) show(added.map(({ name }) => name));
  return { find: (step) => heads.get(step), review: (step) => show([step]) };
}
