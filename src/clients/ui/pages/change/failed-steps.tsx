import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeQuery } from '../../api/queries/changes.ts';
import { request } from '../../api/request.ts';
import type { Change, Step } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';

/** Each step that failed, with its cause, its fix, and what a person can do. */
export const FailedSteps = ({ change }: { change: Change }) =>
  (change.status?.steps ?? []).flatMap((step) =>
    step.failure
      ? [
          <Failure key={step.name} title={`${step.name} failed`} failure={step.failure}>
            <Retry change={change} step={step} />
            <a href={`#${step.name}`}>Show the step</a>
          </Failure>,
        ]
      : [],
  );

function Retry({ change: { org, name: run, actions }, step }: { change: Change; step: Step }) {
  const queryClient = useQueryClient();
  const retry = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/retry', {
        params: { org, run, step: step.name },
        body: {},
      }),
    onSettled: async () => await queryClient.invalidateQueries(changeQuery(org, run)),
  });
  const action = actions.find((one) => one.name === 'retryStep' && one.step === step.name);
  const why = action?.allowed === true ? undefined : (action?.message ?? 'The run has finished. Start another Change.');
  return (
    <>
      <Button look="primary" why={why} busy={retry.isPending} onClick={() => retry.mutate()}>
        Retry {step.name}
      </Button>
      {why !== undefined && <span className="dim small">{why}</span>}
      {retry.error && <ProblemNotice error={retry.error} />}
    </>
  );
}
