import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { clustersQuery } from '../../../api/queries/clusters.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { Form } from '../../../parts/form.tsx';
import { announce } from '../../../shell/announcer.tsx';
import { type ClusterDraft, ClusterFields, toClusterBody } from './cluster-fields.tsx';

/** Replaces the settings of a cluster. The stored kubeconfig is kept when the field stays empty. */
export function EditCluster({ cluster }: { cluster: Schemas['Cluster'] }) {
  const queryClient = useQueryClient();
  const { name, label = '', prometheusUrl = '', resourceVersion = '*' } = cluster;
  const [draft, setDraft] = useState<ClusterDraft>({ label, prometheusUrl, kubeconfig: '' });
  const save = useMutation({
    mutationFn: async () =>
      await request('put', '/v1/clusters/{cluster}', {
        params: { cluster: name },
        headers: { 'If-Match': `"${resourceVersion}"` },
        body: { ...toClusterBody(draft), ...(draft.kubeconfig !== '' && { kubeconfig: draft.kubeconfig }) },
      }),
    onSuccess: async () => {
      announce(`The cluster ${name} is saved.`);
      setDraft({ ...draft, kubeconfig: '' });
      await queryClient.invalidateQueries(clustersQuery);
    },
  });
  const why = findRefusal(cluster.actions, 'putCluster');
  return (
    <Form
      label={`Edit ${name}`}
      error={save.error}
      why={why}
      onSubmit={() => save.isPending || save.mutate()}
      foot={
        <Button look="primary" type="submit" busy={save.isPending} why={why}>
          Check and save
        </Button>
      }
    >
      <ClusterFields
        draft={draft}
        onChange={setDraft}
        kubeconfigHint="One is stored. Leave empty to keep it."
        isKubeconfigRequired={false}
      />
    </Form>
  );
}
