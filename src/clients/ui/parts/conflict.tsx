import { diffLines } from 'diff';
import { stringify } from 'yaml';
import { Button } from './button.tsx';
import { Mark } from './state.tsx';
import styles from './conflict.module.css';

/** The version that another person saved during an edit, next to the edit. The reader chooses which one to keep. */
export function Conflict({
  theirs,
  mine,
  onTakeTheirs,
  onKeepMine,
}: {
  theirs: unknown;
  mine: unknown;
  onTakeTheirs: () => void;
  onKeepMine: () => void;
}) {
  const parts = diffLines(stringify(theirs), stringify(mine));
  return (
    <section className={styles['conflict']} role="alert" aria-label="Changed by another person">
      <header>
        <Mark state="warn" large />
        <h2>Another person saved this while you were editing</h2>
      </header>
      <p>Nothing that you typed is lost. Lines that differ are marked.</p>
      <div className={styles['sides']}>
        <Side
          title="Saved by them"
          sign="−"
          parts={parts.filter(({ added }) => !added)}
          isMarked={(one) => one.removed}
        />
        <Side title="Yours" sign="+" parts={parts.filter(({ removed }) => !removed)} isMarked={(one) => one.added} />
      </div>
      <footer>
        <Button look="primary" onClick={onKeepMine}>
          Keep mine
        </Button>
        <Button onClick={onTakeTheirs}>Take theirs</Button>
      </footer>
    </section>
  );
}

type Part = { value: string; added: boolean; removed: boolean };

function Side({
  title,
  sign,
  parts,
  isMarked,
}: {
  title: string;
  sign: string;
  parts: Part[];
  isMarked: (part: Part) => boolean;
}) {
  const lines = parts.flatMap((part) =>
    part.value
      .replace(/\n$/, '')
      .split('\n')
      .map((text) => ({ text, isMarked: isMarked(part) })),
  );
  return (
    <div>
      <h3>{title}</h3>
      <pre role="group" tabIndex={0} aria-label={title}>
        {lines.map(({ text, isMarked: marked }, index) => (
          <span key={`${index} ${text}`} className={marked ? styles[sign === '+' ? 'add' : 'del'] : undefined}>
            {marked ? `${sign} ` : '  '}
            {text}
            {'\n'}
          </span>
        ))}
      </pre>
    </div>
  );
}
