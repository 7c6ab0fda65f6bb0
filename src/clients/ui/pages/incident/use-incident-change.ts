import { useMutation, useQueryClient } from '@tanstack/react-query';
import { incidentQuery, type Incident } from '../../api/queries/incidents.ts';
import { announce } from '../../shell/announcer.tsx';

/** Changes an incident, and shows what it is then; another person may have changed it in the meantime. */
export function useIncidentChange<Input = void>(
  { org, name }: Pick<Incident, 'org' | 'name'>,
  { change, done }: { change: (input: Input) => Promise<Incident>; done: string },
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (incident) => {
      queryClient.setQueryData(incidentQuery(org, name).queryKey, incident);
      announce(done);
    },
    onError: ({ message }) => announce(message),
    onSettled: async () => {
      void queryClient.invalidateQueries({ queryKey: ['incidents', org] });
      await queryClient.invalidateQueries({ queryKey: incidentQuery(org, name).queryKey });
    },
  });
}
