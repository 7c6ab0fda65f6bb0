import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Suspense, type ReactNode } from 'react';
import type { Schemas } from '../../api/generated/openapi.ts';
import { orgQuery } from '../../api/queries/products.ts';
import { ApiProblem } from '../../api/request.ts';
import { Form, SaveFoot } from '../../parts/form.tsx';
import { isSame, useDraft } from '../../parts/use-draft.ts';
import { findRefusal } from '../../parts/find-refusal.ts';
import { trimSpec } from './trim-spec.ts';
import { lazyPart } from '../../parts/lazy-file.ts';

const Conflict = lazyPart(async () => (await import('../../parts/conflict.tsx')).Conflict);
const Unsaved = lazyPart(async () => (await import('../../parts/unsaved.tsx')).Unsaved);

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
  const saving = useMutation({
    mutationFn: async () => {
      const put = async (version: string): Promise<Organization> =>
        await save(trimSpec(draft.value), { 'If-Match': `"${version}"` });
      return await put(draft.version).catch(async (error: unknown) => {
        if (!(error instanceof ApiProblem) || error.status !== 412) throw error;
        // The version is that of the whole org, and another part of it may have changed.
        const fresh = await queryClient.fetchQuery({ ...query, staleTime: 0 });
        if (!isSame(readPart(fresh), draft.base)) throw error;
        return await put(fresh.resourceVersion);
      });
    },
    onSuccess: (saved) => {
      draft.discard();
      queryClient.setQueryData(query.queryKey, saved);
      onSaved?.();
    },
  });
  const why = findRefusal(organization.actions, action);
  const discard = (): void => {
    draft.discard();
    saving.reset();
  };
  return (
    <>
      <Suspense>
        <Unsaved isDirty={draft.isDirty} />
        {draft.isOutdated && (
          <Conflict
            theirs={current}
            mine={draft.value}
            onTakeTheirs={discard}
            onKeepMine={() => {
              draft.keepMine();
              saving.reset();
            }}
          />
        )}
      </Suspense>
      <Form
        label={label}
        error={draft.isOutdated ? null : saving.error}
        why={why}
        onSubmit={() => {
          if (draft.isDirty && !saving.isPending && !draft.isOutdated) saving.mutate();
        }}
        foot={
          <SaveFoot
            draft={{ isDirty: draft.isDirty, discard }}
            saving={saving}
            why={why}
            blocked={draft.isOutdated ? 'Choose above which version to go on with.' : undefined}
          />
        }
      >
        {children(draft.value, draft.set)}
      </Form>
    </>
  );
}
