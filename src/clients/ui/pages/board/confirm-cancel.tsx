import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { Issue } from '../../api/queries/issues.ts';
import { Button } from '../../parts/button.tsx';
import styles from '../../parts/confirm.module.css';

/** Asks before the work on an issue is taken back; the focus starts on the way out. */
export const ConfirmCancel = ({
  issue: { number, change },
  onConfirm,
  onClose,
}: {
  issue: Issue;
  onConfirm: () => void;
  onClose: () => void;
}) => (
  <AlertDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
    <AlertDialog.Portal>
      <AlertDialog.Backdrop className={styles['scrim']} />
      <AlertDialog.Popup className={styles['dialog']}>
        <AlertDialog.Title className={styles['title']}>Cancel the Change on #{number}?</AlertDialog.Title>
        <AlertDialog.Description className={styles['body']}>
          {change?.run} ends, its pull request is closed and its branch is deleted. The issue goes back to the Backlog.
        </AlertDialog.Description>
        <div className={styles['foot']}>
          <AlertDialog.Close render={<Button look="plain">Keep it</Button>} />
          <AlertDialog.Close render={<Button look="danger">Cancel the Change</Button>} onClick={onConfirm} />
        </div>
      </AlertDialog.Popup>
    </AlertDialog.Portal>
  </AlertDialog.Root>
);
