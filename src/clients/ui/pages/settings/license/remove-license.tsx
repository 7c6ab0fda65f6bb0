import { useMutation, useQueryClient } from '@tanstack/react-query';
import { licenseQuery } from '../../../api/queries/settings.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { announce } from '../../../shell/announcer.tsx';

/** Removes the licence, after a question. */
export function RemoveLicense({ why }: { why: string | undefined }) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: async () => await request('delete', '/v1/license', { params: {} }),
    onSuccess: () => announce('Removed.'),
    onSettled: async () => await queryClient.invalidateQueries(licenseQuery),
  });
  if (why !== undefined) return <Button why={why}>Remove…</Button>;
  return (
    <>
      <Confirm
        trigger={<Button busy={remove.isPending}>Remove…</Button>}
        title="Remove the licence?"
        action="Remove the licence"
        onConfirm={() => remove.mutate()}
      >
        The installation is in evaluation then, and runs fully. The service keeps no copy of the licence.
      </Confirm>
      {remove.error && <ProblemNotice error={remove.error} />}
    </>
  );
}
