import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { changesQuery } from '../../api/queries/changes.ts';
import type { ChangeSummary } from '../../api/types.ts';
import { useLive } from '../../live/live.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { Section } from '../../parts/page.tsx';
import { toState, toWords } from '../../parts/phase-state.ts';
import { Mark } from '../../parts/state.tsx';
import { Age } from '../../parts/time.tsx';
import list from '../../parts/wait-list.module.css';

/** A person in many orgs opens the lists of the others. */
const orgsMax = 5;
const shownMax = 8;
const dayMs = 86_400_000;

/** The Changes that the person has started and that are in progress, and those that failed in the last day. */
export function OwnChanges({ orgs, email }: { orgs: string[]; email: string }) {
  const shown = orgs.slice(0, orgsMax);
  useLive(...shown.map((org) => ({ kind: 'changes' as const, org })));
  const changes = useQueries({ queries: shown.map((org) => changesQuery(org, { startedBy: email })) }).flatMap(
    ({ data }) => data?.items ?? [],
  );
  const own = changes.filter(isCurrent).slice(0, shownMax);
  if (own.length === 0) return null;
  return (
    <Section id="going-on" title="Going on without you" note="Changes that you started">
      <ul className={list['wait']} data-rows>
        {own.map((change) => (
          <Line key={`${change.org} ${change.name}`} change={change} />
        ))}
      </ul>
    </Section>
  );
}

function isCurrent({ status, createdAt }: ChangeSummary): boolean {
  const phase = status?.phase ?? 'Pending';
  if (phase === 'Failed') return Date.now() - Date.parse(status?.finishedAt ?? createdAt) < dayMs;
  return phase === 'Pending' || phase === 'Running';
}

function Line({ change: { org, name, spec, status, createdAt } }: { change: ChangeSummary }) {
  const phase = status?.phase ?? 'Pending';
  const title = status?.issue?.title ?? spec.agentWorkflow;
  const steps = status?.steps ?? [];
  const at = steps.find((step) => step.phase === 'Running' || step.phase === 'Failed');
  const done = steps.filter((step) => step.phase === 'Succeeded').length;
  const params = { org, run: name };
  return (
    <li>
      <Mark state={toState(phase)} />
      <div className={list['t']}>
        <Link to="/$org/changes/$run" params={params}>
          {title}
        </Link>
        <p>
          {spec.product}: {toWords(phase).toLowerCase()}
          {steps.length > 0 && `, ${done} of ${steps.length} steps done`}
          {status?.failure && `. ${status.failure.message}`}
        </p>
      </div>
      <span className={`${list['who']} dim`}>{at?.name}</span>
      <span className={`${list['age']} num dim`}>
        <Age since={status?.startedAt ?? createdAt} />
      </span>
      <ButtonLink look="plain" small to="/$org/changes/$run" params={params} aria-label={`Open: ${title}`}>
        Open
      </ButtonLink>
    </li>
  );
}
