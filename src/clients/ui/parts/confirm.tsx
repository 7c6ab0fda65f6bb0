import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { ReactElement, ReactNode } from 'react';
import { Button } from './button.tsx';
import { DialogFrame } from './dialog-frame.tsx';

/** Asks before an action that cannot be taken back; the focus starts on the way out. Without a trigger it is open at once. */
export const Confirm = ({
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
}) => (
  <AlertDialog.Root defaultOpen={trigger === undefined} onOpenChange={(isOpen) => isOpen || onClose?.()}>
    {trigger && <AlertDialog.Trigger render={trigger} />}
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
