import { Menu } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import type { Column, Issue } from '../../api/queries/issues.ts';
import { isWebAddress } from '../../parts/outside-link.tsx';
import menu from '../../shell/menu.module.css';
import styles from './board.module.css';
import { listTargets, type Target } from './moves.ts';

/** Moves a card without dragging it, and says why it cannot go elsewhere. */
export const CardMenu = ({
  issue,
  isOpen,
  tabIndex,
  onOpenChange,
  onMove,
  onStart,
}: {
  issue: Issue;
  isOpen: boolean;
  tabIndex: number;
  onOpenChange: (isOpen: boolean) => void;
  onMove: (column: Column) => void;
  onStart: () => void;
}) => (
  <Menu.Root modal={false} open={isOpen} onOpenChange={onOpenChange}>
    <Menu.Trigger className={styles['more']} aria-label={`Move #${issue.number} to…`} tabIndex={tabIndex}>
      <Ellipsis className="i s" aria-hidden="true" />
    </Menu.Trigger>
    <Menu.Portal>
      <Menu.Positioner className={menu['positioner']} align="end" sideOffset={2}>
        <Menu.Popup className={menu['popup']}>
          <Menu.Group>
            <Menu.GroupLabel className={menu['note']}>Move to</Menu.GroupLabel>
            {listTargets(issue).map((target) => (
              <MoveItem key={target.column} target={target} onMove={onMove} />
            ))}
          </Menu.Group>
          <Menu.Separator className={menu['rule']} />
          <Menu.Item className={menu['item']} disabled={!canStart(issue)} onClick={onStart}>
            <span>Start a Change…</span>
            <span className="small dim">{whyNotStart(issue)}</span>
          </Menu.Item>
          {isWebAddress(issue.url) && (
            <Menu.LinkItem className={menu['item']} href={issue.url} rel="noreferrer">
              Open at the code host
            </Menu.LinkItem>
          )}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>
);

const MoveItem = ({ target: { column, move, why }, onMove }: { target: Target; onMove: (column: Column) => void }) => (
  <Menu.Item
    className={move ? menu['item'] : `${menu['item']} ${styles['blocked']}`}
    disabled={!move}
    onClick={() => onMove(column)}
  >
    <span>{column}</span>
    <span className="small dim">
      {move === 'start' ? 'starts a Change' : move === 'cancel' ? 'cancels the Change…' : why}
    </span>
  </Menu.Item>
);

/** Returns why no Change can start on an issue, or undefined when one can. */
export function whyNotStart({ actions }: Issue): string | undefined {
  const start = actions.find(({ name }) => name === 'startRun');
  return start?.allowed === true ? undefined : (start?.message ?? 'No Change can start.');
}

const canStart = (issue: Issue): boolean => whyNotStart(issue) === undefined;
