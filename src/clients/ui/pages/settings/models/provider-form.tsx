import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { modelProviderQuery } from '../../../api/queries/agents.ts';
import { request, type RequestOptions } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { ChoiceField, TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { findRefusal } from '../find-refusal.ts';

type Provider = Schemas['ModelProvider'];
type Body = NonNullable<RequestOptions<'put', '/v1/orgs/{org}/model-provider'>['body']>;
type Kind = NonNullable<Provider['kind']>;

const kinds: [Kind, string][] = [
  ['anthropic', 'Anthropic'],
  ['openai', 'OpenAI'],
  ['google', 'Google Gemini'],
  ['bedrock', 'Amazon Bedrock'],
  ['openai-compatible', 'Compatible with OpenAI'],
];
const secretNames = ['apiKey', 'accessKeyId', 'secretAccessKey'] as const;

/** The provider of an org. Stored secrets are kept when the fields stay empty. */
export function ProviderForm({ provider }: { provider: Provider }) {
  const { org, actions, source } = provider;
  const queryClient = useQueryClient();
  const query = modelProviderQuery(org);
  const [draft, setDraft] = useState({
    kind: provider.kind ?? 'anthropic',
    model: provider.model ?? '',
    baseUrl: provider.baseUrl ?? '',
    region: provider.region ?? '',
    apiKey: '',
    accessKeyId: '',
    secretAccessKey: '',
  });
  const set = (name: keyof typeof draft) => (value: string) => setDraft({ ...draft, [name]: value });
  const headers: Record<string, string> =
    provider.resourceVersion === undefined ? {} : { 'If-Match': `"${provider.resourceVersion}"` };
  const save = useMutation({
    mutationFn: async () =>
      await request('put', '/v1/orgs/{org}/model-provider', { params: { org }, headers, body: toBody(draft) }),
    onSuccess: (saved) => {
      queryClient.setQueryData(query.queryKey, saved);
      void queryClient.invalidateQueries({ queryKey: ['models', org] });
    },
  });
  const remove = useMutation({
    mutationFn: async () => await request('delete', '/v1/orgs/{org}/model-provider', { params: { org }, headers }),
    onSuccess: async () => {
      await queryClient.invalidateQueries(query);
      await queryClient.invalidateQueries({ queryKey: ['models', org] });
    },
  });
  const why = findRefusal(actions, 'putModelProvider');
  const keyHint = provider.hasKey ? 'A key is stored. Leave empty to keep it.' : 'Stored as a secret and never shown.';
  const secret = { type: 'password', autoComplete: 'new-password', hint: keyHint } as const;
  return (
    <>
      <Form
        label="Provider"
        error={save.error}
        why={why}
        onSubmit={() => save.isPending || save.mutate()}
        foot={
          <>
            <Button look="primary" type="submit" why={why} busy={save.isPending}>
              {save.isPending ? 'Trying the provider…' : 'Try and save'}
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
        }
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
      </Form>
      {remove.error && <ProblemNotice error={remove.error} />}
    </>
  );
}

type Draft = Record<'kind' | 'model' | 'baseUrl' | 'region' | (typeof secretNames)[number], string>;

/** Sends what the kind has; the API reuses stored secrets that are left out. */
function toBody({ kind, model, baseUrl, region, ...secrets }: Draft): Body {
  const names = kind === 'bedrock' ? (['accessKeyId', 'secretAccessKey'] as const) : (['apiKey'] as const);
  const filled = names.filter((name) => secrets[name] !== '').map((name) => [name, secrets[name]]);
  return {
    kind,
    model,
    ...(baseUrl !== '' && { baseUrl }),
    ...(kind === 'bedrock' && { region }),
    ...Object.fromEntries(filled),
  } as Body;
}
