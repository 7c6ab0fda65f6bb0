import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { useInitialFocus } from '../parts/use-initial-focus.ts';
import { areSingleKeysOn, isMac, setSingleKeys } from './keys.ts';
import dialog from './overlay.module.css';
import type { Place } from './places.ts';

type Row = [what: string, ...keys: string[]];

const lists: Row[] = [
  ['Down, up', 'j', 'k'],
  ['Open', 'Enter'],
];
const changes: Row[] = [
  ['Go to the decision; never decides', 'a'],
  ['Next, previous evidence', ']', '['],
  ['Next, previous file of the diff', 'n', 'p'],
  ['Mark the file as viewed', 'v'],
  ['Pause updates', '.'],
];
const board: Row[] = [
  ['Between columns', '←', '→'],
  ['Move to…', 'm'],
];
const logs: Row[] = [
  ['Search', '/'],
  ['Follow', 'f'],
  ['Wrap', 'w'],
];

/** Every key of the UI, and the switch for those that are one letter. */
export default function ShortcutSheet({ places, onClose }: { places: Place[]; onClose: () => void }) {
  const focus = useInitialFocus();
  const [isOn, setIsOn] = useState(areSingleKeysOn);
  const anywhere: Row[] = [
    ['Find or run a command', isMac() ? '⌘ K' : 'Ctrl K'],
    ['This sheet', '?'],
    ['Filter this page', '/'],
    ...places.flatMap(({ label, letter }): Row[] => (letter === undefined ? [] : [[label, 'g', letter]])),
  ];
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog['scrim']} />
        <Dialog.Popup {...focus} className={`${dialog['dialog']} ${dialog['wide']}`}>
          <div className={dialog['head']}>
            <Dialog.Title>Keyboard shortcuts</Dialog.Title>
            <Dialog.Close
              render={
                <Button look="plain" small aria-label="Close">
                  <X className="i s" aria-hidden="true" />
                </Button>
              }
            />
          </div>
          <div className={dialog['sheet']}>
            <div>
              <Keys title="Anywhere" rows={anywhere} />
              <Keys title="In lists" rows={lists} />
            </div>
            <div>
              <Keys title="On a Change" rows={changes} />
              <Keys title="On the board" rows={board} />
              <Keys title="In logs" rows={logs} />
            </div>
          </div>
          <div className={dialog['foot']}>
            <label>
              <input
                type="checkbox"
                checked={isOn}
                onChange={({ target }) => {
                  setSingleKeys(target.checked);
                  setIsOn(target.checked);
                }}
              />
              Single-key shortcuts
            </label>
            <span className="small dim">Kept in this browser</span>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const Keys = ({ title, rows }: { title: string; rows: Row[] }) => (
  <>
    <h3>{title}</h3>
    <dl>
      {rows.map(([what, ...keys]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </>
);
