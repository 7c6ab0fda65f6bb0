import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery } from '../../api/queries/me.ts';
import { ApiProblem, request } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/form-fields.tsx';
import { Form } from '../../parts/form.tsx';
import { Step } from './step.tsx';

export function FirstOrg({ canCreate }: { canCreate: boolean }) {
  const [name, setName] = useState('');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async () => {
      try {
        await request('post', '/v1/orgs', { params: {}, body: { name } });
      } catch (error) {
        if (!(error instanceof ApiProblem) || error.reason !== 'already-exists') throw error;
        // There was no org before, so this one is of an earlier request whose response was lost.
        const { orgs } = await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
        if (!orgs.some(({ org }) => org === name)) throw error;
      }
    },
    onSuccess: async () => {
      await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
      await navigate({ to: '/setup', search: { step: 'codehost' } });
    },
  });
  const why = canCreate ? undefined : 'Only a platform admin may create an org. Ask one to add you to an access group.';
  return (
    <Step title="Create the first org" lead="An org has its Products, people, agents and its account on the code host.">
      <Form
        label="First org"
        error={create.error}
        why={why}
        onSubmit={() => create.isPending || create.mutate()}
        foot={
          <Button look="primary" type="submit" why={why} busy={create.isPending}>
            Create the org
          </Button>
        }
      >
        <TextField
          label="Name of the org"
          hint="Lowercase letters, digits and hyphens, such as acme. It is also the account on the code host."
          pointer="/name"
          name="name"
          required
          autoFocus
          spellCheck={false}
          value={name}
          onChange={setName}
        />
      </Form>
    </Step>
  );
}
