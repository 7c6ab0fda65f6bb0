import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { clustersQuery } from '../../../api/queries/clusters.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { Section } from '../../../parts/page.tsx';
import { announce } from '../../../shell/announcer.tsx';

type Props = { cluster: Schemas['Cluster']; onRemoved: () => void };

/** The removal of a cluster in which no zone runs, which asks for its name. */
export function RemoveCluster({ cluster: { name, actions }, onRemoved }: Props) {
  const [typed, setTyped] = useState('');
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: async () => await request('delete', '/v1/clusters/{cluster}', { params: { cluster: name } }),
    onSuccess: async () => {
      announce(`The cluster ${name} is removed.`);
      onRemoved();
      await queryClient.invalidateQueries(clustersQuery);
    },
  });
  const why = findRefusal(actions, 'deleteCluster');
  return (
    <Section id="remove" title="Remove this cluster">
      <p className="dim">Its kubeconfig is deleted here. Nothing in the cluster and in Argo CD changes.</p>
      <Form
        label={`Remove ${name}`}
        error={remove.error}
        why={why}
        onSubmit={() => typed !== name || remove.isPending || remove.mutate()}
        foot={
          <Button
            look="danger"
            type="submit"
            busy={remove.isPending}
            why={why ?? (typed === name ? undefined : 'Type the name of the cluster first.')}
          >
            Remove {name}
          </Button>
        }
      >
        <TextField label={`Type ${name} to confirm`} value={typed} spellCheck={false} onChange={setTyped} />
      </Form>
    </Section>
  );
}
