import { useState } from 'react';
import type { Incident } from '../../api/queries/incidents.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { findError } from '../../parts/find-error.ts';
import { ProblemNotice } from '../../parts/problem.tsx';
import { TextArea } from '../../parts/text-area.tsx';
import { useUnsentText } from '../../parts/use-unsent-text.ts';
import styles from './incident.module.css';
import { OnStatusPage } from './on-status-page.tsx';
import { findRefusal } from '../../parts/find-refusal.ts';
import { useIncidentChange } from './use-incident-change.ts';

/** Adds what a person saw or did to the timeline, also of an incident that is over. */
export function AddNote({ incident }: { incident: Incident }) {
  const { org, name } = incident;
  const [text, setText, , clearText] = useUnsentText(`note of ${org} ${name}`);
  const [isPublic, setPublic] = useState(false);
  const why = findRefusal(incident.actions, 'addIncidentNote');
  const missing = why ?? (text.trim() === '' ? 'Write the note first.' : undefined);
  const add = useIncidentChange(incident, {
    change: async () => {
      const changed = await request('post', '/v1/orgs/{org}/incidents/{name}/notes', {
        params: { org, name },
        body: { text: text.trim(), public: isPublic },
      });
      clearText(text);
      setPublic(false);
      return changed;
    },
    done: 'The note is on the timeline.',
  });
  return (
    <form
      className={styles['note']}
      onSubmit={(event) => {
        event.preventDefault();
        if (missing === undefined && !add.isPending) add.mutate();
      }}
    >
      <TextArea
        label="Add a note"
        value={text}
        rows={3}
        maxLength={2_000}
        placeholder="What you saw or did."
        readOnly={why !== undefined}
        error={findError(add.error, '/text')}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="row">
        <OnStatusPage checked={isPublic} onChange={setPublic} />
        <span className="push">
          <Button type="submit" why={missing} busy={add.isPending}>
            Add note
          </Button>
        </span>
      </div>
      {add.error && <ProblemNotice error={add.error} />}
    </form>
  );
}
