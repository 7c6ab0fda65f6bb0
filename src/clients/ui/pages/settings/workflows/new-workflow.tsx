import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { request, type RequestOptions } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { ChoiceField, TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { Section } from '../../../parts/page.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { useNavigateIfHere } from '../../../parts/use-navigate-if-here.ts';
import type { AgentWorkflow } from './workflow-spec.ts';

type Body = NonNullable<RequestOptions<'post', '/v1/orgs/{org}/agentworkflows'>['body']>;
const templates = ['change', 'quick-change', 'issue-hydration', 'design', 'go-to-market'] as const;

/** Adds an AgentWorkflow: a default one, or a copy of one of the org. */
export function NewWorkflow({
  org,
  existing,
  actions,
}: {
  org: string;
  existing: AgentWorkflow[];
  actions: Schemas['Action'][];
}) {
  const [name, setName] = useState('');
  const [from, setFrom] = useState<string>('default quick-change');
  const queryClient = useQueryClient();
  const navigate = useNavigateIfHere();
  const create = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/agentworkflows', { params: { org }, body: toBody(name, from, existing) }),
    onSuccess: async (created) => {
      await queryClient.invalidateQueries({ queryKey: ['agent-workflows', org] });
      await navigate({ to: '/$org/settings/workflows/$workflow', params: { org, workflow: created.name } });
    },
  });
  const why = findRefusal(actions, 'createAgentWorkflow');
  return (
    <Section id="new" title="Add an AgentWorkflow">
      <Form
        label="Add an AgentWorkflow"
        error={create.error}
        why={why}
        onSubmit={() => create.isPending || create.mutate()}
        foot={
          <Button look="primary" type="submit" why={why} busy={create.isPending}>
            Add AgentWorkflow
          </Button>
        }
      >
        <TextField
          label="Name"
          hint="Lowercase letters, digits and hyphens, unique in the org."
          pointer="/name"
          value={name}
          onChange={setName}
          required
          spellCheck={false}
        />
        <ChoiceField
          label="Begin with"
          pointer={['/template', '/spec']}
          hint="A copy is off until you enable it. A default may have triggers, which count at once."
          value={from}
          onChange={setFrom}
          options={[
            ...existing.map((item) => [`copy ${item.name}`, `A copy of ${item.name}`] as const),
            ...templates.map((item) => [`default ${item}`, `The default "${item}"`] as const),
          ]}
        />
      </Form>
    </Section>
  );
}

function toBody(name: string, from: string, existing: AgentWorkflow[]): Body {
  const [kind, source] = from.split(' ');
  const copied = kind === 'copy' ? existing.find((item) => item.name === source) : undefined;
  if (copied) return { name, spec: { ...copied.spec, enabled: false } };
  const template = templates.find((item) => item === source);
  return { name, ...(template && { template }) };
}
