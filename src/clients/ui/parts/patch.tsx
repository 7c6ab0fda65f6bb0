import { Fragment, useMemo } from 'react';
import { parsePatch, type Line } from './parse-patch.ts';
import styles from './patch.module.css';

const signs = { same: '', add: '+', del: '−' };
const words = { same: undefined, add: 'Added: ', del: 'Removed: ' };

/** The changes of one small file, with the changed words marked. */
export function Patch({ path, patch }: { path: string; patch: string }) {
  const hunks = useMemo(() => parsePatch(patch), [patch]);
  const count = (kind: Line['kind']): number =>
    hunks.flatMap(({ lines }) => lines).filter((line) => line.kind === kind).length;
  return (
    <div className={styles['patch']}>
      <header>
        <span className="mono small clip" title={path}>
          {path}
        </span>
        <span className="push num small">
          <span className={styles['plus']}>+{count('add')}</span>{' '}
          <span className={styles['minus']}>−{count('del')}</span>
        </span>
      </header>
      <table aria-label={`Changes of ${path}`}>
        <tbody>
          {hunks.map(({ lines }, index) => (
            <Fragment key={index}>
              {index > 0 && <Gap />}
              {lines.map((line, at) => (
                <Row key={at} line={line} />
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Gap = () => (
  <tr className={styles['gap']}>
    <td className={styles['number']} />
    <td className={styles['sign']} />
    <td>…</td>
  </tr>
);

function Row({ line: { kind, before, after, parts } }: { line: Line }) {
  const Changed = kind === 'add' ? 'ins' : 'del';
  return (
    <tr className={styles[kind]}>
      <td className={styles['number']}>{after ?? before}</td>
      <td className={styles['sign']} aria-hidden="true">
        {signs[kind]}
      </td>
      <td>
        {words[kind] && <span className="sr">{words[kind]}</span>}
        {parts.map(({ text, isChanged }, at) => (isChanged ? <Changed key={at}>{text}</Changed> : text))}
      </td>
    </tr>
  );
}
