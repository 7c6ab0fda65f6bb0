import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Suspense } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { clustersQuery } from '../../../api/queries/clusters.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { Form } from '../../../parts/form.tsx';
import { lazyPart } from '../../../parts/lazy-file.ts';
import { useDraft } from '../../../parts/use-draft.ts';
import { announce } from '../../../shell/announcer.tsx';
import { type ClusterDraft, ClusterFields, toClusterBody } from './cluster-fields.tsx';

const Conflict = lazyPart(async () => (await import('../../../parts/conflict.tsx')).Conflict);

/** Replaces the settings of a cluster. The stored kubeconfig is kept when the field stays empty. */
export function EditCluster({ cluster }: { cluster: Schemas['Cluster'] }) {
  const queryClient = useQueryClient();
  const { name, label = '', prometheusUrl = '', resourceVersion = '*' } = cluster;
  const current: ClusterDraft = { label, prometheusUrl, kubeconfig: '' };
  const edit = useDraft(current, resourceVersion);
  const draft = edit.value;
  const save = useMutation({
    mutationFn: async () =>
      await request('put', '/v1/clusters/{cluster}', {
        params: { cluster: name },
        headers: { 'If-Match': `"${edit.version}"` },
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
  const blocked = edit.isOutdated ? 'Choose above which version to go on with.' : undefined;
  return (
    <>
      <Suspense>
        {edit.isOutdated && (
          <Conflict
            theirs={toClusterBody(current)}
            mine={{ ...toClusterBody(draft), ...(draft.kubeconfig !== '' && { kubeconfig: 'typed, not shown' }) }}
            onTakeTheirs={() => {
              edit.discard();
              save.reset();
            }}
            onKeepMine={() => {
              edit.keepMine();
              save.reset();
            }}
          />
        )}
      </Suspense>
      <Form
        label={`Edit ${name}`}
        error={edit.isOutdated ? null : save.error}
        why={why}
        onSubmit={() => {
          if (blocked === undefined && !save.isPending) save.mutate();
        }}
        foot={
          <Button look="primary" type="submit" busy={save.isPending} why={why ?? blocked}>
            Check and save
          </Button>
        }
      >
        <ClusterFields
          draft={draft}
          onChange={edit.set}
          kubeconfigHint="One is stored. Leave empty to keep it."
          isKubeconfigRequired={false}
        />
      </Form>
    </>
  );
}
