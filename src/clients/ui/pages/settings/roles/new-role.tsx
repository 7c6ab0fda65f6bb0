import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { ChoiceField, LinesField, TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { Section } from '../../../parts/page.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { useNavigateIfHere } from '../../../parts/use-navigate-if-here.ts';
import { trimSpec } from '../trim-spec.ts';
import type { AgentRole } from './role-spec.ts';

/** Adds an AgentRole, from instructions or as a copy of another one. */
export function NewRole({
  org,
  existing,
  actions,
}: {
  org: string;
  existing: AgentRole[];
  actions: Schemas['Action'][];
}) {
  const [name, setName] = useState('');
  const [source, setSource] = useState('');
  const [responsibilities, setResponsibilities] = useState<string[]>();
  const queryClient = useQueryClient();
  const navigate = useNavigateIfHere();
  const copied = existing.find((role) => role.name === source);
  const create = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/agentroles', {
        params: { org },
        body: { name, spec: copied?.spec ?? trimSpec({ responsibilities: responsibilities ?? [] }) },
      }),
    onSuccess: async (created) => {
      await queryClient.invalidateQueries({ queryKey: ['agent-roles', org] });
      await navigate({ to: '/$org/settings/roles/$role', params: { org, role: created.name } });
    },
  });
  const why = findRefusal(actions, 'createAgentRole');
  return (
    <Section id="new" title="Add an AgentRole">
      <Form
        label="Add an AgentRole"
        error={create.error}
        why={why}
        onSubmit={() => create.isPending || create.mutate()}
        foot={
          <Button look="primary" type="submit" why={why} busy={create.isPending}>
            Add AgentRole
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
          {...(copied && { pointer: '/spec' })}
          value={source}
          onChange={setSource}
          options={[
            ['', 'Instructions of its own'],
            ...existing.map((role) => [role.name, `A copy of ${role.name}`] as const),
          ]}
        />
        {!copied && (
          <LinesField
            label="Instructions"
            hint="One sentence in each line."
            pointer="/spec/responsibilities"
            value={responsibilities}
            onChange={setResponsibilities}
          />
        )}
      </Form>
    </Section>
  );
}
