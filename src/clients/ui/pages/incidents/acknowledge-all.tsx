import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Incident } from '../../api/queries/incidents.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { findRefusal } from '../../parts/find-refusal.ts';
import { toState } from '../../parts/incident-state.ts';
import { ProblemNotice } from '../../parts/problem.tsx';
import { announce } from '../../shell/announcer.tsx';
import styles from './incidents.module.css';

/** Acknowledges every incident of the list that no one handles yet, because one failure can open many. */
export function AcknowledgeAll({ org, incidents }: { org: string; incidents: Incident[] }) {
  const queryClient = useQueryClient();
  const open = incidents.filter((incident) => toState(incident) === 'Open');
  const acknowledge = useMutation({
    mutationFn: async (names: string[]) => {
      for (const name of names)
        await request('post', '/v1/orgs/{org}/incidents/{name}/acknowledge', { params: { org, name } });
    },
    onSuccess: (_, names) => announce(`${names.length} incidents are acknowledged.`),
    onSettled: async () => await queryClient.invalidateQueries({ queryKey: ['incidents', org] }),
  });
  const names = acknowledge.isPending ? acknowledge.variables : open.map(({ name }) => name);
  if (names.length < 2) return null;
  return (
    <>
      <div className={styles['bulk']}>
        <Button
          why={findRefusal(open[0]?.actions ?? [], 'acknowledgeIncident')}
          busy={acknowledge.isPending}
          onClick={() => acknowledge.mutate(names)}
        >
          Acknowledge these {names.length}
        </Button>
        <span className="small dim">No one has acknowledged them yet.</span>
      </div>
      {acknowledge.error && <ProblemNotice error={acknowledge.error} />}
    </>
  );
}
