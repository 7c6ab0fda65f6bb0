import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { modelProviderQuery } from '../../../api/queries/agents.ts';
import { isStale, toPrecondition } from '../../../api/preconditions.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { DraftForm } from '../../../parts/draft-form.tsx';
import { ChoiceField, TextField } from '../../../parts/form-fields.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { useDraft } from '../../../parts/use-draft.ts';
import { useSaveDraft } from '../../../parts/use-save-draft.ts';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { toBody, toDraft, toShown, type Draft } from './provider-draft.ts';

type Provider = Schemas['ModelProvider'];
type Kind = NonNullable<Provider['kind']>;

const kinds: [Kind, string][] = [
  ['anthropic', 'Anthropic'],
  ['openai', 'OpenAI'],
  ['google', 'Google Gemini'],
  ['bedrock', 'Amazon Bedrock'],
  ['openai-compatible', 'Compatible with OpenAI'],
];

/** The provider of an org. Stored secrets are kept when the fields stay empty. */
export function ProviderForm({ provider }: { provider: Provider }) {
  const { org, actions, source } = provider;
  const queryClient = useQueryClient();
  const query = modelProviderQuery(org);
  const edit = useDraft(toDraft(provider), provider.resourceVersion ?? '');
  const draft = edit.value;
  const set = (name: keyof Draft) => (value: string) => edit.set({ ...draft, [name]: value });
  const onError = (error: Error): void => {
    if (isStale(error)) void queryClient.invalidateQueries(query);
  };
  const save = useSaveDraft({
    draft: edit,
    save: async (typed, version) =>
      await request('put', '/v1/orgs/{org}/model-provider', {
        params: { org },
        headers: toPrecondition(version),
        body: toBody(typed),
      }),
    read: (saved) => ({ value: toDraft(saved), version: saved.resourceVersion ?? '' }),
    onError,
    onSaved: (saved) => {
      queryClient.setQueryData(query.queryKey, saved);
      void queryClient.invalidateQueries({ queryKey: ['models', org] });
    },
  });
  const remove = useMutation({
    mutationFn: async () =>
      await request('delete', '/v1/orgs/{org}/model-provider', {
        params: { org },
        headers: toPrecondition(edit.version),
      }),
    onError,
    onSuccess: async () => {
      edit.discard();
      await queryClient.invalidateQueries(query);
      await queryClient.invalidateQueries({ queryKey: ['models', org] });
    },
  });
  const why = findRefusal(actions, 'putModelProvider');
  const keyHint = provider.hasKey ? 'A key is stored. Leave empty to keep it.' : 'Stored as a secret and never shown.';
  const secret = { type: 'password', autoComplete: 'new-password', hint: keyHint } as const;
  return (
    <>
      <DraftForm
        label="Provider"
        draft={edit}
        saving={save}
        canSend
        toShown={toShown}
        why={why}
        foot={({ blocked, discard }) => (
          <>
            <Button look="primary" type="submit" why={why ?? blocked} busy={save.isPending}>
              {save.isPending ? 'Testing the provider…' : 'Test and save'}
            </Button>
            <Button why={edit.isDirty ? undefined : 'Nothing differs from what is saved.'} onClick={discard}>
              Discard
            </Button>
            {source === 'org' && why === undefined && (
              <Confirm
                trigger={<Button busy={remove.isPending}>Remove…</Button>}
                title="Remove the provider of the org?"
                action="Remove it"
                onConfirm={() => remove.mutate()}
              >
                Its key is deleted. Agents then use the provider of the installation, if there is one.
              </Confirm>
            )}
          </>
        )}
      >
        <ChoiceField label="Kind" pointer="/kind" value={draft.kind} options={kinds} onChange={set('kind')} />
        <TextField
          label="Model"
          hint="Used by AgentRoles that name none."
          pointer="/model"
          required
          value={draft.model}
          onChange={set('model')}
        />
        <TextField
          label="URL"
          hint={draft.kind === 'openai-compatible' ? 'Where its API is.' : 'Empty for the provider’s own.'}
          pointer="/baseUrl"
          type="url"
          mono
          required={draft.kind === 'openai-compatible'}
          value={draft.baseUrl}
          onChange={set('baseUrl')}
        />
        {draft.kind === 'bedrock' ? (
          <>
            <TextField
              label="Region"
              hint="Such as eu-central-1."
              pointer="/region"
              required
              value={draft.region}
              onChange={set('region')}
            />
            <TextField
              label="Access key id"
              pointer="/accessKeyId"
              {...secret}
              value={draft.accessKeyId}
              onChange={set('accessKeyId')}
            />
            <TextField
              label="Secret access key"
              pointer="/secretAccessKey"
              {...secret}
              value={draft.secretAccessKey}
              onChange={set('secretAccessKey')}
            />
          </>
        ) : (
          <TextField label="API key" pointer="/apiKey" {...secret} value={draft.apiKey} onChange={set('apiKey')} />
        )}
      </DraftForm>
      {remove.error && <ProblemNotice error={remove.error} />}
    </>
  );
}
