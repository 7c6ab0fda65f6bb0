import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { Section } from '../../../parts/page.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';

/** The deletion of an org with everything in it, which asks for its name. */
export function DeleteOrg({ organization }: { organization: Schemas['Organization'] }) {
  const { name: org, actions } = organization;
  const [typed, setTyped] = useState('');
  const queryClient = useQueryClient();
  const deletion = useMutation({
    mutationFn: async () => await request('delete', '/v1/orgs/{org}', { params: { org }, query: { confirm: typed } }),
    onSuccess: (marked) => queryClient.setQueryData(orgQuery(org).queryKey, marked),
  });
  const why = findRefusal(actions, 'deleteOrg');
  return (
    <Section id="delete" title="Delete this org">
      <p className="dim">
        Cancels its runs and Releases, and deletes its Products with their zones, its domains, agents, access groups and
        credentials. Its repos and its app at the code host stay.
      </p>
      <Form
        label="Delete this org"
        error={deletion.error}
        why={why}
        onSubmit={() => typed !== org || deletion.isPending || deletion.mutate()}
        foot={
          <Button
            look="danger"
            type="submit"
            busy={deletion.isPending}
            why={why ?? (typed === org ? undefined : 'Type the name of the org first.')}
          >
            Delete {org}
          </Button>
        }
      >
        <TextField
          label={`Type ${org} to confirm`}
          pointer="?confirm"
          value={typed}
          spellCheck={false}
          onChange={setTyped}
        />
      </Form>
    </Section>
  );
}
