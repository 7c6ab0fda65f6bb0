import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { clearSent } from '../../../parts/clear-sent.ts';
import { ChoiceField, TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';

type OrgRole = NonNullable<Schemas['ApiToken']['roleMax']>;
const lifetimes = [
  ['', 'After the default of the installation'],
  ['1', 'After a day'],
  ['7', 'After 7 days'],
  ['30', 'After 30 days'],
  ['90', 'After 90 days'],
] as const;
const dayMs = 86_400_000;

export function NewToken({ onCreated }: { onCreated: (created: Schemas['MintedApiToken']) => Promise<void> }) {
  const [label, setLabel] = useState('');
  const [role, setRole] = useState<OrgRole | ''>('');
  const [days, setDays] = useState('30');
  const create = useMutation({
    mutationFn: async (sent: string) =>
      await request('post', '/v1/me/tokens', {
        params: {},
        body: {
          label: sent,
          ...(role !== '' && { roleMax: role }),
          ...(days !== '' && { expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString() }),
        },
      }),
    onSuccess: async (created, sent) => {
      setLabel(clearSent(sent, ''));
      await onCreated(created);
    },
  });
  return (
    <Form
      label="Create a token"
      error={create.error}
      onSubmit={() => create.isPending || create.mutate(label)}
      foot={
        <Button look="primary" type="submit" busy={create.isPending}>
          Create the token
        </Button>
      }
    >
      <TextField
        label="Label"
        hint="What it is for, such as the script that uses it."
        pointer="/label"
        name="label"
        required
        maxLength={100}
        value={label}
        onChange={setLabel}
      />
      <ChoiceField
        label="Maximum role"
        hint="In every org. A token with a maximum role never has the rights of a platform admin."
        pointer="/roleMax"
        value={role}
        options={[
          ['', 'Everything that I may do'],
          ['viewer', 'viewer: read'],
          ['member', 'member: also act on Changes and Releases'],
          ['org-admin', 'org-admin: also change settings'],
        ]}
        onChange={(value) => setRole(value as OrgRole | '')}
      />
      <ChoiceField label="Expires" pointer="/expiresAt" value={days} options={[...lifetimes]} onChange={setDays} />
    </Form>
  );
}
