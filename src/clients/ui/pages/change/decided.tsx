import type { Change } from '../../api/types.ts';
import { DecidedNotice } from '../../parts/decided-notice.tsx';
import { useSeen } from '../../parts/use-seen.ts';

/** Says who made a decision that waited on this page, in the place where its card has been. */
export function Decided({ change: { status } }: { change: Change }) {
  const steps = status?.steps ?? [];
  const seen = useSeen(steps.filter(({ phase }) => phase === 'Waiting').map(({ name }) => name));
  return steps.flatMap(({ name, phase, decision }) =>
    seen.has(name) && phase !== 'Waiting' && decision
      ? [<DecidedNotice key={name} decision={decision} what={name} />]
      : [],
  );
}
