import { useMutation, useQueryClient } from '@tanstack/react-query';
import { releaseQuery } from '../../api/queries/releases.ts';
import { request } from '../../api/request.ts';
import type { Release } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { announce } from '../../shell/announcer.tsx';

/** Stops a Release, after a question. */
export function CancelRelease({ release: { org, name, spec, status, actions } }: { release: Release }) {
  const queryClient = useQueryClient();
  const cancel = useMutation({
    mutationFn: async () => await request('post', '/v1/orgs/{org}/releases/{name}/cancel', { params: { org, name } }),
    onSuccess: () => announce('Requested. The Release stops.'),
    onSettled: async () => await queryClient.invalidateQueries(releaseQuery(org, name)),
  });
  const action = actions.find((one) => one.name === 'cancelRelease');
  if (status?.finishedAt !== undefined && action?.allowed !== true) return null;
  if (action?.allowed !== true)
    return (
      <Button look="plain" why={action?.message ?? 'The Release is over.'}>
        Cancel the Release
      </Button>
    );
  return (
    <>
      <Confirm
        trigger={
          <Button look="plain" busy={cancel.isPending}>
            Cancel the Release
          </Button>
        }
        title={`Cancel ${spec.product} ${spec.version}?`}
        action="Cancel the Release"
        onConfirm={() => cancel.mutate()}
      >
        It goes to no further zone. A promotion that is merged into the gitops repo is still deployed to its zone.
      </Confirm>
      {cancel.error && <ProblemNotice error={cancel.error} />}
    </>
  );
}
