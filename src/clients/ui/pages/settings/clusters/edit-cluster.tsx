import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { clustersQuery } from '../../../api/queries/clusters.ts';
import { toPrecondition } from '../../../api/preconditions.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { DraftForm } from '../../../parts/draft-form.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { useDraft } from '../../../parts/use-draft.ts';
import { announce } from '../../../shell/announcer.tsx';
import { type ClusterDraft, ClusterFields, toClusterBody } from './cluster-fields.tsx';

/** Replaces the settings of a cluster. The stored kubeconfig is kept when the field stays empty. */
export function EditCluster({ cluster }: { cluster: Schemas['Cluster'] }) {
  const queryClient = useQueryClient();
  const { name, label = '', prometheusUrl = '', resourceVersion = '' } = cluster;
  const current: ClusterDraft = { label, prometheusUrl, kubeconfig: '' };
  const edit = useDraft(current, resourceVersion);
  const draft = edit.value;
  const save = useMutation({
    mutationFn: async () =>
      await request('put', '/v1/clusters/{cluster}', {
        params: { cluster: name },
        headers: toPrecondition(edit.version),
        body: { ...toClusterBody(draft), ...(draft.kubeconfig !== '' && { kubeconfig: draft.kubeconfig }) },
      }),
    onSuccess: () => {
      announce(`The cluster ${name} is saved.`);
      edit.discard();
    },
    // Another person may have saved it meanwhile.
    onSettled: async () => await queryClient.invalidateQueries(clustersQuery),
  });
  const why = findRefusal(cluster.actions, 'putCluster');
  return (
    <DraftForm
      label={`Edit ${name}`}
      draft={edit}
      saving={save}
      canSend
      toShown={toShown}
      why={why}
      foot={({ blocked }) => (
        <Button look="primary" type="submit" busy={save.isPending} why={why ?? blocked}>
          Check and save
        </Button>
      )}
    >
      <ClusterFields
        draft={draft}
        onChange={edit.set}
        kubeconfigHint="One is stored. Leave empty to keep it."
        isKubeconfigRequired={false}
      />
    </DraftForm>
  );
}

const toShown = (draft: ClusterDraft) => ({
  ...toClusterBody(draft),
  ...(draft.kubeconfig !== '' && { kubeconfig: 'typed, not shown' }),
});
