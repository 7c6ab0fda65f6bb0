import { Dialog } from '@base-ui/react/dialog';
import type { ReactElement, ReactNode } from 'react';
import { Button } from './button.tsx';
import { DialogFrame } from './dialog-frame.tsx';

/** A dialog that asks for what an action needs. It stays open until the action has succeeded. */
export const FormDialog = ({
  trigger,
  isOpen,
  onOpenChange,
  foot,
  keep = 'Cancel',
  ...content
}: {
  trigger: ReactElement;
  title: string;
  note?: ReactNode;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  onSubmit: () => void;
  /** Why the action was refused. */
  error: Error | null;
  /** The button that submits, and what explains it. */
  foot: ReactNode;
  keep?: string;
  children: ReactNode;
}) => (
  <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
    <Dialog.Trigger render={trigger} />
    <DialogFrame
      {...content}
      foot={
        <>
          {foot}
          <Dialog.Close render={<Button look="plain">{keep}</Button>} />
        </>
      }
    />
  </Dialog.Root>
);
