import { useEffect, useMemo, useRef } from 'react';
import { Button } from '../../parts/button.tsx';
import { Skeleton } from '../../parts/page.tsx';
import { findText, marksMax, removeColours } from './find-text.ts';
import { ReadingProblem } from './reading-problem.tsx';
import { TestReport, parseTestReport } from './test-report.tsx';
import { useText } from './use-text.ts';
import { SearchInput } from '../../parts/search-input.tsx';
import styles from './evidence.module.css';

type Props = { url: string; name: string; words: string; onSearch: (words: string, isFurther: boolean) => void };

/** A text with search; a report of tests has its failures above. */
export function TextView({ url, name, words, onSearch }: Props) {
  const { text, error, isComplete, isReading, readMore } = useText(url);
  const shown = useMemo(() => removeColours(text ?? ''), [text]);
  const { pieces, count } = useMemo(() => findText(shown, words), [shown, words]);
  const report = useMemo(() => (isComplete ? parseTestReport(shown) : undefined), [shown, isComplete]);
  const content = useRef<HTMLPreElement>(null);
  useEffect(() => {
    // Newer browsers return a promise, which an effect must not return.
    content.current?.querySelector('mark')?.scrollIntoView({ block: 'nearest' });
  }, [words, isComplete]);
  useEffect(() => {
    // The count of hits is only true for the whole text.
    if (words !== '' && !isComplete && !isReading && !error) readMore();
  });
  if (error) return <ReadingProblem error={error} isReading={isReading} readMore={readMore} />;
  if (text === undefined) return <Skeleton />;
  const hits = `${count.toLocaleString('en')} ${count === 1 ? 'hit' : 'hits'}`;
  return (
    <>
      {report && <TestReport report={report} />}
      <div className={styles['search']}>
        <label className="sr" htmlFor="search">
          Search in {name}
        </label>
        <SearchInput id="search" placeholder="Search" words={words} onSearch={onSearch} />
        <span role="status" className="dim small">
          {words !== '' && hits}
          {count > marksMax && `, the first ${marksMax.toLocaleString('en')} are marked`}
        </span>
      </div>
      <pre ref={content} role="group" className={styles['text']} tabIndex={0} aria-label={name}>
        {pieces.map((piece, index) => (piece.isHit ? <mark key={index}>{piece.text}</mark> : piece.text))}
        {shown === '' && <span className="dim">The file is empty.</span>}
      </pre>
      {!isComplete && (
        <p className={styles['more']}>
          <Button small busy={isReading} onClick={readMore}>
            Show more
          </Button>
        </p>
      )}
    </>
  );
}
