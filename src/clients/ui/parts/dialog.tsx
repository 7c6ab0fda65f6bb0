import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { DialogFrame, type DialogContent } from './dialog-frame.tsx';

/** A question over the page. The focus starts in its first field, and goes back to where it came from. */
export const Dialog = ({ onClose, ...content }: DialogContent & { onClose: () => void }) => (
  <BaseDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
    <DialogFrame {...content} />
  </BaseDialog.Root>
);
