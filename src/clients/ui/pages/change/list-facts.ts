import type { Change } from '../../api/types.ts';
import { formatDecision } from '../../parts/decided-notice.tsx';
import { toStageState } from '../../parts/phase-state.ts';
import { findCurrent, stateWords } from './strip.tsx';

/** Lists what screen readers are told once it is so: the decisions, the head to decide on, and the stage. */
export function listFacts({ progress, status }: Change): string[] {
  const steps = status?.steps ?? [];
  const stage = progress[findCurrent(progress)];
  const head = status?.pullRequest?.headSha.slice(0, 7);
  return [
    ...steps.flatMap(({ name, decision, guidance }) =>
      [decision, guidance].flatMap((made) => (made ? [formatDecision(made, name)] : [])),
    ),
    ...(steps.some(({ phase }) => phase === 'Waiting') && head !== undefined ? [`The head commit is ${head}`] : []),
    ...(stage ? [`${stage.label}: ${stateWords[toStageState(stage.colour)]}`] : []),
  ];
}
