import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type ReactElement, type ReactNode, useRef } from 'react';
import { Button } from './button.tsx';
import { DialogFrame } from './dialog-frame.tsx';
import { usePassedFocus } from './use-passed-focus.ts';

/** Asks before an action that cannot be taken back; the focus starts on the way out. Without a trigger it is open at once. */
export function Confirm({
  trigger,
  title,
  action,
  onConfirm,
  onClose,
  children,
}: {
  trigger?: ReactElement;
  title: string;
  action: string;
  onConfirm: () => void;
  onClose?: () => void;
  children: ReactNode;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const isOpen = useRef(false);
  usePassedFocus(button, isOpen);
  return (
    <AlertDialog.Root
      defaultOpen={trigger === undefined}
      onOpenChange={(next) => {
        isOpen.current = next;
        if (!next) onClose?.();
      }}
    >
      {trigger && <AlertDialog.Trigger ref={button} render={trigger} />}
      <DialogFrame
        title={title}
        note={children}
        foot={
          <>
            <AlertDialog.Close render={<Button look="plain">Keep it</Button>} />
            <AlertDialog.Close render={<Button look="danger">{action}</Button>} onClick={onConfirm} />
          </>
        }
      />
    </AlertDialog.Root>
  );
}
