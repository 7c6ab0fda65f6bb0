import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { memo, useDeferredValue } from 'react';
import { changeQuery } from '../../api/queries/changes.ts';
import type { Change, Step } from '../../api/types.ts';
import { useLive } from '../../live/live.tsx';
import { Failure } from '../../parts/failure.tsx';
import { formatAmount } from '../../parts/format-amount.ts';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { Columns, PageHead, Section } from '../../parts/page.tsx';
import { formatDuration, Time, useNow } from '../../parts/time.tsx';
import { useAnnounceNews } from '../../parts/use-announce-news.ts';
import { Cancel } from './cancel.tsx';
import { ChangeDetails } from './change-details.tsx';
import { DecisionLog } from './decision-log.tsx';
import { Decisions } from './decisions.tsx';
import { FailedSteps } from './failed-steps.tsx';
import { listFacts } from './list-facts.ts';
import { RunningSteps } from './running-steps.tsx';
import { WhereItRuns } from './released.tsx';
import { SkipToDecision } from './skip-to-decision.tsx';
import { stepRowHeight, Steps } from './steps.tsx';
import { Strip } from './strip.tsx';
import { Timeline, timelineRowHeight } from './timeline.tsx';
import { Transcript } from './transcript.tsx';
import { useShownHeads } from './use-shown-heads.ts';

const route = getRouteApi('/signed-in/$org/changes/$run');

/** The work on one issue: the decision that it waits for comes first. */
export function ChangePage() {
  const { org, run } = route.useParams();
  const { data: change } = useSuspenseQuery(changeQuery(org, run));
  useLive({ kind: 'changes', org, name: run });
  const heads = useShownHeads(change);
  // The steps, of which there may be hundreds, render deferred, so that input waits only for the decision.
  const settled = useDeferredValue(change);
  const waiting = change.status?.steps.find(({ phase }) => phase === 'Waiting');
  const shownHead = useDeferredValue(waiting && heads.find(waiting.name));
  // The decision is painted first, unless the address leads to a step.
  const isContentDue = useDeferredValue(true, location.hash !== '');
  return (
    <>
      <Head change={settled} />
      <Decisions change={change} heads={heads} />
      {isContentDue ? (
        <ChangeContent change={settled} shownHead={shownHead} />
      ) : (
        <ContentPlaceholder change={settled} />
      )}
    </>
  );
}

/** Reserves the height of the content, so that the scroll position is restored. */
const ContentPlaceholder = ({ change: { status } }: { change: Change }) => (
  <div style={{ blockSize: (status?.steps.length ?? 0) * (timelineRowHeight + stepRowHeight) }} />
);

const Head = memo(function Head({ change }: { change: Change }) {
  const { spec, status, progress } = change;
  useAnnounceNews(change.name, listFacts(change));
  const waits = status?.steps.some(({ phase }) => phase === 'Waiting' || phase === 'NeedsGuidance');
  const waitsForPromotion = progress.some(({ stage, colour }) => stage === 'zone' && colour === 'amber');
  return (
    <>
      {(waits || waitsForPromotion) && <SkipToDecision />}
      <PageHead
        title={status?.issue?.title ?? `${spec.agentWorkflow} of ${spec.product}`}
        actions={<Cancel change={change} />}
      >
        {spec.target && status?.issue ? (
          <OutsideLink href={status.issue.url}>
            {spec.target.repo}#{spec.target.number}
          </OutsideLink>
        ) : (
          spec.agentWorkflow
        )}
        , started <Time at={status?.startedAt ?? change.createdAt} /> by {spec.startedBy.split('@')[0]}
      </PageHead>
      <Strip change={change} />
    </>
  );
});

/** The parts about what has happened, and about what is running. */
const ChangeContent = memo(function ChangeContent({
  change,
  shownHead,
}: {
  change: Change;
  shownHead: string | undefined;
}) {
  const { status, release } = change;
  return (
    <>
      {status?.failure && !status.steps.some(({ failure }) => failure) && (
        <Failure title="This Change failed" failure={status.failure} />
      )}
      <FailedSteps change={change} />
      <RunningSteps change={change} />
      <Columns aside={<ChangeDetails change={change} shownHead={shownHead} />}>
        {release !== undefined && <WhereItRuns change={change} release={release} />}
        <Section id="timeline" title="Timeline" note={<TimelineNote change={change} />}>
          <Timeline change={change} />
        </Section>
        <Section id="steps" title="Steps" note="What each found, and what it left as evidence">
          <Steps change={change} />
        </Section>
        <DecisionLog change={change} />
        <LastTurns change={change} />
      </Columns>
    </>
  );
});

/** The duration of a Change, and how much of it a person let it wait. */
function TimelineNote({ change: { status, createdAt } }: { change: Change }) {
  const now = useNow(60_000);
  const to = (at: string | undefined): number => (at === undefined ? now : Date.parse(at));
  const whole = to(status?.finishedAt) - Date.parse(status?.startedAt ?? createdAt);
  const waited = (status?.steps ?? []).reduce((sum, { waitingFor, startedAt, decision }) => {
    if (waitingFor) return sum + now - Date.parse(waitingFor.since);
    return decision && startedAt !== undefined ? sum + Date.parse(decision.at) - Date.parse(startedAt) : sum;
  }, 0);
  return (
    <>
      {formatDuration(whole < 60_000 ? whole : Math.floor(whole / 60_000) * 60_000)}
      {waited >= 60_000 && `, of which ${formatDuration(Math.floor(waited / 60_000) * 60_000)} waiting on a person`}
    </>
  );
}

/** The transcript of the steps that are running or have a question, where the newest turn matters most. */
function LastTurns({ change }: { change: Change }) {
  const { org, name: run, status, spec } = change;
  const { step: opened, tab } = route.useSearch();
  const isAgent = (name: string): boolean => spec.steps.some((step) => step.name === name && step.type === 'agent');
  const steps = (status?.steps ?? []).filter(
    ({ name, phase }) =>
      (phase === 'Running' || phase === 'NeedsGuidance') && isAgent(name) && !(name === opened && tab === 'transcript'),
  );
  return steps.map((step) => (
    <Section
      key={step.name}
      id={`turns-${step.name}`}
      title={step.phase === 'Running' ? `Transcript of ${step.name}` : `Last turns of ${step.name}`}
      note={step.phase === 'Running' ? 'Follows the newest turn until you scroll' : undefined}
      aside={<WholeTranscript change={change} step={step} />}
    >
      <Transcript
        org={org}
        run={run}
        step={step.name}
        turns={step.turns ?? 0}
        isRunning={step.phase === 'Running'}
        {...(step.phase === 'NeedsGuidance' && { last: 3 })}
      />
    </Section>
  ));
}

const WholeTranscript = ({ change: { org, name: run }, step }: { change: Change; step: Step }) => (
  <Link to="/$org/changes/$run" params={{ org, run }} search={{ step: step.name, tab: 'transcript' }} hash={step.name}>
    Whole transcript{step.turns ? `, ${formatAmount(step.turns, 'turn')}` : ''}
  </Link>
);
