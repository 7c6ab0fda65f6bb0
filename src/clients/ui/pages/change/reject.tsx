import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { DialogFrame } from '../../parts/dialog-frame.tsx';

type Props = {
  why: string | undefined;
  busy: boolean;
  note: string;
  /** The text that was typed, which stays until the decision is sent. */
  reason: string;
  onType: (reason: string) => void;
  onReject: (reason: string) => void;
};

/** Rejects a Change with a reason. */
export function Reject({ busy, ...ask }: Props) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button look="danger" why={ask.why} busy={busy} aria-haspopup="dialog" onClick={() => setAsking(true)}>
        Reject…
      </Button>
      {isAsking && <AskReason {...ask} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Asks for the reason, of which a typed note is the first draft. */
function AskReason({
  why,
  note,
  reason: typed,
  onType,
  onReject,
  onClose,
}: Omit<Props, 'busy'> & { onClose: () => void }) {
  const [reason, setReason] = useState(typed === '' ? note : typed);
  const missing = why ?? (reason.trim() === '' ? 'Write a reason first.' : undefined);
  return (
    <AlertDialog.Root defaultOpen onOpenChange={(isOpen) => isOpen || onClose()}>
      <DialogFrame
        title="Reject this Change?"
        note={why ?? 'The Change ends here. The issue stays open, and everyone who follows it sees the reason.'}
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
            onChange={({ target }) => {
              setReason(target.value);
              onType(target.value);
            }}
          />
        </div>
      </DialogFrame>
    </AlertDialog.Root>
  );
}
