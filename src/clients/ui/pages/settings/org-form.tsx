import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/generated/openapi.ts';
import { orgQuery } from '../../api/queries/products.ts';
import { isStale, toPrecondition } from '../../api/preconditions.ts';
import { DraftForm } from '../../parts/draft-form.tsx';
import { isSame, useDraft } from '../../parts/use-draft.ts';
import { useSaveDraft } from '../../parts/use-save-draft.ts';
import { findRefusal } from '../../parts/find-refusal.ts';
import { trimSpec } from './trim-spec.ts';

type Organization = Schemas['Organization'];

/** Edits one part of an org's spec, which an operation of its own replaces. */
export function OrgForm<Value extends object>({
  organization,
  read: readPart,
  action,
  label,
  save,
  onSaved,
  children,
}: {
  organization: Organization;
  /** Reads the part of the org that the form edits. */
  read: (organization: Organization) => Value;
  /** The operation that saves it. */
  action: string;
  label: string;
  save: (body: Value, headers: Record<string, string>) => Promise<Organization>;
  onSaved?: () => void;
  children: (value: Value, set: (value: Value) => void) => ReactNode;
}) {
  const queryClient = useQueryClient();
  const current = readPart(organization);
  const draft = useDraft(current, organization.resourceVersion);
  const query = orgQuery(organization.name);
  const saving = useSaveDraft({
    draft,
    save: async (typed, typedVersion) => {
      const put = async (version: string): Promise<Organization> =>
        await save(trimSpec(typed), toPrecondition(version));
      return await put(typedVersion).catch(async (error: unknown) => {
        if (!isStale(error)) throw error;
        // The version is that of the whole org, and another part of it may have changed.
        const fresh = await queryClient.fetchQuery({ ...query, staleTime: 0 });
        if (!isSame(readPart(fresh), draft.base)) throw error;
        return await put(fresh.resourceVersion);
      });
    },
    read: (saved) => ({ value: readPart(saved), version: saved.resourceVersion }),
    onSaved: (saved) => {
      queryClient.setQueryData(query.queryKey, saved);
      onSaved?.();
    },
  });
  const why = findRefusal(organization.actions, action);
  return (
    <DraftForm label={label} draft={draft} saving={saving} why={why}>
      {children(draft.value, draft.set)}
    </DraftForm>
  );
}
