import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useBlocker } from '@tanstack/react-router';
import { Button } from './button.tsx';
import styles from './confirm.module.css';

/** Asks before a link or the browser throws away what was typed. Another view of the same page keeps it. */
export function Unsaved({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  return (
    <AlertDialog.Root open={blocker.status === 'blocked'} onOpenChange={(open) => open || blocker.reset?.()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles['scrim']} />
        <AlertDialog.Popup className={styles['dialog']}>
          <AlertDialog.Title className={styles['title']}>Leave without saving?</AlertDialog.Title>
          <AlertDialog.Description className={styles['body']}>
            What you changed on this page is not saved.
          </AlertDialog.Description>
          <div className={styles['foot']}>
            <Button onClick={() => blocker.reset?.()}>Stay</Button>
            <Button look="danger" onClick={() => blocker.proceed?.()}>
              Leave
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
