import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { orgPeopleKey } from '../../../api/queries/people.ts';
import { accessGroupsQuery } from '../../../api/queries/settings.ts';
import { isStale } from '../../../api/preconditions.ts';
import { ApiProblem, request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { DraftForm } from '../../../parts/draft-form.tsx';
import { Empty, PageHead } from '../../../parts/page.tsx';
import { useDraft } from '../../../parts/use-draft.ts';
import { useSaveDraft } from '../../../parts/use-save-draft.ts';
import { toSpec } from './provider-groups.ts';
import { GroupTable } from './group-table.tsx';
import { GroupFields } from './group-fields.tsx';
import type { Group } from './roles.ts';

/** The groups of an org. They are replaced together, so that no admin undoes the change of another one. */
export function Groups({
  org,
  saved,
  why,
}: {
  org: string;
  saved: Schemas['AccessGroupList'];
  /** Why the caller may only read them. */
  why: string | undefined;
}) {
  const queryClient = useQueryClient();
  const query = accessGroupsQuery(org);
  const draft = useDraft<Group[]>(saved.accessGroups, saved.resourceVersion);
  const [edited, setEdited] = useState<number>();
  const saving = useSaveDraft({
    draft,
    save: async (groups, resourceVersion) =>
      await request('put', '/v1/orgs/{org}/access-groups', {
        params: { org },
        body: { accessGroups: groups.map(toSpec), resourceVersion },
      }),
    read: (replaced) => ({ value: replaced.accessGroups, version: replaced.resourceVersion }),
    onSaved: (replaced, isWhole) => {
      if (isWhole) setEdited(undefined);
      queryClient.setQueryData(query.queryKey, replaced);
      void queryClient.invalidateQueries({ queryKey: ['me'] });
      void queryClient.invalidateQueries({ queryKey: orgPeopleKey(org) });
    },
    onError: (error) => {
      if (isStale(error)) void queryClient.invalidateQueries(query);
      const [, index] =
        /^\/accessGroups\/(\d+)/.exec(error instanceof ApiProblem ? (error.errors[0]?.pointer ?? '') : '') ?? [];
      if (index !== undefined) setEdited(Number(index));
    },
  });
  const group = edited === undefined ? undefined : draft.value[edited];
  const set = (index: number, next: Group): void => draft.set(draft.value.with(index, next));
  const add = (): void => {
    draft.set([...draft.value, { name: '', role: 'member', members: [] }]);
    setEdited(draft.value.length);
  };
  return (
    <>
      <PageHead
        title="Access groups"
        actions={
          <Button look="primary" why={why} onClick={add}>
            <Plus className="i s" aria-hidden="true" />
            Add group
          </Button>
        }
      >
        A group gives its members a role in {org}. A person in several groups has the highest role.
      </PageHead>
      {draft.value.length === 0 ? (
        <Empty title="No access group yet">
          <p>Without one, only platform admins can open this org. Add a group with the people who work here.</p>
        </Empty>
      ) : (
        <GroupTable
          groups={draft.value}
          base={draft.base}
          edited={edited}
          onEdit={why === undefined ? setEdited : undefined}
        />
      )}
      {(draft.isDirty || group || saving.error || saving.isSuccess) && (
        <DraftForm
          label="Access groups"
          draft={draft}
          saving={saving}
          saveText="Save access groups"
          onDiscard={() => setEdited(undefined)}
        >
          {group && edited !== undefined && (
            <GroupFields
              group={group}
              index={edited}
              onChange={(next) => set(edited, next)}
              onRemove={() => {
                draft.set(draft.value.toSpliced(edited, 1));
                setEdited(undefined);
              }}
              onClose={() => setEdited(undefined)}
            />
          )}
        </DraftForm>
      )}
    </>
  );
}
