import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeQuery } from '../../api/queries/changes.ts';
import { request } from '../../api/request.ts';
import type { Change, Step } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
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
export function Retry({ change, step, label, look, why: said }: Props) {
  const { org, name: run, actions } = change;
  const queryClient = useQueryClient();
  const retry = useMutation({
    mutationFn: async (body: { startOver?: boolean }) =>
      await request('post', '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/retry', {
        params: { org, run, step: step.name },
        body,
      }),
    onSuccess: () => announce(`Requested. ${step.name} starts again.`),
    onSettled: async () => await queryClient.invalidateQueries(changeQuery(org, run)),
  });
  const action = actions.find((one) => one.name === 'retryStep' && one.step === step.name);
  const why = action?.allowed === true ? undefined : (action?.message ?? 'The run has finished. Start another Change.');
  return (
    <>
      <Button look={look} why={said ?? why} busy={retry.isPending} onClick={() => retry.mutate({})}>
        {label}
      </Button>
      {(said ?? why) === undefined && canStartOver(change, step) && (
        <Confirm
          trigger={<Button busy={retry.isPending}>Start over…</Button>}
          title={`Start ${step.name} over?`}
          action="Start over"
          onConfirm={() => retry.mutate({ startOver: true })}
        >
          Its agent begins from scratch: its conversation and its commits are discarded. The guidance that people gave
          is kept, and so are commits that others have built on.
        </Confirm>
      )}
      {said === undefined && why !== undefined && <span className="dim small">{why}</span>}
      {retry.error && <ProblemNotice error={retry.error} />}
    </>
  );
}

/** The resolution of a conflict always begins with the current conflict, and other steps have no conversation. */
const canStartOver = ({ spec }: Change, { name }: Step): boolean =>
  spec.steps.some((step) => step.name === name && step.type === 'agent' && step.when === undefined);
