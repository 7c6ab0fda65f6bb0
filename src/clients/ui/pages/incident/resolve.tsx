import { useState } from 'react';
import type { Incident } from '../../api/queries/incidents.ts';
import { request } from '../../api/request.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Button } from '../../parts/button.tsx';
import { findError } from '../../parts/find-error.ts';
import { TextArea } from '../../parts/text-area.tsx';
import { useUnsentText } from '../../parts/use-unsent-text.ts';
import { OnStatusPage } from './on-status-page.tsx';
import { findRefusal } from '../../parts/find-refusal.ts';
import { useIncidentChange } from './use-incident-change.ts';

/** Resolves an incident with what fixed it. */
export function Resolve({ incident }: { incident: Incident }) {
  const { org, name, status, spec } = incident;
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useUnsentText(`what fixed ${org} ${name}`);
  const [isPublic, setPublic] = useState(false);
  const why = findRefusal(incident.actions, 'resolveIncident');
  const resolve = useIncidentChange(incident, {
    change: async () => {
      const resolved = await request('post', '/v1/orgs/{org}/incidents/{name}/resolve', {
        params: { org, name },
        body: { text: text.trim(), public: isPublic },
      });
      setText('');
      setOpen(false);
      return resolved;
    },
    done: 'The incident is resolved.',
  });
  const isMissing = text.trim() === '';
  const fires = spec.alert !== undefined && status?.episode?.clearedAt === undefined;
  return (
    <FormDialog
      trigger={<Button why={why}>Resolve…</Button>}
      title="Resolve the incident"
      note={
        fires
          ? 'Its alert still fires. It resolves the incident by itself when it clears; resolved by you, the incident stays resolved until the alert clears and fires again.'
          : undefined
      }
      isOpen={isOpen}
      onOpenChange={setOpen}
      onSubmit={() => isMissing || resolve.isPending || resolve.mutate()}
      error={resolve.error}
      foot={
        <Button
          look="primary"
          type="submit"
          busy={resolve.isPending}
          why={isMissing ? 'Say what fixed it.' : undefined}
        >
          Resolve
        </Button>
      }
    >
      <TextArea
        label="What fixed it"
        value={text}
        rows={3}
        maxLength={2_000}
        autoFocus
        error={findError(resolve.error, '/text')}
        onChange={(event) => setText(event.target.value)}
      />
      <OnStatusPage checked={isPublic} onChange={setPublic} />
    </FormDialog>
  );
}
