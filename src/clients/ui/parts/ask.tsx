import { Dialog } from '@base-ui/react/dialog';
import type { ReactElement, ReactNode } from 'react';
import { ProblemNotice } from './problem.tsx';
import { useFocusInvalid } from './use-focus-invalid.ts';
import { Button } from './button.tsx';
import styles from './confirm.module.css';

/** A dialog that asks for what an action needs. It stays open until the action has succeeded. */
export function Ask({
  trigger,
  title,
  note,
  isOpen,
  onOpenChange,
  onSubmit,
  error,
  foot,
  keep = 'Cancel',
  children,
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
}) {
  const form = useFocusInvalid<HTMLFormElement>(error);
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Trigger render={trigger} />
      <Dialog.Portal>
        <Dialog.Backdrop className={styles['scrim']} />
        <Dialog.Popup className={styles['dialog']}>
          <form
            ref={form}
            onSubmit={(event) => {
              event.preventDefault();
              onSubmit();
            }}
          >
            <Dialog.Title className={styles['title']}>{title}</Dialog.Title>
            <div className={`${styles['body']} ${styles['fields']}`}>
              {note && <Dialog.Description>{note}</Dialog.Description>}
              {children}
              {error && <ProblemNotice error={error} />}
            </div>
            <div className={styles['foot']}>
              {foot}
              <Dialog.Close render={<Button look="plain">{keep}</Button>} />
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
