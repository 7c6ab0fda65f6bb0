import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { imageRegistryQuery } from '../../../api/queries/installation.ts';
import { isStale, toPrecondition } from '../../../api/preconditions.ts';
import { request } from '../../../api/request.ts';
import { DraftForm } from '../../../parts/draft-form.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { Skeleton } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { useDraft } from '../../../parts/use-draft.ts';
import { useSaveDraft } from '../../../parts/use-save-draft.ts';
import forms from '../../../parts/form.module.css';
import { DeleteRow } from '../delete-row.tsx';
import { toBody, toDraft, toShown } from './image-registry-draft.ts';
import { ImageRegistryFields } from './image-registry-fields.tsx';

type Registry = Schemas['ImageRegistry'];

/** The registry to which builds push, and from which zones pull, where no registry of an org is chosen. */
export function ImageRegistry() {
  const { data: registry, error } = useQuery(imageRegistryQuery);
  if (!registry) return error ? <ProblemNotice error={error} /> : <Skeleton />;
  return (
    <>
      <Summary registry={registry} />
      <RegistryForm registry={registry} />
      {registry.source === 'settings' && <DeleteRegistry registry={registry} />}
    </>
  );
}

const Summary = ({ registry: { source, repository, pull, previous, use } }: { registry: Registry }) => (
  <>
    <p className="dim">
      Images are at <code>{repository}</code>
      {source === 'environment' && ', which environment variables set'}.
      {use === 'none' && ' This machine keeps images itself, so nothing is pushed there.'}
      {use === 'cluster' &&
        ' All orgs share its two accounts, so code of one can pull the images of another. Orgs that do not trust each other connect registries of their own.'}
    </p>
    {pull?.lastCheck.access === 'pull-and-push' && (
      <p className="dim">
        The account of zones can also push. Each zone holds its password, so use an account that only pulls.
      </p>
    )}
    {previous.length > 0 && (
      <p className="dim">
        Zones still run images of{' '}
        {previous.map(({ host, repositoryPrefix }) => [host, repositoryPrefix].filter(Boolean).join('/')).join(', ')}.
      </p>
    )}
  </>
);

function RegistryForm({ registry }: { registry: Registry }) {
  const queryClient = useQueryClient();
  const current = toDraft(registry);
  const draft = useDraft(current, registry.resourceVersion ?? '');
  const saving = useSaveDraft({
    draft,
    save: async (typed, version) =>
      await request('put', '/v1/installation/image-registry', {
        params: {},
        headers: toPrecondition(version),
        body: toBody(typed),
      }),
    read: (saved) => ({ value: toDraft(saved), version: saved.resourceVersion ?? '' }),
    onSaved: (saved) => void queryClient.setQueryData(imageRegistryQuery.queryKey, saved),
    onError: (error) => {
      if (isStale(error)) void queryClient.invalidateQueries(imageRegistryQuery);
    },
  });
  return (
    <DraftForm
      label="Image registry"
      draft={draft}
      saving={saving}
      toShown={toShown}
      saveText="Check and save"
      why={findRefusal(registry.actions, 'putImageRegistry')}
    >
      <ImageRegistryFields draft={draft} hasPassword={registry.source === 'settings'} />
    </DraftForm>
  );
}

function DeleteRegistry({ registry: { host = '', actions } }: { registry: Registry }) {
  const queryClient = useQueryClient();
  return (
    <div className={forms['foot']}>
      <DeleteRow
        kind="image registry"
        name={host}
        why={findRefusal(actions, 'deleteImageRegistry')}
        onDelete={async () => await request('delete', '/v1/installation/image-registry', { params: {} })}
        onSettled={async () => await queryClient.invalidateQueries(imageRegistryQuery)}
      >
        Its credentials are deleted. The next builds push to the registry that environment variables set.
      </DeleteRow>
    </div>
  );
}
