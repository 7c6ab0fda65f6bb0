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
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const missing = why ?? (reason.trim() === '' ? 'Write a reason first.' : undefined);
  const change = (next: boolean): void => {
    if (next && (why !== undefined || busy)) return;
    if (next) setReason(note);
    setOpen(next);
  };
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={change}>
      <AlertDialog.Trigger
        render={
          <Button look="danger" why={why} busy={busy}>
            Reject…
          </Button>
        }
      />
      <DialogFrame
        title="Reject this Change?"
        note={why ?? 'The Change ends here. The issue stays open, and everybody who follows it reads the reason.'}
        foot={
          <>
            <AlertDialog.Close render={<Button look="plain">Keep it</Button>} />
            <AlertDialog.Close
              render={
                <Button look="danger" why={missing}>
                  Reject
                </Button>
              }
              onClick={() => {
                if (missing === undefined) onReject(reason.trim());
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
