import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { incidentQuery, type Severity } from '../../api/queries/incidents.ts';
import { request } from '../../api/request.ts';
import type { Product } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { findError } from '../../parts/find-error.ts';
import { severityWords } from '../../parts/incident-state.ts';
import { Select } from '../../parts/select.tsx';
import { TextArea } from '../../parts/text-area.tsx';
import { useNavigateIfHere } from '../../parts/use-navigate-if-here.ts';
import { useUnsentText } from '../../parts/use-unsent-text.ts';
import { announce } from '../../shell/announcer.tsx';

const severityNotes: Record<Severity, string> = {
  critical: 'people cannot use it',
  warning: 'it works badly',
  info: 'worth a look',
};
const severityOptions = Object.entries(severityNotes).map(([severity, note]): [string, string] => [
  severity,
  `${severityWords[severity as Severity]}: ${note}`,
]);

type Props = { org: string; products: Product[]; product: string | undefined; onClose: () => void };

/** Opens an incident for what no alert noticed. */
export function OpenIncident({ org, products, product: initial, onClose }: Props) {
  const queryClient = useQueryClient();
  const navigate = useNavigateIfHere();
  const [product, setProduct] = useState(initial ?? products[0]?.name ?? '');
  const [zone, setZone] = useState('');
  const [severity, setSeverity] = useState('warning');
  const [title, setTitle, , clearTitle] = useUnsentText(`title of an incident of ${org}`);
  const [text, setText, , clearText] = useUnsentText(`text of an incident of ${org}`);
  const zones = products.find(({ name }) => name === product)?.spec.delivery.zones ?? [];
  const isMissing = title.trim() === '';
  const open = useMutation({
    mutationFn: async (sent: { title: string; text: string }) =>
      await request('post', '/v1/orgs/{org}/incidents', {
        params: { org },
        body: {
          product,
          ...(zone !== '' && { zone }),
          severity: severity as Severity,
          title: sent.title.trim(),
          ...(sent.text.trim() !== '' && { text: sent.text.trim() }),
        },
      }),
    onSuccess: async (incident, sent) => {
      clearTitle(sent.title);
      clearText(sent.text);
      queryClient.setQueryData(incidentQuery(org, incident.name).queryKey, incident);
      void queryClient.invalidateQueries({ queryKey: ['incidents', org] });
      announce('The incident is open.');
      await navigate({ to: '/$org/incidents/$name', params: { org, name: incident.name } });
    },
  });
  const { error } = open;
  return (
    <Dialog
      title="Open an incident"
      note="Everyone in the org sees it at once. The status page shows what it affects, and the title once you mark a note for that page."
      onClose={onClose}
      onSubmit={() => isMissing || open.isPending || open.mutate({ title, text })}
      error={error}
      foot={
        <>
          <Button
            look="primary"
            type="submit"
            busy={open.isPending}
            why={isMissing ? 'Say in a few words what is wrong.' : undefined}
          >
            Open the incident
          </Button>
          <Button look="plain" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <Field
        label="What is wrong"
        name="title"
        value={title}
        maxLength={200}
        autoComplete="off"
        autoFocus
        hint="In a few words, as in “Payments take a minute”."
        error={findError(error, '/title')}
        onChange={(event) => setTitle(event.target.value)}
      />
      <Select
        isLabelled
        label="Product"
        value={product}
        options={products.map(({ name, spec }): [string, string] => [name, spec.displayName ?? name])}
        error={findError(error, '/product')}
        onChange={(value) => {
          setProduct(value);
          setZone('');
        }}
      />
      <Select
        isLabelled
        label="Zone"
        value={zone}
        options={[['', 'No single zone'], ...zones.map(({ name }): [string, string] => [name, name])]}
        error={findError(error, '/zone')}
        onChange={setZone}
      />
      <Select
        isLabelled
        label="Severity"
        value={severity}
        options={severityOptions}
        error={findError(error, '/severity')}
        onChange={setSeverity}
      />
      <TextArea
        label="Details, optional"
        value={text}
        rows={4}
        maxLength={2_000}
        error={findError(error, '/text')}
        onChange={(event) => setText(event.target.value)}
      />
    </Dialog>
  );
}
