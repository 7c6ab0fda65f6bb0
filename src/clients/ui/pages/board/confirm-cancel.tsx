import type { Issue } from '../../api/queries/issues.ts';
import { Confirm } from '../../parts/confirm.tsx';

/** Asks before the work on an issue is taken back. */
export const ConfirmCancel = ({
  issue: { number, change },
  onConfirm,
  onClose,
}: {
  issue: Issue;
  onConfirm: () => void;
  onClose: () => void;
}) => (
  <Confirm
    title={`Cancel the Change on #${number}?`}
    action="Cancel the Change"
    onConfirm={onConfirm}
    onClose={onClose}
  >
    {change?.run} ends, its pull request is closed and its branch is deleted. The issue goes back to the Backlog.
  </Confirm>
);
