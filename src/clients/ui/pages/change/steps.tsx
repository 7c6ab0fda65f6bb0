import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { memo, useCallback, useDeferredValue, useEffect, useMemo, useRef } from 'react';
import { evidenceQuery } from '../../api/queries/evidence.ts';
import { roundsQuery } from '../../api/queries/transcript.ts';
import type { Change, Step } from '../../api/types.ts';
import { RowGroups } from './row-groups.tsx';
import { useKeys } from '../../parts/use-keys.ts';
import { StepContent, StepLine } from './step-details.tsx';

const route = getRouteApi('/signed-in/$org/changes/$run');

export const stepRowHeight = 41;

/** Each step: what it found by criterion, its evidence and rounds, and the transcript of its agent. One is open. */
export function Steps({ change }: { change: Change }) {
  const { step: opened, tab } = route.useSearch();
  const steps = change.status?.steps ?? [];
  const current = findCurrent(steps, opened);
  const { aim, open } = useOpen(opened);
  const go = (by: number): void => {
    const from = aim.current ?? current;
    const next = steps[Math.max(0, Math.min(steps.length - 1, steps.findIndex(({ name }) => name === from) + by))];
    if (!next) return;
    document.getElementById(next.name)?.querySelector('summary')?.focus();
    open(next.name);
  };
  useKeys({ n: () => go(1), p: () => go(-1) });
  // The focus moves at once, and the content of the step follows it.
  return <Lines change={change} opened={useDeferredValue(opened)} tab={useDeferredValue(tab)} onOpen={open} />;
}

/** Opens a step, or closes the open one. A press is painted before the address changes, which takes longer. */
function useOpen(opened: string | undefined) {
  const navigate = route.useNavigate();
  const aim = useRef<string>(undefined);
  useEffect(() => {
    if (aim.current === opened) aim.current = undefined;
  }, [opened]);
  useEffect(() => () => void (aim.current = undefined), []);
  const open = useCallback(
    (step = 'none'): void => {
      aim.current = step;
      const change = (): void => {
        // The newest of several presses counts, and none does on another page.
        if (aim.current !== step) return;
        void navigate({ search: ({ step: _step, tab: _tab, ...old }) => ({ ...old, step }), resetScroll: false });
      };
      requestAnimationFrame(() => setTimeout(change));
    },
    [navigate],
  );
  return { aim, open };
}

/** A step that failed is open until the reader opens another. */
const findCurrent = (steps: readonly Step[], opened: string | undefined): string | undefined =>
  opened ?? steps.find(({ failure }) => failure)?.name;

type LinesProps = {
  change: Change;
  opened: string | undefined;
  tab: 'transcript' | undefined;
  onOpen: (name: string | undefined) => void;
};

const Lines = memo(function Lines({ change, opened, tab, onOpen }: LinesProps) {
  const { org, name: run, spec } = change;
  const { data: evidence } = useQuery(evidenceQuery(org, run));
  const { data: rounds } = useQuery(roundsQuery(org, run));
  const evidenceByStep = useMemo(() => Map.groupBy(evidence?.items ?? [], ({ step }) => step), [evidence]);
  const roundsByStep = useMemo(() => Map.groupBy(rounds?.items ?? [], ({ step }) => step), [rounds]);
  const planned = useMemo(() => new Map(spec.steps.map((step) => [step.name, step])), [spec.steps]);
  const steps = change.status?.steps ?? [];
  const current = findCurrent(steps, opened);
  const openedTab = current === opened ? tab : undefined;
  const render = useCallback(
    (step: Step, _index: number, isOpen: boolean) => {
      const { name } = step;
      const [files = [], itsRounds = []] = [evidenceByStep.get(name), roundsByStep.get(name)];
      const props = { step, planned: planned.get(name) };
      return (
        <StepLine key={name} {...props} files={files.length} rounds={itsRounds.length} isOpen={isOpen} onOpen={onOpen}>
          {isOpen && <StepContent {...props} evidence={files} rounds={itsRounds} tab={openedTab} />}
        </StepLine>
      );
    },
    [planned, evidenceByStep, roundsByStep, onOpen, openedTab],
  );
  return (
    <RowGroups
      rows={steps}
      rowHeight={stepRowHeight}
      current={steps.findIndex(({ name }) => name === current)}
      render={render}
    />
  );
});
