import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { request } from '../../../api/request.ts';
import { Section } from '../../../parts/page.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { TypedConfirmation } from '../../../parts/typed-confirmation.tsx';

/** The deletion of an org with everything in it, which asks for its name. */
export function DeleteOrg({ organization }: { organization: Schemas['Organization'] }) {
  const { name: org, actions } = organization;
  const queryClient = useQueryClient();
  const deletion = useMutation({
    mutationFn: async () => await request('delete', '/v1/orgs/{org}', { params: { org }, query: { confirm: org } }),
    onSuccess: (marked) => queryClient.setQueryData(orgQuery(org).queryKey, marked),
  });
  return (
    <Section id="delete" title="Delete this org">
      <p className="dim">
        Cancels its runs and Releases, and deletes its Products with their zones, its domains, agents, access groups and
        credentials. Its repos and its app at the code host stay.
      </p>
      <TypedConfirmation
        label="Delete this org"
        action={`Delete ${org}`}
        word={org}
        request="Type the name of the org first."
        pointer="?confirm"
        why={findRefusal(actions, 'deleteOrg')}
        error={deletion.error}
        busy={deletion.isPending}
        onConfirm={() => deletion.mutate()}
      />
    </Section>
  );
}
