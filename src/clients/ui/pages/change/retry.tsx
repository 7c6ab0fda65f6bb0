import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeQuery } from '../../api/queries/changes.ts';
import { request } from '../../api/request.ts';
import type { Change, Step } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { announce } from '../../shell/announcer.tsx';

type Props = {
  change: Change;
  step: Step;
  label: string;
  look?: 'primary';
  /** Why it cannot be retried, if the page says it elsewhere. */
  why?: string | undefined;
};

/** Starts a step again, if the run still allows it; otherwise it says why not. */
export function Retry({ change: { org, name: run, actions }, step, label, look, why: said }: Props) {
  const queryClient = useQueryClient();
  const retry = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/retry', {
        params: { org, run, step: step.name },
        body: {},
      }),
    onSuccess: () => announce(`Requested. ${step.name} starts again.`),
    onSettled: async () => await queryClient.invalidateQueries(changeQuery(org, run)),
  });
  const action = actions.find((one) => one.name === 'retryStep' && one.step === step.name);
  const why = action?.allowed === true ? undefined : (action?.message ?? 'The run has finished. Start another Change.');
  return (
    <>
      <Button look={look} why={said ?? why} busy={retry.isPending} onClick={() => retry.mutate()}>
        {label}
      </Button>
      {said === undefined && why !== undefined && <span className="dim small">{why}</span>}
      {retry.error && <ProblemNotice error={retry.error} />}
    </>
  );
}
