import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { DialogFrame } from '../../parts/dialog-frame.tsx';

type Props = {
  why: string | undefined;
  busy: boolean;
  note: string;
  onReject: (reason: string) => void;
};

/** Rejects a Change with a reason. What was typed as a note is its first draft. */
export function Reject({ why, busy, note, onReject }: Props) {
  const [reason, setReason] = useState('');
  const trigger = (
    <Button look="danger" why={why} busy={busy}>
      Reject…
    </Button>
  );
  if (why !== undefined || busy) return trigger;
  return (
    <AlertDialog.Root onOpenChange={(isOpen) => isOpen && setReason(note)}>
      <AlertDialog.Trigger render={trigger} />
      <DialogFrame
        title="Reject this Change?"
        note="The Change ends here. The issue stays open, and everybody who follows it reads the reason."
        foot={
          <>
            <AlertDialog.Close render={<Button look="plain">Keep it</Button>} />
            <AlertDialog.Close
              render={
                <Button look="danger" why={reason.trim() === '' ? 'Write a reason first.' : undefined}>
                  Reject
                </Button>
              }
              onClick={() => {
                if (reason.trim() !== '') onReject(reason.trim());
              }}
            />
          </>
        }
      >
        <div>
          <label htmlFor="reason">Reason</label>
          <textarea
            id="reason"
            rows={3}
            maxLength={2000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </div>
      </DialogFrame>
    </AlertDialog.Root>
  );
}
