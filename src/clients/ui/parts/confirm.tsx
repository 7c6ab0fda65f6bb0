import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { ReactElement, ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './confirm.module.css';

/** Asks before an action that cannot be taken back; the focus starts on the way out. */
export const Confirm = ({
  trigger,
  title,
  action,
  onConfirm,
  children,
}: {
  trigger: ReactElement;
  title: string;
  action: string;
  onConfirm: () => void;
  children: ReactNode;
}) => (
  <AlertDialog.Root>
    <AlertDialog.Trigger render={trigger} />
    <AlertDialog.Portal>
      <AlertDialog.Backdrop className={styles['scrim']} />
      <AlertDialog.Popup className={styles['dialog']}>
        <AlertDialog.Title className={styles['title']}>{title}</AlertDialog.Title>
        <AlertDialog.Description className={styles['body']}>{children}</AlertDialog.Description>
        <div className={styles['foot']}>
          <AlertDialog.Close render={<Button look="plain">Keep it</Button>} />
          <AlertDialog.Close render={<Button look="danger">{action}</Button>} onClick={onConfirm} />
        </div>
      </AlertDialog.Popup>
    </AlertDialog.Portal>
  </AlertDialog.Root>
);
