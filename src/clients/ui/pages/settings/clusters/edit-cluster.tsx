import { useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { clustersQuery } from '../../../api/queries/clusters.ts';
import { toPrecondition } from '../../../api/preconditions.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { DraftForm } from '../../../parts/draft-form.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { useDraft } from '../../../parts/use-draft.ts';
import { useSaveDraft } from '../../../parts/use-save-draft.ts';
import { announce } from '../../../shell/announcer.tsx';
import { type ClusterDraft, toClusterBody, toDraft } from './cluster-draft.ts';
import { ClusterFields } from './cluster-fields.tsx';

/** Replaces the settings of a cluster. The stored kubeconfig is kept when the field stays empty. */
export function EditCluster({ cluster }: { cluster: Schemas['Cluster'] }) {
  const queryClient = useQueryClient();
  const { name, fingerprint, resourceVersion = '' } = cluster;
  const edit = useDraft(toDraft(cluster), resourceVersion);
  const draft = edit.value;
  const readAgain = (): void => void queryClient.invalidateQueries(clustersQuery);
  const save = useSaveDraft({
    draft: edit,
    save: async (typed, version) =>
      await request('put', '/v1/clusters/{cluster}', {
        params: { cluster: name },
        headers: toPrecondition(version),
        body: toClusterBody(typed),
      }),
    read: (saved) => ({ value: toDraft(saved), version: saved.resourceVersion ?? '' }),
    onSaved: () => {
      announce(`The cluster ${name} is saved.`);
      readAgain();
    },
    // Another person may have saved it since.
    onError: readAgain,
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
        kubeconfigHint={
          fingerprint === undefined
            ? 'Output of kubectl config view --raw --minify --flatten.'
            : 'One is stored. Leave empty to keep it.'
        }
        isKubeconfigRequired={fingerprint === undefined}
      />
    </DraftForm>
  );
}

const toShown = (draft: ClusterDraft) => {
  const { kubeconfig, ...shown } = toClusterBody(draft);
  return { ...shown, ...(kubeconfig !== undefined && { kubeconfig: 'typed, not shown' }) };
};
