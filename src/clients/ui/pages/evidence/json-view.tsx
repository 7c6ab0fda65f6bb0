import { useEffect, useState } from 'react';
import { Skeleton } from '../../parts/page.tsx';
import { ReadingProblem } from './reading-problem.tsx';
import { TextView } from './text-view.tsx';
import { useText } from './use-text.ts';
import styles from './evidence.module.css';

const entriesMax = 100;
type Props = { url: string; name: string; words: string; onSearch: (words: string, isFurther: boolean) => void };

/** A JSON document as a tree, whose branches are drawn when they are opened. */
export function JsonView(props: Props) {
  const { text, error, isComplete, isReading, readMore } = useText(props.url);
  useEffect(() => {
    if (!isComplete && !isReading && !error && text !== undefined) readMore();
  });
  if (error) return <ReadingProblem error={error} isReading={isReading} readMore={readMore} />;
  if (text === undefined || !isComplete) return <Skeleton />;
  const value = parse(text);
  // A search wants the text, with its hits.
  if (value === undefined || props.words !== '') return <TextView {...props} />;
  return (
    <div className={styles['tree']}>
      <Value name={props.name} value={value} isOpen />
    </div>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function Value({ name, value, isOpen: startsOpen = false }: { name: string; value: unknown; isOpen?: boolean }) {
  const [isOpen, setOpen] = useState(startsOpen);
  const [shown, setShown] = useState(entriesMax);
  if (value === null || typeof value !== 'object')
    return (
      <p>
        <b>{name}</b> <code>{JSON.stringify(value)}</code>
      </p>
    );
  const entries = Object.entries(value);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <b>{name}</b>{' '}
        <span className="dim">{Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`}</span>
      </summary>
      {isOpen && entries.slice(0, shown).map(([key, child]) => <Value key={key} name={key} value={child} />)}
      {isOpen && entries.length > shown && (
        <button type="button" onClick={() => setShown(shown + 10 * entriesMax)}>
          Show more of {entries.length.toLocaleString('en')}
        </button>
      )}
    </details>
  );
}
