import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useBlocker } from '@tanstack/react-router';
import { Button } from './button.tsx';
import { DialogFrame } from './dialog-frame.tsx';

/** Asks before a link or the browser throws away what was typed. Another view of the same page keeps it. */
export function Unsaved({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  return (
    <AlertDialog.Root open={blocker.status === 'blocked'} onOpenChange={(open) => open || blocker.reset?.()}>
      <DialogFrame
        title="Leave without saving?"
        note="What you changed on this page is not saved."
        foot={
          <>
            <Button onClick={() => blocker.reset?.()}>Stay</Button>
            <Button look="danger" onClick={() => blocker.proceed?.()}>
              Leave
            </Button>
          </>
        }
      />
    </AlertDialog.Root>
  );
}
