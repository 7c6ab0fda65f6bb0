import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { changeQuery } from '../../api/queries/changes.ts';
import { request } from '../../api/request.ts';
import type { Change, Step } from '../../api/types.ts';
import { useLive } from '../../live/live.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Columns, Details, PageHead, Section } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { Decision } from './decision.tsx';
import { FailedSteps } from './failed-steps.tsx';
import { Guidance } from './guidance.tsx';
import { Steps } from './steps.tsx';
import { Strip } from './strip.tsx';
import { Timeline } from './timeline.tsx';

const route = getRouteApi('/signed-in/$org/changes/$run');

/** The work on one issue: the decision that it waits for comes first. */
export function ChangePage() {
  const { org, run } = route.useParams();
  const { data: change } = useSuspenseQuery(changeQuery(org, run));
  useLive({ kind: 'changes', org, name: run });
  const { spec, status, progress } = change;
  return (
    <>
      <PageHead
        title={status?.issue?.title ?? `${spec.agentWorkflow} of ${spec.product}`}
        actions={<Cancel change={change} />}
      >
        {spec.target && status?.issue ? (
          <a href={status.issue.url} rel="noreferrer">
            {spec.target.repo}#{spec.target.number}
          </a>
        ) : (
          spec.agentWorkflow
        )}
        , started <Time at={status?.startedAt ?? change.createdAt} /> by {spec.startedBy.split('@')[0]}
      </PageHead>
      <Strip stages={progress} />
      {findWaiting(change).map((step) =>
        step.phase === 'NeedsGuidance' ? (
          <Guidance key={step.name} change={change} step={step} />
        ) : (
          <Decision key={step.name} change={change} step={step} />
        ),
      )}
      {status?.failure && !status.steps.some(({ failure }) => failure) && (
        <Failure title="This Change failed" failure={status.failure} />
      )}
      <FailedSteps change={change} />
      <Columns aside={<ChangeDetails change={change} />}>
        <Section id="timeline" title="Timeline">
          <Timeline change={change} />
        </Section>
        <Section id="steps" title="Steps" note="What each found, and what it left as evidence">
          <Steps change={change} />
        </Section>
      </Columns>
    </>
  );
}

const findWaiting = ({ status }: Change): Step[] =>
  (status?.steps ?? []).filter(({ phase }) => phase === 'Waiting' || phase === 'NeedsGuidance');

function Cancel({ change: { org, name: run, actions } }: { change: Change }) {
  const queryClient = useQueryClient();
  const cancel = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/agentworkflowruns/{run}/cancel', { params: { org, run } }),
    onSettled: async () => await queryClient.invalidateQueries(changeQuery(org, run)),
  });
  const action = actions.find(({ name }) => name === 'cancelRun');
  if (action?.reason === 'state-conflict') return null;
  const why = action?.allowed === true ? undefined : action?.message;
  const trigger = (
    <Button look="plain" why={why} busy={cancel.isPending}>
      Cancel Change
    </Button>
  );
  return (
    <>
      {why === undefined ? (
        <Confirm trigger={trigger} title="Cancel this Change?" action="Cancel Change" onConfirm={() => cancel.mutate()}>
          The agents stop, the pull request is closed and its branch is deleted. The issue stays open.
        </Confirm>
      ) : (
        trigger
      )}
      {cancel.error && <ProblemNotice error={cancel.error} />}
    </>
  );
}

function ChangeDetails({ change }: { change: Change }) {
  const { org, spec, status, release, name } = change;
  const pull = status?.pullRequest;
  return (
    <section>
      <h2>This Change</h2>
      <Details
        items={[
          ['Run', <code key="run">{name}</code>],
          [
            'Product',
            <Link key="product" to="/$org/products/$product" params={{ org, product: spec.product }}>
              {spec.product}
            </Link>,
          ],
          pull && [
            'Pull request',
            <a key="pull" href={pull.url} rel="noreferrer">
              #{pull.number}
            </a>,
          ],
          status?.branch !== undefined && ['Branch', <code key="branch">{status.branch}</code>],
          ['Workflow', spec.agentWorkflow],
          ['Started by', spec.startedBy],
          status?.startedAt !== undefined && ['Started', <Time key="started" at={status.startedAt} />],
          status?.finishedAt !== undefined && ['Finished', <Time key="finished" at={status.finishedAt} />],
          ['Conflicts', `${status?.conflictRounds ?? 0} rounds`],
          release !== undefined && [
            'Release',
            <Link key="release" to="/$org/releases/$release" params={{ org, release }}>
              {release}
            </Link>,
          ],
        ]}
      />
    </section>
  );
}
