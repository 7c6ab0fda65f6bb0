import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import {
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
  type KeyboardEvent,
  type MouseEvent,
} from 'react';
import { findQuery } from '../api/queries/me.ts';
import { formatAmount } from '../parts/format-amount.ts';
import { ProblemNotice } from '../parts/problem.tsx';
import { Mark } from '../parts/state.tsx';
import { useInitialFocus } from '../parts/use-initial-focus.ts';
import {
  filterCommands,
  listAppearance,
  listPageActions,
  listPlaces,
  listRecent,
  toFoundCommand,
  type Command,
  type CommandGroup,
} from './palette-groups.ts';
import type { Place } from './places.ts';
import styles from './palette.module.css';
import dialog from './overlay.module.css';

type PaletteProps = {
  places: Place[];
  toPath: (place: Place) => string;
  onClose: () => void;
  openSheet: () => void;
};

/** Finds anything by a few letters, and runs what the present page offers. */
export default function Palette({ onClose, ...options }: PaletteProps) {
  const focus = useInitialFocus();
  const [text, setText] = useState('');
  const [highlighted, setHighlighted] = useState<Command>();
  const { groups, error, isSearching, isOutdated } = useCommands(text, options);
  const [isEntered, setEntered] = useState(false);
  const router = useRouter();
  const commands = groups.flatMap(({ items }) => items);
  const choose = ({ path, run }: Command, isNewTab: boolean): void => {
    if (path !== undefined && isNewTab) window.open(path, '_blank', 'noopener');
    onClose();
    if (path !== undefined && !isNewTab) router.history.push(path);
    // The dialog gives back the focus first.
    if (run) setTimeout(run, 0);
  };
  const onKeyDown = (event: KeyboardEvent & { preventBaseUIHandler: () => void }): void => {
    setEntered(false);
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    const isNewTab = event.ctrlKey || event.metaKey;
    if (isOutdated) setEntered(true);
    else if (isNewTab && highlighted) choose(highlighted, true);
    else return;
    event.preventDefault();
    event.preventBaseUIHandler();
  };
  // Enter is for what was typed, and not for what an earlier text has found.
  const chooseEntered = useEffectEvent(() => {
    const command = commands.find((one) => one === highlighted) ?? commands[0];
    setEntered(false);
    if (command && !error) choose(command, false);
  });
  useEffect(() => {
    if (isEntered && !isOutdated) chooseEntered();
  }, [isEntered, isOutdated]);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog['scrim']} />
        <Dialog.Popup {...focus} className={`${dialog['dialog']} ${styles['pal']}`} aria-label="Find or run a command">
          <Autocomplete.Root
            open
            inline
            mode="none"
            items={groups}
            value={text}
            onValueChange={setText}
            onItemHighlighted={setHighlighted}
            itemToStringValue={({ title }: Command) => title}
            autoHighlight="always"
            keepHighlight
          >
            <div className={styles['in']}>
              <Search className="i" aria-hidden="true" />
              <Autocomplete.Input
                aria-label="Find or run a command"
                placeholder="Name, text, number, commit or address"
                onKeyDown={onKeyDown}
              />
              <kbd aria-hidden="true">Esc</kbd>
            </div>
            {error && <ProblemNotice error={error} />}
            <Autocomplete.List className={styles['list']}>
              {(group: CommandGroup) => (
                <Autocomplete.Group key={group.value} items={group.items}>
                  <Autocomplete.GroupLabel className={styles['grp']}>{group.value}</Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(command: Command) => (
                      <Autocomplete.Item
                        key={command.id}
                        value={command}
                        className={styles['option']}
                        onClick={(event: MouseEvent) => choose(command, event.ctrlKey || event.metaKey)}
                      >
                        <Line command={command} />
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
            <div className={styles['hints']}>
              <span aria-hidden="true">
                <kbd>↑</kbd> <kbd>↓</kbd> choose
              </span>
              <span aria-hidden="true">
                <kbd>Enter</kbd> open
              </span>
              <span className="hide-n" aria-hidden="true">
                <kbd>Ctrl Enter</kbd> open in a new tab
              </span>
              <Autocomplete.Status className="push">
                {isSearching ? 'Searching' : formatAmount(commands.length, 'result')}
              </Autocomplete.Status>
            </div>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const Line = ({ command: { title, note, kind, keys, icon: Icon, state } }: { command: Command }) => (
  <>
    {state ? <Mark state={state} /> : Icon && <Icon className="i" aria-hidden="true" />}
    <span className="clip">
      {title} {note !== undefined && <span className="faint">{note}</span>}
    </span>
    <span className={styles['end']}>
      {kind}
      {keys?.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  </>
);

function useCommands(text: string, { places, toPath, openSheet }: Omit<PaletteProps, 'onClose'>) {
  const query = useDeferredValue(text.trim());
  const found = useQuery({ ...findQuery(query), enabled: query !== '', placeholderData: keepPreviousData });
  // The page behind the palette stays as it is while the palette is open.
  const [page] = useState(() => ({ recent: listRecent(), actions: listPageActions() }));
  const groups = useMemo(() => {
    const isEmpty = query === '';
    const all: CommandGroup[] = [
      { value: 'Found', items: isEmpty ? [] : (found.data?.items ?? []).map(toFoundCommand) },
      { value: 'Recent', items: isEmpty ? page.recent : [] },
      { value: 'Do, on this page', items: filterCommands(page.actions, query) },
      { value: 'Go to', items: filterCommands(listPlaces(places, toPath), query) },
      { value: 'This browser', items: filterCommands(listAppearance(openSheet), query) },
    ];
    return all.filter(({ items }) => items.length > 0);
  }, [query, found.data, page, places, toPath, openSheet]);
  return {
    groups,
    error: found.error,
    isSearching: query !== '' && found.isFetching,
    /** Whether the groups are those of an earlier text. */
    isOutdated: query !== text.trim() || (query !== '' && (found.isPending || found.isPlaceholderData)),
  };
}
