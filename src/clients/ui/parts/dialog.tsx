import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';
import confirm from './confirm.module.css';
import styles from './dialog.module.css';

/** A question over the page. The focus starts in its first field, and goes back to where it came from. */
export const Dialog = ({
  title,
  note,
  foot,
  wide = false,
  initialFocus,
  onClose,
  children,
}: {
  title: string;
  note?: ReactNode;
  foot?: ReactNode;
  wide?: boolean;
  initialFocus?: RefObject<HTMLElement | null>;
  onClose: () => void;
  children: ReactNode;
}) => (
  <BaseDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
    <BaseDialog.Portal>
      <BaseDialog.Backdrop className={confirm['scrim']} />
      <BaseDialog.Popup
        className={`${styles['dialog']} ${wide ? styles['wide'] : ''}`}
        {...(initialFocus && { initialFocus })}
      >
        <header>
          <BaseDialog.Title className={styles['title']}>{title}</BaseDialog.Title>
          {note !== undefined && <BaseDialog.Description className="dim">{note}</BaseDialog.Description>}
        </header>
        <div className={styles['body']}>{children}</div>
        {foot !== undefined && <footer>{foot}</footer>}
      </BaseDialog.Popup>
    </BaseDialog.Portal>
  </BaseDialog.Root>
);
