import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';
import styles from './dialog.module.css';
import { ProblemNotice } from './problem.tsx';
import { useFocusInvalid } from './use-focus-invalid.ts';
import { useInitialFocus } from './use-initial-focus.ts';

export type DialogContent = {
  title: string;
  note?: ReactNode;
  foot?: ReactNode;
  wide?: boolean;
  initialFocus?: RefObject<HTMLElement | null>;
  /** Makes the dialog a form. */
  onSubmit?: () => void;
  /** Why what the form submitted was refused. */
  error?: Error | null;
  children?: ReactNode;
};

/** The title of a dialog over the page, what it asks for, and the ways out, for the roots of Dialog and AlertDialog. */
export function DialogFrame({
  title,
  note,
  foot,
  wide = false,
  initialFocus,
  onSubmit,
  error = null,
  children,
}: DialogContent) {
  const form = useFocusInvalid<HTMLFormElement>(error);
  const focus = useInitialFocus(initialFocus);
  const content = (
    <>
      <header className={styles['head']}>
        <Dialog.Title className={styles['title']}>{title}</Dialog.Title>
        {note !== undefined && <Dialog.Description className="dim">{note}</Dialog.Description>}
      </header>
      {children !== undefined && (
        <div className={styles['body']}>
          {children}
          {error && <ProblemNotice error={error} />}
        </div>
      )}
      {foot !== undefined && <footer className={styles['foot']}>{foot}</footer>}
    </>
  );
  return (
    <Dialog.Portal>
      <Dialog.Backdrop className={styles['scrim']} />
      <Dialog.Popup {...focus} className={`${styles['dialog']} ${wide ? styles['wide'] : ''}`}>
        {onSubmit ? (
          <form
            ref={form}
            onSubmit={(event) => {
              event.preventDefault();
              onSubmit();
            }}
          >
            {content}
          </form>
        ) : (
          content
        )}
      </Dialog.Popup>
    </Dialog.Portal>
  );
}
