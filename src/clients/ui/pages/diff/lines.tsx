import { memo, type ReactNode } from 'react';
import { toSplitRows, type Hunk, type Line } from '../../parts/parse-patch.ts';
import styles from './diff.module.css';

const signs = { same: '', add: '+', del: '−' };

/** The lines of a file, in one column or with the two sides next to each other. */
export const Lines = memo(({ path, hunks, isSplit }: { path: string; hunks: Hunk[]; isSplit: boolean }) => (
  <table aria-label={`Changes of ${path}`} data-split={isSplit || undefined}>
    <tbody>
      {hunks.map((hunk, index) => [
        hunk.title !== '' && <Head key={`head ${index}`} title={hunk.title} isSplit={isSplit} />,
        ...(isSplit ? renderSplit(hunk, index) : renderUnified(hunk, index)),
      ])}
    </tbody>
  </table>
));

const Head = ({ title, isSplit }: { title: string; isSplit: boolean }) => (
  <tr className={styles['hunk']}>
    <td className={styles['no']} />
    {!isSplit && <td className={styles['no']} />}
    <td className={styles['sg']} />
    <td colSpan={isSplit ? 4 : 1}>{title}</td>
  </tr>
);

const renderUnified = ({ lines }: Hunk, hunk: number): ReactNode[] =>
  lines.map((line, index) => (
    <tr key={`${hunk} ${index}`} className={styles[line.kind]}>
      <td className={styles['no']}>{line.before}</td>
      <td className={styles['no']}>{line.after}</td>
      <td className={styles['sg']}>{signs[line.kind]}</td>
      <td>
        <Text line={line} />
      </td>
    </tr>
  ));

const renderSplit = ({ lines }: Hunk, hunk: number): ReactNode[] =>
  toSplitRows(lines).map(({ left, right }, index) => (
    <tr key={`${hunk} ${index}`}>
      <Side line={left} number={left?.before} />
      <Side line={right} number={right?.after} />
    </tr>
  ));

const Side = ({ line, number }: { line: Line | undefined; number: number | undefined }) => {
  const look = line === undefined ? styles['none'] : styles[line.kind];
  return (
    <>
      <td className={`${styles['no']} ${look}`}>{number}</td>
      <td className={`${styles['sg']} ${look}`}>{line && signs[line.kind]}</td>
      <td className={look}>{line && <Text line={line} />}</td>
    </>
  );
};

function Text({ line: { kind, parts } }: { line: Line }) {
  const Changed = kind === 'del' ? 'del' : 'ins';
  return parts.map(({ text, isChanged }, index) => (isChanged ? <Changed key={index}>{text}</Changed> : text));
}
