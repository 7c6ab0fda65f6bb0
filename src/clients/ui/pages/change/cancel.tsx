import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeQuery } from '../../api/queries/changes.ts';
import { request } from '../../api/request.ts';
import type { Change } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';

/** Ends a Change that is still in progress. */
export function Cancel({ change: { org, name: run, actions } }: { change: Change }) {
  const [isAsking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const cancel = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/agentworkflowruns/{run}/cancel', { params: { org, run } }),
    onSettled: async () => await queryClient.invalidateQueries(changeQuery(org, run)),
  });
  const action = actions.find(({ name }) => name === 'cancelRun');
  if (action?.reason === 'state-conflict') return null;
  const why = action?.allowed === true ? undefined : action?.message;
  return (
    <>
      <Button look="plain" why={why} busy={cancel.isPending} aria-haspopup="dialog" onClick={() => setAsking(true)}>
        Cancel Change
      </Button>
      {isAsking && (
        <Confirm
          title="Cancel this Change?"
          action="Cancel Change"
          onConfirm={() => cancel.mutate()}
          onClose={() => setAsking(false)}
        >
          The agents stop, the pull request is closed and its branch is deleted. The issue stays open.
        </Confirm>
      )}
      {cancel.error && <ProblemNotice error={cancel.error} />}
    </>
  );
}
