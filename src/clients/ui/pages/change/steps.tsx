import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { evidenceQuery } from '../../api/queries/evidence.ts';
import { roundsQuery } from '../../api/queries/transcript.ts';
import type { Change } from '../../api/types.ts';
import { useKeys } from '../../parts/use-keys.ts';
import { countTurns } from './count-turns.ts';
import { StepDetails } from './step-details.tsx';

const route = getRouteApi('/signed-in/$org/changes/$run');

/** Each step: what it found by criterion, its evidence and rounds, and the transcript of its agent. One is open. */
export function Steps({ change }: { change: Change }) {
  const { org, name: run } = change;
  const { step: opened, tab } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: evidence } = useQuery(evidenceQuery(org, run));
  const { data: rounds } = useQuery(roundsQuery(org, run, countTurns(change)));
  const steps = change.status?.steps ?? [];
  const current = opened ?? steps.find(({ failure }) => failure)?.name;
  const open = (name: string | undefined): void =>
    void navigate({
      search: ({ step: _step, tab: _tab, ...old }) => ({ ...old, step: name ?? 'none' }),
      replace: true,
      resetScroll: false,
    });
  const go = (by: number): void => {
    const index = steps.findIndex(({ name }) => name === current);
    const next = steps[Math.max(0, Math.min(steps.length - 1, index + by))];
    if (!next) return;
    open(next.name);
    document.getElementById(next.name)?.querySelector('summary')?.focus();
  };
  useKeys({ n: () => go(1), p: () => go(-1) });
  return (
    <div>
      {steps.map((step) => (
        <StepDetails
          key={step.name}
          change={change}
          step={step}
          evidence={evidence?.items.filter((file) => file.step === step.name) ?? []}
          rounds={rounds?.items.filter((round) => round.step === step.name) ?? []}
          isOpen={step.name === current}
          tab={step.name === opened ? tab : undefined}
          onToggle={() => open(step.name === current ? undefined : step.name)}
        />
      ))}
    </div>
  );
}
