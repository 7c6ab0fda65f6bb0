import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { clustersQuery } from '../../../api/queries/clusters.ts';
import { request } from '../../../api/request.ts';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { Section } from '../../../parts/page.tsx';
import { TypedConfirmation } from '../../../parts/typed-confirmation.tsx';
import { announce } from '../../../shell/announcer.tsx';

type Props = { cluster: Schemas['Cluster']; onRemoved: () => void };

/** The removal of a cluster in which no zone runs, which asks for its name. */
export function RemoveCluster({ cluster: { name, actions }, onRemoved }: Props) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: async () => await request('delete', '/v1/clusters/{cluster}', { params: { cluster: name } }),
    onSuccess: async () => {
      announce(`The cluster ${name} is removed.`);
      await queryClient.invalidateQueries(clustersQuery);
    },
  });
  return (
    <Section id={`remove-${name}`} title="Remove this cluster">
      <p className="dim">Its kubeconfig is deleted here. Nothing in the cluster and in Argo CD changes.</p>
      <TypedConfirmation
        label={`Remove ${name}`}
        action={`Remove ${name}`}
        word={name}
        request="Type the name of the cluster first."
        why={findRefusal(actions, 'deleteCluster')}
        error={remove.error}
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSuccess: onRemoved })}
      />
    </Section>
  );
}
