import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clustersQuery } from '../../../api/queries/clusters.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { clearSent } from '../../../parts/clear-sent.ts';
import { TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { announce } from '../../../shell/announcer.tsx';
import { emptyCluster, toClusterBody } from './cluster-draft.ts';
import { ClusterFields } from './cluster-fields.tsx';

const empty = { name: '', ...emptyCluster };

/** Adds a cluster. The fields stay filled when the cluster does not accept the credentials. */
export function NewCluster({ onAdded }: { onAdded: (name: string) => void }) {
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState(empty);
  const create = useMutation({
    mutationFn: async (sent: typeof empty) =>
      await request('post', '/v1/clusters', {
        params: {},
        body: { name: sent.name.trim(), ...toClusterBody(sent) },
      }),
    onSuccess: async ({ name }, sent) => {
      announce(`The cluster ${name} is added.`);
      setDraft(clearSent(sent, empty));
      await queryClient.invalidateQueries(clustersQuery);
      onAdded(name);
    },
  });
  return (
    <Form
      label="Add a cluster"
      error={create.error}
      onSubmit={() => create.isPending || create.mutate(draft)}
      foot={
        <Button look="primary" type="submit" busy={create.isPending}>
          Check and add
        </Button>
      }
    >
      <TextField
        label="Name"
        hint="As Argo CD names it: lowercase letters, digits and hyphens."
        pointer="/name"
        required
        spellCheck={false}
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
      />
      <ClusterFields
        draft={draft}
        onChange={(changed) => setDraft({ ...changed, name: draft.name })}
        kubeconfigHint="Output of kubectl config view --raw --minify --flatten. Stored as a secret, and never shown again."
        isKubeconfigRequired
      />
    </Form>
  );
}
